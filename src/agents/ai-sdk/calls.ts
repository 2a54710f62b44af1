// Those of our tools that have a description, with flat inputs that all models can fill in; and the results of their calls.
import type { ModelMessage } from 'ai';
import { cutText } from '../../text/line';
import { type Call, isLooking, type Outcome, TOOLS, toolsByName } from '../model/calls';
import { finish, taskTools } from '../tools/task';
import type { Tool } from '../tools/tool';

const MAX_TEXT = 50_000;

interface Picture {
  data: string;
  mediaType: string;
}

function isPicture(value: unknown): value is Picture {
  const { data, mediaType } = Object(value) as Partial<Picture>;
  return data !== undefined && mediaType !== undefined;
}

function textOfOutcome({ value, error }: Outcome): string {
  if (error !== undefined) return `Error: ${error}`;
  if (value === undefined || value === null || value === '') return 'Done.';
  if (isPicture(value)) return 'The picture follows.';
  return cutText(typeof value === 'object' ? JSON.stringify(value) : String(value), MAX_TEXT);
}

/** `words` are in the last result; the pictures are a message of their own. */
export function resultMessages(
  calls: readonly Call[],
  outcomes: readonly Outcome[],
  words: readonly string[],
  mask: (text: string) => string,
): ModelMessage[] {
  const content = calls.map(({ id, name }, index) => {
    const lines = [textOfOutcome(outcomes[index]!), ...(index === calls.length - 1 ? words : [])];
    // As text: some providers wrap errors in JSON and add words of their own.
    const output = { type: 'text' as const, value: mask(lines.join('\n')) };
    return { type: 'tool-result' as const, toolCallId: id, toolName: name, output };
  });
  // Few APIs accept a picture in a result.
  const shown = outcomes
    .map(({ value }) => value)
    .filter(isPicture)
    .map(({ data, mediaType }) => ({ type: 'file' as const, data, mediaType }));
  const results = { role: 'tool' as const, content };
  return shown.length > 0 ? [results, { role: 'user', content: shown }] : [results];
}

/** @param isOnly whether the model may act only through the tools of pages */
export function toolsFor(
  pictures: boolean,
  hasPageTools = false,
  isOnly = false,
  end: Tool = finish as Tool,
): Record<string, Tool> {
  const ofTabs = Object.values(TOOLS)
    .filter(({ name, description }) => description && (pictures || name !== 'screenshot'))
    .filter(({ name }) => !isOnly || isLooking(name));
  const all = [...ofTabs, ...taskTools([end], hasPageTools)];
  return toolsByName(all.map(tool => ({ ...tool, input: tool.flat?.(pictures) ?? tool.input })));
}
