// The turns of one trial. They are counted, limited and shown as steps, each with its usage and a screenshot.
import type { Page } from '@playwright/test';
import type { z } from 'zod';
import { BudgetExceededError, type Turn, TurnLimitError, type TurnOptions } from '../agents/agent';
import { act } from '../browser/actions/act';
import { ActionRecorder } from '../browser/actions/record';
import { messagesOn } from '../browser/in-page';
import { resultText, saysError } from '../browser/page-tools/tool-text';
import { takeScreenshot } from '../browser/session/pictures';
import { abortable } from '../browser/waiting';
import { pageActionSchema, type RecordedAction } from '../data/action';
import { type Action, actionSchema, type TurnRecord } from '../data/record';
import { addUsage, MAX_COUNT, NO_USAGE, type ReportedUsage } from '../data/usage';
import { problemsIn } from '../spec/errors';
import { debug } from '../text/debug';
import { beginning, cutText, messageOf, oneLine } from '../text/line';
import { fillSecrets, inTexts, type Mask, secretsNamed } from '../text/mask';
import type { AgentEnd, AgentRun, Attach } from './run-agent';

/** Most characters of a text by an agent or a page in a record. What was typed is kept whole, to be replayed. */
const MAX_TEXT = 20_000;

export class Turns {
  readonly records: TurnRecord[] = [];
  /** Set if the agent asked for a turn beyond a limit. The trial ends with it, whatever the agent does next. */
  limit: AgentEnd | null = null;
  usage = NO_USAGE;
  /** US dollars that were spent at least: the cost of some requests may be unknown. */
  knownUsd = 0;
  private turnUsage = NO_USAGE;
  isRunning = false;
  private current: TurnRecord | undefined;
  readonly recorder: ActionRecorder;
  private seenNotices = 0;
  private readonly said = new Set<string>();
  /** Resolves when the last turn's picture has been taken. Never rejects. */
  pictured: Promise<void> = Promise.resolve();
  /** The last turn's screenshot, while nothing can have changed the page since. */
  freshPicture: { image: Buffer; page: Page } | undefined;

  constructor(
    private readonly trial: AgentRun,
    private readonly signal: AbortSignal,
  ) {
    const { plan, session, mask } = trial;
    this.recorder = new ActionRecorder(session, {
      goal: plan.goal,
      entryUrl: plan.entryUrl ?? session.page.url(),
      configDir: plan.configDir,
      mask,
    });
  }

  get left(): number {
    return this.trial.plan.maxSteps - this.records.length;
  }

  /** The number of actions, and of those by page tools. Actions that failed or only read do not count. */
  get counts(): { actions: number; pageToolCalls: number } {
    const done = this.records
      .flatMap(({ actions }) => actions)
      .filter(({ error, recorded }) => error === undefined && recorded?.length !== 0);
    const calls = done.filter(({ detail, recorded }) => detail?.pageTool || recorded?.some(isToolCall));
    return { actions: done.length, pageToolCalls: calls.length };
  }

  addUsage(usage: ReportedUsage): void {
    checkUsage(usage);
    this.usage = addUsage(this.usage, usage);
    const before = this.knownUsd;
    this.knownUsd = usage.totalCostUsd ?? before + (usage.costUsd ?? 0);
    if (this.knownUsd > before) this.trial.plan.spend?.(this.knownUsd - before);
    const { totalCostUsd: _, ...ofTurn } = usage;
    this.turnUsage = addUsage(this.turnUsage, ofTurn);
  }

