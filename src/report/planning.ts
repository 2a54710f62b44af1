// Before the first test: decides which repeats are trials, and whether the run can have verdicts at all.
import { relative } from 'node:path';
import type { FullConfig, FullProject, Suite, TestCase, TestRun } from '@playwright/test/reporter';
import { groupBy } from '../data/collections';
import {
  brokenSpec,
  goalOf,
  keepRun,
  markEarlyStop,
  markReplay,
  nameOf,
  type PlannedSpec,
  plannedSpec,
  RUBRIC,
  trialTitle,
} from '../playwright/annotations';
import { whatMoved } from '../playwright/call-site';
import { checkedOptions, checkRun, wantedOf } from '../playwright/ledger';
import {
  checkTaskproofOptions,
  isFromRepeats,
  isReplay,
  knownOptions,
  missingSecrets,
  noRecording,
  type ReadyOptions,
  readConfigOptions,
  replays,
  type TaskproofOptions,
} from '../playwright/options';
import {
  ciRun,
  folderOf,
  isFiltered,
  isInteractive,
  isListing,
  isSerial,
  rename,
  repeatEachOverride,
  runError,
  turnOffRetries,
} from '../playwright/runner';
import { print } from '../text/print';

interface PlannedTest {
  test: TestCase;
  spec: PlannedSpec;
  project: FullProject;
}

/**
 * Trims repeats beyond a spec's k, and stops a run that can't reach its verdicts.
 *
 * @throws Error with every reason, before a browser starts.
 */
export async function planRun(
  config: FullConfig,
  suite: Suite,
  testRun: TestRun,
  startedAt: Date = new Date(),
): Promise<void> {
  await readConfigOptions(config);
  const planned = suite.allTests().flatMap(planOf).filter(isWanted);
  if (checkRun()) leaveOut(suite, config, planned, testRun);
  const problems = [...sameIds(planned), ...tooFewRepeats(planned, config), ...serialTests(planned)];
  if (problems.length) throw runError(problems.join('\n'));
  const moved = planned[0] && whatMoved(planned[0].test, testRun);
  if (moved) print(process.stdout, `taskproof: ${moved}`);
  trim(suite, planned, testRun);
  withoutRetries(planned);
  const specs = planned.filter(({ spec }) => !spec.titlePath);
  if (specs.length && !isListing()) await checkAgents(specs, folderOf(config));
  const blob = config.reporter.some(([name]) => name === 'blob');
  if (config.shard || blob)
    keepRun(config, {
      startedAt: startedAt.toISOString(),
      shard: shardName(config),
      ciRun: ciRun(),
      filtered: isFiltered(),
      plan: [...groupBy(planned, keyOf).values()].map(([{ project, spec }]) => ({
        project: project.name,
        spec,
      })),
    });
  const repeats = repeatEachOverride();
  if (repeats !== undefined && planned.length && !isListing() && !checkRun())
    print(
      process.stdout,
      `taskproof: --repeat-each=${repeats} overrides k: each spec runs ${repeats} times, and minPasses is at most ${repeats}.`,
    );
}

/**
 * Keeps k trials of each spec, with their numbers in the titles. Of a spec that does not parse, and of a test without a policy in
 * a project with `repeats()`, it keeps one.
 */
function trim(suite: Suite, planned: readonly PlannedTest[], testRun: TestRun): void {
  // With `--debug` a person watches one trial. Renaming would make UI mode take the test for another one.
  const interactive = isInteractive();
  for (const { test, spec } of planned)
    if (test.repeatEachIndex >= (interactive ? 1 : spec.policy.k)) testRun.exclude(test);
    else if (!interactive) rename(test, trialTitle(spec, test.repeatEachIndex));
  const known = new Set(planned.map(({ test }) => test));
  const isOnce = (test: TestCase) => {
    if (known.has(test)) return false;
    const project = test.parent.project();
    const trimmed = project && isFromRepeats(project) && repeatEachOverride() === undefined;
    return trimmed || brokenSpec(test) !== undefined;
  };
  for (const test of suite.allTests()) if (test.repeatEachIndex && isOnce(test)) testRun.exclude(test);
}

