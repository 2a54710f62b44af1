// Runs one trial, from entryUrl to its record.
import { takeScreenshot } from '../browser/session/pictures';
import { within } from '../browser/waiting';
import {
  type AssertionResult,
  answerText,
  type Examination,
  MAX_RECORDED_URL,
  type NetworkEvent,
  RECORD_SCHEMA_VERSION,
  recordedAnswer,
  type TrialRecord,
  type TrialStatus,
} from '../data/record';
import { addUsage, sumOfWaits } from '../data/usage';
import { JUDGE_TIME_MS } from '../grading/judge/judgement';
import { failureOf, outcomeFields, type TrialEnd, type TrialFailure } from '../grading/outcome';
import { pathOf } from '../spec/url';
import { beginning, oneLine } from '../text/line';
import { inTexts } from '../text/mask';
import { checkAssertions, finalPage, judgeTrial, keepBodies, misreadAssertion, whySiteIsGone } from './grade';
import { OPEN_TIMEOUT_MS, openEntry } from './open';
import { type AgentEnd, AgentRun, type Attach, errorEnd, type TrialPlan } from './run-agent';

export const CLOSING_TIME_MS = 60_000;
/** Milliseconds for an assertion if the project's own timeout is unknown. */
const ASSERTION_TIME_MS = 30_000;
/** Milliseconds for what a stopped agent still reports. */
const LAST_REPORTS_MS = 500;
/** Most requests in a record; further ones are only counted. Assertions see the whole log, which keeps more. */
const MAX_RECORDED_REQUESTS = 1_000;

/** The timeout of a trial's test in milliseconds, opening and grading included. */
export function trialTimeMs(plan: TrialPlan): number {
  const { spec, judge, navigationTimeoutMs } = plan;
  const judging = judge && spec?.judge ? JUDGE_TIME_MS : 0;
  const grading = (spec?.assertions.length ?? 0) * ASSERTION_TIME_MS;
  const opening = navigationTimeoutMs || OPEN_TIMEOUT_MS;
  const acting = plan.maxSteps * plan.turnTimeoutMs;
  return opening + acting + grading + judging + CLOSING_TIME_MS;
}

export class Trial extends AgentRun {
  private readonly startDate = new Date();
  private end: AgentEnd | null = null;
  private phase: 'running' | 'checking' | 'judging' | 'graded' = 'running';
  /** The URL before the suite's own check ran, which may navigate, and the number of requests. */
  private graded: { url: string; requests: number } | undefined;
  /** Aborted when the trial is ended from outside. */
  private readonly stopped = new AbortController();
  private readonly assertions: AssertionResult[] = [];
  private judged: Awaited<ReturnType<typeof judgeTrial>> = {};
  private examination: Examination | null = null;

  /** Runs the trial to its end. Never rejects because of the site or the agent: that is in the record. */
  async run(): Promise<TrialRecord> {
    keepBodies(this);
    await this.act();
    // The test has ended and closed its page.
    if (this.stopped.signal.aborted) return this.record();
    this.session.keepActiveTab();
    if (this.end?.status !== 'error') await this.grade();
    this.phase = 'graded';
    if (this.failure) this.blameOthers();
    const isOnGradedPage = !this.graded || this.graded.url === this.session.page.url();
    const isExamined = isOnGradedPage && !this.stopped.signal.aborted && this.end?.status !== 'error';
    const hasPassed = !this.failure;
    if (isExamined && (!hasPassed || this.plan.isFirstToPass?.())) await this.examine(hasPassed);
    return this.record();
  }

  /** Opens entryUrl, lets the agent act and takes a final screenshot. Never rejects. */
  async act(): Promise<AgentEnd> {
    const end = (await openEntry(this)) ?? (await this.misread()) ?? (await this.runAgent());
    this.end ??= end;
    const { dialogs, page } = this.session;
    const last = dialogs.isOpenOn(page) ? undefined : this.turns.freshPicture;
    if (this.stopped.signal.aborted) return this.end;
    // An open dialog would block the page while it is graded.
    await dialogs.dismissOpen({ held: this.plan.spec !== null });
    // An agent may have opened a tab outside of its turns.
    await this.session.followTabs();
    const hasWaited = await this.settleLastTurn();
    await this.takeEndScreenshot(hasWaited ? undefined : last);
    return this.end;
  }

