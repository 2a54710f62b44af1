// The assertions of both versions of the format: those of 0.1, and what `playwright/1` adds to them.
import { z } from 'zod';
import { whyNoMatch } from './url-glob';
import { flawOfPattern, problemOfJsonSchema } from './value-schema';

export const nonEmpty = () => z.string().min(1);
export const note = () => z.string().optional().describe('For people only.');

const urlAssertion = z
  .strictObject({
    type: z.literal('url'),
    pattern: nonEmpty().describe(
      'Glob for the whole final URL: `**` is any run of characters, `*` any run without `/`, `?` one character.',
    ),
    description: note(),
  })
  .describe('The final URL matches a glob.');

const domFields = {
  type: z.literal('dom'),
  selector: nonEmpty().describe('CSS selector.'),
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
};

const textNeedsState = {
  description: 'Whether the final page has elements that match a selector.',
  if: { properties: { state: { const: 'text' } }, required: ['state'] },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: { required: ['text'] },
  else: { properties: { text: false } },
};

/**
 * A rule between fields. If it is broken, it reports an issue at `path`, also if other fields are wrong.
 *
 * @param near the field that gives the issue its line if `path` is missing
 */
export const rule = (
  path: string,
  broken: (value: Record<string, unknown>) => boolean,
  error: string | ((value: Record<string, unknown>) => string),
  near?: string,
): z.core.$ZodCheck<object> =>
  z.refine<Record<string, unknown>>(value => !broken(value), {
    when: ({ value }) => typeof value === 'object' && value !== null,
    path: [path],
    error: typeof error === 'string' ? error : ({ input }) => error(input as Record<string, unknown>),
    params: { near },
  }) as z.core.$ZodCheck<object>;

/** @param fits whether the other fields allow the one at `path` */
const onlyIf = (path: string, fits: (value: Record<string, unknown>) => boolean, error: string) =>
  rule(path, value => value[path] !== undefined && !fits(value), error);

/** Only bodies are compared with the values of secrets: elsewhere, `absent` and `count: 0` would always hold. */
const withoutSecrets = (...paths: readonly string[]) =>
  paths.map(path =>
    rule(
      path,
      value => typeof value[path] === 'string' && value[path].includes('<secret>'),
      'must not name a secret: only the `body` of a `network` assertion can',
    ),
  );

const textRules = [
  rule(
    'text',
    ({ state, text }) => state === 'text' && text === undefined,
    'is required with state `text`: the text that the element must contain',
    'state',
  ),
  onlyIf('text', ({ state }) => state === 'text', 'is only allowed with `state: text`'),
] as const;

const status = {
  error: ({ input }: { input?: unknown }) => {
    const meant = /^[1-5]xx$/i.test(String(input)) ? ` (did you mean "${String(input).toLowerCase()}"?)` : '';
    return `must be a whole number from 100 to 599, or a class "1xx" to "5xx"${meant}`;
  },
};

const networkFields = {
  type: z.literal('network'),
  urlPattern: nonEmpty().describe('Glob for the URLs of the requests of the trial, as in `url` assertions.'),
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
};
const networkText = 'A request of the trial matches a glob.';

/** The assertions of 0.1. */
export const assertionSchema = z.discriminatedUnion('type', [
  urlAssertion,
  z
    .strictObject({ ...domFields, description: note() })
    .check(...textRules)
    .meta(textNeedsState),
  z.strictObject({ ...networkFields, description: note() }).describe(networkText),
]);

const COUNT = 'must be a whole number of at least 0, or { min, max } with at least one of them';
const whole = () => z.number(COUNT).multipleOf(1, COUNT).min(0, COUNT);
const count = z
  .union(
    [
      whole(),
      z
        .strictObject(
          { min: whole().optional(), max: whole().optional() },
          { error: ({ code }) => (code === 'unrecognized_keys' ? undefined : COUNT) },
        )
        .refine(({ min, max }) => min !== undefined || max !== undefined, COUNT)
        .refine(({ min = 0, max = min }) => min <= max, 'min must not be above max'),
    ],
    COUNT,
  )
  .optional();

/** `text=Go`, `xpath=//a`, `//a`: Playwright's own selectors. Without this check, trials would run first, only to find out. */
const OTHER_SELECTOR = /^\s*(?:[a-z][\w-]*=|\/\/)/i;

const domAssertion1 = z
  .strictObject({
    ...domFields,
    hidden: z
      .literal(true, 'must be true, or left out')
      .optional()
      .describe('With state `text`: hidden text counts, too, as in 0.1. Default: the text that is rendered.'),
    value: z
      .string()
      .optional()
      .describe(
        'With state `visible` or `attached`: a match is a field with exactly this value; a radio button or checkbox must be checked.',
      ),
    count: count.describe(
      'How many elements must match, be visible or contain the text. Default: at least one.',
    ),
    description: note(),
  })
  .check(
    ...textRules,
    ...withoutSecrets('selector', 'text', 'value'),
    rule(
      'selector',
      ({ selector }) => typeof selector === 'string' && OTHER_SELECTOR.test(selector),
      'must be CSS. For a text on the page, use `selector: body`, `state: text` and `text`',
    ),
    onlyIf('hidden', ({ state }) => state === 'text', 'is only allowed with `state: text`'),
    onlyIf(
      'value',
      ({ state }) => state === 'visible' || state === 'attached',
      'is only allowed with `state: visible` (the default) or `state: attached`',
    ),
    onlyIf(
      'count',
      ({ state }) => state !== 'absent' && state !== 'hidden',
      'is not allowed with `state: absent` or `state: hidden`: count visible, attached or text',
    ),
  )
  .meta(textNeedsState);

