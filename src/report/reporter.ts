// The reporter: turns Playwright's results into verdicts, and shows them in the exit status, the terminal, JSON, Markdown and annotations.
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type {
  FullConfig,
  FullResult,
  Reporter,
  Suite,
  TestCase,
  TestError,
  TestResult,
  TestRun,
} from '@playwright/test/reporter';
import { type Plan, planKey } from '../data/plan';
import { type ApiTraffic, DEFAULT_BASELINE_FILE } from '../data/results';
import { type OpenLimiter, openLimiter } from '../limiter/shared';
import {
  isFiltered,
  isInteractive,
  isListing,
  isMerging,
  isOurReporter,
  printsErrors,
  repeatEachOverride,
  selectsProjects,
} from '../playwright/inside/command-line';
import { runError } from '../playwright/inside/errors';
import { hideValues } from '../playwright/inside/masking';
import {
  beforeReporters,
  hideDetails,
  rerunWholeSpecs,
  showDetails,
  wasLeftOut,
} from '../playwright/inside/results';
import { requirePlaywright } from '../playwright/inside/version';
import { supersede } from '../playwright/run/earlier-results';
import { closeLedger, openLedger } from '../playwright/run/ledger';
import { optionOfConfig } from '../playwright/run/options';
import { brokenSpec, carriedPlan } from '../playwright/run/plan';
import { meetSecrets } from '../playwright/run/secrets';
import { checkRun, folderOf } from '../playwright/run/settings';
import { writeText } from '../text/file';
import { few, messageOf } from '../text/line';
import { print } from '../text/print';
import { maskOfMet } from '../text/secrets';
import { failedBesides, leftOutOf } from './besides';
import { Calibration, labelsFileFor } from './judge/calibration';
import { TrialStore } from './kept/trial-store';
import {
  type KeptRun,
  keepOfRun,
  keptRuns,
  lostShards,
  mergeConflicts,
  readOr,
  startOf,
  sumOfTraffic,
  whyForeign,
  whyMissing,
} from './missing';
import { planRun, shardName } from './planning';
import { writeRecordings } from './recordings';
import { verdictTable } from './render/run';
import { lostSummary, whereToLook } from './render/trial-notes';
import { SpecRun, sayNotJudged, skipNeedless } from './spec-run';
import { carryPlanOf01 } from './version-0.1';
import { checkReporterOptions, type ReporterOptions, resultsOf, writeResults } from './write';

/** On SIGINT, unlike on SIGTERM, Playwright ends the run properly. */
const interrupt = () => process.kill(process.pid, 'SIGINT');

export default class TaskproofReporter implements Reporter {
  private readonly options: ReporterOptions;
  private readonly specRuns = new Map<string, SpecRun>();
  private readonly runOf = new Map<TestCase, SpecRun>();
  private readonly running = new Set<TestResult>();
  /** Outside of tests. */
  private readonly errors: TestError[] = [];
  private readonly startedAt = new Date();
  private config!: FullConfig;
  /** The config's folder. Without a config, as often in merge-reports, the working directory. */
  private folder: string | undefined;
  private calibration: Calibration | undefined;
  private suite!: Suite;
  /** False in merge-reports, which does not call preprocess: the merged reports are judged as one run. */
  private preprocessed = false;
  private kept: readonly KeptRun[] = [];
  /** What in the blobs can't be read, one line each. If there is any, there are no verdicts. */
  private readonly refused = new Set<string>();
  private store: TrialStore | undefined;
  private limiter: OpenLimiter | undefined;
  private keepEarlier: (() => void) | undefined;

  constructor(options: unknown = {}) {
    requirePlaywright();
    this.options = checkReporterOptions(options);
    const { configDir } = (options ?? {}) as { configDir?: string };
    this.folder = configDir;
    if (configDir && !isListing() && !isInteractive() && !checkRun())
      this.keepEarlier = supersede(resolve(configDir, this.options.outputFile), this.startedAt);
    repeatEachOverride();
  }

  /** If false, Playwright adds a terminal reporter to a config that has none. */
  printsToStdio(): boolean {
    return checkRun()?.purpose === 'judge';
  }

  async preprocess(run: { config: FullConfig; suite: Suite; testRun: TestRun }): Promise<void> {
    this.preprocessed = true;
    const planned = await planRun(run.config, run.suite, run.testRun, this.startedAt);
    const check = checkRun();
    if (check?.purpose === 'judge') {
      const { checkJudges } = await import('./judge/check.js');
      const checked = await checkJudges(planned, folderOf(run.config), check);
      return writeText(check.outputFile, JSON.stringify(checked));
    }
    this.limiter?.close();
    this.limiter = await openLimiter(openLedger({ judged: !isInteractive() })).catch((error: unknown) => {
      const what = "the workers can't share a limiter, so each paces its own requests to models";
      print(process.stderr, `taskproof: ${what}: ${messageOf(error)}`);
      return undefined;
    });
    if (!planned.length || isListing() || isInteractive() || check) return;
    this.store = await TrialStore.open(run.config, planned, this.startedAt).catch((error: unknown) => {
      // A refused run has no results: those of the last one stay.
      this.keepEarlier?.();
      throw error;
    });
    process.on('SIGTERM', interrupt);
  }

