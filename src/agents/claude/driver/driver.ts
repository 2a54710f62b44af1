// What both toolsets drive the trial's tabs through. The members themselves are in files by family.
import { ToolError } from '@anthropic-ai/sdk/helpers/beta/toolsets';
import type { Locator, Page } from '@playwright/test';
import { type ActionDraft, ActionRecorder } from '../../../browser/action-recorder';
import { Activity } from '../../../browser/activity';
import { clickableAt } from '../../../browser/durable-locator';
import type { AgentTask, Turn } from '../../agent';
import { fillSecrets } from '../../secrets';
import { elementAt, wordsFor } from './describe';
import { Dialogs } from './dialogs';
import { type Located, Refs, viewportOf } from './refs';
import { pictureScale } from './screenshot';
import { Tabs } from './tabs';
import { limited, within } from './time';

export interface Point {
  x: number;
  y: number;
}

export type Target = { type: 'coordinate'; x: number; y: number } | { type: 'ref'; ref: string };

/** How long Playwright tries to act on an element before the model is told why it can't. */
export const ACTION_LIMIT_MS = 3_000;

/** How long finding what is at a point, or has the focus, may take: for the notes alone, the trial does not wait. */
export const NOTE_LIMIT_MS = 1_000;

/** A page that is stuck answers nothing. The longest that a member may ask for is 30 s. */
export const MEMBER_LIMIT_MS = 35_000;

export class Driver {
  readonly tabs: Tabs;
  readonly refs = new Refs();
  readonly dialogs: Dialogs;
  /** What the members do, as steps that can be done again. */
  readonly recorder: ActionRecorder;
  private readonly activity: Activity;
  /** Where the pointer was left, in CSS pixels. */
  cursor: Point = { x: 0, y: 0 };
  /** The turn that runs: actions are told to it. */
  turn: Pick<Turn, 'action'> | undefined;
  private point: Point | undefined;
  private readonly notes: string[] = [];

  constructor(readonly task: AgentTask) {
    this.tabs = new Tabs(task);
    this.recorder = new ActionRecorder(task.page, text => task.mask(text));
    this.dialogs = new Dialogs(task.context, answer => this.recorder.answered(answer));
    this.activity = new Activity(task.context);
  }

  dispose(): void {
    this.tabs.dispose();
    this.dialogs.dispose();
    this.activity.dispose();
    this.recorder.dispose();
  }

  /** What the model should know beside the results, since the last call. */
  takeNotes(): string[] {
    return this.notes.splice(0);
  }

  get signal(): AbortSignal {
    return this.task.signal;
  }

  fill(text: string): string {
    const { secrets } = this.task;
    return fillSecrets(text, secrets, name => {
      const known = Object.keys(secrets).join(', ') || 'none';
      return new ToolError(
        `There is no secret named ${JSON.stringify(name)}. Secrets of this task: ${known}.`,
      );
    });
  }

  /** The model's coordinates in CSS pixels. @throws ToolError outside the viewport. */
  async pointOf(page: Page, given: Point): Promise<Point> {
    const viewport = await viewportOf(page);
    const scale = pictureScale(viewport);
    const point = { x: given.x / scale, y: given.y / scale };
    if (point.x < 0 || point.y < 0 || point.x > viewport.width || point.y > viewport.height) {
      const [width, height] = [viewport.width, viewport.height].map(size => Math.round(size * scale));
      throw new ToolError(
        `(${given.x}, ${given.y}) is outside the viewport, which is ${width} by ${height}. Scroll first, or take a screenshot to see where things are.`,
      );
    }
    return point;
  }

  /** Remembers where an action takes place, for its mark on the turn's picture. */
  mark(point: Point | undefined): void {
    if (!point) return;
    this.point = point;
    this.cursor = point;
  }

  /** Notes a action at a point of the viewport: on the control there, or on the very spot of what is there. */
  async recordAt(page: Page, draft: ActionDraft, point: Point): Promise<void> {
    const found = await within(clickableAt(page, point), NOTE_LIMIT_MS);
    if (!found) return;
    const { element, position } = found;
    await this.recorder.record(page, { ...draft, ...(position ? { position } : {}) } as ActionDraft, element);
  }

  /**
   * Brings an element into view, and remembers where it is. Playwright's own way waits for two frames, which the action
   * that follows does again.
   */
  async show(locator: Locator): Promise<void> {
    const shown = await locator.evaluate(bringIntoView, undefined, { timeout: ACTION_LIMIT_MS });
    if (shown) return this.mark(shown);
    // In a frame, whose own place only Playwright knows.
    await this.markElement(locator);
  }