  /** @returns the trial's end if an assertion can't be checked */
  private async misread(): Promise<AgentEnd | null> {
    const found = await misreadAssertion(this);
    if (!found) return null;
    this.assertions.push(found);
    return errorEnd('setup', found.reason!);
  }

  /** Waits if requests of the last turn are pending: their answers may change what is graded. @returns whether it waited */
  private async settleLastTurn(): Promise<boolean> {
    const { session, turns, startedAt, end } = this;
    const last = turns.records.at(-1);
    const since = startedAt + (last?.startedAtMs ?? 0) - 1;
    if (!last || end?.status !== 'completed' || !session.isBusy(since)) return false;
    await session.settle(session.page, since);
    return true;
  }

  /** Turns a failure into an error if the agent never acted or the page crashed: that says nothing about the site. */
  blameOthers(): void {
    const { neverActed, lost, status } = this;
    if (neverActed && status === 'completed') this.end = errorEnd('agent_api', neverActed);
    else if (lost && status !== 'error') this.end = errorEnd('browser', `${lost} after the agent had ended`);
  }

  /** Looks at the open page for what stood in the agent's way. What a passed trial's page has was in nobody's way. */
  async examine(hasPassed: boolean): Promise<void> {
    if (this.isAstray) return;
    const { examine } = await import('./examine.js');
    this.examination = await examine(this, this.end?.reason ?? null, hasPassed);
  }

  /** Whether the agent itself went to an address that the site doesn't have: an error page there blocked nobody. */
  private get isAstray(): boolean {
    const { turns, opened, session } = this;
    const url = session.page.url();
    const [requested] = url.split('#');
    const isRequest = (each: NetworkEvent) => each.resourceType === 'document' && each.url === requested;
    const status = opened.network.events.findLast(isRequest)?.status ?? 0;
    const actions = turns.records.flatMap(turn => turn.actions.flatMap(({ recorded = [] }) => recorded));
    const path = beginning(pathOf(url));
    return status >= 400 && actions.some(each => each.do === 'goto' && each.after.url === path);
  }

  get status(): TrialStatus | null {
    return this.end?.status ?? null;
  }

  /** Ends the trial from outside: the test timed out, or the run was interrupted. */
  stop(end: AgentEnd): void {
    if (this.phase === 'judging') this.end = errorEnd('judge', `the judge did not finish: ${end.reason}`);
    else if (this.phase === 'checking' && this.end?.status === 'completed')
      this.end = errorEnd('internal', `the check did not finish: ${end.reason}`);
    // A trial that was not graded completely has not passed.
    else if (!this.end || (this.end.status === 'completed' && this.phase !== 'graded')) this.end = end;
    this.halt(end);
    this.stopped.abort(new Error(end.reason ?? end.status));
  }

  /** Gives the agent, after `stop`, time to report the cost of its pending request. */
  async lastReports(): Promise<void> {
    await within(this.running ?? Promise.resolve(), LAST_REPORTS_MS);
  }

  get failure(): TrialFailure | null {
    return failureOf(this.ending);
  }

  private get ending(): TrialEnd {
    const { status, reason } = this.end ?? NOT_ENDED;
    const { mask, turns, opened, assertions, judged, session } = this;
    const refusals = opened.refusals.map(({ url, how }) => ({ url: cutUrl(mask(url)), how }));
    const finalUrl = mask(beginning(this.graded?.url ?? session.page.url())) || null;
    const judge = judged.judgement ?? null;
    return { status, endReason: reason, turns: turns.records, refusals, assertions, judge, finalUrl };
  }