  onBegin(config: FullConfig, suite: Suite): void {
    this.config = config;
    this.folder ??= folderOf(config);
    const baseline = resolve(this.folder, this.options.baseline ?? DEFAULT_BASELINE_FILE);
    this.calibration = new Calibration(labelsFileFor(this.folder, baseline), this.specRuns);
    meetSecrets({ use: { taskproof: optionOfConfig() }, projects: config.projects });
    hideValues(config, maskOfMet());
    // From the plans in the blobs: a spec is judged even if no trial of it arrived from any shard.
    if (!this.preprocessed) this.kept = keptRuns(config, this.refused);
    for (const { plan } of this.kept) for (const { project, spec } of plan) this.specRun(project, spec);
    this.suite = suite;
    this.store?.skip(suite.allTests());
    for (const test of suite.allTests()) {
      if (!this.preprocessed) carryPlanOf01(test);
      const planned = readOr(this.refused, `test "${test.title}"`, () => carriedPlan(test));
      if (!planned) continue;
      // By name: in merge-reports, each shard has its own project objects.
      const run = this.specRun(test.parent.project()?.name ?? '', planned);
      run.tests.add(test);
      this.runOf.set(test, run);
      if (this.preprocessed) beforeReporters(test, result => this.take(test, result));
    }
  }

  onTestBegin(_: TestCase, result: TestResult): void {
    this.running.add(result);
  }

  onTestEnd(test: TestCase, result: TestResult): void {
    this.running.delete(result);
    this.take(test, result);
    this.store?.ended(test);
    if (this.runOf.has(test) && !isInteractive()) hideDetails(result);
  }

  onError(error: TestError): void {
    this.errors.push(error);
  }

  private take(test: TestCase, result: TestResult): void {
    if (!this.preprocessed) carryPlanOf01(test, result.annotations);
    const run = this.runOf.get(test);
    const worker = readOr(this.refused, `test "${test.title}"`, () => carriedPlan(result));
    // A retry does not count as a trial. In UI mode and in editors each test shows its own outcome.
    if (!run || this.refused.size || result.retry > 0 || isInteractive() || wasLeftOut(test, [result]))
      return;
    const annotations = [...result.annotations];
    if (!run.add(test, result, worker) || !this.preprocessed) return;
    this.store?.add(run, run.entries.at(-1)!, annotations);
    skipNeedless(run);
  }

  async onEnd(result: FullResult): Promise<void> {
    if (isInteractive()) return sayNotJudged(this.specRuns.values());
    if (isListing()) return;
    this.refuseForeign();
    const check = checkRun();
    const folder = this.folder!;
    const tests = this.suite.allTests();
    const broken = tests.flatMap(test => brokenSpec(test) ?? []);
    if (!this.specRuns.size && !check) {
      // If no test file could be loaded, or a set-up failed, the suite is empty.
      if (tests.length && !broken.length) this.keepEarlier?.();
      this.store?.end([], result.status);
      return this.stayRed(result.status);
    }
    await this.lastResults(result);
    const runs = this.judged(result);
    const lost = runs.filter(run => this.isLost(run));
    const { status: ended, duration: durationMs } = result;
    const ordinary = tests.filter(test => !this.runOf.has(test));
    const leftOut = leftOutOf(ordinary, result);
    const regraded = this.store?.failedBesides(ordinary.length > 0) ?? [];
    const isLost = lost.length + leftOut.length + regraded.length > 0;
    const status = ended === 'timedout' || (isLost && ended === 'passed') ? 'failed' : ended;
    const about = { ...this.about(broken), durationMs: Math.round(durationMs), status };
    // If a global setup or a test file failed, there is no plan.
    if (check && this.preprocessed) writeText(check.outputFile, JSON.stringify(resultsOf(runs, about)));
    if (check) return;
    for (const { result } of runs.flatMap(({ entries }) => entries)) showDetails(result);
    const diagnosed = await this.diagnose(runs);
    const results = resultsOf(runs, about, diagnosed);
    print(process.stdout, [verdictTable(results), ...runs.flatMap(({ whyRed }) => whyRed)].join('\n'));
    const listed = this.config.reporter.filter(([name]) => isOurReporter(name)).length;
    const written = await writeResults(results, this.options, folder, listed);
    const recorded = this.preprocessed ? writeRecordings(runs, this.config, folder) : [];
    for (const line of recorded) print(process.stdout, `  taskproof: ${line}`);
    const besides = failedBesides({ ordinary, errors: this.errors, config: this.config, lost, ended });
    const kept = this.store?.end(runs, ended, besides) ?? [];
    const more = [...whereToLook(this.config, folder, written), ...kept];
    if (isLost) this.fail(lostSummary({ lost, leftOut, regraded }, results, more));
    this.stayRed(ended);
  }

