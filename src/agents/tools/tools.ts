// The tools that models of any vendor use in the trial's tabs. The descriptions of tools and fields are for models, and
// so are the messages of DriverErrors; `words` describes a call for people.
import type { Page } from '@playwright/test';
import { z } from 'zod';
import { elementAt } from '../../browser/actions/locate';
import { DriverError } from '../../browser/errors';
import { findText } from '../../browser/reading/find';
import { pageText, runScript } from '../../browser/reading/page-text';
import { readPage } from '../../browser/reading/page-tree';
import { shorten } from '../../browser/reading/tree';
import { picture } from '../../browser/session/screenshot';
import { problemsIn } from '../../spec/errors';
import type { Driver, Target } from './driver';
import { setValue, upload } from './form';
import { holdKey, key, type, wait } from './keyboard';
import { type Click, click, drag, hover, move, press, regionOf, release, scroll, scrollTo } from './mouse';
import { navigate } from './navigation';

export interface Tool<Input = unknown> {
  description: string;
  input: z.ZodType<Input>;
  /** Whether the page may be busy afterwards. Other tools only look, or wait themselves. */
  acts: boolean;
  /** Describes a call for people. */
  words(input: Input, driver: Driver, page: Page): string | Promise<string>;
  /** @param page the tab that `tab_id` names, or the active one; the active one if the tool changes tabs */
  run(input: Input, driver: Driver, page: Page): unknown;
}

const make =
  (acts: boolean) =>
  <Input>(
    description: string,
    input: z.ZodType<Input>,
    words: string | Tool<Input>['words'],
    run: Tool<Input>['run'],
  ): Tool<Input> => ({
    description,
    input,
    acts,
    words: typeof words === 'string' ? () => words : words,
    run,
  });
export const looks = make(false);
export const acts = make(true);

const tab_id = z.string().nullish().describe('The tab. Default: the active one.');
const inTab = <Shape extends z.ZodRawShape>(shape: Shape) => z.object({ ...shape, tab_id });
const coordinate = z.object({ type: z.literal('coordinate'), x: z.number(), y: z.number() });
const ref = z.object({ type: z.literal('ref'), ref: z.string().min(1) });
const target = z.discriminatedUnion('type', [coordinate, ref], {
  error: 'expected {"type": "ref", "ref": "ref_7"} or {"type": "coordinate", "x": 10, "y": 20}',
});
const modifiers = z
  .string()
  .nullish()
  .describe('Keys to hold meanwhile: ctrl, shift, alt, meta, joined by "+".');
const keys = z.string().min(1).describe('A key or a chord: Enter, ctrl+a.');
const seconds = z.number().min(0).describe('Seconds, at most 30.');
const anyTab = inTab({});
const oneTab = z.object({ tab_id: z.string().min(1).describe('tab_2') });

export const quote = (text: string) => `"${shorten(text, 60)}"`;

interface Aimed {
  target: Target;
  modifiers?: string | null | undefined;
}

/** `ctrl+click button "Save"` */
const aimed =
  (verb: string) =>
  async ({ target, modifiers }: Aimed, driver: Driver, page: Page) =>
    `${modifiers ? `${modifiers}+` : ''}${verb} ${await driver.wordsOf(page, target)}`;

const clicks = (description: string, verb: string, how: Click) =>
  acts(description, inTab({ target, modifiers }), aimed(verb), ({ target, modifiers }, driver, page) =>
    click(driver, page, target, { ...how, modifiers }),
  );

const at = <Given extends Target>(
  description: string,
  target: z.ZodType<Given>,
  verb: string,
  run: (driver: Driver, page: Page, target: Given) => unknown,
) =>
  acts(description, inTab({ target }), aimed(verb), ({ target }, driver, page) => run(driver, page, target));

const HISTORY: Record<string, string> = { back: 'go back', forward: 'go forward', reload: 'reload the page' };
const FILTERS = { all: 'the whole page', interactive: 'what can be acted on' };

const readInput = inTab({
  filter: z.enum(['all', 'interactive']).nullish().describe('Default: what is in the viewport.'),
  depth: z.int().min(1).nullish(),
  ref: z.string().nullish().describe('Only this element and what is in it.'),
});

async function read({ filter, depth, ref }: z.output<typeof readInput>, driver: Driver, page: Page) {
  // Before the snapshot: if the ref is stale, there is nothing to read.
  const found = ref ? await driver.refs.locate(page, ref) : undefined;
  const snapshot = await driver.refs.snapshot(page);
  const { roots, above, below } = snapshot;
  if (!found) driver.observations.note(page, snapshot, filter === 'all');
  // Title and address are in the list of tabs, which every result includes.
  const header = above || below ? `${above} px above and ${below} px below the viewport` : '';
  const root = found && driver.refs.nodeOf(page, found.ref);
  return readPage(header, roots, { filter: root && !filter ? 'all' : filter, depth, ...(root && { root }) });
}

