// An agent without a model: an interpreter of a small language, described in docs/lexical.md.
import { type Agent, type AgentTask, defineAgent, type GaveUp } from '../agent';
import { Hand } from './act';
import { type Clause, NotUnderstood } from './clause';
import { Stuck } from './find';
import { type LexicalOptions, readOptions } from './options';
import { parseGoal } from './parse';
import { perform } from './perform';

export type { LexicalOptions } from './options';

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
function answerFor(next: Clause | undefined, hand: Hand) {
  if (next?.do !== 'answer' || !next.native) return undefined;
  return {
    accept: next.how === 'accept',
    ...(next.text === undefined ? {} : { text: hand.secret(next.text) }),
  };
}

async function play(task: AgentTask, clauses: Clause[], hand: Hand): Promise<GaveUp | undefined> {
  await hand.rest();
  for (const [index, clause] of clauses.entries()) {
    hand.answer = answerFor(clauses[index + 1], hand);
    if (clause.do !== 'answer') hand.answered.length = 0;
    try {
      await task.turn(clause.source, async turn => {
        hand.turn = turn;
        await perform(hand, clause);
      });
    } catch (error) {
      const reason = error instanceof Stuck ? error.message : failedAction(error);
      if (task.signal.aborted || !reason) throw error;
      return gaveUp(task.mask(`${clause.source} (${index + 1} of ${clauses.length}): ${reason}`));
    }
  }
  const unused = namedSecrets(task).find(name => !hand.typed.has(name));
  return unused ? gaveUp(`the goal names the secret "${unused}", which was typed nowhere`) : undefined;
}

/** What Playwright says of an action that failed, in a line; undefined for any other error. */
function failedAction(error: unknown): string | undefined {
  const message = error instanceof Error ? error.message : '';
  if (!/^(?:locator|page|keyboard|mouse|frame|fileChooser|elementHandle)\.\w+: /.test(message))
    return undefined;
  const why =
    /element is not (?:enabled|visible|editable|stable)|<[^\n]*> intercepts pointer events|net::\S+/.exec(
      message,
    )?.[0];
  return why ?? message.split('\n')[0]!.slice(0, 300);
}

function namedSecrets({ goal, secrets }: AgentTask): string[] {
  return Object.keys(secrets).filter(
    name =>
      goal.includes(`<secret>${name}</secret>`) ||
      [`"${name}"`, `“${name}”`].some(quoted => goal.includes(quoted)),
  );
}

/**
 * An agent without a model and without a key: it performs goals that are written in a small language ("click", "enter X
 * into Y", "select", "search for", ...; docs/lexical.md), clause by clause, and gives up, saying why, on the first one
 * that it can't read or that names what is not there.
 *
 * @throws TypeError naming every option that is wrong or unknown.
 */
export function lexical(options?: LexicalOptions): Agent {
  const { name, actionTimeoutMs } = readOptions(options);
  return defineAgent({
    name,
    async run(task) {
      const clauses = read(task);
      if (!Array.isArray(clauses)) return clauses;
      const hand = new Hand(task, actionTimeoutMs);
      try {
        return await play(task, clauses, hand);
      } finally {
        hand.dispose();
      }
    },
  });
}
