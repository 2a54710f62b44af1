// Performs a goal clause by clause, or says why it gave up. Closes overlays that cover the elements it acts on.
import { resolve } from 'node:path';
import type { Dialog, Locator } from '@playwright/test';
import { act, DriverError } from '../../browser/actions/act';
import { keySequence } from '../../browser/actions/keys';
import { durableLocator, type Handle } from '../../browser/actions/locate';
import { type LocatedAction, perform, reasonIn } from '../../browser/actions/perform';
import { computeSecrets, heldForSecret } from '../../browser/actions/secrets';
import { injected } from '../../browser/in-page';
import { callOn } from '../../browser/on-elements';
import { within } from '../../browser/waiting';
import { controlInWords } from '../../data/action';
import { escapePattern, flat, shorten } from '../../text/line';
import { fillSecrets } from '../../text/mask';
import type { Answered, GaveUp, SessionTask, Turn } from '../agent';
import * as controls from './find';
import { find, isA, NotFound, now, partOfName, wholeName } from './find';
import { type Clause, parseGoal, Stuck, type Target } from './goal';

const CLOSED = 'details:not([open]) > summary,[aria-expanded=false]:not(select,input)';
const SUBMIT_BUTTON = /^(?:(?:log|sign)[ -]?[io]n|submit|continue|next|go|ok)\b/i;
const NAVIGATION_MS = 60_000;
/** How long to try before looking for an overlay: one rarely goes away by itself. */
const COVERED_MS = 1_500;
const FILLED = 'date,time,datetime-local,month,week,number,range,color'.replace(/[\w-]+/g, 'input[type=$&]');
/** Names of buttons that close an overlay, best first: consent is only given if it can't be refused. */
const CLOSERS = [
  /^\s*(?:close|dismiss|hide|skip|no,? thanks|not now|(?:maybe )?later|got it|[×✕✖✗⨯x])(?![\p{L}\p{N}])/iu,
  /^\s*(?:reject|decline|refuse|deny|disagree|cancel|no\b|(?:only |use |strictly )*(?:necessary|essential)|continue without)/i,
  /^\s*(?:accept|agree|i agree|allow|ok(?:ay)?\b|yes\b|confirm|continue|understood|i understand)/i,
];

export async function playGoal(task: SessionTask, actionTimeoutMs: number): Promise<Answered | GaveUp> {
  try {
    return { answer: await new Player(task, actionTimeoutMs).play(parseGoal(task.goal)) };
  } catch (error) {
    if (!(error instanceof Stuck)) throw error;
    return { status: 'gave_up', reason: task.mask(error.message) };
  } finally {
    task.session.dialogs.policy = undefined;
  }
}

class Player {
  readonly #typed = new Set<string>();
  #turn!: Turn;
  /** The next clause: it may answer a dialog that this one opens. */
  #next: Clause | undefined;
  /** The messages of dialogs that were answered. */
  #answered: string[] = [];
  #said: string | undefined;

  constructor(
    readonly task: SessionTask,
    readonly timeoutMs: number,
  ) {}

  async play(clauses: Clause[]): Promise<string | undefined> {
    const { task } = this;
    task.session.dialogs.policy = dialog => this.#answerTo(dialog);
    for (const [index, clause] of clauses.entries()) {
      this.#next = clauses[index + 1];
      try {
        await task.turn(clause.source, turn => {
          this.#turn = turn;
          return this.#actions[clause.do](clause);
        });
      } catch (error) {
        const reason = error instanceof Stuck ? error.message : failedAction(error);
        if (task.signal.aborted || !reason) throw error;
        throw new Stuck(`${clause.source} (${index + 1} of ${clauses.length}): ${reason}`);
      }
    }
    const named = task.goal.split(/\W+/);
    const unused = Object.keys(task.secrets).find(name => named.includes(name) && !this.#typed.has(name));
    if (unused) throw new Stuck(`the goal names the secret "${unused}", but it was never typed`);
    return this.#said;
  }

  /** @returns undefined if the next clause is not about the dialog: it is dismissed then, as by Playwright */
  #answerTo(dialog: Dialog) {
    const { do: how, texts } = this.#next ?? {};
    if (how !== 'accept' && how !== 'dismiss') return undefined;
    this.#answered.push(dialog.message());
    return { accept: how === 'accept', text: texts?.[0] ?? dialog.defaultValue() };
  }

