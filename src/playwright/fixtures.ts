import { test as base, expect } from '@playwright/test';
import { type AgentRunner, agentRunner } from './agent-runner';
import { checkOptions, type TaskproofOptions } from './options';
import { plannedSpec } from './plan-annotation';
import { TrialHost } from './trial-host';

export interface TaskproofTestOptions {
  /** The agent and its settings: in a project's `use`, or in `test.use`. */
  taskproof: TaskproofOptions;
}

export interface TrialFixtures {
  /** The checked options. Stands before `page`, so that what is missing is said before a browser starts. */
  _taskproofReady: TaskproofOptions;
  _taskproofTrial: TrialHost;
}

/** Agents and judges that said, in this worker, that they can run. */
const preflighted = new WeakSet<object>();

/** Without the fixture `agent`: a suite that has one of its own keeps it. */
export const trialTest = base.extend<TaskproofTestOptions & TrialFixtures>({
  // The types of `use` know it already (options.ts), and have no form for the definition of an option known to them.
  taskproof: [{}, { option: true }] as never,

  _taskproofReady: async ({ taskproof }, use, testInfo) => {
    const planned = plannedSpec(testInfo.annotations);
    testInfo.skip(
      planned !== undefined && testInfo.repeatEachIndex >= planned.policy.k,
      `repeat ${testInfo.repeatEachIndex + 1} is beyond the spec's k of ${planned?.policy.k}`,
    );
    const options = checkOptions(taskproof, `project "${testInfo.project.name}"`);
    for (const part of [options.agent, options.judge])
      if (part?.preflight && !preflighted.has(part)) {
        await part.preflight();
        preflighted.add(part);
      }
    await use(options);
  },

  _taskproofTrial: async ({ _taskproofReady, page }, use, testInfo) => {
    const host = new TrialHost(page, _taskproofReady, testInfo);
    await use(host);
    await host.settle();
  },
});

/**
 * Playwright's `test` with the option `taskproof` and the fixture `agent`: `await agent.run('goal')` drives the current
 * page in a hand-written test.
 */
export const test = trialTest.extend<{ agent: AgentRunner }>({
  agent: async ({ _taskproofReady, page }, use, testInfo) => {
    await use(agentRunner(page, _taskproofReady, testInfo));
  },
});

export { expect };
