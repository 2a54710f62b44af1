// Before the first test: whether the agents and judges of a run can run, and what they lack.
import { relative } from 'node:path';
import { groupBy } from '../data/collections';
import { planName } from '../data/plan';
import { isInteractive } from '../playwright/inside/command-line';
import { runError } from '../playwright/inside/errors';
import {
  isReplay,
  missingSecrets,
  noRecording,
  type ReadyOptions,
  readyOptions,
} from '../playwright/run/options';
import { goalOf, RUBRIC } from '../playwright/run/plan';
import { messageOf } from '../text/line';
import { print } from '../text/print';
import type { PlannedTest } from './planning';

/** Checks that every agent and judge can run. @throws Error with every missing secret, or with the first that can't. */
export async function checkAgents(planned: readonly PlannedTest[], configDir: string): Promise<void> {
  // In editors and UI mode, only the workers know and check a file's `test.use`.
  const known = isInteractive() ? [] : planned.filter(({ options }) => options.known);
  const groups = [...groupBy(known, ({ options }) => options.value)].map(([value, tests]) => {
    const where = `project "${tests.at(-1)!.project.name}"`;
    return { where, tests, options: readyOptions(value, where) };
  });
  const problems = groups.flatMap(({ where, tests, options }) => {
    const goals = tests.map(({ test, plan }) => ({ id: plan.id, goal: goalOf(test) }));
    const missing = missingSecrets(options, goals);
    return missing ? [`taskproof: ${where}: ${missing}`] : [];
  });
  if (problems.length) throw runError(problems.join('\n'));
  for (const { where, tests, options } of groups) {
    for (const part of [options.agent, options.judge])
      try {
        await part?.preflight?.();
      } catch (error) {
        throw runError(`taskproof: ${where} can't run: ${messageOf(error)}`);
      }
    for (const warning of await warningsOf(tests, options, configDir))
      print(process.stdout, `taskproof: ${where}: ${warning}`);
  }
}

/** What lets the run begin, but may not be meant. */
async function warningsOf(
  tests: readonly PlannedTest[],
  { agent, judge, missing }: ReadyOptions,
  configDir: string,
): Promise<string[]> {
  const specs = [...new Set(tests.map(({ plan }) => planName(plan)))];
  const missingFile = (name: string) =>
    isReplay(agent) ? agent.missingRecording(configDir, name) : undefined;
  const files = (await Promise.all(specs.map(missingFile))).filter(file => file !== undefined);
  const rubrics = tests.filter(({ test }) => test.annotations.some(({ type }) => type === RUBRIC));
  const ids = [...new Set(rubrics.map(({ plan }) => plan.id))].join(', ');
  return [
    files.length > 0 && noRecording(files.map(file => relative(configDir, file))),
    !judge &&
      ids &&
      `${ids}: no judge for the rubric, so only the assertions decide. Add \`judge: webJudge()\` to use.taskproof, or remove \`judge\` from the spec.`,
    missing.length > 0 &&
      `secrets without a value: ${missing.join(', ')}. The agent can't use them. No goal of this run names them.`,
  ].filter(warning => typeof warning === 'string' && warning !== '') as string[];
}
