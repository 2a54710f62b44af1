// One trial from entryUrl to record.
import { relative } from 'node:path';
import type { Refusal } from '../browser/guard/guard';
import { takeScreenshot } from '../browser/session/pictures';
import type { OpenSession } from '../browser/session/session';
import {
  type AssertionResult,
  type Examination,
  type NetworkEvent,
  RECORD_SCHEMA_VERSION,
  type TrialRecord,
} from '../data/record';
import { addUsage } from '../data/usage';
import { oneLine, shortUrl } from '../text/line';
import { checkAssertions, type Judged, judgeTimeMs, judgeTrial, whySiteIsGone } from './grade';
import { openEntry, openTimeMs } from './open';
import {
  type AgentEnd,
  AgentRun,
  agentTimeMs,
  errorEnd,
  type GradedPlan,
  type TrialContext,
  type TrialOutput,
  trialContext,
  watchBrowser,
} from './run-agent';
import type { Turns } from './turns';

/** Milliseconds for pictures and the record. */
const CLOSING_TIME_MS = 60_000;
/** Milliseconds for an assertion if the project's own timeout is unknown. */
const ASSERTION_TIME_MS = 30_000;
/** Most requests in a record; the others are counted. The live log, which is graded, keeps more. */
const MAX_RECORDED_REQUESTS = 1_000;
const MAX_RECORDED_URL = 500;

/** The test's timeout: milliseconds that a trial may take, opening and grading included. */
export function trialTimeMs(plan: GradedPlan): number {
  const judging = plan.judge && plan.spec.judge ? judgeTimeMs(plan.maxSteps + 1) : 0;
  const grading = plan.spec.assertions.length * Math.max(ASSERTION_TIME_MS, plan.expectTimeoutMs ?? 0);
  return openTimeMs(plan) + agentTimeMs(plan) + grading + judging + CLOSING_TIME_MS;
}

export type TrialIdentity = Pick<
  TrialRecord,
  'specId' | 'specHash' | 'specFile' | 'repeatIndex' | 'retry' | 'policy' | 'runId' | 'unique'
>;

export class Trial {
  private readonly startDate = new Date();
  private readonly context: TrialContext<GradedPlan>;
  private readonly agentRun: AgentRun;
  private end: AgentEnd | null = null;
  private phase: 'running' | 'judging' | 'graded' = 'running';
  /** Aborted when the trial is ended from outside. */
  private readonly stopped = new AbortController();
  /** What happened to the browser, if it is gone. */
  private lost: string | null = null;
  private readonly assertions: AssertionResult[] = [];
  private judged: Judged = {};
  private examination: Examination | null = null;

  /** @param opened the page's session, which the caller closes */
  constructor(
    readonly plan: GradedPlan,
    private readonly identity: TrialIdentity,
    opened: OpenSession,
    output: TrialOutput,
  ) {
    this.context = trialContext(plan, opened, output);
    this.agentRun = new AgentRun(this.context);
  }

  /** Runs the trial to its end. Never rejects because of the site or the agent: that is in the record. */
  async run(): Promise<TrialRecord> {
    const unwatch = watchBrowser(this.context, what => {
      this.lost ??= what;
    });
    try {
      const end = (await openEntry(this.context)) ?? (await this.agentRun.run());
      this.end ??= end;
      const { session } = this.context;
      const last = session.dialogs.isOpenOn(session.page) ? undefined : this.agentRun.turns.freshPicture;
      // The test is over, and its page with it.
      if (this.stopped.signal.aborted) return this.record();
      await session.dialogs.dismissOpen();
      // An agent may have opened a tab outside of its turns.
      await session.followTabs();
      await this.takeEndScreenshot(last);
      if (this.end.status !== 'error') await this.grade();
      this.phase = 'graded';
      await this.examine();
      return this.record();
    } finally {
      unwatch();
    }
  }

  /** Ends the trial from outside: the test timed out, or the run was interrupted. */
  stop(end: AgentEnd): void {
    if (this.phase === 'judging') this.end = errorEnd('judge', `the judge did not finish: ${end.reason}`);
    // Without complete grading, a trial has not passed.
    else if (!this.end || (this.end.status === 'completed' && this.phase !== 'graded')) this.end = end;
    this.agentRun.stop(end);
    this.stopped.abort(new Error(end.reason ?? end.status));
  }

  /** Why the trial did not pass, and where the agent was, unless that says nothing; null if it passed. */
  get failure(): { what: string; where: string | null } | null {
    const { status, reason } = this.end ?? NOT_ENDED;
    if (status === 'error') return { what: reason ?? '', where: null };
    const broken = this.assertions.flatMap(({ passed, reason }) => (passed ? [] : [reason ?? '']));
    const { escaped } = this;
    if (escaped) broken.unshift(`the agent got to ${this.context.mask(escaped.url)}, outside allowedDomains`);
    const { judgement } = this.judged;
    if (judgement && !judgement.passed) broken.push(`the judge: ${judgement.reason}`);
    if (status === 'completed' && !broken.length) return null;
    return { what: whyFailed(reason, broken), where: this.whereabouts() };
  }

