// Does one thing to the page: noted for the recording, done, and waited for until the page has come to rest.
import { resolve } from 'node:path';
import type { Dialog, Locator, Page } from '@playwright/test';
import type { ActionDraft } from '../../browser/action-recorder';
import { Activity } from '../../browser/activity';
import { within } from '../../browser/within';
import type { AgentTask, Turn } from '../agent';
import { fillSecrets } from '../secrets';
import { exists, Stuck } from './find';
import { uncover } from './overlay';

/** Texts beyond this are not typed key by key. */
const MAX_TYPED = 300;
/** The longest wait for a document that an action asked for. */
const NAVIGATION_MS = 60_000;
const FILLED = ['date', 'time', 'datetime-local', 'month', 'week', 'number', 'range', 'color'];

/** How the next native dialogs are answered. */
export interface Answer {
  accept: boolean;
  text?: string;
}

export class Hand {
  /** What the clause after the next action says about its dialog. */
  answer: Answer | undefined;
  /** What native dialogs said that the answer was given to. */
  readonly answered: string[] = [];
  /** Names of the secrets that were typed. */
  readonly typed = new Set<string>();
  turn!: Turn;
  readonly #activity: Activity;

  constructor(
    readonly task: AgentTask,
    readonly timeout: number,
  ) {
    this.#activity = new Activity(task.context);
    task.context.on('dialog', this.#onDialog);
  }

  dispose(): void {
    this.#activity.dispose();
    this.task.context.off('dialog', this.#onDialog);
  }

  get page(): Page {
    return this.task.page;
  }

  /** Without a clause about it a dialog is answered as Playwright does: confirms and prompts are dismissed. */
  readonly #onDialog = (dialog: Dialog) => {
    const { accept, text } = this.answer ?? { accept: ['alert', 'beforeunload'].includes(dialog.type()) };
    if (this.answer || dialog.type() === 'alert') this.answered.push(dialog.message());
    const given = accept ? dialog.accept(text ?? dialog.defaultValue()) : dialog.dismiss();
    // The suite may have answered first.
    given.catch(() => undefined);
  };

  async click(target: Locator, count: 1 | 2 = 1): Promise<void> {
    const options = { timeout: this.timeout, noWaitAfter: true, clickCount: count };
    const draft = { do: 'click' as const, ...(count > 1 ? { clickCount: count } : {}) };
    await this.#pointed('click', draft, target, timeout =>
      target.click({ ...options, timeout, ...(count > 1 ? { delay: 20 } : {}) }),
    );
  }

  async hover(target: Locator): Promise<void> {
    await this.#pointed('hover over', { do: 'hover' }, target, timeout => target.hover({ timeout }));
  }

  async focus(target: Locator): Promise<void> {
    await this.#does('focus', { do: 'focus' }, target, () => target.focus({ timeout: this.timeout }));
  }

