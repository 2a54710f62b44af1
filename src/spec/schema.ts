// The task-spec format as Zod schemas, 0.1 and `playwright/1`: bounds, defaults and the rules between fields.
import { z } from 'zod';
import { assertionSchema, assertionSchema1, nonEmpty, rule } from './assertions';
import { shown, typeName } from './errors';
import type { Assertion, TaskSpec, TaskSpecInput } from './task-spec';
import { hasCredentials, parsedUrl } from './url';

/** The format's version. */
export const SPEC_VERSION = '0.1';

/** The newer version: 0.1 and more. Only this library reads it. */
export const SPEC_VERSION_1 = 'playwright/1';

const longText = () => nonEmpty().max(2000);
// `multipleOf(1)`, not `int()`, which would stop the rules between fields and so hide problems.
const positiveWhole = () => z.number().multipleOf(1, 'must be a whole number').min(1);

/** The most trials that a spec can ask for. */
export const K_MAX = 25;

export const passPolicySchema = z
  .strictObject({
    k: positiveWhole().max(K_MAX).describe('How many trials to run.'),
    minPasses: positiveWhole().describe('How many of them must pass; at most k.'),
  })
  .check(
    rule(
      'minPasses',
      ({ k, minPasses }) => Number(k) >= 1 && Number(minPasses) > Number(k),
      ({ k, minPasses }) => `must not be above k: ${minPasses} of ${k} trials can't pass`,
    ),
  )
  .meta({
    description: 'The spec passes if at least minPasses of k trials do.',
    // JSON Schema can't compare two fields.
    allOf: Array.from({ length: K_MAX }, (_, index) => ({
      if: { properties: { k: { const: index + 1 } }, required: ['k'] },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      then: { properties: { minPasses: { maximum: index + 1 } } },
    })),
  });

/** A hostname or an IPv4 address, optionally with one leading `*.`. Has no case-insensitive flag, since JSON Schema has none. */
const DOMAIN = /^(\*\.)?[A-Za-z0-9]+(-+[A-Za-z0-9]+)*(\.[A-Za-z0-9]+(-+[A-Za-z0-9]+)*)*$/;

const domain = z
  .string()
  .regex(
    DOMAIN,
    'must be a hostname such as "example.com", "*.example.com" or "localhost", without scheme, port or path',
  );

/** Without a trailing dot; undefined for a text that is not a URL, empty if the URL has no host. */
function hostOf(url: unknown): string | undefined {
  return parsedUrl(url)?.hostname.replace(/\.$/, '');
}

/** Without user and password, and not only dots; an IPv6 address is in brackets. */
const HOST = '(\\[[0-9A-Fa-f:.]+\\]|(?!\\.+([:/?#]|$))[^/?#@:]+)';
const PORT = '(:0*([0-9]{0,4}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5]))?';

const entryUrl = z
  .url({
    protocol: z.regexes.httpProtocol,
    // The message never repeats the URL, which may contain a password.
    error: ({ input }) => {
      const more = isPath(input) ? `; a path needs specVersion: "${SPEC_VERSION_1}"` : '';
      return input === undefined
        ? undefined
        : `must be an absolute http: or https: URL, such as "https://example.com"${more}`;
    },
  })
  .refine(
    url => !hasCredentials(url),
    'must not contain credentials (user:password@), since specs end up in reports: let the suite log in, or use a secret',
  )
  .refine(url => !/^\s*https?:/i.test(url) || hostOf(url) !== '', 'must name a host')
  .meta({ pattern: `^\\s*[Hh][Tt][Tt][Pp][Ss]?://${HOST}${PORT}([/?#].*)?$` });

/** Whether an entryUrl is relative to the suite's baseURL. */
export function isPath(entryUrl: unknown): entryUrl is string {
  return typeof entryUrl === 'string' && /^\/(?!\/)/.test(entryUrl);
}

const entryPath = z
  .string()
  .refine(isPath, 'must be an absolute URL, or a path such as "/plants"')
  .meta({ pattern: '^/(?!/)' });

/** An id is also a file name. */
export const SPEC_ID = /^[a-z0-9][a-z0-9-]{0,63}$/;

const hostNeeded = rule(
  'allowedDomains',
  ({ entryUrl, allowedDomains }) => {
    const host = hostOf(entryUrl);
    return allowedDomains === undefined && !!host && !DOMAIN.test(host);
  },
  ({ entryUrl }) => {
    const host = hostOf(entryUrl)!;
    const mend = host.startsWith('[')
      ? 'add allowedDomains. It can have no IPv6 addresses: use a name, such as localhost'
      : 'add allowedDomains';
    return `can't be derived from the entryUrl host ${shown(host)}: ${mend}`;
  },
  'entryUrl',
);

