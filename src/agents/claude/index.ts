// The agent for Claude. Configs import this file, so the SDK is loaded only when a trial runs.
import type { Agent, SessionTask } from '../agent';
import { type ClaudeOptions, requireCredentials, settingsOf } from './options';

/**
 * An agent with a Claude model, which acts with the vendor's browser tool. Its `preflight` throws if there
 * is no key and no client. If requests fail, or `maxCostUsd` is set and the price is unknown, a trial is `error: agent_api`.
 *
 * @throws OptionsError that names every wrong or unknown option.
 */
export function claude(options: ClaudeOptions = {}): Agent {
  // Kept in closures, not in properties: an agent in a config may be printed or serialised.
  const settings = settingsOf(options);
  return {
    name: 'claude',
    model: settings.model,
    preflight: () => requireCredentials(settings, 'claude'),
    async run(task: SessionTask) {
      const { playWithClaude } = await import('./loop.js');
      return playWithClaude(task, settings);
    },
  };
}
