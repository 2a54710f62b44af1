// What an agent did to a page, so that it can be done again without it.
import { z } from 'zod';

const locator = z
  .string()
  .min(1)
  .describe("As Playwright writes it: `getByRole('button', { name: 'Sign in' })`.");
const position = z
  .object({ x: z.number(), y: z.number() })
  .optional()
  .describe("CSS pixels from the element's upper left corner. Its middle where left out.");
const key = z.string().min(1).describe('As in `page.keyboard.press`: `Enter`, `Control+A`.');
const text = z.string().describe('A secret stands as `<secret>NAME</secret>`.');

const pageActions = [
  z.object({
    do: z.literal('click'),
    locator,
    position,
    button: z.enum(['left', 'right', 'middle']).optional(),
    clickCount: z.int().min(1).max(3).optional(),
    modifiers: z.array(z.enum(['Alt', 'Control', 'ControlOrMeta', 'Meta', 'Shift'])).optional(),
  }),
  z.object({ do: z.literal('hover'), locator, position }),
  z.object({ do: z.literal('focus'), locator }),
  z.object({ do: z.literal('fill'), locator, text }),
  z.object({ do: z.literal('type'), locator, text }),
  z.object({
    do: z.literal('press'),
    locator: locator.optional().describe('Where left out, the key goes to what has the focus.'),
    key,
    times: z.int().positive().max(1_000).optional(),
  }),
  z.object({ do: z.literal('check'), locator, checked: z.boolean() }),
  z.object({ do: z.literal('select'), locator, labels: z.array(z.string()) }),
  z.object({
    do: z.literal('upload'),
    locator,
    files: z.array(z.string()).describe("Relative to the config's folder."),
  }),
  z.object({ do: z.literal('drag'), locator, position, to: locator, toPosition: position }),
  z.object({
    do: z.literal('scroll'),
    locator: locator.optional().describe('Where left out, the page scrolls.'),
    x: z.number(),
    y: z.number(),
  }),
  z.object({
    do: z.literal('goto'),
    url: z.string().describe("Without its origin where that is the entryUrl's."),
  }),
  z.object({ do: z.enum(['back', 'forward', 'reload', 'new_tab', 'switch_tab', 'close_tab']) }),
] as const;

/** One thing done to a page. */
export const pageActionSchema = z.discriminatedUnion('do', pageActions);

export const fingerprintSchema = z.object({
  /** Path, query and fragment. */
  url: z.string(),
  /** Hash of what can be read on the page and of the state of its controls. */
  content: z.string(),
});

const around = {
  /** The tab's number, by when it was opened: 0 is the one that the trial began in. */
  tab: z.int().nonnegative(),
  before: fingerprintSchema,
  after: fingerprintSchema,
  /** How the dialogs were answered that it opened, in order. */
  dialogs: z.array(z.object({ accept: z.boolean(), text: z.string().optional() })).optional(),
};

/** A action, where it was done, and what the page looked like before and after. */
export const recordedActionSchema = z.discriminatedUnion(
  'do',
  // Each member extended, since a union itself can't be.
  pageActions.map(action => action.extend(around)) as unknown as readonly [
    z.ZodObject<{ do: z.ZodLiteral<string> }>,
    ...z.ZodObject<{ do: z.ZodLiteral<string> }>[],
  ],
) as unknown as z.ZodType<RecordedAction>;

export type PageAction = z.infer<typeof pageActionSchema>;
export type Fingerprint = z.infer<typeof fingerprintSchema>;
export interface DialogAnswer {
  accept: boolean;
  text?: string | undefined;
}
export type RecordedAction = PageAction & {
  tab: number;
  before: Fingerprint;
  after: Fingerprint;
  dialogs?: DialogAnswer[] | undefined;
};

/** An address as a step keeps it: one of the tested site holds on another deployment, too. */
export function portableUrl(url: string, entryUrl: string): string {
  const here = URL.canParse(url) && new URL(url).origin === new URL(entryUrl).origin;
  return here ? pathOf(url) : url;
}

/** Path, query and fragment of an http address; any other as it is. */
export function pathOf(url: string): string {
  if (!URL.canParse(url)) return url;
  const { protocol, pathname, search, hash } = new URL(url);
  return protocol === 'http:' || protocol === 'https:' ? `${pathname}${search}${hash}` : url;
}
