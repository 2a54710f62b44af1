// Answers in the form that browser-use asks for: one call of its tool AgentOutput, with what it thinks and does.
import { callTool, type Reply, reply, type ScriptedRequest } from './script';
import type { JsonObject } from './tokens';

export function act(...action: JsonObject[]): Reply {
  return reply(
    callTool('AgentOutput', {
      thinking: 'I look at the page.',
      evaluation_previous_goal: 'It went well.',
      memory: 'Nothing yet.',
      next_goal: `Then ${Object.keys(action[0] ?? {})[0]}.`,
      action,
    }),
  );
}

/** Ends the task as browser-use does, with its own opinion of it. */
export function finish(text: string, success = true): Reply {
  return act({ done: { text, success, files_to_display: [] } });
}

/** The number that the request gives to the element whose line, or one that follows it, has this text. */
export function elementOf(request: ScriptedRequest, text: string): number {
  const lines = request.text.split('Interactive elements:').at(-1)!.split('\n');
  const at = lines.findIndex(line => line.includes(text));
  const numbered = lines.slice(0, at + 1).findLast(line => /\[\d+\]</.test(line));
  const number = /\[(\d+)\]</.exec(numbered ?? '')?.[1];
  if (at < 0 || !number)
    throw new Error(`no element has the text ${text}; the request was:\n${request.text}`);
  return Number(number);
}
