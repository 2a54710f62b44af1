// An agent without a model, for goals in a small language. Configs import this file, so the interpreter is loaded when a trial runs.
import { z } from 'zod';
import { checkOptions, type OptionSchemas } from '../../options';
import { type Agent, defineAgent, type SessionTask } from '../agent';

export interface LexicalOptions {
  /** The agent's name in results. Default: `lexical`. */
  name?: string;
  /** Milliseconds to wait for the element that a clause names, and again for the action on it, 100 to 60,000. Default: 5,000. */
  actionTimeoutMs?: number;
}

const optionsSchema = z.strictObject({
  name: z.string().min(1).default('lexical'),
  actionTimeoutMs: z.int().min(100).max(60_000).default(5_000),
} satisfies OptionSchemas<LexicalOptions>);

/**
 * An agent without a model and without a key. It performs goals of verbs and quoted labels (docs/lexical.md), clause by
 * clause. It gives up at the first clause that it can't understand, or whose element it can't find, and says why.
 *
 * @throws OptionsError for wrong or unknown options.
 */
export function lexical(options?: LexicalOptions): Agent {
  const { name, actionTimeoutMs } = checkOptions('lexical()', optionsSchema, options);
  return defineAgent({
    name,
    async run(task: SessionTask) {
      if (task.pageToolsMode === 'only')
        throw new Error(
          "lexical() acts on controls, so it can't play with pageTools: 'only'. Set another agent.",
        );
      // A single entry says what no longer worked: the recording has done nothing then.
      if (task.done.length > 1) {
        const reason = `lexical() begins with the first clause, so it can't go on after what the recording did. ${task.done.at(-1)}`;
        return { status: 'gave_up' as const, reason };
      }
      const { playGoal } = await import('./play.js');
      return playGoal(task, actionTimeoutMs);
    },
  });
}
