// Plays a recording action by action, and names the first action that no longer fits the page.
import { existsSync, readFileSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import type { Dialog, Locator, Page } from '@playwright/test';
import { act } from '../../browser/actions/act';
import { locatorOf } from '../../browser/actions/locate';
import { type LocatedAction, perform, reasonIn } from '../../browser/actions/perform';
import { fingerprintOf, NO_ANSWER, sameFingerprint } from '../../browser/actions/record';
import { computeSecrets } from '../../browser/actions/secrets';
import type { DialogPolicy } from '../../browser/session/dialogs';
import { sleep } from '../../browser/waiting';
import {
  type DialogAnswer,
  type Fingerprint,
  fieldInWords,
  namedControl,
  type RecordedAction,
} from '../../data/action';
import {
  DEFAULT_RECORDINGS_DIR,
  type RecordedTurn,
  type Recording,
  readRecording,
  recordingFile,
} from '../../data/recording';
import { uniqueByValue } from '../../spec/placeholders';
import { pathOf } from '../../spec/url';
import { type GoalWords, goalWords, hasName, isNear } from '../../text/goal-words';
import { beginning, messageOf } from '../../text/line';
import { secretsNamed } from '../../text/mask';
import { type Agent, AgentSetupError, type SessionTask, type Turn } from '../agent';
import { checkedSpot, FIRST_PAUSE_MS, findControl, longer, NoControl, OtherControl, spotNow } from './find';
import type { ReplaySettings } from './index';
import { located, resolved, unknownSecret } from './resolve';
import { haveSameWords, leftOut, type Told } from './same';
import { turnsWith } from './values';

/** An action that can't be performed, or no longer has an effect. */
export class ActionProblem extends Error {
  override name = 'ActionProblem';
}

/** An action that is not one for the goal of today. */
class OldGoalError extends AgentSetupError {}

export class Player {
  readonly done: string[] = [];
  private number = 0;
  private answers: DialogAnswer[] = [];
  /** How a dialog differs from the one that was accepted. */
  private otherDialog: string | undefined;
  private isOfOtherSpec = false;
  private readonly goal: GoalWords;

  constructor(
    private readonly task: SessionTask,
    private readonly timeoutMs: number,
  ) {
    // Secrets are masked: the page gets these words, and its texts are masked before they are compared.
    this.goal = goalWords(task.mask(task.goal));
  }

  /** @throws ActionProblem at the first action that no longer fits. */
  async play(recording: Recording): Promise<void> {
    const { dialogs } = this.task.session;
    this.isOfOtherSpec = recording.specHash !== this.task.specHash;
    dialogs.policy = dialog => this.answerTo(dialog);
    try {
      const turns = turnsWith(recording, this.task.data, this.task.goal);
      // Checked before anything is done to the site.
      for (const name of secretsNamed(JSON.stringify(turns)))
        if (!Object.hasOwn(this.task.secrets, name)) throw unknownSecret(name);
      for (const recorded of turns) await this.task.turn(recorded.title, turn => this.turn(turn, recorded));
    } finally {
      dialogs.policy = undefined;
    }
  }

  private answerTo(dialog: Dialog): ReturnType<DialogPolicy> {
    const answer = this.answers.shift();
    if (answer?.message === undefined || haveSameWords(answer.message, this.task.mask(dialog.message())))
      return answer;
    const note = ` In the recording it said "${answer.message}".`;
    if (!answer.accept || dialog.type() === 'alert') return { ...answer, note };
    this.otherDialog = `a dialog says "${this.task.mask(dialog.message())}" instead of "${answer.message}"`;
    return { accept: false, note };
  }

  private async turn(turn: Turn, { actions }: RecordedTurn): Promise<void> {
    for (const { title, recorded } of actions) {
      const repeated: RecordedAction[] = [];
      try {
        for (const action of recorded) repeated.push(await this.repeat(action, title));
      } catch (error) {
        const control = recorded[repeated.length]?.control;
        turn.action({ title, error: messageOf(error), recorded: repeated, control });
        throw error;
      }
      turn.action({ title, recorded: repeated });
      this.done.push(title);
    }
  }

  private async repeat(action: RecordedAction, title: string): Promise<RecordedAction> {
    this.number++;
    const { task } = this;
    this.answers = [...(action.dialogs ?? [])];
    let here: RecordedAction;
    try {
      // `perform` computes what is typed.
      if (action.do === 'call_page_tool') await computeSecrets(JSON.stringify(action.input), task);
      here = resolved(action, task);
    } catch (error) {
      // Not an ActionProblem: the fallback must not take over if a secret is missing or a file is not allowed.
      throw new AgentSetupError(`action ${this.number}: ${messageOf(error)}`);
    }
    const lost = leftOut([...(action.beside ?? []), ...(action.toBeside ?? [])], this.goal);
    if (this.isOfOtherSpec && lost !== undefined)
      throw new OldGoalError(
        `action ${this.number}: it acts beside "${lost}", which the goal no longer has: record it again`,
      );
    const page = await this.tab(action);
    const before = (await fingerprintOf(page)) ?? NO_ANSWER;
    const play = async () => {
      const end = performance.now() + this.timeoutMs;
      try {
        await this.perform(page, located(page, here), action, end);
      } catch (error) {
        task.signal.throwIfAborted();
        const why = error instanceof OtherControl ? error.message : await this.whyNot(page, here, error);
        throw this.problem(page, why);
      }
    };
    // The next action, or an assertion, may need the requests that this one causes.
    await act(task, page, { title }, play, { noted: 'turn' });
    const after = await this.effect(page, action, before, title);
    if (this.answers.length)
      task.session.notice(
        'The recording answers a dialog here, and none opened. Record it again if that was meant.',
      );
    return { ...action, before, after };
  }

  /** Acts on the element that was compared. If the page replaces it in the meantime, looks for it again. */
  private async perform(page: Page, there: LocatedAction, recorded: RecordedAction, end: number) {
    const { task } = this;
    for (;;) {
      const { action, element } = await this.aimed(page, { ...there }, recorded, end);
      if (action.do === 'click' && element) action.locator = element;
      const timeoutMs = Math.max(1, end - performance.now());
      try {
        return await perform(page, action, { timeoutMs, webmcp: task.webmcp, task });
      } catch (error) {
        if (!element || !/not attached/.test(messageOf(error))) throw error;
      }
    }
  }

  /** The action on the controls that are there by now. */
  private async aimed(page: Page, action: LocatedAction, recorded: RecordedAction, end: number) {
    const { task, goal } = this;
    const find = (locator: Locator, told: Told) => findControl(locator, told, { task, goal, end });
    let element: Locator | undefined;
    if ('locator' in action && action.locator) {
      const found = await find(action.locator, recorded);
      ({ locator: action.locator, element } = found);
      if ('position' in action && action.position)
        action.position = await checkedSpot(found, action.position, recorded.place);
    } else if (action.do === 'press') {
      const focused = page.locator(':focus').first();
      const { locator } = await find(focused, recorded);
      if (locator !== focused) action.locator = locator;
    }
    if (action.do === 'drag') {
      const { toPlace: place, toBeside: beside } = recorded;
      const to = String(action.to);
      const found = await find(action.to, { place, beside, locator: to }).catch(error => {
        if (!(error instanceof NoControl)) throw error;
        throw new OtherControl(`the target of the drag, ${namedControl(to, place)}, is not found`);
      });
      action.to = found.locator;
      if (action.toPosition) action.toPosition = spotNow(action.toPosition, place, found.place);
    }
    return { action, element };
  }

  private async effect(page: Page, action: RecordedAction, before: Fingerprint, title: string) {
    const end = performance.now() + this.timeoutMs;
    const isKnown = ![action.before, action.after].some(each => sameFingerprint(each, NO_ANSWER));
    const hadEffect =
      isKnown && !sameFingerprint(action.before, action.after) && !MAY_DO_NOTHING.has(action.do);
    for (let pause = FIRST_PAUSE_MS; ; pause = longer(pause)) {
      if (this.otherDialog) throw this.problem(page, this.otherDialog);
      // Closing the tab or opening another is an effect.
      if (page.isClosed() || this.task.page !== page)
        return (await fingerprintOf(this.task.page)) ?? NO_ANSWER;
      const after = await fingerprintOf(page);
      if (after && (!hadEffect || !sameFingerprint(before, after))) return after;
      if (performance.now() > end) {
        if (!after) return NO_ANSWER;
        throw this.problem(page, `${title} had no effect`);
      }
      await sleep(pause, this.task.signal);
    }
  }

  /** The tab of the action. Waits for a tab that is about to open. */
  private async tab({ tab }: RecordedAction): Promise<Page> {
    const { session } = this.task;
    const page = await session.tabAt(tab, this.timeoutMs);
    if (!page || page.isClosed())
      throw this.problem(
        this.task.page,
        `tab ${tab + 1} ${page ? 'is closed' : 'did not open'}; the page is`,
      );
    if (page !== session.page) session.activate(page);
    return page;
  }

  /** Playwright's long message on a failed action as one sentence: `button "Place order" not found`. */
  private async whyNot(page: Page, action: RecordedAction, error: unknown): Promise<string> {
    const message = messageOf(error);
    const expression = 'locator' in action ? action.locator : undefined;
    if (!expression) {
      const { place } = action;
      const isLost = action.do === 'press' && place && error instanceof NoControl;
      return isLost ? `${fieldInWords(place.control)} does not have the focus` : message;
    }
    const near = action.beside?.filter(({ scope }) => isNear(scope)).map(({ text }) => text) ?? [];
    const told = near.find(text => hasName(text, this.goal)) ?? near[0];
    const name = namedControl(expression, action.place) + (told ? ` beside "${told}"` : '');
    // Undefined if the text is not a locator, or the page does not answer.
    const count = await (async () => locatorOf(page, expression).count())().catch(() => undefined);
    if (count === 0) return `${name} not found`;
    if (count !== undefined && count > 1) return `${name} now matches ${count} elements instead of one`;
    return `${name} can't be used: ${reasonIn(message) ?? message.split('\n')[0]}`;
  }

  private problem(page: Page, what: string): ActionProblem {
    const path = beginning(pathOf(page.url()));
    return new ActionProblem(this.task.mask(`action ${this.number}: ${what} on ${path}`));
  }
}

/** Actions that may change nothing on the page: they only point, focus, scroll or reload, or set what is set already. */
const MAY_DO_NOTHING = new Set([
  ...['hover', 'focus', 'scroll', 'new_tab', 'switch_tab', 'close_tab', 'reload'],
  ...['check', 'fill', 'select'],
]);

export const fileIn = ({ recordings = DEFAULT_RECORDINGS_DIR }: ReplaySettings, dir: string, spec: string) =>
  recordingFile(resolve(dir, recordings), spec);

export async function playRecording(task: SessionTask, settings: ReplaySettings): ReturnType<Agent['run']> {
  const { fallback, actionTimeoutMs } = settings;
  const { specName, configDir } = task;
  if (specName === null)
    throw new Error(
      'replay() plays the only agent.run() of a test with a pass policy, as the agent of its project. Pass another agent to this call.',
    );
  const file = fileIn(settings, configDir, specName);
  const recording = recordingIn(file, task.unique);
  // The assertions still check the old actions, but the changed spec may ask for more than was recorded.
  if (recording && recording.specHash !== task.specHash) {
    const stale = `${specName} has changed since ${relative(configDir, file)} was recorded. Record it again, unless the change does not affect its actions.`;
    process.stderr.write(`taskproof: ${stale}\n`);
    task.session.notice(stale);
  }
  const player = new Player(task, actionTimeoutMs);
  let problem = `no recording: ${file}`;
  try {
    if (recording) return await player.play(recording);
  } catch (error) {
    const heals = error instanceof ActionProblem || (fallback && error instanceof OldGoalError);
    if (!heals) throw error;
    problem = error.message;
  }
  if (!fallback) return { status: 'gave_up', reason: problem };
  task.markHealed({ reason: problem, recording: file });
  const done = { value: [...player.done, `This no longer worked: ${problem}`] };
  // Inherits from the task, not a copy: the active tab, the time left and the turns left change.
  return fallback.run(Object.create(task, { done }) as SessionTask);
}

function recordingIn(file: string, unique: string | undefined): Recording | undefined {
  if (!existsSync(file)) return undefined;
  const text = readFileSync(file, 'utf8');
  try {
    return readRecording(unique ? uniqueByValue(text, unique) : text, file);
  } catch (error) {
    throw new AgentSetupError(messageOf(error));
  }
}
