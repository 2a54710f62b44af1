// Plays a trial from its recording action by action: prepares each for this run, and names the one that no longer fits the page; then the
// fallback takes over.
import { readFile } from 'node:fs/promises';
import { relative, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { Page } from '@playwright/test';
import { act } from '../../browser/actions/act';
import { locatorOf } from '../../browser/actions/locator-expression';
import { type LocatedAction, perform, reasonIn } from '../../browser/actions/perform';
import { fingerprintOf, NO_ANSWER, sameFingerprint } from '../../browser/reading/fingerprint';
import { type DialogAnswer, type Fingerprint, pathOf, type RecordedAction } from '../../data/action';
import { inWords } from '../../data/control-words';
import {
  DEFAULT_RECORDINGS_DIR,
  fileBelow,
  type RecordedTurn,
  type Recording,
  readRecording,
  recordingFile,
} from '../../data/recording';
import { UNIQUE } from '../../spec/placeholders';
import type { Agent, SessionTask, Turn } from '../agent';
import { fillSecrets, inTexts } from '../secrets';
import type { ReplaySettings } from './index';

/** Milliseconds between checks for an action's effect: they grow from the first to the longest. */
const FIRST_PAUSE_MS = 10;
const MAX_PAUSE_MS = 200;

/** Milliseconds. */
const ACTION_TIMEOUT_MS = 5_000;

/** An action that can't be performed, or no longer has an effect. */
export class ActionProblem extends Error {
  override name = 'ActionProblem';
}

export class Player {
  /** The performed actions, in words. */
  readonly done: string[] = [];
  private number = 0;
  private answers: DialogAnswer[] = [];

  constructor(
    private readonly task: SessionTask,
    private readonly timeoutMs: number,
  ) {
    task.session.dialogs.policy = () => this.answers.shift();
  }

  dispose(): void {
    this.task.session.dialogs.policy = undefined;
  }

  /** @throws ActionProblem at the first action that no longer fits. */
  async play(recording: Recording): Promise<void> {
    for (const recorded of recording.turns)
      await this.task.turn(recorded.title, turn => this.turn(turn, recorded));
  }

  private async turn(turn: Turn, { actions }: RecordedTurn): Promise<void> {
    for (const { title, recorded } of actions) {
      const repeated: RecordedAction[] = [];
      try {
        for (const action of recorded) repeated.push(await this.repeat(action, title));
      } catch (error) {
        const control = recorded[repeated.length]?.control;
        turn.action({
          ...{ title, error: (error as Error).message, recorded: repeated },
          ...(control === undefined ? {} : { control }),
        });
        throw error;
      }
      turn.action({ title, recorded: repeated });
      this.done.push(title);
    }
  }

  /** @returns the action as it was performed this time. */
  private async repeat(action: RecordedAction, title: string): Promise<RecordedAction> {
    this.number++;
    const { task } = this;
    this.answers = [...(action.dialogs ?? [])];
    const here = this.resolved(action);
    const page = await this.tab(action);
    const before = (await fingerprintOf(page)) ?? NO_ANSWER;
    const play = async () => {
      try {
        await perform(page, located(page, here), { timeoutMs: this.timeoutMs, webmcp: task.webmcp });
      } catch (error) {
        task.signal.throwIfAborted();
        throw this.problem(page, await whyNot(page, here, error));
      }
    };
    // The next action, or an assertion, may need the requests that this one causes.
    await act(task, page, { title }, play, { noted: 'turn' });
    const after = await this.effect(page, action, before, title);
    return { ...action, before, after };
  }

  /** Throws no ActionProblem: if a secret is missing or a file is not allowed, the fallback must not take over. */
  private resolved(action: RecordedAction): RecordedAction {
    try {
      return resolved(action, this.task);
    } catch (error) {
      throw new Error(`action ${this.number}: ${(error as Error).message}`);
    }
  }

  /** Waits until the page has changed, if it did so in the recording. */
  private async effect(
    page: Page,
    action: RecordedAction,
    before: Fingerprint,
    title: string,
  ): Promise<Fingerprint> {
    const end = performance.now() + this.timeoutMs;
    const hadEffect = !sameFingerprint(action.before, action.after) && showsEffect(action);
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 2, MAX_PAUSE_MS)) {
      this.task.signal.throwIfAborted();
      // A closed tab or a new one is an effect.
      if (page.isClosed() || this.task.page !== page)
        return (await fingerprintOf(this.task.page)) ?? NO_ANSWER;
      const after = await fingerprintOf(page);
      if (after && (!hadEffect || !sameFingerprint(before, after))) return after;
      if (performance.now() > end) {
        if (!after) return NO_ANSWER;
        throw this.problem(page, `${title} had no effect`);
      }
      await setTimeout(pause);
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

  private problem(page: Page, what: string): ActionProblem {
    return new ActionProblem(this.task.mask(`action ${this.number}: ${what} on ${pathOf(page.url())}`));
  }
}

/** False for actions that may only move the pointer, the focus or the scroll position, or change tabs or reload. */
function showsEffect(action: RecordedAction): boolean {
  return !['hover', 'focus', 'scroll', 'new_tab', 'switch_tab', 'close_tab', 'reload'].includes(action.do);
}

/** The file of a spec's recording, absolute. @throws RecordingError if the spec's id can't be a file name. */
export function recordingOf({ recordings }: ReplaySettings, configDir: string, specName: string): string {
  return recordingFile(resolve(configDir, recordings ?? DEFAULT_RECORDINGS_DIR), specName);
}

export async function playRecording(task: SessionTask, settings: ReplaySettings): ReturnType<Agent['run']> {
  const { fallback, actionTimeoutMs = settings.turnTimeoutMs ?? ACTION_TIMEOUT_MS } = settings;
  const { specName, configDir } = task;
  if (specName === null)
    throw new Error(
      "replay() plays recordings of task specs, so it can't be used in a hand-written test (agent.run). Set another agent for it.",
    );
  const file = recordingOf(settings, configDir, specName);
  const recording = await read(file, task.unique);
  // The assertions still check the old actions, but the recording can't know what else the changed spec asks for.
  if (recording && recording.specHash !== task.specHash)
    process.stderr.write(
      `taskproof: ${specName} has changed since ${relative(configDir, file)} was recorded. Record it again, unless the change does not affect its actions.\n`,
    );
  const player = new Player(task, actionTimeoutMs);
  const problem = recording ? await played(player, recording) : `no recording: ${file}`;
  if (problem === undefined) return undefined;
  if (!fallback) return { status: 'gave_up', reason: problem };
  task.markHealed({ reason: problem, recording: file });
  const done = { value: [...player.done, `This no longer worked: ${problem}`] };
  // Inherits from the task, since the active tab, the time left and the turns left change.
  return fallback.run(Object.create(task, { done }) as SessionTask);
}

/** @returns what went wrong, if anything: a sentence that names the action. */
async function played(player: Player, recording: Recording): Promise<string | undefined> {
  try {
    await player.play(recording);
    return undefined;
  } catch (error) {
    if (error instanceof ActionProblem) return error.message;
    throw error;
  } finally {
    player.dispose();
  }
}

async function read(file: string, unique: string | undefined): Promise<Recording | undefined> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  return readRecording(unique ? text.replaceAll(UNIQUE, unique) : text, file);
}

