// Performs and records an action on a page, for agents and replays.
import type { Locator, Page } from '@playwright/test';
import type { PageAction, Position } from '../../data/action';
import { fillSecrets } from '../../text/mask';
import { callOn } from '../on-elements';
import type { PageTools } from '../page-tools/page-tools';
import { refuseError } from '../page-tools/tool-text';
import { viewportOf } from '../session/pictures';
import { within } from '../waiting';
import { targetAt } from './locate';
import type { ActionRecorder } from './record';
import {
  computeSecrets,
  enterSecret,
  heldForSecret,
  MAX_TYPED,
  namesSecret,
  refuseDragging,
  refusePasting,
  type SecretsOfTask,
} from './secrets';

export const NOTE_LIMIT_MS = 1_000;
const DRAG_STEPS = 12;
/** CSS pixels after which libraries take it for a drag. */
const DRAG_BEGINS = 10;

type WithLocators<A> = A extends unknown
  ? { [K in keyof A]: K extends 'locator' | 'to' ? Locator | Extract<A[K], undefined> : A[K] }
  : never;
/** An action with located elements, and the texts and files of this run. In texts, `<secret>NAME</secret>` is replaced by the secret. */
export type LocatedAction = WithLocators<PageAction> | { do: 'type'; locator?: undefined; text: string };
type Dispatched = Exclude<LocatedAction, { do: 'call_page_tool' }>;
type Of<Name extends LocatedAction['do']> = Extract<LocatedAction, { do: Name }>;

export interface PerformOptions {
  /** Milliseconds to wait for the element, or for the page that the action opens. */
  timeoutMs: number;
  /** Notes the action. If `perform` fails, the caller makes the recorder forget it, as `act` does. */
  recorder?: ActionRecorder;
  webmcp?: PageTools;
  task: SecretsOfTask;
}

/** Resolves once the action is dispatched, or the page that it opens is parsed: `Session.settle` waits for what follows. */
export async function perform(
  page: Page,
  action: LocatedAction,
  { timeoutMs, recorder, webmcp, task }: PerformOptions,
): Promise<unknown> {
  if (action.do === 'call_page_tool') {
    refuseError(await webmcp!.call(page, action.name, action.input, { recorder, waitMs: timeoutMs }));
    return null;
  }
  if (recorder) await note(page, action, recorder);
  if (action.do === 'press') await refusePasting(page, action, task, timeoutMs);
  if (action.do === 'drag') await refuseDragging(action.locator, action.to, task, timeoutMs);
  if ('text' in action && namesSecret(action.text, task)) return enterSecret(page, action, task, timeoutMs);
  if (action.do === 'select' && action.labels.some(label => namesSecret(label, task))) {
    await heldForSecret(action.locator, task, timeoutMs);
    for (const label of action.labels) await computeSecrets(label, task);
    const labels = action.labels.map(label => fillSecrets(label, task.secrets));
    return ACTIONS.select({ ...action, labels }, page, timeoutMs);
  }
  return ACTIONS[action.do](action as never, page, timeoutMs);
}

async function note(page: Page, action: LocatedAction, recorder: ActionRecorder): Promise<void> {
  const { locator, to, ...draft } = action as LocatedAction & { locator?: Locator; to?: Locator };
  const atFocus = !locator && (action.do === 'press' || action.do === 'type');
  const target = atFocus ? (await within(targetAt(page, null), NOTE_LIMIT_MS))?.element : locator;
  // Typing can't be replayed if nothing has the focus.
  if (action.do !== 'type' || target) await recorder.record(page, draft, target, to);
}

const PARSED = { waitUntil: 'domcontentloaded' } as const;

const ACTIONS: {
  [Name in Dispatched['do']]: (action: Of<Name>, page: Page, timeout: number) => Promise<unknown>;
} = {
  back: (_, page, timeout) => page.goBack({ timeout, ...PARSED }),
  forward: (_, page, timeout) => page.goForward({ timeout, ...PARSED }),
  reload: (_, page, timeout) => page.reload({ timeout, ...PARSED }),
  goto: ({ url }, page, timeout) => page.goto(url, { timeout, ...PARSED }),
  new_tab: (_, page) => page.context().newPage(),
  switch_tab: (_, page) => page.bringToFront(),
  close_tab: (_, page) => page.close(),
  // Without `noWaitAfter`: with it, Playwright 1.65 neither reports nor repeats a click that it stops because another element
  // has come under the pointer.
  click: ({ locator, position, button, clickCount, modifiers }, page, timeout) =>
    locator
      .click({ position, button, clickCount, modifiers, timeout })
      .catch(error => refuseUnlessSent(error, page)),
  hover: ({ locator, position }, _, timeout) => locator.hover({ position, timeout }),
  focus: ({ locator }, _, timeout) => locator.focus({ timeout }),
  fill,
  async type({ locator, text }, page, timeout) {
    if (text.length <= MAX_TYPED)
      return locator ? locator.pressSequentially(text, { timeout }) : page.keyboard.type(text);
    await locator?.focus({ timeout });
    return page.keyboard.insertText(text);
  },
  async press({ locator, key, times = 1 }, page, timeout) {
    await (locator?.press(key, { timeout, noWaitAfter: true }) ?? page.keyboard.press(key));
    // The others go to what has the focus by then, as by hand: the arrows of a list move it.
    for (let time = 1; time < times; time++) await page.keyboard.press(key);
  },
  async check({ locator, checked }, page, timeout) {
    // Some libraries keep the state in `aria-pressed`, where Playwright does not look for it.
    const pressed = await callOn(locator, 'pressedInstead', undefined, timeout);
    if (pressed === null) return locator.setChecked(checked, { timeout });
    if ((pressed === 'true') !== checked) await ACTIONS.click({ do: 'click', locator }, page, timeout);
  },
  select({ locator, labels }, _, timeout) {
    const options = labels.map(label => ({ label }));
    return locator.selectOption(options, { timeout });
  },
  upload,
  async drag({ locator, to, position, toPosition }, page, timeout) {
    await locator.hover({ position, timeout });
    const { width, height } = await viewportOf(page);
    let end = await pointOn(to, toPosition, timeout);
    // Not by `dragTo`: sortable lists see other moves than those of an agent's mouse, and end up in another order.
    await page.mouse.down();
    if (end.x < 0 || end.y < 0 || end.x > width || end.y > height) {
      // What a drag takes along is under the pointer when it first moves: not after the page has scrolled.
      const start = await pointOn(locator, position, timeout);
      await page.mouse.move(start.x + DRAG_BEGINS, start.y + DRAG_BEGINS);
      await to.scrollIntoViewIfNeeded({ timeout });
      end = await pointOn(to, toPosition, timeout);
    }
    await dropAt(page, end);
  },
  scroll: ({ locator, x, y }, page, timeout) =>
    locator?.evaluate((node, by) => node.scrollBy(by.x, by.y), { x, y }, { timeout }) ??
    page.evaluate(by => window.scrollBy(by.x, by.y), { x, y }),
};

