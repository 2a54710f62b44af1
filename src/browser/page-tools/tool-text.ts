// Texts for models about page tools and their answers. What the page says is quoted and cut.
import { sumOf } from '../../data/collections';
import { beginning, countIn, cutText, shorten } from '../../text/line';
import { DriverError } from '../actions/act';
import type { PageTool } from './page-tools';

export const MAX_LIST = 40_000;
const MAX_NEWS = 8_000;
const MAX_RESULT = 20_000;
/** Characters of a description in a list that the model did not ask for. */
const MAX_SHORT = 200;

const MARKS = ['readOnly', 'consequential', 'untrustedContent'] as const;

export function toolList(tools: readonly PageTool[]): string {
  if (tools.length === 0) return 'The page offers no tools.';
  return ['Tools of the page, in its own words:', ...fitting(tools, MAX_LIST, MAX_LIST)].join('\n');
}

/** Characters of the complete list. If they are more than MAX_LIST, some tools are listed by name alone. */
export const listLength = (tools: readonly PageTool[]) => sumOf(tools, tool => lineOf(tool).length + 1);

export function toolNews(now: readonly PageTool[], before: readonly PageTool[]): string | undefined {
  const known = new Set(before.map(tool => lineOf(tool)));
  const fresh = now.filter(tool => !known.has(lineOf(tool)));
  const names = new Set(now.map(({ name }) => name));
  const gone = before.map(({ name }) => name).filter(name => !names.has(name));
  const news = [
    fresh.length > 0 && 'New tools of the page, in its own words (list_page_tools tells more of them):',
    ...fitting(fresh, MAX_NEWS, MAX_SHORT),
    gone.length > 0 && `No longer tools of the page: ${shorten(gone.join(', '), MAX_SHORT)}.`,
  ];
  return news.filter(Boolean).join('\n') || undefined;
}

/** `- "search" (readOnly): "Finds plants." input: {"type":"object"}` */
function lineOf({ name, description, inputSchema, ...marks }: PageTool, most = MAX_LIST): string {
  const said = MARKS.filter(mark => marks[mark]).join(', ');
  const words = JSON.stringify(shorten(description, most));
  return `- ${JSON.stringify(name)}${said && ` (${said})`}: ${words} input: ${JSON.stringify(inputSchema)}`;
}

/** Whole lines if there is room for all. Otherwise half of it is for whole lines, half for names: by its name a tool can be called. */
function fitting(tools: readonly PageTool[], most: number, description: number): string[] {
  const lines = tools.map(tool => lineOf(tool, description));
  if (countIn(most, lines) === lines.length) return lines;
  const whole = lines.slice(0, countIn(most / 2, lines));
  const names = tools.slice(whole.length).map(({ name }) => JSON.stringify(name));
  return [...whole, `${names.length} more: ${beginning(names.join(', '), most / 2)}`];
}

/** A tool's answer as text: the texts of MCP content, a text itself, or else JSON. */
export function resultText(result: unknown): string {
  const { content } = (result ?? {}) as { content?: unknown };
  const parts = Array.isArray(content) ? (content as { type?: unknown; text?: unknown }[]) : [];
  const isText = parts.length > 0 && parts.every(part => typeof part?.text === 'string');
  const text = typeof result === 'string' ? result : (JSON.stringify(result) ?? '');
  return cutText(isText ? parts.map(part => part.text).join('\n') : text, MAX_RESULT);
}

export function saysError(result: unknown): boolean {
  return (result as { isError?: unknown } | null | undefined)?.isError === true;
}

/** @throws DriverError, which quotes the answer, if it says that the tool failed. */
export function refuseError(result: unknown): void {
  if (saysError(result))
    throw new DriverError(`The page's tool says that it failed: ${JSON.stringify(resultText(result))}`);
}
