import { relative } from 'node:path';
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
import { type Plan, planName } from '../data/plan';
import type { Policy } from '../data/verdict';
import type { Judge } from '../grading/judge';
import { debug } from '../text/debug';
import { messageOf } from '../text/line';
import { print } from '../text/print';
import { maskOfMet, type Secrets } from '../text/secrets';
import type { AgentRunner } from './agent-runner';
import { isInteractive, isTestCommand, isWorker, repeatEachOverride } from './inside/command-line';
import { keepFromRunner, runError } from './inside/errors';
import { configOfRun, hideSecrets, maskMessages, masksMessages } from './inside/masking';
import { type Asked, decide, wantedOf } from './run/decide';
import { isFirstToSay, isJudged, noteUnjudged, readLedger, reserve } from './run/ledger';
import {
  isReplay,
  mergedOptions,
  OPTION,
  originOf,
  planningOptions,
  preflightOnce,
  projectInWords,
  type ReadyOptions,
  readConfigOptions,
  readyOptions,
  type TaskproofOptions,
} from './run/options';
import { carryPlan, goalOf, OVER_BUDGET, planOf, planWith, refusedAnnotation } from './run/plan';
import { checkedSecrets, meetSecrets, missingSecrets } from './run/secrets';
import { folderOf, posix, runSettings } from './run/settings';
import type { TrialTest } from './trial-test';

export interface TaskproofTestOptions {
  /** The agent and its settings: in a project's `use`, or in `test.use`. */
  taskproof: TaskproofOptions;
}

export interface TrialFixtures {
  /** The options of the config, the project and `test.use`, merged but unchecked. */
  _taskproofOptions: object;
  _taskproofSecrets: Secrets;
  /** The checked options. Trials ask for it before `page`, so that a missing key fails before a browser starts. */
  _taskproofReady: ReadyOptions;
  _taskproofTrial: TrialTest;
}

/**
 * Fixtures of trials, without `agent`: a suite may have one of its own. Every worker loads this file, so what only trials need is
 * imported by the first trial.
 */