  async #at(target: Target, builders = [controls.clickables(target.kind)], timeoutMs = this.timeoutMs) {
    return (await find(this.task, target, builders, timeoutMs)).locator;
  }

  #ifAny(target: Target, builders: controls.Builder[], timeoutMs: number): Promise<Locator | undefined> {
    return this.#at(target, builders, timeoutMs).catch(error => {
      if (!(error instanceof NotFound)) throw error;
      return undefined;
    });
  }

  readonly #actions: { [Name in Clause['do']]: (clause: Clause) => Promise<void> } = {
    click: async ({ target }) => this.#click(await this.#at(target)),
    'double-click': async ({ target }) =>
      this.#point('double-click', { do: 'click', clickCount: 2, locator: await this.#at(target) }),
    hover: async ({ target }) => this.#point('hover over', { do: 'hover', locator: await this.#at(target) }),
    menu: ({ texts }) => this.#menu(texts),
    enter: async ({ target, texts }) => this.#enter(await this.#at(target, [controls.fields]), texts[0]!),
    select: ({ target, texts }) => this.#select(target, texts[0]!),
    check: ({ target }) => this.#check(target, true),
    uncheck: ({ target }) => this.#check(target, false),
    'log in': ({ texts }) => this.#logIn(texts[0]!, texts[1]!),
    accept: clause => this.#tellAnswers(clause.do),
    dismiss: clause => this.#tellAnswers(clause.do),
    read: ({ target, source }) => this.#read({ ...target, nth: target.nth ?? 0 }, !/^wait/i.test(source)),
    back: () => this.#act('go back', { do: 'back' }, NAVIGATION_MS),
    goto: ({ word }) => {
      const url = new URL(word, this.task.page.url()).href;
      return this.#act(`go to ${url}`, { do: 'goto', url }, NAVIGATION_MS);
    },
    press: async ({ target, word }) => {
      const key = keySequence(word).join(' ');
      const locator = target.label
        ? await this.#at(target, [controls.fields, controls.clickables()])
        : undefined;
      await this.#act(`press ${key}${locator ? ' in' : ''}`, { do: 'press', key, locator });
    },
    upload: async ({ target, texts: [file = ''] }) => {
      const files = [resolve(this.task.configDir, file)];
      const found = await this.#at(target);
      const locator = (await this.#over(found)).part ?? found;
      await this.#act(`upload "${file}" to`, { do: 'upload', files, locator });
    },
  };

  async #tellAnswers(how: string): Promise<void> {
    const said = this.#answered.splice(0);
    if (!said.length) throw new Stuck('no dialog opened');
    this.#turn.readOnly();
    this.#turn.action({ title: `${how} the dialog "${said.join('", "')}"` });
  }

  /** Each item of a menu shows the next ones when it is hovered over or clicked. */
  async #menu(labels: string[]): Promise<void> {
    const item = controls.clickables('menuitem');
    for (const [at, label] of labels.entries()) {
      // Menus come first: elsewhere a button may have the same name.
      const locator = await this.#at({ label }, at ? [controls.menuItems, item] : [item]);
      const next = labels[at + 1];
      if (next === undefined) return this.#click(locator);
      await this.#point('hover over', { do: 'hover', locator });
      if (!(await this.#ifAny({ label: next }, [controls.menuItems], 800))) await this.#click(locator);
    }
  }

  /** Sends the form, unless the next clause does. */
  async #logIn(user: string, password: string): Promise<void> {
    await this.#enter(await this.#at({ label: 'user name', nth: 0 }, [controls.userNames]), user);
    const locator = await this.#at({ label: 'password', nth: 0 }, [controls.passwords]);
    await this.#enter(locator, password);
    const { do: what, target } = this.#next ?? {};
    const isSent = what === 'press' || (what === 'click' && SUBMIT_BUTTON.test(target!.label));
    if (!isSent) await this.#act('press Enter in', { do: 'press', key: 'Enter', locator });
  }

  /** Checks a box, chooses an option of a native list, or clicks what else has the name. */
  async #check(target: Target, checked: boolean): Promise<void> {
    const builders = [controls.checks, controls.listsWith, controls.clickables(target.kind)];
    const { locator, by } = await find(this.task, target, builders, this.timeoutMs);
    if (by === 0) await this.#point(checked ? 'check' : 'uncheck', { do: 'check', checked, locator });
    else if (by === 1) await this.#choose(locator, target.label);
    else await this.#click(locator);
  }

  /** Chooses from a list, native or not, or from a group of radio buttons. */
  async #select(target: Target, label: string): Promise<void> {
    const field = await this.#ifAny(target, [controls.lists, controls.fields], this.timeoutMs / 2);
    if (!field) return this.#check({ label, place: target.label }, true);
    if (await isA(field, 'select')) return this.#choose(field, label);
    if (!(await isA(field, '[role=listbox]'))) await this.#click(field);
    const option = controls.clickables('option');
    const found = await this.#ifAny({ label }, [option], 1_500);
    // Some lists show their options only after typing.
    if (!found && (await isA(field, 'input,textarea'))) await this.#enter(field, label);
    await this.#click(found ?? (await this.#at({ label }, [option])));
  }

  /** Reads the element's text, and keeps it if it is the answer. Opens a closed section if the element is its heading. */
  async #read(target: Target, isAnswer: boolean): Promise<void> {
    const locator = await this.#at(target, [controls.readables]);
    if (await isA(locator, CLOSED)) await this.#click(locator);
    else this.#turn.readOnly();
    const said = await now(this.task.page, () => callOn(locator, 'textAt'));
    if (said === undefined) throw new Stuck('the page did not return the text in time');
    this.#turn.action({ title: `read ${await titleOf(locator)}` });
    if (isAnswer) this.#said = said;
    this.#turn.narrate(shorten(this.task.mask(said), 2_000));
  }

  /** @param title the action's title in the record, without the element; undefined to leave the action out of the record */
  async #act(title: string | undefined, action: LocatedAction, timeoutMs = this.timeoutMs): Promise<void> {
    const { task } = this;
    const name = 'locator' in action && action.locator ? await titleOf(action.locator) : '';
    const run = () => perform(task.page, action, { timeoutMs, recorder: task.recorder, task });
    await act(task, task.page, { title: `${title} ${name}`.trim() }, run, {
      noted: 'turn',
      patienceMs: NAVIGATION_MS,
      // A failed action is not reported: it may be tried in another way.
      report: told => title && told.error === undefined && this.#turn.action(told),
    });
  }

  /** Acts with the mouse. Closes what covers the element, if that has a button to close it. */
  async #point(
    title: string | undefined,
    action: Extract<LocatedAction, { do: 'click' | 'hover' | 'check' | 'fill' }>,
  ): Promise<void> {
    const aimed = { ...action };
    for (let overlays = 0; overlays < 3; overlays++) {
      try {
        return await this.#act(title, aimed, Math.min(COVERED_MS, this.timeoutMs));
      } catch (error) {
        if (!/Timeout/.test(String(error))) throw error;
        if (!/intercepts pointer events/.test(String(error))) break;
        const { part, way } = await this.#over(aimed.locator);
        if (part) aimed.locator = part;
        else if (way) await this.#act('click', { do: 'click', locator: way });
        else break;
      }
    }
    await this.#act(title, aimed);
  }

  #click = (locator: Locator) => this.#point('click', { do: 'click', locator });

  /** What receives a click in place of the element: `part` belongs to the same control, `way` is the button that closes an overlay. */
  async #over(target: Locator): Promise<{ part?: Locator; way?: Locator }> {
    const handle = () => target.evaluateHandle(injected('overIt'), CLOSERS, { timeout: 1_000 });
    const found = [...((await (await now(this.task.page, handle))?.getProperties()) ?? [])];
    const places = found.map(
      async ([name, element]) => [name, await durableLocator(element as Handle)] as const,
    );
    return Object.fromEntries(await Promise.all(places));
  }

  /** Selects the option of a native list that has the label, or the only one that contains it. */
  async #choose(locator: Locator, label: string): Promise<void> {
    const all = (await callOn(locator, 'settable', undefined, this.timeoutMs)).options;
    const options = all.map(option => flat(option.label));
    const fits = [new RegExp(`^${escapePattern(label.trim())}$`), wholeName(label), partOfName(label)]
      .map(name => options.filter(option => name.test(option)))
      .find(some => some.length);
    if (fits?.length !== 1) {
      const there = options.slice(0, 8).map(text => `"${text}"`);
      throw new Stuck(`no option "${label}" in ${await titleOf(locator)}; there are ${there.join(', ')}`);
    }
    const selected = all.filter(({ stays }) => stays).map(({ label: earlier }) => earlier);
    await this.#act(`select "${fits[0]}" in`, { do: 'select', labels: [...selected, fits[0]!], locator });
  }

  /** Clicks the field, clears it and presses keys, as filters and formatters expect. Sets the value of dates and the like. */
  async #enter(locator: Locator, given: string): Promise<void> {
    const { secrets, mask } = this.task;
    const marked = Object.hasOwn(secrets, given) ? `<secret>${given}</secret>` : given;
    for (const name of Object.keys(secrets)) if (marked.includes(`<secret>${name}<`)) this.#typed.add(name);
    const unknown = (name: string) => new Stuck(`taskproof.secrets has no secret "${name}"`);
    const isSecret = fillSecrets(marked, secrets, unknown) !== marked;
    const title = `enter "${mask(marked)}" into`;
    if (isSecret) await heldForSecret(locator, this.task, this.timeoutMs);
    if (await isA(locator, 'select')) {
      await computeSecrets(marked, this.task);
      return this.#choose(locator, fillSecrets(marked, this.task.secrets));
    }
    if (await isA(locator, FILLED)) return this.#point(title, { do: 'fill', text: marked, locator });
    if (await isA(locator, '[readonly],[aria-readonly=true],:disabled')) throw new Stuck('it is read-only');
    await this.#point(undefined, { do: 'click', locator });
    const timeout = this.timeoutMs;
    // A click may open something inside the field's label, which then no longer has the same text.
    const field = (await locator.count()) ? locator : this.task.page.locator(':focus');
    const old = await field.inputValue({ timeout }).catch(() => field.textContent({ timeout }));
    if (old) await this.#act(undefined, { do: 'fill', text: '', locator: field });
    if (marked) await this.#act(title, { do: 'type', text: marked, locator: field });
  }
}

async function titleOf(target: Locator): Promise<string> {
  return controlInWords(String((await within(target.normalize(), 2_000)) ?? target));
}

/** Why an action failed, in one line; undefined for other errors. */
function failedAction(error: unknown): string | undefined {
  const message = error instanceof Error ? error.message : '';
  if (error instanceof DriverError) return message;
  if (!/^(?:locator|page|keyboard|elementHandle)\.\w+: /.test(message)) return undefined;
  return reasonIn(message) ?? /net::\S+/.exec(message)?.[0] ?? shorten(message.split('\n')[0]!, 300);
}
