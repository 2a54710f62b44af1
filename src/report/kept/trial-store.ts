// Keeps each finished trial on disk, so that an interrupted run can be resumed. Beside the config, since each run empties Playwright's
// outputDir. Secrets are masked: what is kept is what reporters get.
import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { FullConfig, FullResult, TestCase, TestResult } from '@playwright/test/reporter';
import { groupBy, sumOf } from '../../data/collections';
import { planKey, planName } from '../../data/plan';
import { RECORD_ATTACHMENT } from '../../data/record';
import { runError } from '../../playwright/inside/errors';
import {
  allowFailure,
  type EarlierResult,
  endAsEarlier,
  skipUnstarted,
} from '../../playwright/inside/results';
import { type Decision, decide } from '../../playwright/run/decide';
import { enter, readLedger, runId } from '../../playwright/run/ledger';
import { givenOptions } from '../../playwright/run/options';
import { carryPlan } from '../../playwright/run/plan';
import { folderOf, isRegrading, REGRADE, RESUME, runSettings } from '../../playwright/run/settings';
import { removeFolder, writeText } from '../../text/file';
import { messageOf } from '../../text/line';
import { plural, print } from '../../text/print';
import { isGraded } from '../../verdicts/verdict';
import { evidenceIn } from '../judge/kept';
import { keepOfRun } from '../missing';
import { bySpec, type PlannedTest, shardName } from '../planning';
import { type Entry, isNeedless, type SpecRun } from '../spec-run';
import { declaredStatus } from '../trials';
import {
  namesIn,
  numberOf,
  readTrial,
  removeOld,
  runFileIn,
  STORE_FOLDER,
  type StoredRun,
  storedRun,
  trialFile,
} from './stored-run';
import { refuseChanges, type StoredSpec, specsOf } from './stored-spec';

/** Most failures besides the verdicts that are kept. */
const MAX_TOLD = 20;

/** A trial, or a spec, that can't be regraded. */
type Unknown = { of: PlannedTest; why: string };

export class TrialStore {
  private failed = false;
  /** Trials that this run took from the one that it resumes. */
  private readonly restored = new Set<TestCase>();
  /** While regrading: why the other trials are not played. */
  private readonly notPlayed = new Map<TestCase, string>();
  /** Why a spec's trials have no grade, by `planKey`. */
  private readonly ungraded = new Map<string, string>();

  private constructor(
    private readonly folder: string,
    private run: StoredRun,
    private readonly config: FullConfig,
  ) {}

  /** When the run began that this one resumes or regrades. */
  get trialsSince(): string | undefined {
    const { startedAt, resumedAt, regraded } = this.run;
    return resumedAt || regraded ? startedAt : undefined;
  }

  /** If the run resumes another one, kept trials end as they did there; if it regrades them, as they are graded now. */
  static async open(config: FullConfig, planned: readonly PlannedTest[], at: Date): Promise<TrialStore> {
    const resumed = process.env[RESUME];
    const specs = specsOf(planned);
    const started = at.toISOString();
    if (!resumed) {
      if (isRegrading())
        throw runError(`taskproof: ${REGRADE} is set, but not by npx taskproof regrade. Unset it.`);
      return TrialStore.begin(config, specs, started);
    }
    const run = storedRun(resumed);
    if (!run) throw runError(`taskproof: ${resumed} has no run to resume. Start again: npx playwright test`);
    const regrading = isRegrading();
    refuseChanges(run.startedAt, run.specs, specs);
    const store = new TrialStore(resumed, run, config);
    const unknown = await store.restoreAll(planned);
    // If the run graded all that it played, only specs that the suite skips have no stored trial.
    if (regrading && run.ungraded !== 0) unknown.push(...store.neverGraded(planned));
    // What a shard lacks is in others.
    if (regrading && !run.shard) unknown.push(...unsettled(planned, unknown));
    if (regrading) {
      for (const [key, all] of groupBy(unknown, ({ of }) => keyOf(of)))
        store.ungraded.set(key, [...new Set(all.map(({ why }) => why))].join('; '));
      for (const each of planned.filter(({ test }) => !store.restored.has(test))) {
        const decision = decisionOn(each);
        if ('skip' in decision) store.notPlayed.set(each.test, decision.skip);
      }
    }
    const told = unknown.map(({ of, why }) => `${planName(of.plan)}: ${why}`);
    store.run = regrading
      ? { ...run, regraded: { at: started, unknown: [...new Set(told)] } }
      : { ...run, resumedAt: started, ungraded: undefined };
    store.writeRun();
    keepOfRun(config, { trialsSince: run.startedAt });
    const kept = `${plural(store.restored.size, 'trial')} ${regrading ? 'regraded' : 'kept'}`;
    print(process.stdout, `taskproof: ${kept} from the run of ${run.startedAt}`);
    return store;
  }