/** Moves the pressed mouse as by hand, in steps: drag and drop listens to moves on the way. */
export async function dropAt(page: Page, { x, y }: Position): Promise<void> {
  await page.mouse.move(x, y, { steps: DRAG_STEPS });
  // Once more, as Playwright's documentation advises: a list may have made room only by then.
  await page.mouse.move(x, y);
  await page.mouse.up();
}

/** In CSS pixels of the page's viewport. */
async function pointOn(locator: Locator, position: Position | undefined, timeout: number): Promise<Position> {
  const box = await locator.boundingBox({ timeout });
  if (!box) throw new Error('the target is not visible');
  if (!position) return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  const border = await callOn(locator, 'borderOf', undefined, timeout);
  return { x: box.x + border.x + position.x, y: box.y + border.y + position.y };
}

/**
 * If a click times out after it was sent, it counts: the page, or the one that it leads to, only answers late, and an agent
 * that is told of a failure clicks again. Playwright 1.65 goes on with a click that it has begun. In Firefox, a click that
 * closes its own tab ends by an error.
 */
function refuseUnlessSent(error: Error, page: Page): void {
  const [, ...log] = error.message.split(page.isClosed() ? ' has been closed' : ': Timeout ');
  if (!/click action done|performing click action\S*\s*$/.test(log.join())) throw error;
}

/** If the field doesn't keep the text, types it: fields that format or mask their value listen to keys. */
async function fill({ locator, text }: Of<'fill'>, _: Page, timeout: number): Promise<void> {
  await locator.fill(text, { timeout });
  // First by Playwright's own reading, which is faster than `evaluate`. Editors have no value.
  const options = { timeout: 1_000 };
  const value = await locator.inputValue(options).catch(() => text);
  if (value === text || text === '') return;
  const kept = await callOn(locator, 'valueOfText', undefined, options.timeout).catch(() => text);
  if (kept === null || kept === text) return;
  await locator.fill('', { timeout });
  await locator.pressSequentially(text, { timeout });
}

/** Gives files to an input, or to the dialog that a styled button opens for its hidden input. */
async function upload({ locator, files }: Of<'upload'>, page: Page, timeout: number): Promise<void> {
  const isInput = await callOn(locator, 'matches', 'input[type=file]', timeout);
  if (isInput) {
    // Playwright gives files to a disabled input, too. A user can't.
    const input = await locator.elementHandle({ timeout });
    await input!.waitForElementState('enabled', { timeout });
    return locator.setInputFiles([...files], { timeout });
  }
  const chosen = page.waitForEvent('filechooser', { timeout });
  // If the click fails, its own error is the one to throw.
  chosen.catch(() => {});
  await locator.click({ timeout });
  await (await chosen).setFiles([...files]);
}

const REASONS: readonly [RegExp, string][] = [
  [/^[^<\n]*<([^\n>]+)>[^\n]* intercepts pointer events/m, 'it is covered by <$1>'],
  [/not enabled/, 'it is disabled'],
  [/not editable/, 'it is read-only'],
  [/not visible/, 'it is not visible'],
  [/outside of the viewport/, "it is outside the viewport and can't be scrolled into it"],
  [/not stable/, 'it keeps moving'],
  [/did not find some options/, 'it has no such option'],
  [/event "filechooser"/, 'it opens no file dialog'],
  [/element was detached|lement is not attached/, 'it was removed from the page'],
];

/** Why Playwright gave up on an element, from its log; undefined if unknown. */
export function reasonIn(message: string): string | undefined {
  for (const [pattern, reason] of REASONS) {
    const match = pattern.exec(message);
    if (match) return reason.replace('$1', () => match[1] ?? '');
  }
  return undefined;
}