  async markElement(locator: Locator): Promise<void> {
    const box = await within(locator.boundingBox({ timeout: ACTION_LIMIT_MS }), ACTION_LIMIT_MS);
    if (box) this.mark({ x: box.x + box.width / 2, y: box.y + box.height / 2 });
  }

  async locate(page: Page, target: Target): Promise<Located> {
    if (target.type !== 'ref')
      throw new ToolError('This needs an element reference (type "ref"), not a coordinate.');
    return this.refs.locate(page, target.ref);
  }

  /** `button "Sign in"`, or `(40, 30)` where nothing is known about the place. */
  async wordsOf(page: Page, target: Target): Promise<string> {
    if (target.type === 'ref') return this.refs.wordsOf(target.ref) ?? target.ref;
    const scale = pictureScale(await viewportOf(page));
    const seen = await elementAt(page, { x: target.x / scale, y: target.y / scale });
    return wordsFor(seen) ?? `(${target.x}, ${target.y})`;
  }

  /** Runs one member: its words, what it does, the wait for what it causes, and the action that people read. */
  async perform<T>(page: Page, words: string, settles: boolean, run: () => Promise<T>): Promise<T> {
    this.point = undefined;
    this.recorder.begin();
    if (!settles) this.recorder.readOnly();
    const since = performance.now();
    try {
      const result = await limited(run(), MEMBER_LIMIT_MS, () => new ToolError(STUCK), this.signal);
      const calm = settles && (await this.settle(page, since));
      const steps = await this.recorder.done(this.task.page);
      // What began meanwhile is waited for, too.
      if (calm && this.activity.isBusy(this.task.page, since)) await this.settle(page, since);
      this.turn?.action({ title: words, ...this.marked(), ...(steps ? { steps } : {}) });
      return result;
    } catch (error) {
      this.signal.throwIfAborted();
      if (settles) await this.settle(page, since);
      const reason = reasonOf(error);
      this.turn?.action({ title: words, error: reason, ...this.marked() });
      throw error instanceof ToolError ? error : new ToolError(reason);
    }
  }

  /** An action may open a tab: then that one is at work too. @returns false where a page is still loading. */
  private async settle(page: Page, since: number): Promise<boolean> {
    const active = this.task.page;
    const tabs = active === page ? [page] : [page, active];
    const settled = await Promise.all(tabs.map(tab => this.activity.settle(tab, since)));
    if (!settled.includes(false)) return true;
    this.notes.push('A page is still loading, and can not be read or used until it answers.');
    return false;
  }

  private marked(): { point?: Point } {
    return this.point ? { point: { x: Math.round(this.point.x), y: Math.round(this.point.y) } } : {};
  }
}

/** Runs in the page. The element's middle in the viewport; null in a frame. */
function bringIntoView(element: Element): Point | null {
  const inView = () => {
    const { top, left, bottom, right } = element.getBoundingClientRect();
    return top >= 0 && left >= 0 && bottom <= innerHeight && right <= innerWidth;
  };
  if (!inView()) element.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' });
  const { x, y, width, height } = element.getBoundingClientRect();
  return window === top ? { x: x + width / 2, y: y + height / 2 } : null;
}

const STUCK =
  'The page did not answer: it is still loading, or its scripts keep it busy. Wait, reload, or go to another page.';

/** Why Playwright gave up on an element, in the sentence that matters out of its log. */
const REASONS: [RegExp, string][] = [
  [/<(.+?)>.*? intercepts pointer events/, 'it is covered by <$1>'],
  [/element is not enabled/, 'it is disabled'],
  [/element is not editable/, 'it is read-only'],
  [/element is not visible/, 'it is not visible'],
  [/element is outside of the viewport/, 'it is outside the viewport and can not be scrolled into it'],
  [/element is not stable/, 'it keeps moving'],
  [/element was detached|Element is not attached|element is not attached/, 'it was removed from the page'],
];

export function reasonOf(error: unknown): string {
  if (error instanceof ToolError)
    return typeof error.content === 'string'
      ? error.content
      : error.content.map(part => ('text' in part ? part.text : '')).join(' ');
  const message = error instanceof Error ? error.message : String(error);
  for (const [pattern, reason] of REASONS) {
    const match = pattern.exec(message);
    if (match) return `The element could not be used: ${reason.replace('$1', match[1] ?? '')}.`;
  }
  const first = message
    .split('\n')[0]!
    // biome-ignore lint/suspicious/noControlCharactersInRegex: Playwright colours its messages
    .replace(/\u001b\[[\d;]*m/g, '')
    .replace(/^[\w.]+: /, '');
  return first;
}
