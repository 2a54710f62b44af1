// Answers in browser-use's form: one call of its tool AgentOutput, with its thoughts and actions.
import { callTool, type Reply, reply, type ScriptedRequest } from './script';
import { type ImageInfo, imageInfo, type JsonObject } from './tokens';

export function act(...action: JsonObject[]): Reply {
  return reply(
    callTool('AgentOutput', {
      thinking: 'I look at the page.',
      evaluation_previous_goal: 'It went well.',
      memory: 'Nothing yet.',
      next_goal: `I will ${Object.keys(action[0]!)[0]}.`,
      action,
    }),
  );
}

/** Ends the task as browser-use does, with the model's own opinion of it. */
export function finish(text: string, success = true): Reply {
  return act({ done: { text, success, files_to_display: [] } });
}

/** The number of an element in the page's text: beside its tag, which may be followed by the element's own text. */
export function elementOf(request: ScriptedRequest, text: string): number {
  const lines = request.text.split('Interactive elements:').at(-1)!.split('\n');
  const at = lines.findIndex(line => line.includes(text));
  const tag = lines.slice(0, at + 1).findLast(line => /\[\d+\]</.test(line));
  const number = /\[(\d+)\]</.exec(tag ?? '')?.[1];
  if (!number) throw new Error(`no element has the text ${text}; the request was:\n${request.text}`);
  return Number(number);
}

/** The size of the picture in a request. */
export function screenshotOf(body: JsonObject): ImageInfo | undefined {
  const blocks = (body.messages as { content: JsonObject[] }[]).flatMap(({ content }) => content);
  const source = blocks.find(({ type }) => type === 'image')?.source as JsonObject | undefined;
  return imageInfo(Buffer.from(String(source?.data), 'base64'));
}