/** Specs need none of this: their describe has `retries: 0`. */
function withoutRetries(planned: readonly PlannedTest[]): void {
  const retried = planned.filter(({ test, spec }) => spec.titlePath && test.retries > 0);
  for (const { test } of retried) turnOffRetries(test);
  const projects = [...new Set(retried.map(({ project }) => project.name))];
  if (projects.length && !isListing())
    print(
      process.stdout,
      `taskproof: retries are off for tests with a pass policy${projects[0] ? ` in project ${projects.map(name => `"${name}"`).join(', ')}` : ''}: a retry does not count as a trial.`,
    );
}

function serialTests(planned: readonly PlannedTest[]): string[] {
  const serial = planned.filter(({ test, spec }) => spec.titlePath && isSerial(test));
  const places = serial.map(({ test, spec }) => `"${spec.id}" (${test.location.file}:${test.location.line})`);
  return [...new Set(places)].map(
    place =>
      `taskproof: test ${place} has a pass policy in a serial describe, where one failure skips the tests after it. Move the test out of the describe, or remove \`mode: 'serial'\` or passPolicy().`,
  );
}

function isWanted({ spec, project }: PlannedTest): boolean {
  const run = checkRun();
  // A probe does not run test code, and a test without it does nothing.
  if (run?.purpose === 'probe' && spec.titlePath) return false;
  return run?.wanted === undefined || (wantedOf(project.name, nameOf(spec)) !== undefined && !spec.replayed);
}

/** Excludes other tests, except those of projects that the wanted ones depend on or are torn down by. */
function leaveOut(suite: Suite, config: FullConfig, wanted: readonly PlannedTest[], testRun: TestRun): void {
  const kept = new Set(wanted.map(({ test }) => test));
  const own = new Set(wanted.map(({ project }) => project.name));
  const needed = new Set(own);
  for (const name of needed) {
    const project = config.projects.find(one => one.name === name);
    for (const other of [...(project?.dependencies ?? []), project?.teardown ?? []].flat()) needed.add(other);
  }
  for (const test of suite.allTests()) {
    const name = test.parent.project()?.name ?? '';
    if (!kept.has(test) && (own.has(name) || !needed.has(name))) testRun.exclude(test);
  }
}

/** `1/2`; null if the run is not sharded. */
export function shardName({ shard }: FullConfig): string | null {
  return shard && shard.total > 1 ? `${shard.current}/${shard.total}` : null;
}

const keyOf = ({ project, spec }: PlannedTest) => JSON.stringify([project.name, nameOf(spec)]);

function planOf(test: TestCase): PlannedTest[] {
  const project = test.parent.project();
  // Written into the test, so that it travels in blobs.
  const options =
    project && (checkedOptions(knownOptions(test, project).value) as TaskproofOptions | undefined);
  if (replays(options)) markReplay(test, repeatEachOverride());
  if (options?.earlyStop) markEarlyStop(test);
  const spec = plannedSpec(test);
  return spec && project ? [{ test, spec, project }] : [];
}

function sameIds(planned: readonly PlannedTest[]): string[] {
  return [...groupBy(planned, keyOf).values()].flatMap(tests => {
    const where = [...new Set(tests.map(({ test: { location } }) => `${location.file}:${location.line}`))];
    const [{ spec, project }] = tests;
    return where.length === 1
      ? []
      : `taskproof: spec "${nameOf(spec)}" is declared ${where.length} times in project "${project.name}": ${where.join(', ')}. Declare it once, or give each declaration its own describe: test.describe('phone', () => { ... }).`;
  });
}

