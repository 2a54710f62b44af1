// How many trials run at once. Trials that wait for a model leave their core to others, so there can be more than Playwright's workers.
import { availableParallelism, totalmem } from 'node:os';
import type { FullConfig, Suite, TestCase } from '@playwright/test/reporter';
import { groupBy, sumOf } from '../data/collections';
import { planName } from '../data/plan';
import { ownWorkers, setWorkers, whoChoseWorkers } from '../playwright/inside/config';
import { planningOptions } from '../playwright/run/options';
import { plural, print } from '../text/print';
import type { PlannedTest } from './planning';

const GB = 2 ** 30;
/** Of a trial in flight: a Node process, and a Chromium with a small page. 0.31 GB were measured. */
const TRIAL_BYTES = 0.4 * GB;
/**
 * Measured on 2 cores, with answers after 1.5 s: 1, 2, 4 and 8 workers a core play 580, 1,131, 2,039 and 1,963 trials an hour. More would
 * leave nothing for a site on the same machine: where cores are short, actions run into their time limits, and the site is blamed.
 */
const PER_CORE = 4;
/** Beyond this, not the machine but the site under test or the API key's limits are usually too small. */
const MOST = 32;

type Machine = Record<'cores' | 'memory', number>;

/** How many trials that wait for a model a machine can run at once, if half of its memory is left to the site and the rest. */
export function mostWaiting({ cores, memory }: Machine): number {
  return Math.min(MOST, cores * PER_CORE, Math.floor(memory / 2 / TRIAL_BYTES));
}

/** A container may have less memory than its machine. */
function thisMachine(): Machine {
  const memory = Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY);
  return { cores: availableParallelism(), memory };
}

/** Raises the number of workers if trials wait for a model, unless the user chose it. Other projects get no more than without. */
export async function chooseWorkers(
  config: FullConfig,
  suite: Suite,
  planned: readonly PlannedTest[],
  excluded: ReadonlySet<TestCase>,
  machine: Machine = thisMachine(),
): Promise<void> {
  const waiting = planned.filter(({ options }) => planningOptions(options.value).waiter);
  if (!waiting.length) return;
  const projects = suite.suites.map(project => {
    const name = project.project()?.name;
    const trials = waiting.filter(({ project }) => project.name === name);
    const tests = project.allTests().filter(test => !excluded.has(test)).length;
    return { project, trials, tests, waits: trials.length > tests / 2 };
  });
  const room = sumOf(
    projects.filter(({ waits }) => waits),
    ({ project, trials }) => Math.min(atOnce(trials), ownWorkers(project) ?? trials.length),
  );
  const { workers } = config;
  const fitting = Math.min(mostWaiting(machine), room);
  const chosenBy = await whoChoseWorkers(config);
  if (fitting <= workers || chosenBy === 'the command line') return;
  const agents = new Set(waiting.map(({ options }) => planningOptions(options.value).waiter));
  const why = `trials of ${[...agents].join(', ')} mostly wait for a model, and this machine has ${machine.cores} cores and ${Math.round(machine.memory / GB)} GB`;
  if (chosenBy)
    return print(
      process.stdout,
      `taskproof: ${plural(workers, 'trial')} at once, although ${fitting} could run: ${chosenBy} sets \`workers\`, but ${why}.`,
    );
  // Together, the other projects keep as many workers as they had.
  const others = projects.filter(({ waits }) => !waits);
  const all = sumOf(others, ({ tests }) => tests);
  const limits = others.map(
    ({ project, tests }) => [project, Math.ceil((workers * tests) / all) || 1] as const,
  );
  setWorkers(config, fitting, new Map(limits));
  print(
    process.stdout,
    `taskproof: ${fitting} workers instead of ${workers}: ${why}. To choose the number, set \`workers\` in the config or --workers.`,
  );
}

/** With `earlyStop` a spec's trials run one after the other, or it would save nothing. */
function atOnce(trials: readonly PlannedTest[]): number {
  const specs = groupBy(trials, ({ plan }) => planName(plan));
  return sumOf([...specs.values()], of => (of[0]!.plan.earlyStop ? 1 : of.length));
}