  /** Whether the run fails because of it. A shard only fails on `failed`; merging the reports judges the rest. */
  private isLost({ verdict: { verdict } }: SpecRun): boolean {
    return shardName(this.config) === null ? verdict !== 'passed' : verdict === 'failed';
  }

  private about(broken: readonly string[]) {
    const { startedAt, preprocessed, kept, store } = this;
    const shards = lostShards(kept).map(shard => `${shard} was not merged`);
    const api = this.traffic();
    return {
      startedAt: startedAt.toISOString(),
      trialsSince: preprocessed ? store?.trialsSince : startOf(kept),
      shard: shardName(this.config) ?? undefined,
      lacking: [...broken.map(file => `${file} does not parse`), ...shards],
      filtered: (preprocessed ? isFiltered() : kept.some(run => run.filtered)) || undefined,
      // If merged blobs lack a project, its job may have failed.
      projectsSelected: (preprocessed && selectsProjects()) || undefined,
      api: api.length ? api : undefined,
      judges: this.calibration?.judges,
    };
  }

  /** At its globalTimeout, Playwright stops the workers but does not wait for their tests' results. */
  private async lastResults({ status }: FullResult): Promise<void> {
    for (let looks = 50; looks && this.running.size && status === 'timedout'; looks--) await sleep(100);
  }

  private traffic(): ApiTraffic[] {
    if (!this.preprocessed) return sumOfTraffic(this.kept);
    const traffic = this.limiter?.traffic ?? [];
    const api = traffic.map(each => ({ ...each, waitedMs: Math.round(each.waitedMs) }));
    keepOfRun(this.config, { api });
    return api;
  }

  private judged(result: FullResult): SpecRun[] {
    // A confirmation keeps specs that it skipped because of their cost.
    const keepsAll = checkRun()?.purpose === 'confirm';
    const why = (run: SpecRun) => this.store?.whyUngraded(run);
    const runs = [...this.specRuns.values()].filter(run => keepsAll || !run.skipped || why(run));
    for (const run of runs.filter(run => !run.ended || why(run))) {
      run.missingBecause = why(run) ?? whyMissing(run, this.suite, this.config, result);
      run.label();
    }
    return runs;
  }

  private async diagnose(runs: readonly SpecRun[]) {
    if (!runs.some(({ graded }) => graded.failed.length)) return undefined;
    const { diagnose, keptWays } = await import('./diagnose.js');
    return diagnose(runs, keptWays(this.config, this.folder!, this.options.baseline));
  }

  async onExit(): Promise<void> {
    this.limiter?.close();
    closeLedger();
    process.off('SIGTERM', interrupt);
    if (isListing() || !this.preprocessed || checkRun()) return;
    const specs = [...this.specRuns.values()].map(run => {
      return { ids: [...run.tests].map(({ id }) => id), isLost: !run.skipped && this.isLost(run) };
    });
    await rerunWholeSpecs(this.config, specs);
  }

  /** merge-reports itself ends with exit code 0, whatever it merges. */
  private stayRed(ended: FullResult['status']): void {
    if (!isMerging()) return;
    if (ended !== 'passed')
      this.fail(
        'taskproof: a merged run failed outside of the verdicts: an ordinary test, a hook or a set-up failed (see above), or the run did not use the reporter "@taskproof/playwright/reporter".',
      );
    const lost = lostShards(this.kept);
    if (lost.length)
      this.fail(
        `taskproof: the reports lack ${few(lost, 10)}: what failed there is not shown. Merge the blobs of all shards.`,
      );
  }

  private refuseForeign(): void {
    const conflicts = this.preprocessed ? [] : mergeConflicts(this.kept, this.specRuns.values());
    const why = whyForeign([...this.refused], conflicts);
    if (why) this.fail(why);
  }

  private fail(text: string): never {
    if (!printsErrors(this.config, !this.preprocessed)) print(process.stdout, text);
    throw runError(text);
  }

  private specRun(project: string, planned: Plan): SpecRun {
    const key = planKey(project, planned);
    const run = this.specRuns.get(key) ?? new SpecRun(project, planned, this.calibration);
    run.expectPlan(planned);
    this.specRuns.set(key, run);
    return run;
  }
}
