// The judge that reads a trial with a Claude model. Imported by configs: what needs the SDK is loaded when a trial is judged.
import type { Judge } from './judge';
import { settingsOf, type WebJudgeOptions } from './options';

export {
  type Judge,
  type JudgedTrial,
  JudgeError,
  type Judgement,
  type JudgeUsage,
  type KeyPoint,
} from './judge';
export type { WebJudgeOptions } from './options';

/**
 * A judge after the WebJudge method of Online-Mind2Web (arXiv 2504.01382): key points from goal and rubric, a score for
 * each screenshot, then a decision from all evidence.
 *
 * @param options.model the model's name; better not the agent's, since a model is lenient with itself. Default: `claude-sonnet-5-5`.
 * @param options.apiKey the key. Default: the environment's `ANTHROPIC_API_KEY`, or `ANTHROPIC_AUTH_TOKEN`.
 * @param options.baseURL address of the API. Default: the environment's `ANTHROPIC_BASE_URL`, or the vendor's address.
 * @param options.votes decisions made, an odd number up to 9: the majority counts, and no more are made than it needs. Default: 1.
 * @param options.screenshots the most that a decision looks at, 2 to 20, first and last state included. Default: 6.
 * @param options.effort how much the model thinks: `low`, `medium`, `high`, `xhigh` or `max`. Default: the model's own.
 * @param options.maxTokens the longest answer, thinking included. Default 4096.
 * @param options.maxRetries how often a failed request is made again. Default 4.
 * @param options.requestTimeoutMs how many milliseconds an answer may stay silent. Default: 60,000.
 * @param options.pricing US dollars per million tokens, `{ input, output, cacheRead?, cacheWrite? }`, where the built-in
 * table does not know the model or its prices have changed. Default: the table.
 * @throws TypeError naming each option that is wrong or unknown.
 */
export function webJudge(options: WebJudgeOptions = {}): Judge {
  // Held by the closures below and by no property: a judge in a config may be printed or serialised.
  const settings = settingsOf(options);
  return {
    name: 'webJudge',
    model: settings.model,
    preflight() {
      const { ANTHROPIC_API_KEY, ANTHROPIC_AUTH_TOKEN } = process.env;
      if (settings.apiKey || ANTHROPIC_API_KEY || ANTHROPIC_AUTH_TOKEN) return;
      throw new Error(
        'webJudge: there is no API key. Set the environment variable ANTHROPIC_API_KEY, or give one: webJudge({ apiKey }).',
      );
    },
    async judge(trial) {
      const { judgeWeb } = await import('./web-judge.js');
      return judgeWeb(trial, settings);
    },
  };
}