  async run<T>(
    title: string,
    fn: (turn: Turn) => Promise<T> | T,
    { waitForPicture = true }: TurnOptions = {},
  ): Promise<T> {
    this.admit(fn);
    this.isRunning = true;
    this.freshPicture = undefined;
    try {
      await this.pictured;
      this.signal.throwIfAborted();
      const { plan, session, mask, output } = this.trial;
      // A tab may have opened while the picture was taken.
      await abortable(() => session.followTabs(), this.signal);
      const { page } = session;
      const from = page.url();
      const record = this.begin(oneLine(mask(String(title)), 200), from);
      this.recorder.begin();
      return await new Promise<T>((resolve, reject) => {
        const body = async (attach: Attach) => {
          this.current = record;
          const ended = abortable(() => fn(this.turnOf(record)), this.signal);
          await ended.catch(error => {
            record.outcome = 'error';
            record.error = cutText(mask(messageOf(error)), MAX_TEXT);
          });
          this.current = undefined;
          await abortable(() => session.followTabs(page), this.signal).catch(() => undefined);
          this.finish(record);
          if (!waitForPicture) resolve(ended);
          await this.picture(record, from, attach);
          if (!waitForPicture) this.freshPicture = undefined;
          return ended;
        };
        this.pictured = output.step(record.title, body, plan.locate('goal')).then(resolve, reject);
      });
    } finally {
      this.isRunning = false;
      // Whoever acts on the page now hears from the browser in the next round of the event loop at the earliest.
      setImmediate(() => {
        this.freshPicture = undefined;
      });
    }
  }

  async callPageTool(name: string, input: object = {}): Promise<unknown> {
    const { current, recorder } = this;
    const { session, webmcp, mask, plan } = this.trial;
    if (!current) throw new Error('callPageTool: call it in a turn, task.turn(title, async () => { ... })');
    const detail: Record<string, unknown> = { pageTool: name, input };
    const told = { title: `call page tool ${JSON.stringify(name)}`, detail };
    let result: unknown;
    const call = async () => {
      for (const name of secretsNamed(JSON.stringify(input))) await plan.secrets.value(name);
      const given = inTexts(input, text => fillSecrets(text, plan.secrets.values));
      result = await webmcp.call(session.page, name, given, { recorder });
      const said = resultText(result);
      detail.result = said;
      if (saysError(result)) throw new Error(said);
    };
    const acting = { session, recorder, signal: this.signal };
    const report = (action: Action) => current.actions.push(maskAction(action, mask));
    await act(acting, session.page, told, call, { noted: 'turn', report }).catch(error => {
      if (!saysError(result)) throw error;
    });
    return result;
  }

  private turnOf(record: TurnRecord): Turn {
    const { mask, session } = this.trial;
    return {
      number: record.number,
      narrate: text => {
        record.narration = [record.narration, cutText(mask(String(text)), MAX_TEXT)]
          .filter(Boolean)
          .join('\n');
      },
      action: action => {
        check('turn.action', actionSchema, action);
        record.actions.push(maskAction(action, mask));
      },
      record: async (draft, target, to) => {
        // The recorder makes the locators from the elements: these only complete the draft for the check.
        check('turn.record', pageActionSchema, { locator: 'body', to: 'body', ...draft });
        await this.recorder.record(session.page, draft, target, to);
      },
      readOnly: () => this.recorder.readOnly(),
    };
  }

  private admit(fn: unknown): void {
    const { maxSteps, maxCostUsd } = this.trial.plan;
    this.signal.throwIfAborted();
    if (typeof fn !== 'function') throw new TypeError('turn(title, fn): `fn` must be a function');
    if (this.isRunning) throw new Error('turn: another turn is still running; await it first');
    if (this.left <= 0) {
      const reason = `the agent used all ${maxSteps} turns without ending`;
      this.limit = { status: 'max_steps', errorKind: null, reason };
      throw new TurnLimitError(`All ${maxSteps} turns (maxSteps) are used.`);
    }
    if (maxCostUsd === undefined || this.knownUsd < maxCostUsd) return;
    const reason = `the cost cap of $${maxCostUsd} was reached`;
    this.limit = { status: 'budget_exceeded', errorKind: null, reason };
    throw new BudgetExceededError(
      `The trial has spent $${this.knownUsd.toFixed(4)} of its maxCostUsd of $${maxCostUsd}.`,
    );
  }

  private begin(title: string, url: string): TurnRecord {
    const record: TurnRecord = {
      number: this.trial.output.nextTurn?.() ?? this.records.length + 1,
      title,
      actions: [],
      narration: '',
      outcome: 'ok',
      notices: [],
      url: this.trial.mask(beginning(url)),
      usage: NO_USAGE,
      startedAtMs: Math.round(performance.now() - this.trial.startedAt),
      durationMs: 0,
      screenshot: null,
    };
    this.records.push(record);
    return record;
  }

