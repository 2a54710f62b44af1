import {
  test as base,
  expect,
  mergeTests,
  type PlaywrightTestArgs,
  type PlaywrightTestOptions,
  type PlaywrightWorkerArgs,
  type PlaywrightWorkerOptions,
  type TestInfo,
  type TestType,
} from '@playwright/test';
import { z } from 'zod';
import { secretMask } from '../text/mask';
import type { AgentRunner } from './agent-runner';
import { goalOf, markEarlyStop, markReplay, nameOf, type PlannedSpec, plannedSpec } from './annotations';
import {
  checkedOptions,
  isFirstToSay,
  isJudged,
  needlessReason,
  settledReason,
  spentUsd,
  wantedOf,
} from './ledger';
import { maskTest, warnOfRecorders } from './masked-test';
import {
  checkTaskproofOptions,
  givenSecrets,
  isReplay,
  mergedOptions,
  missingSecrets,
  noRecording,
  OPTION,
  originOf,
  type ReadyOptions,
  readConfigOptions,
  replays,
  type TaskproofOptions,
} from './options';
import { folderOf, isInteractive, repeatEachOverride, runError } from './runner';
import type { TrialTest } from './trial-test';

export interface TaskproofTestOptions {
  /** The agent and its settings: in a project's `use`, or in `test.use`. */
  taskproof: TaskproofOptions;
}

export interface TrialFixtures {
  /** The options of the config, the project and `test.use`, merged but unchecked. */
  _taskproofOptions: object;
  _taskproofMask: undefined;
  /** The checked options. Trials ask for it before `page`, so that a missing key fails before a browser starts. */
  _taskproofReady: ReadyOptions;
  _taskproofTrial: TrialTest;
}

const preflighted = new WeakSet<object>();

/**
 * Has no fixture `agent`, since a suite may have its own. Every worker loads this file, those of ordinary tests too, so the first
 * trial loads what trials need.
 */
export const trialTest = base.extend<TaskproofTestOptions & TrialFixtures>({
  taskproof: OPTION,

  _taskproofOptions: [
    async ({ taskproof }, use, testInfo) => {
      await readConfigOptions(testInfo.config);
      await use(mergedOptions(testInfo.project, taskproof) as object);
    },
    { box: true },
  ],

  // Automatic, to cover hooks of the suite, which run before the fixtures that a test asks for.
  _taskproofMask: [
    async ({ _taskproofOptions, trace, video }, use, testInfo) => {
      const secrets = givenSecrets(_taskproofOptions);
      if (Object.keys(secrets).length) {
        maskTest(testInfo, secretMask(secrets));
        warnOfRecorders({ trace, video }, testInfo);
      }
      await use(undefined);
    },
    { auto: true, box: true },
  ],

  _taskproofReady: async ({ _taskproofOptions, baseURL }, use, testInfo) => {
    const given = checkedOptions(_taskproofOptions);
    // Only here is the agent known for certain, since `test.use` and fixtures can set it.
    if (replays(given)) markReplay(testInfo, repeatEachOverride());
    const planned = plannedSpec(testInfo);
    if (planned) skipBeyondK(planned, testInfo);
    const where = `project "${testInfo.project.name}"`;
    const options = checkTaskproofOptions(given, where);
    if (planned) {
      const missing = missingSecrets(options, [{ id: planned.id, goal: goalOf(testInfo) }]);
      if (missing) throw runError(`${where}: ${missing}`);
      if (options.earlyStop) markEarlyStop(testInfo);
      options.origin = originOf(options, baseURL, where);
      await needRecording(planned, options, testInfo);
      skipWhatIsNotNeeded(planned, options, testInfo);
    }
    if (planned && planned.policy.k > 1 && !isJudged()) {
      const { k } = planned.policy;
      testInfo.annotations.push({ type: 'verdict', description: `none: 1 trial of ${k}` });
      warnOfNoVerdict(planned);
    }
    for (const part of [options.agent, options.judge])
      if (part?.preflight && !preflighted.has(part)) {
        await part.preflight();
        preflighted.add(part);
      }
    await use(options);
  },

  _taskproofTrial: async ({ _taskproofReady, page, navigationTimeout }, use, testInfo) => {
    const { TrialTest } = await import('./trial-test.js');
    const trial = new TrialTest(page, _taskproofReady, testInfo, navigationTimeout);
    await use(trial);
    await trial.settle();
  },
});

