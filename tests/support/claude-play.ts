// Tasks that claude() plays against a Messages API of the test's own, which closes when the agent has ended.
import type { Page } from '@playwright/test';
import { type ClaudeOptions, claude } from '../../src/agents/claude';
import { agentTask, type TaskSetup } from './agent-task';
import { type JsonObject, type MessagesApiOptions, type Script, startMessagesApi } from './messages-api';

export interface ClaudeSetup extends TaskSetup {
  /** Beside those that lead to the API; a function makes all of them. */
  options?: ClaudeOptions | ((url: string) => ClaudeOptions);
  api?: Partial<MessagesApiOptions>;
}

export async function playClaude(
  page: Page,
  script: Script,
  { options, api: given, ...setup }: ClaudeSetup = {},
) {
  const api = await startMessagesApi({ script, ...given });
  const task = agentTask(page, setup);
  const plain = { apiKey: api.apiKey, baseURL: api.url, maxRetries: 0 };
  const agent = claude(typeof options === 'function' ? options(api.url) : { ...plain, ...options });
  const outcome = Promise.resolve(agent.run(task)).finally(() => api.close());
  const { requests } = api;
  const messagesOf = (index: number) =>
    requests[index]!.body.messages as { role: string; content: JsonObject[] }[];
  return { requests, page, task, outcome, messagesOf };
}
