// Does one thing to the page: records it, does it, and waits until the page has settled.
import type { Dialog, Locator, Page } from '@playwright/test';
import { act } from '../../browser/actions/act';
import { keySequence } from '../../browser/actions/keys';
import { type Handle, placeOf } from '../../browser/actions/locate';
import { inWords } from '../../browser/actions/locator-expression';
import { type LocatedAction, perform } from '../../browser/actions/perform';
import { injected } from '../../browser/in-page';
import { within } from '../../browser/waiting';
import type { DialogAnswer } from '../../data/action';
import { shorten } from '../../text/shorten';
import type { SessionTask, Turn } from '../agent';
import { fillSecrets } from '../secrets';
import { exists, isA, Stuck } from './find';

/** Characters. Longer texts are not typed key by key. */
const MAX_TYPED = 300;
/** The longest wait for a document that an action loads. */
export const NAVIGATION_MS = 60_000;
const FILLED = ['date', 'time', 'datetime-local', 'month', 'week', 'number', 'range', 'color'];

/** Names of buttons that close an overlay, likeliest first. Consent is only given if it can't be refused. */
export const CLOSERS = {
  close:
    /^\s*(?:close|dismiss|hide|skip|no,? thanks|not now|(?:maybe )?later|got it|[×✕✖✗⨯x])(?![\p{L}\p{N}]).*$/iu,
  reject:
    /^\s*(?:reject|decline|refuse|deny|disagree|cancel|no\b|(?:only|use) (?:strictly )?(?:necessary|essential)|(?:strictly )?(?:necessary|essential) (?:cookies )?only|continue without).*$/i,
  accept: /^\s*(?:accept|agree|i agree|allow|ok(?:ay)?\b|yes\b|confirm|continue|understood|i understand).*$/i,
};

export class Actor {
  /** The answer to a dialog of the current action, as the next clause gives it. */
  answer: DialogAnswer | undefined;
  /** The messages of the browser's dialogs that were answered. */
  readonly answered: string[] = [];
  /** Names of the secrets that were typed. */
  readonly typed = new Set<string>();
  turn!: Turn;

  constructor(
    readonly task: SessionTask,
    readonly timeout: number,
  ) {
    task.session.dialogs.policy = dialog => this.#answerTo(dialog);
  }

  get page(): Page {
    return this.task.page;
  }

  /** Undefined if no clause is about the dialog: then confirms and prompts are dismissed, as Playwright does. */
  #answerTo(dialog: Dialog): DialogAnswer | undefined {
    if (this.answer || dialog.type() === 'alert') this.answered.push(dialog.message());
    return this.answer && { ...this.answer, text: this.answer.text ?? dialog.defaultValue() };
  }

  async click(locator: Locator, count: 1 | 2 = 1): Promise<void> {
    await this.point('click', { do: 'click', locator, ...(count > 1 ? { clickCount: count } : {}) });
  }

  /** A styled checkbox hides its input; then its label is clicked. */
  async check(locator: Locator, checked: boolean | 'toggle', label: string): Promise<void> {
    const labels = this.page.locator('label');
    const others = labels.filter({ has: locator }).or(labels.filter({ hasText: label }));
    const isShown = await exists(locator.filter({ visible: true }));
    const shown = isShown ? locator : others.filter({ visible: true }).first();
    if (checked === 'toggle') return this.click(shown);
    await this.point(checked ? 'check' : 'uncheck', { do: 'check', checked, locator: shown });
  }

  /** In a list that allows several choices, earlier ones stay. */
  async select(locator: Locator, option: string): Promise<void> {
    const several = await isA(locator, 'select[multiple]');
    const selected = several ? await locator.locator('option:checked').allInnerTexts() : [];
    const labels = [...selected.filter(text => text !== option), option];
    await this.act(`select "${option}" in`, { do: 'select', labels, locator });
  }

  /** Types keys, since filters and formatters listen to them. Dates and the like are set. */
  async enter(locator: Locator, value: string): Promise<void> {
    const text = this.secret(value);
    const title = `enter "${this.task.mask(text)}" into`;
    const filled = FILLED.map(type => `input[type=${type}]`).join(',');
    if (text.length > MAX_TYPED || (await isA(locator, filled)))
      return this.point(title, { do: 'fill', text: isoOf(text), locator });
    if (await isA(locator, '[readonly],[aria-readonly=true],:disabled')) throw new Stuck('it is read-only');
    // As a user does: click the field, clear it, type.
    await this.point(undefined, { do: 'click', locator });
    const { timeout } = this;
    const old = await locator.inputValue({ timeout }).catch(() => locator.textContent({ timeout }));
    if (old) await this.act(undefined, { do: 'fill', text: '', locator });
    if (text) await this.act(title, { do: 'type', text, locator });
  }

  async press(name: string, locator?: Locator): Promise<void> {
    const key = keySequence(name.replace(/\s/g, '')).join(' ');
    await this.act(`press ${key}${locator ? ' in' : ''}`, { do: 'press', key, locator });
  }

  /** Replaces `<secret>NAME</secret>`, or a text that is the name of a secret, by the secret. */
  secret(text: string): string {
    const { secrets } = this.task;
    const marked = Object.hasOwn(secrets, text) ? `<secret>${text}</secret>` : text;
    for (const name of Object.keys(secrets))
      if (marked.includes(`<secret>${name}</secret>`)) this.typed.add(name);
    return fillSecrets(marked, secrets, name => new Stuck(`taskproof.secrets has no secret "${name}"`));
  }

  async rest(since = 0): Promise<void> {
    const { session, signal } = this.task;
    const end = performance.now() + NAVIGATION_MS;
    while (!(await session.settle(this.page, since)) && performance.now() < end) signal.throwIfAborted();
  }

  /** Acts with the mouse. An overlay over the element is closed first, if it has a button for that. */
  async point(
    title: string | undefined,
    action: Extract<LocatedAction, { do: 'click' | 'hover' | 'check' | 'fill' }>,
  ): Promise<void> {
    const aimed = { ...action };
    for (let overlays = 3; ; overlays--) {
      try {
        // Not long while there may be an overlay, which rarely goes by itself.
        return await this.act(title, aimed, overlays ? Math.min(1_500, this.timeout) : this.timeout);
      } catch (error) {
        const message = error instanceof Error ? error.message : String(error);
        if (!overlays || !/Timeout/.test(message)) throw error;
        if (!/intercepts pointer events/.test(message)) overlays = 1;
        else aimed.locator = await uncover(this, aimed.locator, message);
      }
    }
  }

  /** @param title of the action in the record, before the element's name; undefined to leave it out of the record */
  async act(title: string | undefined, action: LocatedAction, timeoutMs = this.timeout): Promise<void> {
    const { task, page } = this;
    const name = 'locator' in action && action.locator ? await titleOf(action.locator) : '';
    const told = { title: `${title} ${name}`.trim() };
    await act(task, page, told, () => perform(page, action, { timeoutMs, recorder: task.recorder }), {
      noted: 'turn',
      patienceMs: NAVIGATION_MS,
      report: ({ error }) => {
        // What failed may be tried in another way.
        if (title && error === undefined) this.turn.action(told);
      },
    });
  }
}