// biome-ignore lint/suspicious/noExplicitAny: any suite's test, whatever its fixtures
type SuiteTest = TestType<any, any>;

/** An option `test`: the suite's own. */
export const suiteTest = z
  .custom<SuiteTest>(
    given => typeof (given as SuiteTest)?.extend === 'function',
    'must be a Playwright test object, such as the result of test.extend()',
  )
  .optional();

/** The suite's test, with the fixtures of trials. */
export function withTrials(own: SuiteTest | undefined) {
  return own ? mergeTests(own, trialTest) : trialTest;
}

/**
 * Playwright's `test` with the option `taskproof` and the fixture `agent`: `await agent.run('goal')` drives the current
 * page in a hand-written test.
 */
export const test: TestType<
  PlaywrightTestArgs & PlaywrightTestOptions & TaskproofTestOptions & { agent: AgentRunner },
  PlaywrightWorkerArgs & PlaywrightWorkerOptions
> = trialTest.extend<{ agent: AgentRunner }>({
  agent: async ({ _taskproofReady, page }, use, testInfo) => {
    const { agentRunner } = await import('./agent-runner.js');
    await use(agentRunner(page, _taskproofReady, testInfo));
  },
});

/** Skips repeats beyond k that the reporter did not trim: without our reporter, and if only the worker knows that it replays. */
function skipBeyondK({ policy, replayed }: PlannedSpec, testInfo: TestInfo): void {
  testInfo.skip(
    testInfo.repeatEachIndex >= policy.k,
    replayed
      ? 'a recording is played once, or N times with --repeat-each=N'
      : `repeat ${testInfo.repeatEachIndex + 1} is beyond the spec's k of ${policy.k}`,
  );
}

/** Without our reporter, one passing trial out of 5 would be green and look like a verdict. */
function warnOfNoVerdict({ id, policy }: PlannedSpec): void {
  if (isInteractive() || !isFirstToSay('not-judged')) return;
  process.stderr.write(
    `taskproof: No verdict will be computed: "${id}" needs ${policy.minPasses} of ${policy.k} trials to pass, but the reporter "@taskproof/playwright/reporter" is not used in this run. Add it to \`reporter\` in the config, or to the command line: --reporter=dot,@taskproof/playwright/reporter\n`,
  );
}

/** @throws Error before a browser starts, if there is no recording and nothing to do without. */
async function needRecording(
  planned: PlannedSpec,
  { agent }: ReadyOptions,
  testInfo: TestInfo,
): Promise<void> {
  if (!isReplay(agent) || planned.titlePath) return;
  const file = await agent.missingRecording(folderOf(testInfo.config), nameOf(planned));
  if (file === undefined) return;
  testInfo.skip(agent.withoutRecording === 'skip', `no recording: ${file}`);
  throw runError(`${nameOf(planned)}: ${noRecording([file])}`);
}

function skipWhatIsNotNeeded(planned: PlannedSpec, options: ReadyOptions, testInfo: TestInfo): void {
  const { earlyStop, maxRunCostUsd: cap } = options;
  const [project, name] = [testInfo.project.name, nameOf(planned)];
  const wanted = wantedOf(project, name);
  const overBudget = () => {
    const spent = cap === undefined ? 0 : spentUsd();
    if (cap === undefined || spent < cap) return undefined;
    return `the run has spent $${spent.toFixed(4)} of its maxRunCostUsd of $${cap}, so no new trial starts`;
  };
  const reason =
    (earlyStop ? settledReason(project, name, planned.policy) : undefined) ??
    (wanted && needlessReason(wanted, testInfo.repeatEachIndex)) ??
    overBudget();
  testInfo.skip(reason !== undefined, reason ?? '');
}

export { expect };
