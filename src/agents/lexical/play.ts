// Performs a goal clause by clause, or says why it gave up.

import { reasonIn } from '../../browser/actions/perform';
import type { DialogAnswer } from '../../data/action';
import { shorten } from '../../text/shorten';
import type { GaveUp, SessionTask } from '../agent';
import { Actor } from './act';
import { type Clause, NotUnderstood } from './clause';
import { Stuck } from './find';
import { parseGoal } from './parse';
import { perform } from './perform';
import { OK } from './verbs';

export async function playGoal(task: SessionTask, actionTimeoutMs: number): Promise<GaveUp | undefined> {
  try {
    return await play(task, new Actor(task, actionTimeoutMs));
  } catch (error) {
    if (!(error instanceof NotUnderstood)) throw error;
    const clause = task.mask(error.message);
    return gaveUp(`can't be understood: ${clause}. docs/lexical.md describes the language of lexical()`);
  } finally {
    task.session.dialogs.policy = undefined;
  }
}

const gaveUp = (reason: string): GaveUp => ({ status: 'gave_up', reason });

/** A dialog of the browser blocks the page, so the clause about it is read before the action that opens it. */
function answerFor(next: Clause | undefined, actor: Actor): DialogAnswer | undefined {
  if (next?.do !== 'answer' || !next.native) return undefined;
  const isText = next.given && !OK.test(next.given);
  return { accept: next.how === 'accept', ...(isText ? { text: actor.secret(next.given!) } : {}) };
}

async function play(task: SessionTask, actor: Actor): Promise<GaveUp | undefined> {
  const clauses = parseGoal(task.goal);
  const marked = [...task.goal.matchAll(/<secret>([^<>]*)<\/secret>/g)].map(([, name]) => name!.trim());
  const unknown = marked.find(name => !Object.hasOwn(task.secrets, name));
  if (unknown !== undefined) return gaveUp(`taskproof.secrets has no secret "${unknown}"`);
  await actor.rest();
  for (const [index, clause] of clauses.entries()) {
    actor.answer = answerFor(clauses[index + 1], actor);
    if (clause.do !== 'answer') actor.answered.length = 0;
    try {
      await task.turn(clause.source, async turn => {
        actor.turn = turn;
        await perform(actor, clause);
      });
    } catch (error) {
      const reason = error instanceof Stuck ? error.message : failedAction(error);
      if (task.signal.aborted || !reason) throw error;
      return gaveUp(task.mask(`${clause.source} (${index + 1} of ${clauses.length}): ${reason}`));
    }
  }
  // Named at all: marked, quoted or bare.
  const words = task.goal.split(/\W+/);
  const unused = Object.keys(task.secrets).find(name => words.includes(name) && !actor.typed.has(name));
  return unused ? gaveUp(`the goal names the secret "${unused}", but it was never typed`) : undefined;
}

/** Why an action failed, in one line; undefined for other errors. */
function failedAction(error: unknown): string | undefined {
  const message = error instanceof Error ? error.message : '';
  if (!/^(?:locator|page|keyboard|mouse|frame|fileChooser|elementHandle)\.\w+: /.test(message))
    return undefined;
  return reasonIn(message) ?? /net::\S+/.exec(message)?.[0] ?? shorten(message.split('\n')[0]!, 300);
}
