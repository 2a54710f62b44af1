// The actions of an agent on a page, in a form that can be replayed.
import { z } from 'zod';
import { parsedUrl } from '../spec/url';

/** CSS pixels from an element's upper left corner. Default, for actions: its middle. */
export interface Position {
  x: number;
  y: number;
}

/**
 * One thing done to a page. Locators are as Playwright writes them (`getByRole('button', { name: 'Sign in' })`), keys as in
 * `page.keyboard.press`, files relative to the config's folder; a secret in a text is `<secret>NAME</secret>`.
 */
export type PageAction =
  | {
      do: 'click';
      locator: string;
      position?: Position;
      button?: 'left' | 'right' | 'middle';
      clickCount?: number;
      modifiers?: ('Alt' | 'Control' | 'ControlOrMeta' | 'Meta' | 'Shift')[];
    }
  | { do: 'hover'; locator: string; position?: Position }
  | { do: 'focus'; locator: string }
  | { do: 'fill'; locator: string; text: string }
  | { do: 'type'; locator: string; text: string }
  /** Without a locator the key goes to what has the focus. */
  | { do: 'press'; locator?: string; key: string; times?: number }
  | { do: 'check'; locator: string; checked: boolean }
  | { do: 'select'; locator: string; labels: string[] }
  | { do: 'upload'; locator: string; files: string[] }
  | { do: 'drag'; locator: string; position?: Position; to: string; toPosition?: Position }
  /** By CSS pixels. Without a locator the page scrolls. */
  | { do: 'scroll'; locator?: string; x: number; y: number }
  /** The URL without its origin if that is the entryUrl's. */
  | { do: 'goto'; url: string }
  /** A tool that the page registers for agents (WebMCP). */
  | { do: 'call_page_tool'; name: string; input: Record<string, unknown> }
  | { do: 'back' | 'forward' | 'reload' | 'new_tab' | 'switch_tab' | 'close_tab' };

/** What a page looks like, in a few bytes. */
export interface Fingerprint {
  /** Path, query and fragment. */
  url: string;
  /** Hash of what can be read on the page and of the state of its controls. */
  content: string;
}

/** How a dialog is answered. */
export interface DialogAnswer {
  accept: boolean;
  /** The text for a prompt. */
  text?: string;
}

/** An action, the tab that it was done in, and what the page looked like before and after. */
export type RecordedAction = PageAction & {
  /** The tab's number, in the order in which tabs opened: 0 is the one that the trial began in. */
  tab: number;
  before: Fingerprint;
  after: Fingerprint;
  /** The answers to the dialogs that it opened, in order. */
  dialogs?: DialogAnswer[];
};

const locator = z.string().min(1);
const position = z.object({ x: z.number(), y: z.number() }).optional();
const text = z.string();

export const pageActions = [
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
    locator: locator.optional(),
    key: z.string().min(1),
    times: z.int().positive().max(1_000).optional(),
  }),
  z.object({ do: z.literal('check'), locator, checked: z.boolean() }),
  z.object({ do: z.literal('select'), locator, labels: z.array(z.string()) }),
  z.object({ do: z.literal('upload'), locator, files: z.array(z.string()) }),
  z.object({ do: z.literal('drag'), locator, position, to: locator, toPosition: position }),
  z.object({ do: z.literal('scroll'), locator: locator.optional(), x: z.number(), y: z.number() }),
  z.object({ do: z.literal('goto'), url: z.string() }),
  z.object({
    do: z.literal('call_page_tool'),
    name: z.string().min(1),
    input: z.record(z.string(), z.unknown()),
  }),
  z.object({ do: z.enum(['back', 'forward', 'reload', 'new_tab', 'switch_tab', 'close_tab']) }),
] as const satisfies readonly z.ZodType<PageAction>[];

const fingerprintSchema = z.object({ url: z.string(), content: z.string() });

const around = {
  tab: z.int().nonnegative(),
  before: fingerprintSchema,
  after: fingerprintSchema,
  dialogs: z.array(z.object({ accept: z.boolean(), text: z.string().optional() })).optional(),
};

export const recordedActionSchema = z.discriminatedUnion(
  'do',
  // Each member is extended, since zod can't extend a union.
  pageActions.map(action => action.extend(around)) as never,
) as unknown as z.ZodType<RecordedAction>;

/** An address without its origin if it is on the tested site, so that it works on another deployment, too. */
export function portableUrl(url: string, entryUrl: string): string {
  const here = parsedUrl(url)?.origin === new URL(entryUrl).origin;
  return here ? pathOf(url) : url;
}

/** Path, query and fragment of an http(s) address; any other address unchanged. */
export function pathOf(url: string): string {
  const { protocol, pathname, search, hash } = parsedUrl(url) ?? {};
  return protocol === 'http:' || protocol === 'https:' ? `${pathname}${search}${hash}` : url;
}
