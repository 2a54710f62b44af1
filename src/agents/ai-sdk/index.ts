// The agent for any model of the AI SDK (the npm package `ai`). Configs import this file, so the optional package is
// loaded only when a run needs it.
import type { Agent, SessionTask } from '../agent';
import { type AiSdkOptions, aiSdkSettings } from './options';

/**
 * An agent with any model of the AI SDK: OpenAI, Google, Bedrock, Mistral, Ollama and others. Its `preflight` throws if the
 * npm package `ai` is missing. If requests fail, or `maxCostUsd` is set and `pricing` is not, a trial is `error: agent_api`.
 *
 * @throws OptionsError that names every wrong or unknown option.
 */
export function aiSdk(options: AiSdkOptions): Agent {
  // Kept in closures, not in properties: an agent in a config may be printed or serialised.
  const settings = aiSdkSettings(options);
  return {
    name: 'aiSdk',
    model: settings.name,
    async preflight() {
      await loadSdk();
    },
    async run(task: SessionTask) {
      const [sdk, { playWithAiSdk }] = await Promise.all([loadSdk(), import('./loop.js')]);
      return playWithAiSdk(task, settings, sdk);
    },
  };
}

/** @throws Error if the package is not installed or can't be loaded. */
async function loadSdk() {
  try {
    return await import('ai');
  } catch (error) {
    throw new Error(`aiSdk: ${loadingProblem(error as NodeJS.ErrnoException)}`, { cause: error });
  }
}

/** What is wrong, and what to do. */
export function loadingProblem({ code, message }: { code?: string; message: string }): string {
  if (/MODULE_NOT_FOUND$/.test(code ?? '') && /["']ai["']/.test(message))
    return 'the npm package "ai" is not installed. Add it: npm install --save-dev ai';
  return `the npm package "ai" can't be loaded by Node ${process.versions.node} (${message.split('\n')[0]}). ai 7 requires Node 22 or newer: update Node, or install an older version with its providers, npm install --save-dev ai@6`;
}
