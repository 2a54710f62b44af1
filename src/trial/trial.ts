// One trial from entryUrl to record.
import { relative } from 'node:path';
import { addUsage } from '../agents/agent';
import type { Refusal } from '../browser/guard/guard';
import { unseen } from '../browser/page-calls';
import type { NetworkEvent } from '../browser/session/network';
import type { OpenSession } from '../browser/session/session';
import { within } from '../browser/waiting';
import {
  type AssertionResult,
  type Examination,
  type JudgeResult,
  RECORD_SCHEMA_VERSION,
  type TotalUsage,
  type TrialRecord,
} from '../data/record';
import { messageOf, oneLine, shortUrl } from '../text/safe-text';
import { checkAssertions, judgeTimeMs, judgeTrial, whySiteIsGone } from './grade';
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
import { takeScreenshot } from './screenshot';
import type { Turns } from './turns';

/** Milliseconds for opening entryUrl if the project sets no navigationTimeout. */
const OPEN_TIMEOUT_MS = 30_000;
/** Milliseconds to wait for a page's pictures: at most, and enough for most pages. */
const SLOW_LOAD_MS = 5_000;
const USUAL_LOAD_MS = 500;
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
  return (
    (plan.navigationTimeoutMs || OPEN_TIMEOUT_MS) + agentTimeMs(plan) + grading + judging + CLOSING_TIME_MS
  );
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
  /** Why the trial did not pass, and where the agent was; null until `record` has decided so. */
  failure: { what: string; where: string | null } | null = null;
  private stopped = false;
  /** What happened to the browser, if it is gone. */
  private lost: string | null = null;
  private readonly assertions: AssertionResult[] = [];
  private judgement: JudgeResult | null = null;
  private examination: Examination | null = null;
  private judgeUsage: TotalUsage | undefined;
  private readonly judging = new AbortController();
  private phase: 'running' | 'judging' | 'graded' = 'running';

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
      const opened = await this.openEntry();
      const end = opened ?? (await this.agentRun.run());
      this.end ??= end;
      const { session } = this.context;
      const last = session.dialogs.isOpenOn(session.page) ? undefined : this.agentRun.turns.freshPicture;
      // The test is over, and its page with it.
      if (this.stopped) return this.record();
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
    this.stopped = true;
    if (this.phase === 'judging') this.end = errorEnd('judge', `the judge had not ended: ${end.reason}`);
    // Without complete grading, a trial has not passed.
    else if (!this.end || (this.end.status === 'completed' && this.phase !== 'graded')) this.end = end;
    this.agentRun.stop(end);
    this.judging.abort(new Error(end.reason ?? end.status));
  }

  /** The record of the trial so far. */
  record(): TrialRecord {
    const { turns } = this.agentRun;
    const end = this.end ?? errorEnd('internal', 'the trial did not end');
    const usage = this.judgeUsage ? addUsage(turns.usage, this.judgeUsage) : turns.usage;
    const finalUrl = this.context.session.page.url();
    return {
      schemaVersion: RECORD_SCHEMA_VERSION,
      ...this.identity,
      agent: this.plan.agent.name,
      model: this.plan.agent.model ?? null,
      replayed: this.plan.agent.replays ?? false,
      ...this.healed(),
      seed: this.plan.seed,
      status: end.status,
      errorKind: end.errorKind,
      endReason: end.reason,
      ...this.outcome(end),
      turns: turns.records,
      ...turns.counts,
      network: this.recordedNetwork(),
      guard: this.context.guard,
      refusals: this.context.refusals.map(({ url, how }) => ({
        url: this.context.mask(url).slice(0, MAX_RECORDED_URL),
        how,
      })),
      assertions: this.assertions,
      judge: this.judgement,
      usage,
      costUsd: usage.costUsd,
      finalUrl: shortUrl(this.context.mask(finalUrl)) || null,
      examination: this.examination,
      startedAt: this.startDate.toISOString(),
      durationMs: Math.round(performance.now() - this.context.startedAt),
    };
  }

  /** @returns the end of the trial if the page can't be opened; null if it is open. */
  private async openEntry(): Promise<AgentEnd | null> {
    const { plan, session, output, refusals, mask } = this.context;
    const { page } = session;
    const { entryUrl } = plan.spec;
    try {
      await output.step(
        `open ${entryUrl}`,
        async () => {
          const timeout = plan.navigationTimeoutMs || OPEN_TIMEOUT_MS;
          const end = performance.now() + timeout;
          await page.goto(entryUrl, { waitUntil: 'commit', timeout });
          await unseen(page, () => this.loaded(timeout, end));
        },
        plan.locate('entryUrl'),
      );
      return null;
    } catch (error) {
      const said = mask(messageOf(error))
        .split('\n')[0]!
        .replace(/^page\.\w+: /, '')
        .replace(/\.$/, '');
      const gone = /closed|crashed/i.test(said);
      const [refused] = refusals;
      return errorEnd(
        gone ? 'browser' : 'site_unreachable',
        refused
          ? `${entryUrl} leads to ${oneLine(mask(refused.url), 300)}, which is not in allowedDomains. Add its host, or correct entryUrl.`
          : gone
            ? `the browser went away while opening ${entryUrl}: ${oneLine(said, 300)}`
            : `${entryUrl} can't be opened: ${oneLine(said, 300)}. Is the site running, and is this its address?`,
      );
    }
  }

  private async loaded(timeout: number, end: number): Promise<void> {
    const { session, refusals } = this.context;
    const { page } = session;
    const until = (states: string[], ms: number) =>
      page.waitForFunction(wanted => wanted.includes(document.readyState), states, { timeout: ms });
    const left = Math.max(1, end - performance.now());
    const parsed = page.waitForLoadState('domcontentloaded', { timeout: left });
    // A page that navigates away while it is parsed never fires its load events. Asking the page itself takes longer than most pages
    // need.
    if (!(await happens(parsed, USUAL_LOAD_MS)))
      // A page may fake its state or hold back its events. If it tried to leave, it is open.
      await Promise.any([parsed, until(['interactive', 'complete'], left)]).catch(
        ({ errors }: AggregateError) => {
          if (refusals.length > 0) return;
          throw new Error(messageOf(errors[0]).replace(/Timeout [\d.]+ms/, `Timeout ${timeout}ms`));
        },
      );
    // Don't wait long for slow pictures, but an agent wastes turns on a half-loaded page.
    if (!(await happens(page.waitForLoadState('load', { timeout: SLOW_LOAD_MS }), USUAL_LOAD_MS)))
      await until(['complete'], SLOW_LOAD_MS).catch(() => undefined);
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
    if (this.stopped || !this.end || this.outcome(this.end).outcome !== 'failed') return;
    const { examine } = await import('./examine.js');
    this.examination = await examine(this.context, this.agentRun.turns.records, this.end.reason);
  }

  private async judge(): Promise<void> {
    const { judge, spec } = this.plan;
    const passedSoFar =
      this.end?.status === 'completed' && this.assertions.every(({ passed }) => passed) && !this.escape();
    if (!judge || spec.judge === undefined || !passedSoFar) return;
    this.phase = 'judging';
    const result = await judgeTrial(judge, {
      trial: this.context,
      turns: this.agentRun.turns,
      assertions: this.assertions,
      stopped: this.judging.signal,
    });
    this.judgeUsage = result.usage;
    if ('judgement' in result) this.judgement = result.judgement;
    else this.end = errorEnd('judge', result.error);
  }

  private healed(): Pick<TrialRecord, 'healed'> {
    const { healing } = this.agentRun;
    if (!healing) return {};
    const recording = relative(this.plan.configDir, healing.recording).replaceAll('\\', '/');
    return { healed: { turn: healing.turn, reason: this.context.mask(healing.reason), recording } };
  }

  private outcome(end: AgentEnd): Pick<TrialRecord, 'outcome' | 'reason'> {
    if (end.status === 'error') {
      this.failure = { what: end.reason ?? '', where: null };
      return { outcome: 'error', reason: end.reason };
    }
    const broken = this.assertions.filter(({ passed }) => !passed).map(({ reason }) => reason ?? '');
    const escaped = this.escape();
    if (escaped) broken.unshift(`the agent got to ${this.context.mask(escaped.url)}, outside allowedDomains`);
    if (this.judgement && !this.judgement.passed) broken.push(`the judge: ${this.judgement.reason}`);
    if (end.status === 'completed' && !broken.length) return { outcome: 'passed', reason: null };
    const [what, where] = [whyFailed(end, broken), this.whereabouts()];
    this.failure = { what, where };
    return { outcome: 'failed', reason: oneLine(`${what}; the agent stopped on ${where}`, 1_000) };
  }

  private escape(): Refusal | undefined {
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

/** One sentence: the first problem, and the number of others, which are in the record. */
function whyFailed({ reason }: AgentEnd, broken: readonly string[]): string {
  const unmet = broken.length === 1 ? 'one check does not hold' : `${broken.length} checks do not hold`;
  if (reason !== null) return broken.length ? `${reason}; ${unmet}` : reason;
  return broken.length > 1 ? `${broken[0]} (and ${broken.length - 1} more)` : (broken[0] ?? '');
}

async function happens(event: Promise<void>, ms: number): Promise<boolean> {
  const happened = event.then(() => true);
  return (await within(happened, ms)) ?? false;
}
