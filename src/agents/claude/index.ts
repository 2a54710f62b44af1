// The agent that plays a task with Claude. Imported by configs: whatever needs the SDK is loaded when a trial runs.
import type { Agent, SessionTask } from '../agent';
import { type ClaudeOptions, requireKey, settingsOf } from './options';

/**
 * An agent that plays tasks with a Claude model through the vendor's browser tool.
 *
 * @throws OptionsError naming each option that is wrong or unknown.
 */
export function claude(options: ClaudeOptions = {}): Agent {
  // Held by the closures below and by no property: an agent in a config may be printed or serialised.
  const settings = settingsOf(options);
  return {
    name: 'claude',
    model: settings.model,
    preflight: () => requireKey(settings, 'claude'),
    async run(task: SessionTask) {
      const { playTask } = await import('./loop.js');
      return playTask(task, settings);
    },
  };
}
