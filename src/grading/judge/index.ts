// The judge that reads a trial with a Claude model. Imported by configs: what needs the SDK is loaded when a trial is judged.
import { z } from 'zod';
import { type ModelOptions, modelSchemas, requireKey } from '../../agents/claude/options';
import { checkOptions, type OptionSchemas } from '../../options';
import type { Judge } from './judge';

export * from './judge';

export interface WebJudgeOptions extends ModelOptions {
  /** The model's name; better not the agent's, since a model is lenient with itself. Default: `claude-sonnet-5-5`. */
  model?: string;
  /** Decisions made, an odd number up to 9: the majority counts, and no more are made than it needs. Default: 1. */
  votes?: number;
  /** The most screenshots that a decision looks at, 2 to 20, first and last state included. Default: 6. */
  screenshots?: number;
  /** Tokens of the longest answer, thinking included. Default: 4,096. */
  maxTokens?: number;
  /** Milliseconds that an answer may stay silent. Default: 60,000. */
  requestTimeoutMs?: number;
}

const optionsSchema = z.strictObject({
  model: z.string().min(1).default('claude-sonnet-5-5'),
  ...modelSchemas,
  votes: z
    .int()
    .min(1)
    .max(9)
    .refine(votes => votes % 2 === 1, 'must be odd, so that there is a majority')
    .default(1),
  screenshots: z.int().min(2, 'must be at least 2: the first and the last state').max(20).default(6),
  maxTokens: z.int().min(256).default(4096),
  requestTimeoutMs: z.int().min(1).default(60_000),
} satisfies OptionSchemas<WebJudgeOptions>);

export type WebJudgeSettings = z.output<typeof optionsSchema>;

/**
 * A judge after the WebJudge method of Online-Mind2Web (arXiv 2504.01382): key points from goal and rubric, a score for
 * each screenshot, then a decision from all evidence.
 *
 * @throws OptionsError naming each option that is wrong or unknown.
 */
export function webJudge(options: WebJudgeOptions = {}): Judge {
  // Held by the closures below and by no property: a judge in a config may be printed or serialised.
  const settings = checkOptions('webJudge()', optionsSchema, options);
  return {
    name: 'webJudge',
    model: settings.model,
    preflight: () => requireKey(settings, 'webJudge'),
    async judge(trial) {
      const { judgeWeb } = await import('./web-judge.js');
      return judgeWeb(trial, settings);
    },
  };
}
