// What all tools of a model use to act on pages. The messages of DriverErrors and notes are for models.
import { stripVTControlCharacters } from 'node:util';
import type { Locator, Page } from '@playwright/test';
import { act, DriverError } from '../../browser/actions/act';
import { elementAt, targetAt } from '../../browser/actions/locate';
import { type LocatedAction, NOTE_LIMIT_MS, perform, reasonIn } from '../../browser/actions/perform';
import type { ActionDraft } from '../../browser/actions/record';
import type { Point } from '../../browser/injected/elements';
import { callOn } from '../../browser/on-elements';
import type { PageTool } from '../../browser/page-tools/page-tools';
import { refuseError, resultText, toolNews } from '../../browser/page-tools/tool-text';
import { Observations } from '../../browser/reading/changes';
import { Refs } from '../../browser/reading/snapshot';
import { pictureForModel, pictureScale, viewportOf } from '../../browser/session/pictures';
import type { Session } from '../../browser/session/session';
import { limited, within } from '../../browser/waiting';
import { type DialogAnswer, fieldInWords } from '../../data/action';
import type { Action } from '../../data/record';
import { beginning, messageOf } from '../../text/line';
import { fillSecrets } from '../../text/mask';
import type { Answered, GaveUp, OnlyTalked, SessionTask } from '../agent';
import { Tabs } from './tabs';
import type { Prepared } from './tool';

export type Target = { type: 'coordinate'; x: number; y: number } | { type: 'ref'; ref: string };

export type Ending = { result: Answered | OnlyTalked | GaveUp; said?: string } | undefined;

/** How long Playwright tries to act on an element before the model gets an error. */
export const ACTION_LIMIT_MS = 3_000;

/** Ends a call on a page that hangs. The longest wait that a tool offers is 30 s. */
const CALL_LIMIT_MS = 35_000;

export class Driver {
  readonly session: Session;
  readonly tabs: Tabs;
  readonly refs = new Refs();
  readonly observations = new Observations(this.refs);
  cursor: Point = { x: 0, y: 0 };
  /** Answers for the next confirms and prompts, one for each. */
  readonly nextAnswers: DialogAnswer[] = [];
  ending: Ending;
  /** Whether the page had not settled after the newest action. */
  isLoading = false;
  /** Whether something may have changed since the model was shown the page. */
  isStale = false;
  onDone: (done: Action) => void = () => undefined;
  private doing: Action = { title: '' };
  /** The page tools of each tab that the model has been told of. */
  private readonly toldTools = new WeakMap<Page, readonly PageTool[]>();
  /** What the model will be told besides the results. */
  readonly notes: string[] = [];
  /** Pixels in the newest screenshot of a tab for each pixel of the page. */
  private readonly scales = new WeakMap<Page, number>();

  constructor(readonly task: SessionTask) {
    this.session = task.session;
    this.tabs = new Tabs(task);
    this.session.dialogs.policy = dialog => {
      if (dialog.type() !== 'confirm' && dialog.type() !== 'prompt') return undefined;
      return this.nextAnswers.shift() ?? { accept: false, note: NOT_ASKED };
    };
  }

  readonly fill = (text: string) => fillSecrets(text, this.task.secrets);

  /** What a tab shows, or what has changed on it, with its new page tools. */
  async look(page: Page): Promise<string> {
    this.isStale = false;
    const [shown, tools] = await Promise.all([this.observations.look(page), this.task.webmcp.list(page)]);
    const news = toolNews(tools, this.toldTools.get(page) ?? []);
    this.toldTools.set(page, tools);
    return [shown, news].filter(Boolean).join('\n');
  }

  async callPageTool(page: Page, name: string, input: object): Promise<string> {
    const detail: Action['detail'] = { pageTool: name, input };
    this.doing.detail = detail;
    const { webmcp, recorder } = this.task;
    const result = await webmcp.call(page, name, input, { recorder });
    const text = resultText(result);
    detail.result = text;
    refuseError(result);
    return text
      ? `The page's tool answered, in its own words: ${JSON.stringify(text)}`
      : 'The page has done it, without an answer.';
  }

  perform(page: Page, action: LocatedAction, timeoutMs = ACTION_LIMIT_MS): Promise<unknown> {
    const { task } = this;
    return perform(page, action, { timeoutMs, recorder: task.recorder, task });
  }

  /** Performs an action of the mouse on an element, and brings it into view first. */
  async performShown(page: Page, action: LocatedAction & { locator: Locator }): Promise<void> {
    // Its errors are ignored: the action has better ones.
    await within(this.show(action.locator), NOTE_LIMIT_MS);
    await this.perform(page, action);
  }

