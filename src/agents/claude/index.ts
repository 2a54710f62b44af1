// The agent that plays a task with Claude. Imported by configs: whatever needs the SDK is loaded when a trial runs.
import type { Agent, SessionTask } from '../agent';
import { type ClaudeOptions, settingsOf } from './options';

export type { ClaudeOptions } from './options';

/**
 * An agent that plays tasks with a Claude model through the vendor's browser tool.
 *
 * @param options.model the model's name. Default: `claude-opus-5-5`.
 * @param options.apiKey the key. Default: the environment's `ANTHROPIC_API_KEY`, or `ANTHROPIC_AUTH_TOKEN`.
 * @param options.baseURL address of the API. Default: the environment's `ANTHROPIC_BASE_URL`, or the vendor's address.
 * @param options.effort how much the model thinks: `low`, `medium`, `high`, `xhigh` or `max`. Default: the model's own.
 * @param options.maxTokens the longest answer, thinking included. Default 8192.
 * @param options.maxRetries how often a failed request is made again. Default 4.
 * @param options.requestTimeoutMs how many milliseconds an answer may stay silent. Default: 300,000.
 * @param options.pricing US dollars per million tokens, `{ input, output, cacheRead?, cacheWrite? }`, where the built-in
 * table does not know the model or its prices have changed. Default: the table.
 * @param options.tools `browser`, or `computer`, which sees nothing but pictures. Default: `browser`.
 * @param options.members members of the browser tool by name: true or false. `file_upload` takes the absolute folders
 * that files may come from. Default: all but `file_upload`, `read_console`, `read_network` and `javascript_exec`.
 * @throws TypeError naming each option that is wrong or unknown.
 */
export function claude(options: ClaudeOptions = {}): Agent {
  // Held by the closures below and by no property: an agent in a config may be printed or serialised.
  const settings = settingsOf(options);
  return {
    name: 'claude',
    model: settings.model,
    preflight() {
      const { ANTHROPIC_API_KEY, ANTHROPIC_AUTH_TOKEN } = process.env;
      if (settings.apiKey || ANTHROPIC_API_KEY || ANTHROPIC_AUTH_TOKEN) return;
      throw new Error(
        'claude: there is no API key. Set the environment variable ANTHROPIC_API_KEY, or give one: claude({ apiKey }).',
      );
    },
    async run(task: SessionTask) {
      const { playTask } = await import('./loop.js');
      return playTask(task, settings);
    },
  };
}