/** By name, in the order in which models see them. */
export const TOOLS = {
  navigate: acts(
    'Opens an address in a tab, or goes "back", "forward" or "reload".',
    inTab({ url: z.string().min(1) }),
    ({ url }) => HISTORY[url] ?? `go to ${shorten(url, 100)}`,
    ({ url }, driver, page) => navigate(driver, page, url),
  ),
  list_tabs: looks('Lists the open tabs.', z.object({}), 'list the tabs', (_, { tabs }) =>
    Promise.all(tabs.open().map(page => tabs.entry(page))),
  ),
  new_tab: looks('Opens an empty tab.', z.object({}), 'open a new tab', async (_, driver, page) => {
    await driver.perform(page, { do: 'new_tab' });
    return driver.tabs.entry(driver.session.page);
  }),
  switch_tab: acts(
    'Makes another tab the active one.',
    oneTab,
    ({ tab_id }) => `switch to ${tab_id}`,
    async ({ tab_id }, driver) => {
      const page = driver.tabs.get(tab_id);
      driver.session.activate(page);
      await driver.perform(page, { do: 'switch_tab' });
      return driver.tabs.entry(page);
    },
  ),
  close_tab: acts(
    'Closes a tab.',
    oneTab,
    ({ tab_id }) => `close ${tab_id}`,
    async ({ tab_id }, driver) => {
      const page = driver.tabs.get(tab_id);
      if (driver.tabs.open().length === 1)
        throw new DriverError('This is the last open tab, which stays open.');
      await driver.perform(page, { do: 'close_tab' });
    },
  ),
  read_page: looks(
    'Reads a page as a tree of its elements, with the references (ref_7) to act on them by.',
    readInput,
    ({ filter, ref }, { refs }) =>
      `read ${ref ? (refs.wordsOf(ref) ?? ref) : filter ? FILTERS[filter] : 'the page'}`,
    read,
  ),
  get_page_text: looks('Reads the text of a page.', anyTab, "read the page's text", (_, _driver, page) =>
    pageText(page),
  ),
  find: looks(
    'Finds elements by a description, and returns their references.',
    inTab({ query: z.string().min(1) }),
    ({ query }) => `look for ${quote(query)}`,
    async ({ query }, { refs }, page) => findText(query, (await refs.snapshot(page)).roots),
  ),
  form_input: acts(
    'Sets the value of a field, a list or a checkbox.',
    inTab({ target: ref, value: z.union([z.string(), z.number(), z.boolean()]) }),
    async ({ target, value }, driver, page) =>
      `set ${await driver.wordsOf(page, target)} to ${quote(String(value))}`,
    ({ target, value }, driver, page) => setValue(driver, page, target, value),
  ),
  file_upload: acts(
    'Gives files to a file input.',
    inTab({
      target: ref,
      paths: z.array(z.string()).nullish(),
      document_ids: z.array(z.string()).nullish(),
    }),
    async ({ target, paths }, driver, page) =>
      `upload ${(paths ?? []).length} files to ${await driver.wordsOf(page, target)}`,
    ({ target, paths }, driver, page) => upload(driver, page, target, paths ?? []),
  ),
  screenshot: looks('Takes a picture of the viewport.', anyTab, 'take a screenshot', (_, driver, page) =>
    driver.picture(page),
  ),
  zoom: looks(
    'Takes a larger picture of a part of the viewport.',
    inTab({ region: z.tuple([z.number(), z.number(), z.number(), z.number()]) }),
    'look closer at the page',
    async ({ region }, driver, page) => {
      const { scale: _, ...taken } = await picture(page, await regionOf(driver, page, region));
      return taken;
    },
  ),
  left_click: clicks('Clicks an element or a point.', 'click', {}),
  right_click: clicks('Clicks with the right button.', 'right-click', { button: 'right' }),
  middle_click: clicks('Clicks with the middle button.', 'middle-click', { button: 'middle' }),
  double_click: clicks('Clicks twice.', 'double-click', { count: 2 }),
  triple_click: clicks('Clicks three times, which selects a paragraph.', 'triple-click', { count: 3 }),
  hover: at('Moves the pointer over an element or a point.', target, 'hover over', hover),
  left_click_drag: acts(
    'Drags from one point to another.',
    inTab({ from: coordinate, target: coordinate, modifiers }),
    async ({ from, target }, driver, page) =>
      `drag ${await driver.wordsOf(page, from)} to (${target.x}, ${target.y})`,
    ({ from, target, modifiers }, driver, page) => drag(driver, page, from, target, modifiers),
  ),
  left_mouse_down: at('Holds the left button down at a point.', coordinate, 'press the mouse on', press),
  left_mouse_up: at(
    'Moves to a point and releases the left button.',
    coordinate,
    'release the mouse on',
    release,
  ),
  mouse_move: at('Moves the pointer to a point.', coordinate, 'move the mouse to', move),
  scroll: acts(
    'Turns the mouse wheel at a point.',
    inTab({
      scroll_direction: z.enum(['up', 'down', 'left', 'right']),
      target: coordinate,
      scroll_amount: z.number().min(1).max(100).nullish().describe('Notches. Default: 3.'),
      modifiers,
    }),
    ({ scroll_direction }) => `scroll ${scroll_direction}`,
    ({ target, scroll_direction, scroll_amount, modifiers }, driver, page) =>
      scroll(driver, page, target, scroll_direction, scroll_amount ?? 3, modifiers),
  ),
  scroll_to: at('Scrolls until an element is in view.', ref, 'scroll to', scrollTo),
  type: acts(
    'Types a text where the focus is.',
    inTab({ text: z.string() }),
    async ({ text }, _, page) => {
      const field = (await elementAt(page, null))?.words;
      return `type ${quote(text)}${field ? ` into ${field}` : ''}`;
    },
    ({ text }, driver, page) => type(driver, page, text),
  ),
  key: acts(
    'Presses a key, a chord or a sequence of them.',
    inTab({ text: keys, repeat: z.int().min(1).max(100).nullish() }),
    ({ text, repeat }) => `press ${text}${repeat && repeat > 1 ? ` ${repeat} times` : ''}`,
    ({ text, repeat }, driver, page) => key(driver, page, text, repeat ?? 1),
  ),
  hold_key: acts(
    'Holds a key or a chord for some time.',
    inTab({ text: keys, duration: seconds }),
    ({ text, duration }) => `hold ${text} for ${duration} s`,
    ({ text, duration }, driver, page) => holdKey(driver, page, text, duration),
  ),
  wait: looks(
    'Waits.',
    inTab({ duration: seconds }),
    ({ duration }) => `wait ${duration} s`,
    async ({ duration }, driver) => {
      await wait(driver, duration);
      // What was still loading may be there by now.
      driver.isLoading = false;
    },
  ),
  read_console: looks(
    'Reads the new lines of the console.',
    anyTab,
    'read the console',
    (_, { logs }, page) => logs!.console.take(page),
  ),
  read_network: looks('Reads the new requests.', anyTab, 'read the network log', (_, { logs }, page) =>
    logs!.network.take(page),
  ),
  javascript_exec: acts(
    'Runs a script in the page, and returns the value of its last expression.',
    inTab({ text: z.string().min(1) }),
    ({ text }) => `run the script ${quote(text)}`,
    ({ text }, _, page) => runScript(page, text),
  ),
} satisfies Record<string, Tool>;

