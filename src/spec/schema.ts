// The task-spec format 0.1 as a Zod schema: bounds, defaults and the rules between fields.
import { z } from 'zod';
import { shown } from './errors';
import type { TaskSpec, TaskSpecInput } from './task-spec';
import { parsedUrl } from './url';

/** The format's version. */
export const SPEC_VERSION = '0.1';

const text = () => z.string().min(1);
const longText = () => text().max(2000);
// `multipleOf(1)`, not `int()`, which would stop the rules between fields and so hide problems.
const positiveWhole = () => z.number().multipleOf(1, 'must be a whole number').min(1);
const note = () => z.string().optional().describe('For people only.');

/** Runs a rule between fields even if one of them is wrong, to report all problems at once. */
const always = ({ value }: { value: unknown }) => typeof value === 'object' && value !== null;

const urlAssertion = z
  .strictObject({
    type: z.literal('url'),
    pattern: text().describe(
      'Glob for the whole final URL: `**` is any run of characters, `*` any run without `/`, `?` one character.',
    ),
    description: note(),
  })
  .describe('The final URL matches a glob.');

const domAssertion = z
  .strictObject({
    type: z.literal('dom'),
    selector: text().describe('CSS selector.'),
    state: z
      .enum(['visible', 'attached', 'text', 'absent', 'hidden'])
      .default('visible')
      .describe(
        'What must hold for the elements that match. Pair `absent` and `hidden` with a positive check.',
      ),
    text: z
      .string()
      .regex(/\S/, 'must not be empty or only white space: every text contains that')
      .optional()
      .describe('With state `text`: the text that a match must contain.'),
    description: note(),
  })
  .refine(({ state, text }) => state !== 'text' || text !== undefined, {
    when: always,
    path: ['text'],
    params: { near: 'state' },
    error: 'is required with state `text`: the text that the element must contain',
  })
  .refine(({ state, text }) => state === 'text' || text === undefined, {
    when: always,
    path: ['text'],
    error: 'is only allowed with `state: text`',
  })
  .meta({
    description: 'Whether the final page has elements that match a selector.',
    if: { properties: { state: { const: 'text' } }, required: ['state'] },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: { required: ['text'] },
    else: { properties: { text: false } },
  });

const status = 'must be a whole number from 100 to 599, or a class "1xx" to "5xx"';

const networkAssertion = z
  .strictObject({
    type: z.literal('network'),
    urlPattern: text().describe('Glob for the URLs of the requests of the trial, as in `url` assertions.'),
    method: z
      .enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'])
      .optional()
      .describe('Method of the request. Default: any.'),
    status: z
      .union(
        [
          z.number(status).multipleOf(1, status).min(100, status).max(599, status),
          z.string(status).regex(/^[1-5]xx$/, status),
        ],
        status,
      )
      .optional()
      .describe(
        'Status of the response: a number, or a class such as "2xx". Default: any, or no response at all.',
      ),
    description: note(),
  })
  .describe('A request of the trial matches a glob.');

export const assertionSchema = z.discriminatedUnion('type', [urlAssertion, domAssertion, networkAssertion]);

/** The most trials that a spec can ask for. */
export const K_MAX = 25;

export const passPolicySchema = z
  .strictObject({
    k: positiveWhole().max(K_MAX).describe('How many trials to run.'),
    minPasses: positiveWhole().describe('How many of them must pass; at most k.'),
  })
  .refine(({ k, minPasses }) => !(k >= 1 && minPasses > k), {
    when: always,
    path: ['minPasses'],
    error: ({ input }) => {
      const { k, minPasses } = input as { k: number; minPasses: number };
      return `must not be above k: ${minPasses} of ${k} trials can't pass`;
    },
  })
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
    error: ({ input }) =>
      input === undefined
        ? undefined
        : 'must be an absolute http: or https: URL, such as "https://example.com"',
  })
  .refine(url => {
    const { username = '', password = '' } = parsedUrl(url) ?? {};
    return username === '' && password === '';
  }, 'must not contain credentials (user:password@), since specs end up in reports: let the suite log in, or use a secret')
  .refine(url => !/^\s*https?:/i.test(url) || hostOf(url) !== '', 'must name a host')
  .meta({ pattern: `^\\s*[Hh][Tt][Tt][Pp][Ss]?://${HOST}${PORT}([/?#].*)?$` });

/** An id is also a file name. */
export const SPEC_ID = /^[a-z0-9][a-z0-9-]{0,63}$/;

/** A spec as written in a file, before defaults. */
export const taskSpecObject = z
  .strictObject({
    specVersion: z
      .literal(SPEC_VERSION, `must be a text in quotes: write specVersion: "${SPEC_VERSION}"`)
      .describe('The version of the format; quoted, since YAML reads 0.1 as a number.'),
    id: z
      .string()
      .regex(
        SPEC_ID,
        'must be 1 to 64 lowercase letters, digits and hyphens, beginning with a letter or digit ("pricing-trial")',
      )
      .describe('Kebab-case. Baselines and reports identify the spec by it.'),
    goal: longText().describe('The task for the agent, verbatim except for `{{trial}}` and `{{unique}}`.'),
    description: z.string().optional().describe('For people only; never shown to the agent.'),
    tags: z.array(text()).optional().describe('Labels to filter by.'),
    entryUrl: entryUrl.describe('http(s) URL where every trial begins, without user name and password.'),
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
    maxCostUsd: z.number().positive().max(1000).optional().describe('US dollars after which a trial stops.'),
    passPolicy: passPolicySchema.default({ k: 1, minPasses: 1 }),
    assertions: z.array(assertionSchema).min(1).describe('All must hold for a trial to pass.'),
    judge: longText()
      .optional()
      .describe(
        'Rubric for the judge, which can only fail a trial whose assertions hold. Ignored if the config has no judge.',
      ),
  })
  .refine(
    spec => {
      const host = hostOf(spec.entryUrl);
      return spec.allowedDomains !== undefined || !host || DOMAIN.test(host);
    },
    {
      when: always,
      path: ['allowedDomains'],
      params: { near: 'entryUrl' },
      error: ({ input }) =>
        `can't be derived from the entryUrl host ${shown(String(hostOf((input as { entryUrl: unknown }).entryUrl)))}: add allowedDomains`,
    },
  )
  .describe('A task that an AI agent should manage on a site, and the assertions that prove it.');

/** As the parser uses it. */
export const taskSpecSchema = taskSpecObject.transform(spec => ({
  ...spec,
  allowedDomains: spec.allowedDomains ?? [hostOf(spec.entryUrl)!],
})) satisfies z.ZodType<TaskSpec, TaskSpecInput>;

/** The JSON Schema (draft 7, which editors support best) of a task spec as written: defaults are optional. */
export function taskSpecJsonSchema(): Record<string, unknown> {
  return z.toJSONSchema(taskSpecObject, {
    io: 'input',
    target: 'draft-7',
    override: ({ jsonSchema }) => {
      // Browsers accept umlauts and braces in a URL, this format does not.
      if (jsonSchema.format === 'uri') delete jsonSchema.format;
      if (jsonSchema.multipleOf !== 1) return;
      jsonSchema.type = 'integer';
      delete jsonSchema.multipleOf;
    },
  });
}
