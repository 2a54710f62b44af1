// Before the first test: decides which repeats are trials, and whether the run can have verdicts and its agents can run.
import { relative } from 'node:path';
import type { FullConfig, Suite, TestCase, TestRun } from '@playwright/test/reporter';
import { groupBy } from '../data/collections';
import { planKey, planName, trialTitle } from '../data/plan';
import {
  ciRun,
  isFiltered,
  isInteractive,
  isListing,
  repeatEachOverride,
} from '../playwright/inside/command-line';
import { runError } from '../playwright/inside/errors';
import { shareWorkers } from '../playwright/inside/repeats';
import { isSerial, leaveOut } from '../playwright/inside/results';
import { whatMoved } from '../playwright/inside/version';
import { decide } from '../playwright/run/decide';
import {
  isFromRepeats,
  isReplay,
  knownOptions,
  planningOptions,
  projectInWords,
  type ReadyOptions,
  readConfigOptions,
  readyOptions,
} from '../playwright/run/options';
import { brokenSpec, carryPlan, goalOf, POLICY_TAG, planOf, planWith, RUBRIC } from '../playwright/run/plan';
import { missingSecrets } from '../playwright/run/secrets';
import { checkRun, folderOf, isRegrading, runSettings } from '../playwright/run/settings';
import { messageOf } from '../text/line';
import { print } from '../text/print';
import { keepRun, projectsFrom } from './missing';
import { chooseWorkers } from './workers';

/** `options`: as `knownOptions` returns them. */
export type PlannedTest = ReturnType<typeof plannedTest>[number];

/** @returns the trials of this run @throws Error with every reason why it can't reach its verdicts, before a browser starts */
export async function planRun(config: FullConfig, suite: Suite, testRun: TestRun, startedAt = new Date()) {
  await readConfigOptions(config);
  // By this reporter, whose ledger is opened later.
  const settings = { ...runSettings(), judged: true };
  const known = suite.allTests().flatMap(test => plannedTest(test, folderOf(config)));
  const planned = known.filter(({ test, plan, project: { name: project } }) => {
    const asked = { plan, project, index: test.repeatEachIndex };
    return 'run' in decide(asked, { ended: [], spentUsd: 0, committedUsd: 0 }, settings);
  });
  const problems = [
    ...sameIds(planned),
    ...sameProjects(planned, config),
    ...tooFewRepeats(planned, config),
    ...serialTests(planned),
    ...lostPolicies(suite, known),
  ];
  if (problems.length) throw runError(problems.join('\n'));
  const moved = planned[0] && whatMoved(planned[0].test);
  if (moved) say(moved);
  const excluded = trim(suite, config, { known, planned }, testRun);
  withoutRetries(planned);
  const specs = planned.filter(({ plan }) => !plan.titlePath);
  const asksAgents = !isListing() && !isRegrading();
  // Not with early stop: if trials of a spec share workers, they all begin at once.
  shareWorkers(specs.flatMap(({ test, plan }) => (plan.earlyStop ? [] : test)));
  if (specs.length && asksAgents) await checkAgents(specs, config);
  if (asksAgents && !isInteractive() && !checkRun()) await chooseWorkers(config, suite, planned, excluded);
  const blob = config.reporter.some(([name]) => name === 'blob');
  if (config.shard || blob)
    keepRun(config, {
      startedAt: startedAt.toISOString(),
      shard: shardName(config),
      ciRun: ciRun(),
      filtered: isFiltered(),
      plan: bySpec(planned).map(([{ project, plan }]) => ({ project: project.name, spec: plan })),
    });
  const repeats = repeatEachOverride();
  if (repeats !== undefined && planned.length && !checkRun()) {
    const needed = [...new Set(planned.map(({ plan }) => plan.policy.minPasses))].sort((a, b) => a - b);
    say(
      `--repeat-each=${repeats} overrides k: each spec runs ${repeats === 1 ? 'once' : `${repeats} times`} and needs ${needed.join(' or ')} of ${repeats}.`,
    );
  }
  return planned;
}

function say(text: string): void {
  if (!isListing()) print(process.stdout, `taskproof: ${text}`);
}

function plannedTest(test: TestCase, folder: string) {
  const project = test.parent.project();
  const declared = planOf(test, test.location.file, folder);
  if (!project || !declared) return [];
  const options = knownOptions(test, project);
  const { replays, earlyStop } = planningOptions(options.value);
  // Only its worker knows whether an ordinary test uses the agent.
  const known = { replays: replays && !declared.titlePath, earlyStop };
  const plan = planWith(declared, known, repeatEachOverride());
  // Written into the test, so that it travels in blobs.
  carryPlan(test, plan);
  return [{ test, plan, project, options }];
}