const NO_REASON = 'give_up needs a reason, in words.';

/** Tools of the task, not of a tab: to end it, and to answer dialogs. Their results are texts for the model. */
export const TASK_TOOLS = {
  give_up: looks(
    'Ends the task as one that can not be done. Call it only after trying the ways that a person would try.',
    z.object({
      reason: z
        .string(NO_REASON)
        .trim()
        .min(1, NO_REASON)
        .describe('What stands in the way, and where on the site.'),
    }),
    ({ reason }) => `give up: ${reason}`,
    ({ reason }, driver) => {
      driver.gaveUp = reason;
      return 'The task has ended.';
    },
  ),
  next_dialog: looks(
    'Says how the next confirm or prompt dialog of the page is to be answered. Dialogs are answered at once; without this, they are dismissed. Call it before the action that opens the dialog; once for each, if it opens several.',
    z.object({ accept: z.boolean(), text: z.string().optional().describe('What to enter, in a prompt.') }),
    ({ accept }) => `${accept ? 'accept' : 'dismiss'} the next dialog`,
    (answer, driver) => {
      driver.nextAnswers.push(answer);
      return 'The next dialog will be answered so.';
    },
  ),
} satisfies Record<string, Tool>;

/** A call with its checked input, and the tab to act in. */
export interface Prepared {
  tool: Tool;
  input: unknown;
  page: Page;
}

/** Runs a call as an action of the trial. @throws DriverError with a message for the model */
export async function runTool({ tool, input, page }: Prepared, driver: Driver, words?: string) {
  const told = words ?? (await tool.words(input, driver, page));
  return driver.run(page, told, tool.acts, async () => tool.run(input, driver, page));
}

/** Checks a model's input. @throws DriverError that names the field and what was expected. */
export function checkedInput<Input>(name: string, schema: z.ZodType<Input>, given: unknown): Input {
  const result = schema.safeParse(given);
  if (result.success) return result.data;
  throw new DriverError(`Invalid input for ${name}. ${problemsIn(result.error, 'input').join('; ')}`);
}

/** Tools that may change the page, or what is shown of it. */
const CHANGING = new Set(['wait', 'new_tab', 'call_page_tool']);
for (const [name, { acts }] of Object.entries(TOOLS)) if (acts) CHANGING.add(name);

/**
 * Whether to look at the page after these calls: one of them may have changed it, and the last one did not read it.
 *
 * @param lastFailed the last call failed, or was not run
 */
export function isToLookAt(calls: readonly { name: string; input: unknown }[], lastFailed: boolean): boolean {
  const last = calls.at(-1);
  const isRead = !lastFailed && last?.name === 'read_page' && !(last.input as { ref?: unknown } | null)?.ref;
  return !isRead && calls.some(({ name }) => CHANGING.has(name));
}