  /** A styled checkbox hides its input behind its label, which is clicked then. */
  async check(target: Locator, checked: boolean | 'toggle', label: string): Promise<void> {
    const { timeout } = this;
    if (checked === 'toggle') return this.click(target);
    const shown = await exists(target.filter({ visible: true }));
    if (!shown && (await target.isChecked({ timeout }).catch(() => !checked)) !== checked) {
      const text = this.page
        .locator('label')
        .filter({ has: target })
        .or(this.page.locator('label').filter({ hasText: label }));
      return this.click(text.filter({ visible: true }).first());
    }
    await this.#pointed(checked ? 'check' : 'uncheck', { do: 'check', checked }, target, ms =>
      target.setChecked(checked, { timeout: ms, noWaitAfter: true }),
    );
  }

  async select(target: Locator, option: string): Promise<void> {
    await this.#does(`select "${option}" in`, { do: 'select', labels: [option] }, target, async () => {
      await target.selectOption({ label: option }, { timeout: this.timeout });
    });
  }

  /** Keys are typed, since what filters and formats listens to them; dates and the like have no keys. */
  async enter(target: Locator, value: string): Promise<void> {
    const { timeout } = this;
    const text = this.secret(value);
    const title = `enter "${this.task.mask(text)}" into`;
    const filled = FILLED.map(type => `input[type=${type}]`).join(',');
    if (text.length > MAX_TYPED || (await exists(target.and(this.page.locator(filled)))))
      return this.#pointed(title, { do: 'fill', text }, target, ms => target.fill(text, { timeout: ms }));
    // As a user does: into the field, out with what was there, then key by key.
    const click = (ms: number) => target.click({ timeout: ms, noWaitAfter: true });
    await this.#pointed('click', { do: 'click' }, target, click, false);
    const old = await target.inputValue({ timeout }).catch(() => target.textContent({ timeout }));
    const clear = () => target.fill('', { timeout });
    if (old) await this.#does('clear', { do: 'fill', text: '' }, target, clear, false);
    if (text)
      await this.#does(title, { do: 'type', text }, target, () =>
        target.pressSequentially(text, { timeout, noWaitAfter: true }),
      );
  }

  async press(key: string, target?: Locator): Promise<void> {
    const keys = key.split('+').map(keyOf).join('+');
    await this.#does(`press ${keys}${target ? ' in' : ''}`, { do: 'press', key: keys }, target, () =>
      target
        ? target.press(keys, { timeout: this.timeout, noWaitAfter: true })
        : this.page.keyboard.press(keys),
    );
  }

  async upload(target: Locator, file: string): Promise<void> {
    const path = resolve(this.task.configDir, file);
    await this.#does(`upload "${file}" to`, { do: 'upload', files: [file] }, target, async () => {
      if (await exists(target.and(this.page.locator('input[type=file]'))))
        return target.setInputFiles(path, { timeout: this.timeout });
      const [chooser] = await Promise.all([
        this.page.waitForEvent('filechooser', { timeout: this.timeout }),
        target.click({ timeout: this.timeout, noWaitAfter: true }),
      ]);
      await chooser.setFiles(path);
    });
  }

  async go(where: 'back' | 'forward' | 'reload' | { url: string }): Promise<void> {
    const { page } = this;
    const options = { waitUntil: 'commit', timeout: NAVIGATION_MS } as const;
    if (typeof where === 'object') {
      const url = new URL(where.url, page.url()).href;
      await this.#does(`go to ${url}`, { do: 'goto', url }, undefined, () => page.goto(url, options));
    } else {
      const ways = {
        back: () => page.goBack(options),
        forward: () => page.goForward(options),
        reload: () => page.reload(options),
      };
      await this.#does(where === 'reload' ? 'reload' : `go ${where}`, { do: where }, undefined, ways[where]);
    }
  }

  /** A text with the values of its secrets: `<secret>NAME</secret>`, or a text that is the name of one. */
  secret(text: string): string {
    const { secrets } = this.task;
    const marked = Object.hasOwn(secrets, text) ? `<secret>${text}</secret>` : text;
    for (const name of Object.keys(secrets))
      if (marked.includes(`<secret>${name}</secret>`)) this.typed.add(name);
    return fillSecrets(
      marked,
      secrets,
      name => new Stuck(`there is no secret "${name}" in taskproof.secrets`),
    );
  }

  async rest(since = 0): Promise<void> {
    const end = performance.now() + NAVIGATION_MS;
    while (!(await this.#activity.settle(this.page, since)) && performance.now() < end)
      this.task.signal.throwIfAborted();
  }

  /** With the mouse: what lies over the target is closed, if it can be. */
  async #pointed(
    verb: string,
    draft: ActionDraft,
    target: Locator,
    does: (timeout: number) => Promise<unknown>,
    told = true,
  ): Promise<void> {
    // Short at first, so that an overlay is not waited for: it rarely goes by itself.
    const tries = [Math.min(1_500, this.timeout), this.timeout];
    for (const [at, timeout] of tries.entries())
      try {
        return await this.#does(verb, draft, target, () => does(timeout), told);
      } catch (error) {
        const message = error instanceof Error ? error.message : String(error);
        // The click went out, and what came of it took its time.
        if (/click action done/.test(message)) return this.rest();
        if (at === tries.length - 1 || !/Timeout/.test(message)) throw error;
        if (/intercepts pointer events/.test(message)) await uncover(this, target, message);
      }
  }

  async #does(
    verb: string,
    draft: ActionDraft,
    target: Locator | undefined,
    does: () => Promise<unknown>,
    told = true,
  ): Promise<void> {
    this.task.signal.throwIfAborted();
    const since = performance.now();
    const named = target && (await nameOf(target));
    await this.turn.record(draft, target);
    await does();
    if (told) this.turn.action({ title: named ? `${verb} ${named}` : verb });
    await this.rest(since);
  }
}

const KEYS =
  'Control Meta Alt Shift Enter Escape Tab Backspace Delete Home End PageUp PageDown ArrowUp ArrowDown ArrowLeft ArrowRight'.split(
    ' ',
  );
const SHORT: Record<string, string> = {
  ctrl: 'Control',
  cmd: 'Meta',
  return: 'Enter',
  esc: 'Escape',
  del: 'Delete',
  space: ' ',
};

/** As Playwright calls a key: `page down` is `PageDown`. */
function keyOf(name: string): string {
  const plain = name.toLowerCase().replace(/\s/g, '');
  return SHORT[plain] ?? KEYS.find(key => key.toLowerCase() === plain) ?? name;
}

/** `button "Save"` */
export async function nameOf(target: Locator): Promise<string> {
  const durable = String((await within(target.normalize(), 2_000)) ?? target);
  const named =
    /getBy(\w+)\('((?:\\.|[^'\\])*)'(?:, \{ name: '((?:\\.|[^'\\])*)')?[^)]*\)(?:\.\w+\(\d*\))*$/.exec(
      durable,
    );
  if (!named) return durable;
  const [, by, first, name] = named;
  const plain = (text: string) => text.replace(/\\(.)/g, '$1');
  if (by === 'Role') return name ? `${first} "${plain(name)}"` : first!;
  return `"${plain(first!)}"`;
}