  private static begin(config: FullConfig, specs: StoredSpec[], startedAt: string): TrialStore {
    const id = runId();
    const number = numberOf(namesIn(folderOf(config)).at(-1) ?? '0') + 1;
    const folder = join(folderOf(config), STORE_FOLDER, `${number}-${id}`);
    const args = process.argv.slice(process.argv.indexOf('test') + 1);
    const { configFile } = config;
    const about = {
      startedAt,
      runId: id,
      args,
      cwd: relative(folderOf(config), process.cwd()),
      configFile,
      shard: shardName(config),
      specs,
    };
    const store = new TrialStore(folder, { storeVersion: 1, ...about }, config);
    store.attempt(() => {
      removeOld(folderOf(config));
      writeText(join(folder, '..', '.gitignore'), '*\n');
    });
    store.writeRun();
    return store;
  }

  /** Specs of which no trial is stored, although the suite does not skip them. */
  private neverGraded(planned: readonly PlannedTest[]): Unknown[] {
    const isStored = ({ project, plan, test }: PlannedTest) =>
      existsSync(trialFile(this.folder, project.name, plan, test.repeatEachIndex));
    return bySpec(planned)
      .filter(tests => !tests.some(each => isStored(each) || each.test.expectedStatus === 'skipped'))
      .map(([of]) => ({ of, why: 'none of its trials was graded' }));
  }

  /** While regrading: what else failed in the run, which regrading can't change. @param hasOthers whether it had ordinary tests */
  failedBesides(hasOthers: boolean): readonly string[] {
    if (!isRegrading()) return [];
    // A killed run has not said.
    const unknown = hasOthers ? ['it was killed: other tests may not have run'] : [];
    return this.run.failedBesides ?? unknown;
  }

  whyUngraded({ project, planned }: SpecRun): string | undefined {
    return this.ungraded.get(planKey(project, planned));
  }

  /** Skips what should not run, once the tests are split into shards. While regrading, nothing runs. */
  skip(tests: readonly TestCase[]): void {
    for (const test of tests) {
      if (this.restored.has(test)) skipUnstarted(test, 'kept from an earlier run');
      else if (isRegrading()) skipUnstarted(test, this.notPlayed.get(test) ?? 'regrade runs no trials');
    }
  }

  /** Call it when the test has ended, and what its verdict tolerates is expected. */
  ended(test: TestCase): void {
    if (this.restored.has(test)) allowFailure(test, this.config);
  }

  /** @param annotations of the result, before the verdict adds its own */
  add({ project, planned }: SpecRun, entry: Entry, annotations: TestResult['annotations']): void {
    const { trial, result, test } = entry;
    const { outcome, costUsd, index } = trial;
    if (outcome === 'skipped' || this.restored.has(test)) return;
    const { status, duration, errors, attachments } = result;
    const ours = attachments.flatMap(({ name, contentType, body }) =>
      body && isOurs({ name, contentType }) ? { name, contentType, body: body.toString('base64') } : [],
    );
    // Only what came after the trial was interrupted.
    const ended = outcome === 'passed' && status === 'interrupted' ? 'passed' : status;
    const kept = { outcome, costUsd, status: ended, duration, errors, annotations, attachments: ours };
    const file = trialFile(this.folder, project, planned, index);
    this.attempt(() => writeText(file, JSON.stringify(kept)));
  }

  /** Notes how the run ended. @returns how to go on if trials are missing that `resume` can play */
  end(
    runs: readonly SpecRun[],
    status: FullResult['status'],
    failedBesides: readonly string[] = [],
  ): string[] {
    if (isRegrading()) return [];
    const interrupted = status === 'interrupted' || status === 'timedout';
    const entries = runs.flatMap(run => run.entries);
    const all = sumOf(runs, ({ tests }) => tests.size);
    // What early stop skipped is needed after all if the verdict is open.
    const open = runs.filter(({ planned, verdict }) => planned.earlyStop && verdict.verdict === 'undecided');
    const needed = new Set(open.flatMap(run => run.entries.filter(isNeedless)));
    const isDone = (entry: Entry) =>
      isGraded(entry.trial) || (!interrupted && isNeedless(entry) && !needed.has(entry));
    const done = entries.filter(isDone).length;
    // A run without trials (`--last-failed` after a green run) is not kept, so that the one before it can still be resumed.
    if (!interrupted && !this.run.resumedAt && !entries.length) {
      removeFolder(this.folder);
      return [];
    }
    this.run = { ...this.run, failedBesides: failedBesides.slice(0, MAX_TOLD) };
    if (!interrupted) this.run.ungraded = all - done;
    this.writeRun();
    if (this.failed || !(interrupted || needed.size)) return [];
    const { configFile } = this.config;
    const elsewhere = configFile && folderOf(this.config) !== process.cwd();
    const how = elsewhere ? ` -- --config=${relative(process.cwd(), configFile)}` : '';
    const what = interrupted
      ? `Interrupted: ${done} of ${all} trials are kept. Go on`
      : 'A verdict needs trials that were skipped. Play them';
    return [`${what}: npx taskproof resume${how}`];
  }