/**
 * The action with this project's secrets, files and address.
 *
 * @throws Error if the project does not have a secret, or a file is outside the config's folder.
 */
export function resolved(
  recorded: RecordedAction,
  { secrets, configDir, entryUrl }: SessionTask,
): RecordedAction {
  const unknown = (name: string) =>
    new Error(
      `the recording types the secret ${name}, which this project does not have: set it in use.taskproof.secrets`,
    );
  const fill = (text: string, values = secrets) => fillSecrets(text, values, unknown);
  const inQuotes = (value: string) => JSON.stringify(value).slice(1, -1).replaceAll("'", "\\'");
  const quoted = Object.fromEntries(Object.entries(secrets).map(([name, value]) => [name, inQuotes(value)]));
  const action = {
    ...recorded,
    ...('locator' in recorded && recorded.locator ? { locator: fill(recorded.locator, quoted) } : {}),
    ...(recorded.do === 'drag' ? { to: fill(recorded.to, quoted) } : {}),
  } as RecordedAction;
  if (action.do === 'fill' || action.do === 'type') return { ...action, text: fill(action.text) };
  if (action.do === 'select') return { ...action, labels: action.labels.map(label => fill(label)) };
  if (action.do === 'call_page_tool') return { ...action, input: inTexts(action.input, text => fill(text)) };
  if (action.do === 'upload') return { ...action, files: action.files.map(file => fileOf(file, configDir)) };
  return action.do === 'goto' ? { ...action, url: new URL(action.url, entryUrl).href } : action;
}

function fileOf(file: string, configDir: string): string {
  const found = fileBelow(configDir, file);
  if (found !== undefined) return found;
  throw new Error(
    `the recording uploads ${JSON.stringify(file)}, which is outside ${configDir}: put the file below the folder of the Playwright config and record again`,
  );
}

/** @throws Error if the text is not a locator. */
function located(page: Page, action: RecordedAction): LocatedAction {
  const locator = 'locator' in action && action.locator ? { locator: locatorOf(page, action.locator) } : {};
  const to = action.do === 'drag' ? { to: locatorOf(page, action.to) } : {};
  return { ...action, ...locator, ...to } as LocatedAction;
}

/** Playwright's long message on a failed action as one sentence: `button "Place order" not found`. */
async function whyNot(page: Page, action: RecordedAction, error: unknown): Promise<string> {
  const message = error instanceof Error ? error.message : String(error);
  if (!('locator' in action) || !action.locator) return message;
  const name = inWords(action.locator);
  const count = await countOf(page, action.locator);
  if (count === 0) return `${name} not found`;
  if (count !== undefined && count > 1) return `${name} now matches ${count} elements instead of one`;
  return `${name} can't be used: ${reasonIn(message) ?? message.split('\n')[0]}`;
}

/** Undefined if the text is not a locator, or the page does not answer. */
async function countOf(page: Page, locator: string): Promise<number | undefined> {
  try {
    return await locatorOf(page, locator).count();
  } catch {
    return undefined;
  }
}
