// An agent without a model: reads the goal as instructions and matches them against what is on the page.

import { type Agent, type AgentTask, defineAgent, type GaveUp, type SessionTask } from '../agent';
import { Driver } from './driver';
import { sender } from './forms';
import type { Instruction } from './instruction';
import { parseGoal } from './instructions';
import { type LexicalOptions, readOptions } from './options';
import { perform } from './perform';
import type { Memory } from './seek';

export type { LexicalOptions } from './options';

/** A goal that ends with a filled form and doesn't say to send it means that it is sent, unless its choices went out by themselves. */
const LEAVES_OPEN = new Set<Instruction['do']>(['enter', 'choose']);

async function work(task: AgentTask, driver: Driver): Promise<GaveUp | undefined> {
  const plan = parseGoal(task.goal);
  const memory: Memory = {
    looksInside: plan.looksInside,
    subject: '',
    filled: new Set(),
    lastField: undefined,
    done: 0,
    remaining: 0,
  };
  if (plan.instructions.length === 0)
    return { status: 'gave_up', reason: 'The goal holds no instruction that keyword matching can follow.' };
  await driver.watch.settle(task.page);
  await driver.look();
  let requests = driver.watch.requests;
  for (const [index, instruction] of plan.instructions.entries()) {
    memory.done = index;
    memory.remaining = plan.instructions.length - index - 1;
    const problem = await perform(driver, instruction, memory);
    if (problem)
      return {
        status: 'gave_up',
        reason: `Stuck at "${instruction.source}" (${index + 1} of ${plan.instructions.length}): ${task.mask(problem)}, on ${driver.page.url()}`,
      };
    if (!LEAVES_OPEN.has(instruction.do)) requests = driver.watch.requests;
  }
  const last = plan.instructions.at(-1)!;
  const live = last.do === 'choose' && driver.watch.requests > requests;
  const send =
    LEAVES_OPEN.has(last.do) && memory.lastField && !live ? sender(driver, memory.lastField) : undefined;
  if (send && task.turnsLeft > 0) await driver.click(send);
  return undefined;
}

/**
 * An agent without a model and without a key. It reads the goal as instructions ("click", "enter X into Y", "select",
 * "search for", ...; quoted strings are values or labels), matches them against roles and names on the page, explores
 * where a thing is not in sight, and gives up, saying where, when it is stuck. Equal seeds act alike.
 *
 * @throws TypeError naming every option that is wrong or unknown.
 */
export function lexical(options?: LexicalOptions): Agent {
  const settings = readOptions(options);
  return defineAgent({
    name: settings.name,
    async run(task: SessionTask) {
      const driver = new Driver(task, settings);
      try {
        return await work(task, driver);
      } finally {
        driver.dispose();
      }
    },
  });
}