const TOO_LARGE = `beyond ${Number.MAX_SAFE_INTEGER}, where digits get lost`;

function isExact(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.values(value).every(isExact);
  return !Number.isInteger(value) || Number.isSafeInteger(value);
}

const networkAssertion1 = z
  .strictObject({
    ...networkFields,
    count: count.describe('How many requests must match. Default: at least one.'),
    never: z
      .literal(true, 'must be true, or left out')
      .optional()
      .describe('No request may match, to the end of the trial.'),
    body: z
      .union(
        [nonEmpty(), z.record(z.string(), z.json()), z.array(z.json())],
        'must be a string, a mapping or a list',
      )
      .refine(isExact, `has a number ${TOO_LARGE}: look for its digits as a text, \`body: "..."\``)
      .optional()
      .describe(
        "What the request's body holds: a text that it contains, or a part of its JSON or of its form's fields. Default: any.",
      ),
    description: note(),
  })
  .check(
    ...withoutSecrets('urlPattern'),
    rule(
      'urlPattern',
      ({ urlPattern }) => whyNoMatch(urlPattern) !== '',
      ({ urlPattern }) => whyNoMatch(urlPattern),
    ),
    onlyIf(
      'never',
      ({ count }) => count === undefined,
      'is not allowed together with `count`: remove one of them',
    ),
  )
  .describe(networkText);

const KINDS = ['text', 'equals', 'regex', 'number', 'date', 'oneOf', 'matches'] as const;

// Placeholders are replaced by literal text.
const flawOf = (source: string) => flawOfPattern(source.replace(/\{\{[^{}\n]+\}\}/g, 'x'));
const DAY = /^\d{4}-\d\d-\d\d$/;

const answerAssertion = z
  .strictObject({
    type: z.literal('answer'),
    text: z.string().regex(/\S/, 'must not be empty').optional().describe('A text that the answer contains.'),
    equals: z.string().regex(/\S/, 'must not be empty').optional().describe('The whole answer.'),
    regex: nonEmpty()
      .refine(source => !flawOf(source), {
        error: ({ input }) => `is not a JavaScript regular expression: ${flawOf(String(input))}`,
      })
      .optional()
      .describe('A JavaScript regular expression (with the flag `u`) that matches somewhere in the answer.'),
    number: z
      .number()
      .refine(isExact, `is ${TOO_LARGE}: use \`text\``)
      .optional()
      .describe('The number that the answer gives, in any usual form.'),
    tolerance: z
      .number()
      .min(0, 'must be at least 0')
      .optional()
      .describe('With `number`: how far off it may be. Default: 0.'),
    date: z
      .string()
      .regex(DAY, 'must be a date such as "2026-03-14"')
      .refine(date => !DAY.test(date) || z.iso.date().safeParse(date).success, 'is a day that does not exist')
      .optional()
      .describe('The date that the answer gives, in any usual form.'),
    oneOf: z
      .array(nonEmpty())
      .min(1, 'must not be an empty list')
      .optional()
      .describe('The whole answer is one of these.'),
    matches: z
      .record(z.string(), z.json())
      .superRefine(refuseSchema)
      .optional()
      .describe('A JSON Schema (draft 2020-12) for a structured answer; keywords imply their types.'),
    description: note(),
  })
  .check(
    z.superRefine<Record<string, unknown>>((value, context) => {
      const given = KINDS.filter(kind => value[kind] !== undefined);
      if (given.length === 1) return;
      const message = given.length
        ? `has ${given.map(kind => `\`${kind}\``).join(' and ')}: keep one, and write another assertion for the other`
        : `needs one of ${KINDS.map(kind => `\`${kind}\``).join(', ')}`;
      context.addIssue({ code: 'custom', path: given.slice(1, 2), message, params: { near: 'type' } });
    }),
    onlyIf('tolerance', ({ number }) => number !== undefined, 'is only allowed with `number`'),
  )
  .describe('What the agent says at its end. Exactly one of the fields besides `tolerance`.');

function refuseSchema(schema: unknown, context: z.RefinementCtx): void {
  const problem = problemOfJsonSchema(schema);
  if (problem === undefined) return;
  context.addIssue({ code: 'custom', message: `is not a JSON Schema that can be checked: ${problem}` });
}

const downloadAssertion = z
  .strictObject({
    type: z.literal('download'),
    name: nonEmpty().describe('Glob for the suggested name of the file: `*.csv`, `order-?.pdf`.'),
    text: nonEmpty()
      .optional()
      .describe('A text that the file contains; for text files. Default: any content.'),
    description: note(),
  })
  .check(...withoutSecrets('name', 'text'))
  .describe('A file was downloaded in the trial.');

/** The assertions of `playwright/1`. */
export const assertionSchema1 = z.discriminatedUnion('type', [
  urlAssertion.check(...withoutSecrets('pattern')),
  domAssertion1,
  networkAssertion1,
  answerAssertion,
  downloadAssertion,
]);

/** The fields that `playwright/1` has of a type of assertion; undefined if it does not have the type. */
export const fieldsOf1 = (type: unknown): object | undefined =>
  assertionSchema1.options.find(({ shape }) => shape.type.value === type)?.shape;
