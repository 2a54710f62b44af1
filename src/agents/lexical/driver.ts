// Turns on a page: each one acts on one thing, waits for the page to settle and looks at what came of it.

import type { ElementHandle, Page } from '@playwright/test';
import type { ActionDraft, ActionRecorder } from '../../browser/action-recorder';
import { elementWithFocus } from '../../browser/durable-locator';
import type { SessionTask } from '../agent';
import { type Match, rank, withoutEcho } from './match';
import type { LexicalSettings } from './options';
import { generator } from './random';
import type { Target } from './targets';
import { coverage } from './tokens';
import { type Candidate, describe, elementOf, look, type View } from './view';
import { Watch } from './watch';

export interface Outcome {
  /** The page looks different, or a request went out. */
  changed: boolean;
  error?: string;
}

type Handle = ElementHandle<HTMLElement>;

export class Driver {
  view!: View;
  readonly watch: Watch;
  readonly recorder: ActionRecorder;
  /** Elements that refused to be acted on: not tried again in the same state of the page. */
  readonly #refused = new Map<string, string>();
  readonly #noise: (key: string) => number;

  constructor(
    readonly task: SessionTask,
    readonly settings: LexicalSettings,
  ) {
    this.recorder = task.recorder;
    this.watch = new Watch(task.context, task.goal);
    task.session.dialogs.policy = dialog => this.watch.answer(dialog);
    this.#noise = generator(task.seed);
  }

  dispose(): void {
    this.watch.dispose();
    this.task.session.dialogs.policy = undefined;
  }

  get page(): Page {
    return this.task.page;
  }

  get timeout(): number {
    return this.settings.actionTimeoutMs;
  }

  /** Looks at the active tab again. */
  async look(): Promise<View> {
    this.task.signal.throwIfAborted();
    const view = await look(this.page);
    this.view = { ...view, candidates: withoutEcho(view.candidates, this.task.goal) };
    return this.view;
  }

  /** Breaks ties between candidates: 0 to 1, the same for the same seed. */
  tie({ index, name }: Candidate): number {
    return this.#noise(`${index} ${name}`);
  }

  rank(target: Target, among: readonly Candidate[] = this.view.candidates): Match[] {
    const usable = among.filter(candidate => this.#refused.get(candidate.key) !== this.view.print);
    return rank(usable, this.#here(target), candidate => this.tie(candidate));
  }

  /** A place that is the page itself says nothing about where on it. */
  #here(target: Target): Target {
    const page = `${this.view.title} ${this.view.headings[0] ?? ''} ${new URL(this.view.url, 'about:blank').pathname}`;
    const readings = target.readings.map(reading =>
      reading.scope !== '' && coverage(reading.scope, page) >= 0.9 ? { ...reading, scope: '' } : reading,
    );
    return { ...target, readings };
  }

  refused(candidate: Candidate): boolean {
    return this.#refused.get(candidate.key) === this.view.print;
  }

  /** One turn. What goes wrong inside is kept as its error and returned; only the task's own limits are thrown. */
  async turn(
    title: string,
    act: (note: (text: string) => void) => Promise<void>,
    candidate?: Candidate,
  ): Promise<Outcome> {
    const before = {
      print: this.view.print,
      mutations: this.view.mutations,
      requests: this.watch.requests,
      page: this.page,
    };
    let error: string | undefined;
    await this.task.turn(title, async turn => {
      this.recorder.begin();
      try {
        await act(text => turn.narrate(text));
      } catch (thrown) {
        this.task.signal.throwIfAborted();
        error = firstLine(thrown);
      }
      const point = candidate && candidate.frame === before.page.mainFrame() ? middle(candidate) : undefined;
      await this.watch.settle(this.page);
      const steps = error ? undefined : await this.recorder.done();
      turn.action({
        title,
        ...(error ? { error } : {}),
        ...(point ? { point } : {}),
        ...(steps ? { steps } : {}),
      });
      // Inside the turn, so that the report does not show the look as a step between two turns.
      await this.look();
    });
    const changed =
      this.view.print !== before.print ||
      this.view.mutations !== before.mutations ||
      this.watch.requests !== before.requests ||
      this.page !== before.page;
    if (candidate && (error || !changed)) this.#refused.set(candidate.key, this.view.print);
    return { changed, ...(error ? { error } : {}) };
  }

  /** A turn that does one thing to a candidate's element. */
  on(
    candidate: Candidate,
    verb: string,
    draft: ActionDraft,
    act: (element: Handle) => Promise<unknown>,
  ): Promise<Outcome> {
    return this.turn(
      `${verb} ${describe(candidate)}`,
      () => this.useElement(candidate, draft, act),
      candidate,
    );
  }

  async useElement(
    candidate: Candidate,
    draft: ActionDraft,
    act: (element: Handle) => Promise<unknown>,
  ): Promise<void> {
    const element = await elementOf(candidate);
    await this.recorder.record(this.page, draft, element);
    await act(element);
    await element.dispose();
  }

  click(candidate: Candidate): Promise<Outcome> {
    const { spot, box } = candidate;
    const at = spot ? { position: { x: box.width * spot[0], y: box.height * spot[1] } } : {};
    return this.on(candidate, 'click', { do: 'click', ...at }, async element => {
      if (/^(?:icon|clickable)$/.test(candidate.role)) {
        // What only looks clickable may change its picture, and its size, under the mouse.
        await element.hover({ timeout: this.timeout });
        await element.waitForElementState('stable', { timeout: this.timeout });
      }
      await element.click({ timeout: this.timeout, ...at });
    });
  }

  hover(candidate: Candidate): Promise<Outcome> {
    return this.on(candidate, 'hover over', { do: 'hover' }, element =>
      element.hover({ timeout: this.timeout }),
    );
  }

  press(key: string): Promise<Outcome> {
    return this.turn(`press ${key}`, async () => {
      const focused = await elementWithFocus(this.page).catch(() => undefined);
      await this.recorder.record(this.page, { do: 'press', key }, focused);
      await this.page.keyboard.press(key);
    });
  }

  /** Waits for content that comes late. True where the page changed. */
  async wait(): Promise<boolean> {
    const before = this.view.print;
    const patience = this.view.busy ? this.settings.patienceMs * 3 : this.settings.patienceMs;
    await this.watch.change(this.page, patience);
    await this.look();
    return this.view.print !== before;
  }
}

function middle({ box }: Candidate): { x: number; y: number } {
  return { x: Math.round(box.x + box.width / 2), y: Math.round(box.y + box.height / 2) };
}

function firstLine(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const blocker = /<[^\n]*> (?:from [^\n]* )?intercepts pointer events/.exec(message)?.[0];
  return blocker ? `something lies over it: ${blocker.slice(0, 160)}` : message.split('\n')[0]!.slice(0, 300);
}