  record(): TrialRecord {
    const { plan, judged, ending, turns, mask, healed, opened, maskedAnswer } = this;
    const { guard, network } = opened;
    const usage = judged.usage ? addUsage(turns.usage, judged.usage) : turns.usage;
    const sent = network.events.slice(0, this.graded?.requests);
    const kept: NetworkEvent[] = sent
      .slice(0, MAX_RECORDED_REQUESTS)
      .map(each => ({ ...each, url: cutUrl(mask(each.url)) }));
    return {
      schemaVersion: RECORD_SCHEMA_VERSION,
      ...plan.identity!,
      specHash: plan.specHash,
      unique: plan.unique,
      data: inTexts(plan.data, mask),
      agent: plan.agent.name,
      model: plan.agent.model ?? null,
      replayed: plan.agent.replays ?? false,
      healed,
      seed: plan.seed,
      ...ending,
      errorKind: (this.end ?? NOT_ENDED).errorKind,
      answer: maskedAnswer && recordedAnswer(maskedAnswer),
      ...outcomeFields(ending, this.failure),
      ...turns.counts,
      // A full log does not count what it drops: at least one.
      network: { events: kept, dropped: Number(network.isFull) + sent.length - kept.length },
      guard,
      usage,
      costUsd: usage.costUsd,
      finalText: judged.finalText,
      examination: this.examination,
      ...sumOfWaits([this.waited]),
      startedAt: this.startDate.toISOString(),
      durationMs: Math.round(performance.now() - this.startedAt),
    };
  }

  private async takeEndScreenshot(last: AgentRun['turns']['freshPicture']): Promise<void> {
    const said = this.answer === null ? 'ended its turn' : `answered: ${answerText(this.answer)}`;
    const title = `end: ${oneLine(this.mask(this.end?.reason ?? `the agent ${said}`), 200)}`;
    const take = async (attach: Attach) => {
      const image = await this.session
        .onAdmitted(async page => (page === last?.page ? last.image : takeScreenshot(page)))
        .catch(() => undefined);
      if (!image) return;
      this.pictures.push({ name: 'end.jpg', turn: null, image });
      await attach('end.jpg', image);
    };
    await this.output.step(title, take, this.plan.locate('goal'));
  }

  private async grade(): Promise<void> {
    await checkAssertions(this, this.assertions, this.end?.status === 'gave_up');
    const { judge, spec } = this.plan;
    const isJudged = judge && spec?.judge !== undefined && !this.failure;
    const final = isJudged ? await finalPage(this) : undefined;
    this.graded = { url: this.session.page.url(), requests: this.opened.network.events.length };
    const broke = await this.runCheck();
    // If the browser or the whole site is gone, a failed assertion says nothing about the site.
    if (this.lost) {
      this.end = errorEnd('browser', `${this.lost} before the trial was graded`);
      return;
    }
    const gone = this.failure ? await whySiteIsGone(this) : null;
    if (gone !== null) {
      const what = `${this.plan.entryUrl} stopped answering while the trial ran: ${gone}`;
      this.end = errorEnd('site_unreachable', what);
    } else if (broke !== null) this.end = errorEnd('internal', broke);
    if (!judge || !final || this.failure) return;
    this.phase = 'judging';
    this.judged = await judgeTrial(
      this,
      judge,
      { ...final, assertions: this.assertions },
      this.stopped.signal,
    );
    const { error, usage } = this.judged;
    if (usage?.costUsd) this.plan.spend?.(usage.costUsd);
    if (error !== undefined) this.end = errorEnd('judge', error);
  }

  /** @returns the error that the suite's check threw, unless the trial has failed anyway */
  private async runCheck(): Promise<string | null> {
    const { plan, session, opened, failure } = this;
    if (!plan.check || this.lost) return null;
    this.phase = 'checking';
    const page = await session.onAdmitted(async page => page).catch(() => session.page);
    const { events: network } = opened.network;
    // Copies: whatever a check does to them, the trial keeps its record.
    const seen = structuredClone({ answer: this.answer, network, record: this.record() });
    const { title, reason: said, broke } = await plan.check({ spec: plan.spec!, page, ...seen });
    const reason = said && oneLine(this.mask(beginning(said)), 500);
    this.assertions.push({ title, type: 'check', passed: reason === null, reason });
    return broke && !failure ? reason : null;
  }
}

const cutUrl = (url: string) => url.slice(0, MAX_RECORDED_URL);

const NOT_ENDED = errorEnd('internal', 'the trial did not end');