/** If the project repeats less than k times, no verdict could be settled. Editors and UI mode run one repeat on purpose. */
function tooFewRepeats(planned: readonly PlannedTest[], config: FullConfig): string[] {
  if (isInteractive() || repeatEachOverride() !== undefined) return [];
  const lacking = planned.filter(({ spec, project }) => spec.policy.k > project.repeatEach);
  const worst = [...groupBy(lacking, ({ project }) => project.name).values()].map(tests =>
    tests.reduce((most, one) => (one.spec.policy.k > most.spec.policy.k ? one : most)),
  );
  const where = config.configFile ?? 'your Playwright config';
  return worst.map(
    ({ spec, project }) =>
      `taskproof: ${spec.titlePath ? 'test' : 'spec'} "${spec.id}" needs k: ${spec.policy.k}, but project "${project.name}" runs each test ${project.repeatEach === 1 ? 'once' : `${project.repeatEach} times`}. Add \`...repeats(${spec.titlePath ? `{ atLeast: ${spec.policy.k} }` : "'<the globs of your specs>'"})\` (or \`repeatEach: ${spec.policy.k}\`, which repeats ordinary tests, too) to the project in ${where}, or run with --repeat-each=N for a verdict on N trials.`,
  );
}

/** Groups tests by their options, which it checks: those of the project and of `test.use`. */
function byOptions(
  planned: readonly PlannedTest[],
): { where: string; options: ReadyOptions; tests: readonly PlannedTest[] }[] {
  const optionsOf = ({ test, project }: PlannedTest) => knownOptions(test, project);
  // In editors and UI mode, only the workers know and check a file's `test.use`.
  const known = isInteractive() ? [] : planned.filter(entry => optionsOf(entry).known);
  return [...groupBy(known, entry => optionsOf(entry).value)].map(([value, tests]) => {
    const where = `project "${tests.at(-1)!.project.name}"`;
    return { where, tests, options: checkTaskproofOptions(checkedOptions(value), where) };
  });
}

/** Checks that every agent and judge can run. @throws Error with every missing secret, or with the first that can't. */
async function checkAgents(planned: readonly PlannedTest[], configDir: string): Promise<void> {
  const groups = byOptions(planned);
  const problems = groups.flatMap(({ where, tests, options }) => {
    const goals = tests.map(({ test, spec }) => ({ id: spec.id, goal: goalOf(test) }));
    const missing = missingSecrets(options, goals);
    return missing ? [`taskproof: ${where}: ${missing}`] : [];
  });
  if (problems.length) throw runError(problems.join('\n'));
  for (const { where, tests, options } of groups) {
    for (const part of [options.agent, options.judge])
      try {
        await part?.preflight?.();
      } catch (error) {
        const said = error instanceof Error ? error.message : String(error);
        throw runError(`taskproof: ${where} can't run: ${said}`);
      }
    const recordings = await missingRecordings(tests, options, configDir);
    for (const warning of [recordings, ungradedRubrics(tests, options), unofferedSecrets(options)])
      if (warning) print(process.stdout, `taskproof: ${where}: ${warning}`);
  }
}

async function missingRecordings(
  tests: readonly PlannedTest[],
  { agent }: ReadyOptions,
  configDir: string,
): Promise<string | undefined> {
  if (!isReplay(agent)) return undefined;
  const specs = [...new Set(tests.map(({ spec }) => nameOf(spec)))];
  const files = await Promise.all(specs.map(name => agent.missingRecording(configDir, name)));
  const names = files.flatMap(file => (file === undefined ? [] : relative(configDir, file)));
  return names.length ? noRecording(names) : undefined;
}

/** Not an error: no goal names them, but one may need them. */
function unofferedSecrets({ missing }: ReadyOptions): string | undefined {
  if (!missing.length) return undefined;
  return `secrets without a value: ${missing.join(', ')}. The agent can't use them. No goal of this run names them.`;
}

function ungradedRubrics(tests: readonly PlannedTest[], { judge }: ReadyOptions): string | undefined {
  const rubrics = tests.filter(({ test }) => test.annotations.some(({ type }) => type === RUBRIC));
  const ids = [...new Set(rubrics.map(({ spec }) => spec.id))];
  if (judge || !ids.length) return undefined;
  return `${ids.join(', ')}: no judge for the rubric, so only the assertions decide. Add \`judge: webJudge()\` to use.taskproof, or remove \`judge\` from the spec.`;
}