/** @returns the tests that it left out: repeats beyond k, and repeats of tests without a policy or with a spec that does not parse */
function trim(
  suite: Suite,
  config: FullConfig,
  { known, planned }: Record<'known' | 'planned', readonly PlannedTest[]>,
  testRun: TestRun,
): ReadonlySet<TestCase> {
  const trials = new Set(planned.map(({ test }) => test));
  const withPlan = new Set(known.map(({ test }) => test));
  const check = checkRun();
  const own = new Set(planned.map(({ project }) => project.name));
  const needed = projectsFrom(config, own, ({ dependencies, teardown = [] }) =>
    dependencies.concat(teardown),
  );
  const isOut = (test: TestCase) => {
    if (withPlan.has(test)) return !trials.has(test);
    const project = test.parent.project();
    const name = project?.name ?? '';
    // A probe says that it could not run.
    if (check?.purpose === 'probe' && brokenSpec(test)) return test.repeatEachIndex > 0;
    // A check runs no other tests, but in projects that the trials depend on or that tear down after them.
    if (check && (own.has(name) || !needed.has(name))) return true;
    if (test.repeatEachIndex === 0) return false;
    const trimmed = project && isFromRepeats(project) && repeatEachOverride() === undefined;
    return trimmed || brokenSpec(test) !== undefined;
  };
  const excluded = suite.allTests().filter(isOut);
  for (const test of excluded) leaveOut(test, testRun);
  // Not in UI mode, which would take the test for another one; nor later, when reporters would; nor in a list, which `--test-list` reads.
  // Ids and filters use the declared title.
  if (!isInteractive() && !isListing())
    for (const { test, plan } of planned) test.title = trialTitle(plan, test.repeatEachIndex);
  return new Set(excluded);
}

/** Specs are declared without. Checked on Playwright 1.64 and 1.65: only the main process decides on retries, by this number. */
function withoutRetries(planned: readonly PlannedTest[]): void {
  const retried = planned.filter(({ test, plan }) => plan.titlePath && test.retries > 0);
  for (const { test } of retried) test.retries = 0;
  if (retried.length) say('retries are off for tests with a pass policy: a retry does not count as a trial.');
}

function serialTests(planned: readonly PlannedTest[]): string[] {
  const serial = planned.filter(({ test, plan }) => plan.titlePath && isSerial(test));
  return placesOf(serial.map(({ test, plan }) => ({ title: plan.id, location: test.location }))).map(
    place =>
      `taskproof: test ${place} has a pass policy in a serial describe, where one failure skips the tests after it. Move the test out of the describe, or remove \`mode: 'serial'\` or passPolicy().`,
  );
}

function lostPolicies(suite: Suite, known: readonly PlannedTest[]): string[] {
  const withPlan = new Set(known.map(({ test }) => test));
  const lost = suite.allTests().filter(test => test.tags.includes(POLICY_TAG) && !withPlan.has(test));
  return placesOf(lost).map(
    place =>
      `taskproof: test ${place} lost its pass policy: another annotation replaced it. Keep both: const policy = passPolicy({ ... }); test('...', { ...policy, annotation: [policy.annotation, { type: '...' }] }, ...).`,
  );
}

const placesOf = (tests: readonly Pick<TestCase, 'title' | 'location'>[]) => [
  ...new Set(tests.map(({ title, location: { file, line } }) => `"${title}" (${file}:${line})`)),
];

export function shardName({ shard }: FullConfig): string | null {
  return shard && shard.total > 1 ? `${shard.current}/${shard.total}` : null;
}

export const bySpec = (planned: readonly PlannedTest[]) => [
  ...groupBy(planned, ({ project, plan }) => planKey(project.name, plan)).values(),
];

/** Specs of one name would share a verdict. A helper that several test files call declares its specs at one place. */
function sameIds(planned: readonly PlannedTest[]): string[] {
  return bySpec(planned).flatMap(tests => {
    const places = [...new Set(tests.map(({ test: { location } }) => `${location.file}:${location.line}`))];
    const testFiles = [...new Set(tests.map(({ test }) => test.titlePath()[2]!))];
    const where = places.length > 1 ? places : testFiles;
    const [{ plan, project }] = tests;
    const files = [...new Set(tests.map(({ plan: { file } }) => file))];
    const advice =
      files.length > 1
        ? `The id stands in different files: ${files.join(', ')}. Give each spec an id of its own`
        : 'Declare it once';
    return where.length === 1
      ? []
      : `taskproof: spec "${planName(plan)}" is declared ${where.length} times in ${projectInWords(project.name)}: ${where.join(', ')}. ${advice}, or give each declaration its own describe: test.describe('phone', () => { ... }).`;
  });
}