/** A spec of either version. Editors suggest its fields in this order. */
const specOf = (
  specVersion: z.ZodType<SpecVersion>,
  entry: z.ZodType<string>,
  assertion: z.ZodType<Assertion>,
): z.ZodType<TaskSpec> =>
  z
    .strictObject({
      specVersion,
      id: z
        .string()
        .regex(
          SPEC_ID,
          'must be 1 to 64 lowercase letters, digits and hyphens, beginning with a letter or digit ("pricing-trial")',
        )
        .describe('Kebab-case. Baselines and reports identify the spec by it.'),
      goal: longText().describe('The task for the agent, verbatim except for `{{trial}}` and `{{unique}}`.'),
      description: z.string().optional().describe('For people only; never shown to the agent.'),
      tags: z.array(nonEmpty()).optional().describe('Labels to filter by.'),
      entryUrl: entry,
      allowedDomains: z
        .array(domain)
        .min(1, 'must not be an empty list: remove it to allow the host of entryUrl')
        .optional()
        .describe(
          'Hosts that the agent may visit, such as example.com or *.example.com. Default: the host of entryUrl.',
        ),
      maxSteps: positiveWhole()
        .max(200)
        .default(20)
        .describe('Most turns of the agent. A trial that uses them up fails.'),
      maxCostUsd: z
        .number()
        .positive()
        .max(1000)
        .optional()
        .describe('US dollars after which a trial stops.'),
      passPolicy: passPolicySchema.default({ k: 1, minPasses: 1 }),
      assertions: z.array(assertion).min(1).describe('All must hold for a trial to pass.'),
      judge: longText()
        .optional()
        .describe(
          'Rubric for the judge, which can only fail a trial whose assertions hold. Ignored if the config has no judge.',
        ),
    })
    .check(hostNeeded)
    .describe('A task that an AI agent should manage on a site, and the assertions that prove it.')
    .transform(spec => {
      const host = hostOf(spec.entryUrl);
      // If entryUrl is a path, the suite's baseURL has the host.
      const { allowedDomains = host === undefined ? [] : [host] } = spec;
      return { ...spec, allowedDomains };
    });

const taskSpec01 = specOf(
  z
    .literal(SPEC_VERSION, {
      error: ({ input }) => {
        const got = input === undefined || typeof input === 'string' ? '' : `, got ${typeName(input)}`;
        return `must be a string in quotes${got}: write specVersion: "${SPEC_VERSION}"`;
      },
    })
    .describe('The version of the format; quoted, since YAML reads 0.1 as a number.'),
  entryUrl.describe('http(s) URL where every trial begins, without user name and password.'),
  assertionSchema,
);

const taskSpec1 = specOf(
  z.literal(SPEC_VERSION_1).describe('The version of the format.'),
  z
    .union([entryPath, entryUrl], {
      error: ({ input }) =>
        input === undefined
          ? undefined
          : 'must be an absolute http: or https: URL without credentials, or a path such as "/plants" where the suite has a baseURL',
    })
    .describe(
      "http(s) URL where every trial begins, without user name and password; or a path such as /plants, relative to the suite's `baseURL`.",
    ),
  assertionSchema1,
);

/** The schema of the version that a value names; that of 0.1 if it names none. */
export function schemaFor(value: unknown): z.ZodType<TaskSpec> {
  const isNewer = (value as { specVersion?: unknown } | null | undefined)?.specVersion === SPEC_VERSION_1;
  return isNewer ? taskSpec1 : taskSpec01;
}

/** Both versions. */
export const taskSpecSchema: z.ZodType<TaskSpec, TaskSpecInput> = z
  .custom<TaskSpecInput>()
  .transform((value, context) => {
    const { data, error } = schemaFor(value).safeParse(value);
    if (data) return data;
    context.issues.push(...(error.issues as never[]));
    return z.NEVER;
  });

export type SpecVersion = typeof SPEC_VERSION | typeof SPEC_VERSION_1;

/**
 * The JSON Schema (draft 7, which editors support best) of a task spec as written: defaults are optional.
 *
 * @param version default: both, by what the spec says
 */
export function taskSpecJsonSchema(version?: SpecVersion): Record<string, unknown> {
  if (version !== undefined) return jsonSchemaOf(version === SPEC_VERSION ? taskSpec01 : taskSpec1);
  const { $schema, ...older } = jsonSchemaOf(taskSpec01);
  // Its references name definitions at the root.
  const { $schema: _, definitions, ...newer } = jsonSchemaOf(taskSpec1);
  return {
    $schema,
    type: 'object',
    if: { properties: { specVersion: { const: SPEC_VERSION_1 } }, required: ['specVersion'] },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: newer,
    else: older,
    definitions,
  };
}

function jsonSchemaOf(schema: z.ZodType): Record<string, unknown> {
  return z.toJSONSchema(schema, {
    io: 'input',
    target: 'draft-7',
    override: ({ jsonSchema }) => {
      // The format `uri` refuses umlauts and braces, which browsers accept in a URL.
      if (jsonSchema.format === 'uri') delete jsonSchema.format;
      if (jsonSchema.multipleOf !== 1) return;
      jsonSchema.type = 'integer';
      delete jsonSchema.multipleOf;
    },
  });
}
