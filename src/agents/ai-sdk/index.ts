// The agent that plays a task with any model of the AI SDK (the npm package `ai`). Imported by configs: the package is an
// optional one, and is loaded when a run needs it.
import type { Agent, SessionTask } from '../agent';
import { type AiSdkOptions, settingsOf } from './options';

/**
 * An agent that plays tasks with any model of the AI SDK: OpenAI, Google, Bedrock, Mistral, Ollama and others.
 *
 * @throws OptionsError naming each option that is wrong or unknown.
 */
export function aiSdk(options: AiSdkOptions): Agent {
  // Held by the closures below and by no property: an agent in a config may be printed or serialised.
  const settings = settingsOf(options);
  return {
    name: 'aiSdk',
    model: settings.name,
    async preflight() {
      await loadSdk();
    },
    async run(task: SessionTask) {
      const [sdk, { playTask }] = await Promise.all([loadSdk(), import('./loop.js')]);
      return playTask(task, settings, sdk);
    },
  };
}

/** @throws Error if the package is not there, or can't be loaded here. */
async function loadSdk() {
  try {
    return await import('ai');
  } catch (error) {
    throw new Error(`aiSdk: ${problemOf(error as NodeJS.ErrnoException)}`, { cause: error });
  }
}

/** In one sentence, and what to do. */
export function problemOf({ code, message }: { code?: string; message: string }): string {
  if (/MODULE_NOT_FOUND$/.test(code ?? '') && /["']ai["']/.test(message))
    return 'the npm package "ai" is not installed. Add it: npm install --save-dev ai';
  return `the npm package "ai" can't be loaded by Node ${process.versions.node} (${message.split('\n')[0]}). ai 7 is made for Node 22 and newer: update Node, or take an older version with its providers, npm install --save-dev ai@6`;
}
