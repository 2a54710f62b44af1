// What a model is told of a page's own tools, and of what they answer: the page's words, quoted and bounded.
import type { PageTool } from '../page-tools';
import { shorten } from './tree';

/** Characters of a list, of what is told unasked, and of a result. */
const MAX_LIST = 30_000;
const MAX_NEWS = 4_000;
const MAX_RESULT = 20_000;
/** Characters of a description that is told unasked. */
const MAX_SHORT = 200;

const MARKS = ['readOnly', 'consequential', 'untrustedContent'] as const;

/** All that is known of each tool. */
export function toolList(tools: readonly PageTool[]): string {
  if (tools.length === 0) return 'The page offers no tools.';
  return ['Tools of the page, in its own words:', ...fitting(tools, MAX_LIST, MAX_LIST)].join('\n');
}

/** The tools that came and went; undefined if none did. */
export function toolNews(now: readonly PageTool[], before: readonly PageTool[]): string | undefined {
  const isIn = (tools: readonly PageTool[], tool: PageTool) =>
    tools.some(other => lineOf(other) === lineOf(tool));
  const fresh = now.filter(tool => !isIn(before, tool));
  const gone = before.filter(({ name }) => !now.some(tool => tool.name === name)).map(({ name }) => name);
  const news = [
    ...(fresh.length > 0
      ? ['New tools of the page, in its own words (call_page_tool):', ...fitting(fresh, MAX_NEWS, MAX_SHORT)]
      : []),
    ...(gone.length > 0 ? [`No longer tools of the page: ${shorten(gone.join(', '), MAX_SHORT)}.`] : []),
  ];
  return news.length > 0 ? news.join('\n') : undefined;
}

/** `- "search" (readOnly): "Finds plants." input: {"type":"object"}` */
function lineOf({ name, description, inputSchema, ...marks }: PageTool, most = MAX_LIST): string {
  const said = MARKS.filter(mark => marks[mark]).join(', ');
  const words = JSON.stringify(shorten(description, most));
  return `- ${JSON.stringify(name)}${said && ` (${said})`}: ${words} input: ${JSON.stringify(inputSchema)}`;
}

/** Whole lines as long as there is room, then names alone. */
function fitting(tools: readonly PageTool[], most: number, description: number): string[] {
  let room = most;
  const lines = tools.map(tool => lineOf(tool, description));
  const end = lines.findIndex(line => {
    room -= line.length + 1;
    return room < 0;
  });
  if (end < 0) return lines;
  const names = tools.slice(end).map(({ name }) => name);
  return [
    ...lines.slice(0, end),
    `and ${names.length} more (list_page_tools, or a call without input, shows what they take): ${shorten(names.join(', '), MAX_NEWS)}`,
  ];
}

/** What a tool answered, as text: of content as MCP has it the texts, of all else the JSON. */
export function resultText(result: unknown): string {
  const { content } = (result ?? {}) as { content?: unknown };
  const parts = Array.isArray(content) ? (content as { type?: unknown; text?: unknown }[]) : [];
  const isText = parts.length > 0 && parts.every(part => typeof part?.text === 'string');
  const text = isText ? parts.map(part => part.text).join('\n') : textOf(result);
  if (text.length <= MAX_RESULT) return text.toWellFormed();
  return `${text.slice(0, MAX_RESULT).toWellFormed()}… (${text.length - MAX_RESULT} more characters)`;
}

/** Whether a tool's answer says itself that it failed. */
export function saysError(result: unknown): boolean {
  return (result as { isError?: unknown } | null | undefined)?.isError === true;
}

function textOf(result: unknown): string {
  if (typeof result === 'string') return result;
  try {
    return JSON.stringify(result) ?? '';
  } catch {
    return String(result);
  }
}
