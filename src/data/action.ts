// The actions of an agent on a page, in a form that can be replayed; and what can stand in their way.
import { z } from 'zod';
import { SCOPES } from '../text/goal-words';

const position = z.object({ x: z.number(), y: z.number() });
/** As Playwright writes it: `getByRole('button', { name: 'Sign in' })`. */
const locator = z.string().min(1);
/** A secret in it is `<secret>NAME</secret>`. */
const text = z.string();

export const pageActions = [
  z.object({
    do: z.literal('click'),
    locator,
    position: position.optional(),
    button: z.enum(['left', 'right', 'middle']).optional(),
    clickCount: z.int().min(1).max(3).optional(),
    modifiers: z.array(z.enum(['Alt', 'Control', 'ControlOrMeta', 'Meta', 'Shift'])).optional(),
  }),
  z.object({ do: z.literal('hover'), locator, position: position.optional() }),
  z.object({ do: z.literal('focus'), locator }),
  z.object({ do: z.literal('fill'), locator, text }),
  z.object({ do: z.literal('type'), locator, text }),
  z.object({
    do: z.literal('press'),
    /** Without it the key goes to what has the focus. */
    locator: locator.optional(),
    /** As in `page.keyboard.press`. */
    key: z.string().min(1),
    times: z.int().positive().max(1_000).optional(),
  }),
  z.object({ do: z.literal('check'), locator, checked: z.boolean() }),
  z.object({ do: z.literal('select'), locator, labels: z.array(z.string()) }),
  /** Files relative to the config's folder. */
  z.object({ do: z.literal('upload'), locator, files: z.array(z.string()) }),
  z.object({
    do: z.literal('drag'),
    locator,
    position: position.optional(),
    to: locator,
    toPosition: position.optional(),
  }),
  /** By CSS pixels. Without a locator the page scrolls. */
  z.object({ do: z.literal('scroll'), locator: locator.optional(), x: z.number(), y: z.number() }),
  /** The URL without its origin if that is the entryUrl's. */
  z.object({ do: z.literal('goto'), url: z.string() }),
  /** A tool that the page registers for agents (WebMCP). */
  z.object({
    do: z.literal('call_page_tool'),
    name: z.string().min(1),
    input: z.record(z.string(), z.unknown()),
  }),
  z.object({ do: z.enum(['back', 'forward', 'reload', 'new_tab', 'switch_tab', 'close_tab']) }),
] as const;

const fingerprintSchema = z.object({
  /** Path, query and fragment. */
  url: z.string(),
  /** Hash of what can be read on the page and of the state of its controls. */
  content: z.string(),
});

const dialogAnswerSchema = z.object({
  accept: z.boolean(),
  /** The text for a prompt. */
  text: z.string().optional(),
  /** What the dialog said. */
  message: z.string().optional(),
});

export const pageActionSchema = z.discriminatedUnion('do', pageActions);

export const placeSchema = z.object({
  /** In words, as on the page: `button "Pay"`. */
  control: z.string(),
  /** CSS pixels from the upper left corner of the page, whatever is scrolled. */
  x: z.number(),
  y: z.number(),
  width: z.number(),
  height: z.number(),
});

const neighbourSchema = z.object({
  scope: z.enum(SCOPES),
  text: z.string(),
});

const recordedSchema = z.object({
  /** The tab's number, in the order in which tabs opened: 0 is the one that the trial began in. */
  tab: z.int().nonnegative(),
  before: fingerprintSchema,
  after: fingerprintSchema,
  /** The control that it meant, in words: `field "Last name"`. Records of 0.1 have none. */
  control: z.string().optional(),
  /** Where the control was before. */
  place: placeSchema.optional(),
  /** Whether it was on, if a click turns it on and off. */
  isOn: z.boolean().optional(),
  /** Whether it held no text, for what is typed into. */
  isEmpty: z.boolean().optional(),
  beside: z.array(neighbourSchema).optional(),
  /** What its author calls an element without a name: words of its classes, addresses and `data-` attributes, and of those of its icons. */
  hints: z.string().optional(),
  /** The same for the target of a drag. */
  toPlace: placeSchema.optional(),
  toBeside: z.array(neighbourSchema).optional(),
  /** The answers to the dialogs that it opened, in order. */
  dialogs: z.array(dialogAnswerSchema).optional(),
});

/** Characters of a locator. A file from elsewhere, or a page with a test id of megabytes, may bring longer ones. */
export const MAX_LOCATOR = 10_000;

export const recordedActionSchema = pageActionSchema
  .and(recordedSchema)
  .refine(
    action =>
      !('locator' in action && action.locator && action.locator.length > MAX_LOCATOR) &&
      !('to' in action && action.to.length > MAX_LOCATOR),
    `a locator has at most ${MAX_LOCATOR} characters`,
  );

/** What can stand in an agent's way on a page. */
export const findingKinds = [
  'no_name',
  'same_name',
  'no_label',
  'no_role',
  'covered',
  'out_of_reach',
  'disabled',
  'picture_only',
  'dialog_trap',
] as const;

export type FindingKind = (typeof findingKinds)[number];

/** CSS pixels from an element's upper left corner. Default, for actions: its middle. */
export interface Position extends z.infer<typeof position> {}

/**
 * One thing done to a page. Locators are as Playwright writes them (`getByRole('button', { name: 'Sign in' })`), keys as in
 * `page.keyboard.press`, files relative to the config's folder; a secret in a text is `<secret>NAME</secret>`.
 */
export type PageAction = z.infer<typeof pageActionSchema>;

/** What a page looks like, in a few bytes. */
export interface Fingerprint extends z.infer<typeof fingerprintSchema> {}

/** A control of a page's main document, and where it is. */
export interface Place extends z.infer<typeof placeSchema> {}

/** A text around a control that has words of the goal. */
export interface Neighbour extends z.infer<typeof neighbourSchema> {}

/** How a dialog is answered. */
export interface DialogAnswer extends z.infer<typeof dialogAnswerSchema> {}

/** An action, the tab that it was done in, and what the page looked like before and after. */
export type RecordedAction = z.infer<typeof recordedActionSchema>;

/** `getByRole('button', { name: 'Pay' })` as `button "Pay"`, what one types into as `field "Size"`, CSS bare; else as it is. */
export function controlInWords(locator: string): string {
  const unescaped = (text = '') => text.replace(/\\(.)/g, '$1');
  const [, role, name] =
    /getByRole\('(\w+)', \{ name: '((?:\\.|[^'\\])*)'[^'}]*\}\)[^)]*$/.exec(locator) ?? [];
  if (role) return fieldInWords(`${role} "${unescaped(name)}"`);
  const [, by, text] =
    /getBy(Label|Placeholder|Text|Title|AltText)\('((?:\\.|[^'\\])*)'[^']*\)$/.exec(locator) ?? [];
  if (by) return `${/Label|Placeholder/.test(by) ? 'field ' : ''}"${unescaped(text)}"`;
  return /^locator\('([^'\\]*)'\)$/.exec(locator)?.[1] ?? locator;
}

/** The same. If the locator has no name in it, or only a label, the words that the page has for the control. */
export function namedControl(locator: string, place?: Place): string {
  const words = controlInWords(locator);
  const isVague = words === locator || words.startsWith('field ');
  return isVague && place?.control.includes(' "') ? fieldInWords(place.control) : words;
}

/** `textbox "Size"` as `field "Size"`. */
export function fieldInWords(words: string): string {
  return words.replace(/^(?:textbox|searchbox|spinbutton) /, 'field ');
}