  /** With a cap on what regrading may spend, one after another. @returns those that can't be regraded */
  private async restoreAll(planned: readonly PlannedTest[]): Promise<Unknown[]> {
    const spent = { usd: 0 };
    const restore = (each: PlannedTest) => this.restore(each, spent);
    const isCapped = planned.some(({ options }) => givenOptions(options).maxRunCostUsd);
    if (!isRegrading() || !isCapped) return (await Promise.all(planned.map(restore))).flat();
    const unknown: Unknown[] = [];
    for (const each of planned) unknown.push(...(await restore(each)));
    return unknown;
  }

  private async restore(planned: PlannedTest, spent: { usd: number }): Promise<Unknown[]> {
    const regrading = isRegrading();
    const { test, plan, project } = planned;
    const { repeatEachIndex: index } = test;
    const name = planName(plan);
    const file = trialFile(this.folder, project.name, plan, index);
    const stored = readTrial(file);
    if (!stored) return existsSync(file) ? [{ of: planned, why: "a stored trial can't be read" }] : [];
    const { outcome, costUsd, annotations, ...rest } = stored;
    const isError = outcome === 'error';
    if (isError && !regrading) return [];
    const note = { type: 'kept', description: `from the run of ${this.run.startedAt}; not run again` };
    const earlier = {
      ...rest,
      annotations: [...annotations.filter(({ type }) => type !== 'kept'), note],
    } as EarlierResult;
    if (isError) {
      // Its result does not show the error: it played a text that was edited in the middle of the run.
      const played = evidenceIn(earlier)?.record.outcome;
      if (!plan.titlePath && played === (earlier.status === 'passed' ? 'passed' : 'failed'))
        return [{ of: planned, why: 'it played another text of its spec' }];
      carryPlan(earlier, plan);
    } else if (regrading) {
      const { regradeResult } = await import('./regrade-result.js');
      const why = await regradeResult(earlier, planned, folderOf(this.config), spent);
      if (why !== undefined) return [{ of: planned, why }];
    }
    this.restored.add(test);
    endAsEarlier(test, earlier, plan.titlePath ? declaredStatus(earlier) : 'passed');
    const now = regrading && !isError && !plan.titlePath ? (earlier.status as typeof outcome) : outcome;
    enter(project.name, name, { index, outcome: now, costUsd });
    return [];
  }

  private writeRun(): void {
    this.attempt(() => writeText(runFileIn(this.folder), JSON.stringify(this.run)));
  }

  /** If the disk is full, the run still goes on. */
  private attempt(write: () => void): void {
    if (this.failed) return;
    try {
      write();
    } catch (error) {
      this.failed = true;
      const what = 'if the run is interrupted, trials that end from now on are lost';
      print(process.stderr, `taskproof: ${this.folder} can't be written, so ${what}: ${messageOf(error)}`);
    }
  }
}

const isOurs = ({ name, contentType }: { name: string; contentType: string }) =>
  contentType === 'image/jpeg' || [RECORD_ATTACHMENT, 'transcript'].includes(name);

/** What the ledger, which has the new grades of kept trials, says of another trial of the spec. */
function decisionOn({ test, plan, project }: PlannedTest, earlyStop = plan.earlyStop): Decision {
  const asked = { plan, project: project.name, index: test.repeatEachIndex, earlyStop };
  return decide(asked, readLedger(project.name, planName(plan)), runSettings());
}

/** Specs whose kept trials are too few for a verdict, as after a stricter policy than the one by which early stop went. */
function unsettled(planned: readonly PlannedTest[], unknown: readonly Unknown[]): Unknown[] {
  const known = new Set(unknown.map(({ of }) => keyOf(of)));
  const isOpen = (of: PlannedTest) =>
    readLedger(of.project.name, planName(of.plan)).ended.length > 0 && 'run' in decisionOn(of, true);
  return bySpec(planned).flatMap(([of]) =>
    isOpen(of) && !known.has(keyOf(of)) ? [{ of, why: 'the verdict needs trials that were not graded' }] : [],
  );
}

const keyOf = ({ project, plan }: PlannedTest) => planKey(project.name, plan);