  private finish(record: TurnRecord): void {
    record.durationMs = Math.round(performance.now() - this.trial.startedAt - record.startedAtMs);
    const { title, error, actions, number } = record;
    if (!actions.length) actions.push({ title, ...(error && { error }) });
    for (const { title, error } of actions)
      debug('tool', () => `${title}: ${error ?? 'done'}, in turn ${number}`);
    record.usage = this.turnUsage;
    this.turnUsage = NO_USAGE;
  }

  private async picture(record: TurnRecord, from: string, attach: Attach): Promise<void> {
    const { session, mask, pictures } = this.trial;
    const { page, notices } = session;
    await this.note(record.actions);
    const mark = page.url() === from ? record.actions.findLast(({ point }) => point)?.point : undefined;
    record.url = mask(beginning(page.url()));
    const look = () => Promise.all([takeScreenshot(page, mark), messagesOn(page)]);
    const [image, messages] = this.signal.aborted ? [null, []] : await look();
    const said = messages.map(text => oneLine(mask(text), 300)).filter(text => !this.said.has(text));
    for (const text of said) this.said.add(text);
    if (said.length) record.said = said;
    if (image) {
      const name = `turn-${record.number}.jpg`;
      record.screenshot = name;
      pictures.push({ name, turn: record.number, image });
      await attach(name, image);
      // A screenshot with a ring around the click does not show the page as it is.
      this.freshPicture = mark ? undefined : { image, page };
    }
    record.notices = notices.slice(this.seenNotices).map(notice => oneLine(mask(notice), 500));
    this.seenNotices = notices.length;
  }

  /**
   * Assigns what the recorder noted during the turn to actions without anything recorded: to each call of a page tool its own entry and
   * those before it, to the last action the rest.
   */
  private async note(actions: TurnRecord['actions']): Promise<void> {
    const recorded = this.signal.aborted ? undefined : await this.recorder.done();
    if (!recorded) return;
    const noted = maskRecorded(recorded, this.trial.mask);
    const unrecorded = actions.filter(({ recorded }) => !recorded);
    for (const action of unrecorded) {
      const ofCall = action.detail?.pageTool === undefined ? 0 : noted.findIndex(isToolCall) + 1;
      action.recorded = noted.splice(0, action === unrecorded.at(-1) ? noted.length : ofCall);
    }
  }
}

const isToolCall = (action: RecordedAction) => action.do === 'call_page_tool';

function checkUsage(usage: ReportedUsage): void {
  for (const [name, value] of Object.entries(usage ?? {})) {
    const isUnknown = value === undefined || (name === 'costUsd' && value === null);
    if (!isUnknown && !(typeof value === 'number' && value >= 0 && value <= MAX_COUNT))
      throw new TypeError(`usage: ${name} must be a number from 0 to ${MAX_COUNT}, not ${String(value)}`);
  }
}

/** Refuses what would make the record unreadable, and so lose the trial. */
function check(call: string, schema: z.ZodType, action: unknown): void {
  const { error } = schema.safeParse(action);
  if (error) throw new TypeError(`${call}: ${problemsIn(error, 'the action')[0]}`);
}

/** Names of the format stay: a secret may be `click`, too. */
const maskRecorded = (recorded: readonly RecordedAction[], mask: Mask): RecordedAction[] =>
  recorded.map(given => {
    const masked = inTexts({ ...given }, mask);
    const scoped = (key: 'beside' | 'toBeside') =>
      given[key] && { [key]: given[key].map(({ scope }, at) => ({ ...masked[key]![at]!, scope })) };
    const button = 'button' in given && given.button !== undefined && { button: given.button };
    return {
      ...masked,
      do: given.do,
      ...button,
      ...scoped('beside'),
      ...scoped('toBeside'),
    } as RecordedAction;
  });

function maskAction({ title, control, error, point, detail, recorded }: Action, mask: Mask): Action {
  const given = Object.entries({ control, error, point }).filter(([, value]) => value);
  const cut = (text: string) => cutText(mask(text), MAX_TEXT);
  return {
    title: oneLine(mask(String(title)), 200),
    ...inTexts(Object.fromEntries(given), cut),
    ...(detail && { detail: inTexts(detail, cut, 'changed') }),
    ...(recorded && { recorded: maskRecorded(recorded, mask) }),
  };
}
