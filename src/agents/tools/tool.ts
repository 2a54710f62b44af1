// A tool is one value. Descriptions and the messages of DriverErrors are for models, `words` are for people.
import type { Page } from '@playwright/test';
import { z } from 'zod';
import { DriverError } from '../../browser/actions/act';
import { problemsIn } from '../../spec/errors';
import type { JsonSchema } from '../../spec/value-schema';
import { shorten } from '../../text/line';
import type { Driver } from './driver';

export interface Tool<Input = unknown> {
  name: string;
  /** `aiSdk()` offers tools that have one. For `claude()`, the vendor describes its own tools. */
  description?: string;
  input: z.ZodType<Input>;
  /** The JSON Schema of the input. Default: made from `input`. */
  schema?: JsonSchema;
  /** A plainer input for `aiSdk()`. Default: `input`. @param pictures whether the model sees pictures */
  flat?(pictures: boolean): z.ZodType<Input>;
  /** Whether the page may be busy afterwards. False if the tool changes nothing, or waits itself. Default: true. */
  acts?: boolean;
  words(input: Input, driver: Driver, page: Page): string | Promise<string>;
  /** @param page the tab that the call names, else the active one; always the active one if the tool changes tabs */
  handle(input: Input, driver: Driver, page: Page): unknown;
}

export const defineTool = <Input>(tool: Tool<Input>): Tool<Input> => tool;

export const none = z.object({});

/** A tool without input that only looks. */
export const lookTool = (
  name: string,
  words: string,
  look: (page: Page, driver: Driver) => unknown,
  description?: string,
) =>
  defineTool({
    name,
    description,
    input: none,
    acts: false,
    words: () => words,
    handle: (_, driver, page) => look(page, driver),
  });

export const byPoint = z.object({ type: z.literal('coordinate'), x: z.number(), y: z.number() });
export const byRef = z.object({ type: z.literal('ref'), ref: z.string().min(1) });
export const byEither = z.discriminatedUnion('type', [byPoint, byRef], {
  error: 'expected {"type": "ref", "ref": "ref_7"} or {"type": "coordinate", "x": 10, "y": 20}',
});
export const modifiers = z.string().nullish();
export const seconds = z.number().min(0).describe('Seconds, at most 30.');

export const ref = z.string().min(1).describe('The reference of an element: ref_7.');
export const elementTarget = (ref: string) => ({ type: 'ref' as const, ref });

export const flatRef = z.object({ ref }).transform(({ ref }) => ({ target: elementTarget(ref) }));

export const flatPlace = z
  .object({
    ref: ref.optional(),
    x: z.number().optional().describe('Without a reference: the pixels of the newest screenshot.'),
    y: z.number().optional(),
  })
  .refine(({ ref, x, y }) => ref !== undefined || (x !== undefined && y !== undefined), {
    error: 'either ref, or x and y, must be given',
  })
  .transform(({ ref, x, y }) => ({
    target: ref ? elementTarget(ref) : { type: 'coordinate' as const, x: x!, y: y! },
  }));

export const quote = (text: string) => `"${shorten(text, 60)}"`;

export interface Prepared {
  tool: Tool;
  input: unknown;
  page: Page;
}

/** Checks a model's input. @throws DriverError that names the field and what was expected. */
export function checkedInput<Input>(name: string, schema: z.ZodType<Input>, given: unknown): Input {
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    throw new DriverError(
      `The arguments of ${name} are not a JSON object, or are cut off. Send a whole, shorter one.`,
    );
  const result = schema.safeParse(given);
  if (result.success) return result.data;
  throw new DriverError(`Invalid input for ${name}. ${problemsIn(result.error, 'input').join('; ')}`);
}