  /** The record of the trial so far. */
  record(): TrialRecord {
    const { identity, plan, judged, failure } = this;
    const { turns } = this.agentRun;
    const { mask, session, guard, refusals, startedAt } = this.context;
    const end = this.end ?? NOT_ENDED;
    const usage = judged.usage ? addUsage(turns.usage, judged.usage) : turns.usage;
    const stopped = failure?.where ? `; the agent stopped on ${failure.where}` : '';
    return {
      schemaVersion: RECORD_SCHEMA_VERSION,
      ...identity,
      agent: plan.agent.name,
      model: plan.agent.model ?? null,
      replayed: plan.agent.replays ?? false,
      ...this.healed(),
      seed: plan.seed,
      status: end.status,
      errorKind: end.errorKind,
      endReason: end.reason,
      outcome: end.status === 'error' ? 'error' : failure ? 'failed' : 'passed',
      reason: failure && (stopped ? oneLine(failure.what + stopped, 1_000) : end.reason),
      turns: turns.records,
      ...turns.counts,
      network: this.recordedNetwork(),
      guard,
      refusals: refusals.map(({ url, how }) => ({ url: mask(url).slice(0, MAX_RECORDED_URL), how })),
      assertions: this.assertions,
      judge: judged.judgement ?? null,
      usage,
      costUsd: usage.costUsd,
      finalUrl: shortUrl(mask(session.page.url())) || null,
      examination: this.examination,
      startedAt: this.startDate.toISOString(),
      durationMs: Math.round(performance.now() - startedAt),
    };
  }

  private async grade(): Promise<void> {
    await checkAssertions(this.context, this.assertions);
    await this.blameInfrastructure();
    await this.judge();
  }

  /** If the browser or the whole site went away, a broken assertion says nothing about the site. */
  private async blameInfrastructure(): Promise<void> {
    if (this.lost) {
      this.end = errorEnd('browser', `${this.lost} before the trial was graded`);
      return;
    }
    if (this.assertions.every(({ passed }) => passed)) return;
    const gone = await whySiteIsGone(this.context);
    const what = `${this.plan.entryUrl} stopped answering while the trial ran: ${gone}`;
    if (gone !== null) this.end = errorEnd('site_unreachable', what);
  }

  /** Examines the page of a failed trial while it is still open. */
  private async examine(): Promise<void> {
    if (this.stopped.signal.aborted || !this.failure || this.end?.status === 'error') return;
    const { examine } = await import('./examine.js');
    this.examination = await examine(this.context, this.agentRun.turns.records, this.end?.reason ?? null);
  }

  private async judge(): Promise<void> {
    const { judge, spec } = this.plan;
    if (!judge || spec.judge === undefined || this.failure) return;
    this.phase = 'judging';
    this.judged = await judgeTrial(judge, {
      trial: this.context,
      turns: this.agentRun.turns,
      assertions: this.assertions,
      stopped: this.stopped.signal,
    });
    if (this.judged.error !== undefined) this.end = errorEnd('judge', this.judged.error);
  }

  private healed(): Pick<TrialRecord, 'healed'> {
    const { healing } = this.agentRun;
    if (!healing) return {};
    const recording = relative(this.plan.configDir, healing.recording).replaceAll('\\', '/');
    return { healed: { turn: healing.turn, reason: this.context.mask(healing.reason), recording } };
  }

  private get escaped(): Refusal | undefined {
    return this.context.refusals.find(({ how }) => how === 'escaped');
  }

  private whereabouts(): string {
    const { records } = this.agentRun.turns;
    const last = records.at(-1);
    const url = oneLine(this.context.mask(this.context.session.page.url()), 300);
    if (!last) return `${url} without a turn`;
    return `${url} after turn ${last.number} (${last.title})`;
  }

  private async takeEndScreenshot(last: Turns['freshPicture']): Promise<void> {
    const title = `end: ${oneLine(this.context.mask(this.end?.reason ?? 'the agent ended its turn'), 200)}`;
    await this.context.output.step(
      title,
      async attach => {
        const { session } = this.context;
        const image = await session
          .onAdmitted(async page => (page === last?.page ? last.image : takeScreenshot(page)))
          .catch(() => undefined);
        if (!image) return;
        this.context.pictures.push({ name: 'end.jpg', turn: null, image });
        await attach('end.jpg', { body: image, contentType: 'image/jpeg' });
      },
      this.plan.locate('goal'),
    );
  }

  private recordedNetwork(): TrialRecord['network'] {
    const { events, dropped } = this.context.network;
    const kept: NetworkEvent[] = events
      .slice(0, MAX_RECORDED_REQUESTS)
      .map(event => ({ ...event, url: this.context.mask(event.url).slice(0, MAX_RECORDED_URL) }));
    const forgotten = Object.values(dropped).reduce((sum, count) => sum + count, 0);
    return { events: kept, dropped: forgotten + events.length - kept.length };
  }
}

const NOT_ENDED = errorEnd('internal', 'the trial did not end');

/** One sentence: the first problem, and the number of others, which are in the record. */
function whyFailed(reason: string | null, broken: readonly string[]): string {
  const unmet = broken.length === 1 ? 'one check does not hold' : `${broken.length} checks do not hold`;
  if (reason !== null) return broken.length ? `${reason}; ${unmet}` : reason;
  return broken.length > 1 ? `${broken[0]} (and ${broken.length - 1} more)` : (broken[0] ?? '');
}