const trialTest = base.extend<TaskproofTestOptions & TrialFixtures>({
  taskproof: OPTION,

  _taskproofOptions: [
    async ({ taskproof }, use, testInfo) => {
      await readConfigOptions(testInfo.config);
      await use(mergedOptions(testInfo.project, taskproof) as object);
    },
    { box: true },
  ],

  // Automatic, since hooks of the suite run before the fixtures that a test asks for.
  _taskproofSecrets: [
    async ({ _taskproofOptions, trace, video, contextOptions }, use, testInfo) => {
      const secrets = secretsOf(_taskproofOptions, testInfo);
      if (Object.keys(secrets.values).length) {
        if (!masksMessages() && isFirstToSay('unknown-playwright')) warn(NOT_KNOWN);
        const har = contextOptions.recordHar && { 'contextOptions.recordHar': 'on' as const };
        warnOfRecorders({ trace, video, ...har }, testInfo);
      }
      await use(secrets);
    },
    { auto: true, box: true },
  ],

  _taskproofReady: async ({ _taskproofOptions, _taskproofSecrets: secrets, baseURL }, use, testInfo) => {
    const declared = planOf(testInfo, testInfo.file, folderOf(testInfo.config));
    // Only now the agent is certain, since `test.use` and fixtures can set it.
    const plan = declared && planWith(declared, planningOptions(_taskproofOptions), repeatEachOverride());
    if (plan) carryPlan(testInfo, plan);
    const prepare = async (): Promise<ReadyOptions> => {
      const where = projectInWords(testInfo.project.name);
      const checked = { ...readyOptions(_taskproofOptions, where, testInfo.config), secrets };
      if (plan) await runSkipOrFail(plan, checked, testInfo);
      for (const part of [checked.agent, checked.judge]) await preflightOnce(part);
      return plan ? { ...checked, origin: originOf(checked, baseURL, where), baseURL, plan } : checked;
    };
    const options = await prepare().catch((error: unknown) => {
      // A trial that could not be prepared says nothing about the site. But `testInfo.skip` throws, too.
      if (testInfo.expectedStatus !== 'skipped')
        testInfo.annotations.push(refusedAnnotation(secrets.mask(messageOf(error))));
      throw error;
    });
    if (plan && !isJudged()) {
      if (plan.policy.k > 1)
        testInfo.annotations.push({ type: 'verdict', description: `none: 1 trial of ${plan.policy.k}` });
      warnOfNoVerdict(`"${plan.id}"`, plan.policy, plan.rubricHash ? options.judge : undefined);
    }
    const release = keepFromRunner(place => {
      const description = `Playwright threw while handling a page event (${place}); the test continued`;
      const isTold = testInfo.annotations.some(each => each.description === description);
      if (!isTold) testInfo.annotations.push({ type: 'warning', description });
    });
    await use(options);
    release();
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

export const suiteTest = z
  .custom<SuiteTest>(
    given => typeof (given as SuiteTest)?.extend === 'function',
    'must be a Playwright test object, such as the result of test.extend()',
  )
  .optional();

export const withTrials = (own: SuiteTest | undefined) => (own ? mergeTests(own, trialTest) : trialTest);

/**
 * Playwright's `test` with the option `taskproof` and the fixture `agent`: `await agent.run('goal')` drives the current
 * page in a hand-written test.
 */
export const test: TestType<
  PlaywrightTestArgs & PlaywrightTestOptions & TaskproofTestOptions & { agent: AgentRunner },
  PlaywrightWorkerArgs & PlaywrightWorkerOptions
> = trialTest.extend<{ agent: AgentRunner }>({
  agent: async ({ _taskproofReady, page }, use, testInfo) => {
    const { RunsOfTest } = await import('./agent-runner.js');
    const runs = new RunsOfTest(page, _taskproofReady, testInfo);
    await use({ name: runs.name, run: runs.run });
    await runs.settle();
  },
});

/** Lets the trial begin, or skips or fails it before a browser starts. */
async function runSkipOrFail(plan: Plan, options: ReadyOptions, testInfo: TestInfo): Promise<void> {
  const { agent, earlyStop, maxRunCostUsd } = options;
  const [settings, project, name] = [runSettings(), testInfo.project.name, planName(plan)];
  const { repeatEachIndex: index } = testInfo;
  const lacking = missingSecrets(options, [{ ...plan, goal: goalOf(testInfo) }]);
  const secrets = lacking && `${projectInWords(project)}: ${lacking}`;
  const replay = isReplay(agent) ? agent : undefined;
  const folder = folderOf(testInfo.config);
  const file = await replay?.missingRecording(folder, name);
  const recording = file
    ? { missing: posix(relative(folder, file)), otherwise: replay!.withoutRecording }
    : undefined;
  const asked: Asked = { plan, project, index, earlyStop, maxRunCostUsd, secrets, recording };
  const wanted = wantedOf(asked, settings);
  const giveBack = wanted && reserve(project, name, index, wanted.trialUsd);
  const decision = decide(asked, readLedger(project, name), settings);
  if ('run' in decision) return;
  giveBack?.();
  if ('fail' in decision) throw runError(decision.fail);
  debug('skip', () => `${name}, trial ${index + 1}: ${decision.skip}`);
  if (decision.isOpen) testInfo.annotations.push({ type: OVER_BUDGET });
  testInfo.skip(true, decision.skip);
}

/** Warns that there is no reporter: one passing trial out of 5 would look like a verdict. */
export function warnOfNoVerdict(what: string, { k, minPasses }: Policy, judge?: Judge): void {
  if (isJudged() || isInteractive()) return;
  noteUnjudged();
  const needs = k > 1 && `needs ${minPasses} of ${k} trials to pass`;
  const unmet = needs || (judge?.minAgreement !== undefined && 'has a judge with minAgreement');
  if (!unmet || !isFirstToSay('not-judged')) return;
  warn(
    `No verdict will be computed: ${what} ${unmet}, but the reporter "@taskproof/playwright/reporter" is not used in this run. Add it to \`reporter\` in the config, or to the command line: --reporter=dot,@taskproof/playwright/reporter`,
  );
}

const NOT_KNOWN =
  'this version of Playwright sends steps in another form than 1.65, so reports may contain secrets in plain text. Use Playwright 1.65, or a newer version of this library.';

type Recorder = PlaywrightWorkerOptions['trace' | 'video'];

/** Warns that traces, videos and HARs are not masked. @param recorders by the name of their option */
function warnOfRecorders(recorders: Record<string, Recorder>, { project, retry }: TestInfo): void {
  const records = (option: Recorder) => {
    const mode = typeof option === 'string' ? option : option.mode;
    // Trials are not retried, so these modes never record one.
    return mode !== 'off' && (retry > 0 || !/^(?:on-(?:first|all)-retr|retry-)/.test(mode));
  };
  const on = Object.entries(recorders).filter(([, option]) => option && records(option));
  if (!on.length || !isFirstToSay('recorders')) return;
  const options = on.map(([name]) => `\`${name}\``).join(' and ');
  warn(
    `${projectInWords(project.name)} has secrets and ${options} on. Traces and HARs contain all that is typed, sent and shown, secrets included; videos show the page. Keep them private, or turn ${options} off for this project.`,
  );
}

export const warn = (text: string) => print(process.stderr, `taskproof: ${text}`);

function secretsOf(options: object, { project, annotations }: TestInfo): Secrets {
  try {
    return checkedSecrets(options, projectInWords(project.name));
  } catch (error) {
    annotations.push(refusedAnnotation(messageOf(error)));
    throw error;
  }
}

async function meetConfig(): Promise<void> {
  const config = await configOfRun();
  if (!config) return;
  meetSecrets(config);
  // A run may have reporters that write the config, and not have ours.
  if (!isWorker()) hideSecrets(config);
}

if (isWorker()) maskMessages(maskOfMet);
if (isWorker() || isTestCommand()) meetConfig().catch(() => undefined);

export { expect };
