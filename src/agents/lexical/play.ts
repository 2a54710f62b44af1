// Plays a goal, clause by clause, and says why it gave up.
import { shorten } from '../../browser/driver/tree';
import { reasonIn } from '../../browser/perform';
import type { AgentTask, GaveUp, SessionTask } from '../agent';
import { Actor } from './act';
import { type Clause, NotUnderstood } from './clause';
import { Stuck } from './find';
import { parseGoal } from './parse';
import { perform } from './perform';

export async function playGoal(task: SessionTask, actionTimeoutMs: number): Promise<GaveUp | undefined> {
  const clauses = read(task);
  if (!Array.isArray(clauses)) return clauses;
  const actor = new Actor(task, actionTimeoutMs);
  try {
    return await play(task, clauses, actor);
  } finally {
    actor.dispose();
  }
}

const gaveUp = (reason: string): GaveUp => ({ status: 'gave_up', reason });

function read(task: AgentTask): Clause[] | GaveUp {
  try {
    const clauses = parseGoal(task.goal);
    const unknown = [...task.goal.matchAll(/<secret>([^<>]*)<\/secret>/g)].find(
      ([, name]) => !Object.hasOwn(task.secrets, name!.trim()),
    );
    return unknown ? gaveUp(`there is no secret "${unknown[1]}" in taskproof.secrets`) : clauses;
  } catch (error) {
    if (error instanceof NotUnderstood)
      return gaveUp(
        `can't be understood: ${task.mask(error.message)}. docs/lexical.md has the language of lexical()`,
      );
    throw error;
  }
}

/** Native dialogs block the page as they open, so the clause about one is read before the action that opens it. */
function answerFor(next: Clause | undefined, actor: Actor) {
  if (next?.do !== 'answer' || !next.native) return undefined;
  return {
    accept: next.how === 'accept',
    ...(next.text === undefined ? {} : { text: actor.secret(next.text) }),
  };
}

async function play(task: SessionTask, clauses: Clause[], actor: Actor): Promise<GaveUp | undefined> {
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
  const unused = namedSecrets(task).find(name => !actor.typed.has(name));
  return unused ? gaveUp(`the goal names the secret "${unused}", which was typed nowhere`) : undefined;
}

/** Why an action failed, in a line; undefined for an error that is not of an action. */
function failedAction(error: unknown): string | undefined {
  const message = error instanceof Error ? error.message : '';
  if (!/^(?:locator|page|keyboard|mouse|frame|fileChooser|elementHandle)\.\w+: /.test(message))
    return undefined;
  return reasonIn(message) ?? /net::\S+/.exec(message)?.[0] ?? shorten(message.split('\n')[0]!, 300);
}

/** Named at all: marked, quoted or bare. */
const namedSecrets = ({ goal, secrets }: AgentTask) =>
  Object.keys(secrets).filter(name => goal.split(/\W+/).includes(name));