  async picture(page: Page) {
    const { scale, ...taken } = await pictureForModel(page);
    this.scales.set(page, scale);
    return taken;
  }

  async scaleOf(page: Page): Promise<number> {
    return this.scales.get(page) ?? pictureScale(await viewportOf(page));
  }

  async pointer(page: Page) {
    const scale = await this.scaleOf(page);
    const { x, y } = this.cursor;
    return { type: 'coordinate' as const, x: Math.round(x * scale), y: Math.round(y * scale) };
  }

  /** The model's coordinates in CSS pixels. @throws DriverError outside the viewport. */
  async pointOf(page: Page, given: Point): Promise<Point> {
    const [viewport, scale] = await Promise.all([viewportOf(page), this.scaleOf(page)]);
    const point = { x: given.x / scale, y: given.y / scale };
    if (point.x < 0 || point.y < 0 || point.x > viewport.width || point.y > viewport.height) {
      const [width, height] = [viewport.width, viewport.height].map(size => Math.round(size * scale));
      throw new DriverError(
        `(${given.x}, ${given.y}) is outside the viewport, which is ${width} by ${height}. Scroll first, or take a screenshot to see where things are.`,
      );
    }
    return point;
  }

  /** Remembers where an action takes place (CSS pixels), to mark it on the turn's screenshot. */
  mark(point: Point | undefined): void {
    if (!point) return;
    this.doing.point = { x: Math.round(point.x), y: Math.round(point.y) };
    this.cursor = point;
  }

  /** Records an action at a point: on the control there, or on the exact spot of another element. @returns what is there */
  async recordAt(page: Page, draft: ActionDraft, point: Point) {
    const found = await within(targetAt(page, point), NOTE_LIMIT_MS);
    if (!found) return undefined;
    const { element, position } = found;
    await this.task.recorder.record(page, { ...draft, position } as ActionDraft, element);
    return found;
  }

  /** Scrolls an element into view. Playwright's scrollIntoViewIfNeeded would wait for two frames, as the next action does anyway. */
  async show(locator: Locator): Promise<void> {
    const shown = await callOn(locator, 'bringIntoView', undefined, ACTION_LIMIT_MS);
    if (shown) return this.mark(shown);
    // The element is in a frame: only Playwright knows where that is on the page.
    await this.markElement(locator);
  }

  async markElement(locator: Locator): Promise<void> {
    const box = await within(locator.boundingBox({ timeout: ACTION_LIMIT_MS }), ACTION_LIMIT_MS);
    if (box) this.mark({ x: box.x + box.width / 2, y: box.y + box.height / 2 });
  }

  async locate(page: Page, { ref }: Extract<Target, { type: 'ref' }>) {
    const words = this.refs.wordsOf(ref);
    if (words) this.doing.control = fieldInWords(words);
    return this.refs.locate(page, ref);
  }

  /** The target in words: `button "Sign in"`, or `(40, 30)` if nothing is known about the place. */
  async wordsOf(page: Page, target: Target): Promise<string> {
    if (target.type === 'ref') return this.refs.wordsOf(target.ref) ?? target.ref;
    const scale = await this.scaleOf(page);
    const seen = await elementAt(page, { x: target.x / scale, y: target.y / scale });
    return seen?.words ?? `(${target.x}, ${target.y})`;
  }

  /** Runs a call as one action of the trial, and reports it to `onDone`. */
  async run({ tool, input, page }: Prepared): Promise<unknown> {
    const settles = tool.acts ?? true;
    this.isStale ||= settles;
    this.doing = { title: await tool.words(input, this, page) };
    const handled = async () => tool.handle(input, this, page);
    const run = () => limited(handled(), CALL_LIMIT_MS, () => new DriverError(STUCK));
    return act(this.task, page, this.doing, run, {
      settles,
      explain: error => new DriverError(reasonOf(error)),
      report: (action, hasSettled) => {
        if (settles) this.isLoading = !hasSettled;
        if (hasSettled === false) this.notes.push(LOADING);
        this.onDone(action);
      },
    });
  }
}

const LOADING = 'A page is still loading, and can not be read or used until it answers.';
const NOT_ASKED =
  ' To answer it otherwise, call next_dialog first, once for each dialog, and repeat the action.';
const STUCK =
  'The page did not answer: it is still loading, or its scripts keep it busy. Wait, reload, or go to another page.';

function reasonOf(error: unknown): string {
  const message = messageOf(error);
  if (error instanceof DriverError) return message;
  const reason = reasonIn(message);
  if (reason) return `The element could not be used: ${reason}.`;
  return stripVTControlCharacters(beginning(message.split('\n')[0]!)).replace(/^[\w.]+: /, '');
}