/** Playwright allows projects of one name. */
function sameProjects(planned: readonly PlannedTest[], config: FullConfig): string[] {
  const own = new Set(planned.map(({ project }) => project));
  const names = new Set([...own].map(({ name }) => name));
  // A shard sees no trials of the others.
  const isSharded = shardName(config) !== null;
  const projects = isSharded ? config.projects.filter(({ name }) => names.has(name)) : [...own];
  return [...groupBy(projects, ({ name }) => name).values()].flatMap(({ length, 0: { name } }) => {
    const are = name ? `are called "${name}"` : 'have no name';
    return length < 2
      ? []
      : `taskproof: ${length} projects ${are}, so their specs would share verdicts. Give each project in ${config.configFile} a name of its own.`;
  });
}

/** With fewer repeats than k, the verdict would stay open. Editors and UI mode run one repeat on purpose. */
function tooFewRepeats(planned: readonly PlannedTest[], config: FullConfig): string[] {
  if (isInteractive() || repeatEachOverride() !== undefined) return [];
  const lacking = planned.filter(({ plan, project }) => plan.policy.k > project.repeatEach);
  const worst = [...groupBy(lacking, ({ project }) => project.name).values()].map(tests =>
    tests.reduce((most, one) => (one.plan.policy.k > most.plan.policy.k ? one : most)),
  );
  const where = config.configFile ?? 'your Playwright config';
  return worst.map(
    ({ plan, project }) =>
      `taskproof: ${plan.titlePath ? 'test' : 'spec'} "${plan.id}" needs k: ${plan.policy.k}, but project "${project.name}" runs each test ${project.repeatEach === 1 ? 'once' : `${project.repeatEach} times`}. Add \`...repeats(${plan.titlePath ? `{ atLeast: ${plan.policy.k} }` : "'<the globs of your specs>'"})\` (or \`repeatEach: ${plan.policy.k}\`, which repeats ordinary tests, too) to the project in ${where}, or run with --repeat-each=N for a verdict on N trials.`,
  );
}

/** @throws Error that names every missing secret, or else every agent and judge that can't run */
async function checkAgents(planned: readonly PlannedTest[], config: FullConfig): Promise<void> {
  // In editors and UI mode, a file's `test.use` is known to the workers only, which check it then.
  const known = isInteractive() ? [] : planned.filter(({ options }) => options.known);
  const groups = [...groupBy(known, ({ options }) => options.value)].map(([value, tests]) => {
    const where = projectInWords(tests.at(-1)!.project.name);
    return { where, tests, options: readyOptions(value, where, config) };
  });
  const problems = groups.flatMap(({ where, tests, options }) => {
    const goals = tests.map(({ test, plan }) => ({ ...plan, goal: goalOf(test) }));
    const missing = missingSecrets(options, goals);
    return missing ? [`taskproof: ${where}: ${missing}`] : [];
  });
  if (problems.length) throw runError(problems.join('\n'));
  for (const { where, options } of groups)
    for (const part of [options.agent, options.judge])
      try {
        await part?.preflight?.();
      } catch (error) {
        problems.push(`taskproof: ${where} can't run: ${options.secrets.mask(messageOf(error))}`);
      }
  if (problems.length) throw runError([...new Set(problems)].join('\n'));
  for (const { where, tests, options } of groups)
    for (const warning of await warningsOf(tests, options, folderOf(config))) say(`${where}: ${warning}`);
}

const FAMILY = /claude|gpt|gemini|llama|mistral|qwen|deepseek|grok/i;

/** What does not stop the run, but may be a mistake. */
async function warningsOf(
  tests: readonly PlannedTest[],
  { agent, judge, missing }: ReadyOptions,
  configDir: string,
): Promise<string[]> {
  const specs = [...new Set(tests.map(({ plan }) => planName(plan)))];
  const missingFile = (name: string) =>
    isReplay(agent) && agent.withoutRecording === 'skip'
      ? agent.missingRecording(configDir, name)
      : undefined;
  const files = (await Promise.all(specs.map(missingFile))).filter(file => file !== undefined);
  const rubrics = tests.filter(({ test }) => test.annotations.some(({ type }) => type === RUBRIC));
  const ids = [...new Set(rubrics.map(({ plan }) => plan.id))].join(', ');
  const [family, judges] = [agent, judge].map(part => FAMILY.exec(part?.model ?? '')?.[0].toLowerCase());
  return [
    files.length > 0 &&
      `skipped, since there is no recording: ${files.map(file => relative(configDir, file)).join(', ')}`,
    // A probe takes it away.
    !judge &&
      checkRun()?.purpose !== 'probe' &&
      ids &&
      `${ids}: no judge for the rubric, so only the assertions decide. Add \`judge: webJudge()\` to use.taskproof, or remove \`judge\` from the spec.`,
    ids &&
      family &&
      family === judges &&
      `the judge's model (${judge?.model}) is of the agent's family, and models are lenient with their own. Use another vendor's: aiJudge({ model }).`,
    missing.length > 0 &&
      `secrets without a value: ${missing.join(', ')}. The agent can't use them. No goal of this run names them.`,
  ].filter(warning => typeof warning === 'string' && warning !== '') as string[];
}