/** The value of a date or time field: `2013-10-04` for `10/04/2013` (the month first), `16:08` for `4:08 PM`. */
function isoOf(text: string): string {
  const [, month, day, year] = /^(\d\d?)\/(\d\d?)\/(\d{4})$/.exec(text) ?? [];
  if (year) return [year, month!.padStart(2, '0'), day!.padStart(2, '0')].join('-');
  const [, hour, minute, half] = /^(\d\d?):(\d\d) ?([ap])m$/i.exec(text) ?? [];
  return half ? `${(Number(hour) % 12) + (/p/i.test(half) ? 12 : 0)}:${minute}`.padStart(5, '0') : text;
}

/** The element in words: `button "Save"`. */
export async function titleOf(target: Locator): Promise<string> {
  return inWords(String((await within(target.normalize(), 2_000)) ?? target));
}

/** What takes the mouse for the target and is a part of the same thing; undefined if the target takes it. */
export const takerOf = (target: Locator) =>
  over(target, 'partOver').then(handle => handle && placeOf(handle));

async function over(target: Locator, what: 'partOver' | 'overlayOn') {
  const found = await within(target.evaluateHandle(injected(what), null, { timeout: 1_000 }), 1_000);
  return (found?.asElement() ?? undefined) as Handle | undefined;
}

/**
 * @returns what to point at then
 * @throws Stuck that names the overlay, if it has no button to close it.
 */
async function uncover(actor: Actor, target: Locator, message: string): Promise<Locator> {
  const taker = await takerOf(target);
  // What is around a button is no part of it.
  if (taker && (await isA(target, 'button,a,[role=button]')) && !(await isA(taker, 'input')))
    throw new Stuck('it takes no clicks (pointer-events: none)');
  const handle = !taker && (await over(target, 'overlayOn'));
  if (!handle) return taker ?? target;
  const cover = await placeOf(handle);
  const way = await handle.evaluateHandle(injected('wayToClose'), Object.values(CLOSERS));
  const button = way.asElement() as Handle | null;
  // Not with `point`, which would try to close what is over the button, too.
  if (button) await actor.act('click', { do: 'click', locator: await placeOf(button) });
  else await actor.press('Escape');
  if (button || !(await exists(cover.filter({ visible: true })))) return target;
  const tag = /<[^\n]*?>(?= (?:from|intercepts))/.exec(message)?.[0] ?? 'something';
  const shown = shorten((await within(cover.innerText(), 1_000)) ?? '', 80);
  throw new Stuck(
    `${shorten(tag, 120)}${shown ? ` ("${shown}")` : ''} covers it, and no button on it is called "Close" or the like`,
  );
}
