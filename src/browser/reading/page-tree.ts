// A page as text for the model: one line per element, with references to act on; or as people read it.
import type { Frame, Page } from '@playwright/test';
import { countIn, cutText, few, flat, shorten } from '../../text/line';
import { DriverError } from '../actions/act';
import { callInPage } from '../in-page';
import { limited, within } from '../waiting';
import { nodesOf, type TreeNode, textOf } from './snapshot';

const MAX_CHARACTERS = 50_000;
const DEFAULT_DEPTH = 15;
const RESERVE = 600;

/** Roles that get a reference although they are no controls: a model may scroll to them, or read them alone. */
const REFERRED =
  /^(?:(?:alert)?dialog|form|table|grid|list|tree|menu|tablist|radiogroup|region|main|navigation|search|complementary|iframe)$/;
/** Roles that tell how an action ended. */
export const TELLING = new Set('heading status alert alertdialog dialog log progressbar'.split(' '));

interface ReadOptions {
  /** `interactive`: controls. Default: what is in the viewport. */
  filter?: 'all' | 'interactive' | null | undefined;
  depth?: number | null | undefined;
  root?: TreeNode | undefined;
}

/** An element on one line: `button "Sign in" [ref_7] (disabled)`. */
export function lineOf(node: TreeNode, hasRef = node.interactive || REFERRED.test(node.role)): string {
  const { url, placeholder, active: _, ...states } = node.states;
  const notes = Object.entries(states)
    .filter(([, value]) => value !== false)
    .map(([key, value]) => (value === true ? key : `${key}=${value}`));
  if (node.inputType) notes.push(`type=${node.inputType}`);
  if (placeholder && placeholder !== node.name)
    notes.push(`placeholder="${shorten(String(placeholder), 80)}"`);
  if (url && !node.name && !textOf(node, 1)) notes.push(`url=${shorten(String(url), 120)}`);
  if (node.interactive && node.role === 'generic') notes.push('clickable');
  const parts = [
    node.role,
    node.name && `"${shorten(node.name, 400)}"`,
    hasRef && node.ref && `[${node.ref}]`,
    notes.length > 0 && `(${notes.join(', ')})`,
  ];
  const line = parts.filter(Boolean).join(' ');
  return node.text && node.text !== node.name ? `${line}: ${flat(node.text)}` : line;
}

export interface Line {
  indent: number;
  text: string;
  node: TreeNode | undefined;
  said?: string;
  name?: string;
  /** The line is only a role, so it says nothing by itself. */
  bare?: boolean;
}

function elementLine(node: TreeNode, indent: number): Line {
  const text = lineOf(node);
  return { indent, text, node, name: flat(node.name), bare: text === node.role };
}

function textLine(text: string, indent: number, node: TreeNode | undefined): Line {
  const said = flat(text);
  return { indent, text: `text: ${said}`, node, said };
}

/** Every line of a tree. Elements that say nothing by themselves have none. */
function* linesIn(
  nodes: readonly (TreeNode | string)[],
  indent = 0,
  parent?: TreeNode,
): Generator<Line, void> {
  for (const node of nodes)
    if (typeof node === 'string') {
      // A text that only repeats its parent's name says nothing.
      if (!parent?.name || flat(node) !== flat(parent.name)) yield textLine(node, indent, parent);
    } else if (node.role === 'generic' && !node.name && !node.interactive) {
      if (node.text) yield textLine(node.text, indent, node);
      yield* linesIn(node.children, indent, node);
    } else {
      yield elementLine(node, indent);
      yield* linesIn(node.children, indent + 1, node);
    }
}

/** Leaves out empty structure, and labels next to the fields that they name. */
function worthSaying(lines: readonly Line[]): Line[] {
  const kept: Line[] = [];
  // From the end, since a list may become empty when its items are dropped.
  for (const [index, line] of [...lines.entries()].reverse()) {
    const after = kept.at(-1);
    const empty = line.bare && (!after || after.indent <= line.indent);
    const labels = [lines[index - 1], after].some(
      other => line.said !== undefined && other?.indent === line.indent && other.name === line.said,
    );
    if (!empty && !labels) kept.push(line);
  }
  return kept.reverse();
}

function controlsIn(roots: readonly TreeNode[]): TreeNode[] {
  return [...nodesOf(roots)].filter(({ interactive }) => interactive);
}

/** A page's lines as they are compared, and shown to a model that did not ask. */
export function allLines(roots: readonly TreeNode[]): Line[] {
  return inBrief(worthSaying([...linesIn(roots)]));
}

/** The same, but only of controls in the viewport, headings and messages. */
export function tellingLines(roots: readonly TreeNode[]): Line[] {
  const lines = [...nodesOf(roots)].map(node => {
    if (node.interactive) return node.inView && elementLine(node, 0);
    const text = node.partInView && TELLING.has(node.role) && messageIn(node);
    return text && { indent: 0, text, node };
  });
  return inBrief(lines.filter(line => typeof line === 'object'));
}

/** What a heading or a message says, if anything. A heading that is a link is listed as the link. */
function messageIn(node: TreeNode): string | undefined {
  const isBox = node.role.endsWith('dialog');
  if (!isBox && controlsIn(node.children.filter(child => typeof child !== 'string')).length) return undefined;
  const line = lineOf(node);
  const said = node.name || node.text || isBox ? '' : shorten(textOf(node, 400), 300);
  if (said) return `${line}: ${said}`;
  return line === node.role ? undefined : line;
}

const MOST_OPTIONS = 12;

/** Puts a list's options on the line of the list, and leaves out the levels of headings. */
function inBrief(lines: readonly Line[]): Line[] {
  const brief: Line[] = [];
  for (const line of lines) {
    const isOption = line.node?.role === 'option' && brief.at(-1)?.node?.children.includes(line.node);
    const text = line.text.replace(/ \(level=\d\)/, '');
    if (!isOption) brief.push({ ...line, text: text + optionsOf(line.node) });
  }
  return brief;
}

/** After `combobox "Sort" [ref_7]`: `: Name (or Price, Age)` */
function optionsOf(node: TreeNode | undefined): string {
  const children = node?.children.filter(child => typeof child !== 'string') ?? [];
  const options = children.filter(({ role }) => role === 'option');
  if (options.length === 0) return '';
  const names = (isChosen: boolean) =>
    options
      .filter(({ states }) => Boolean(states.selected) === isChosen)
      .map(node => shorten(node.name || textOf(node, 100), 40));
  return `: ${names(true).join(', ')} (or ${few(names(false), MOST_OPTIONS)})`;
}

function partOf(roots: readonly TreeNode[], { filter, depth }: ReadOptions) {
  if (filter === 'interactive') {
    const controls = controlsIn(roots);
    const lines = controls.filter(({ inView }) => inView).map(node => elementLine(node, 0));
    return { lines, outside: controls.length - lines.length, deeper: 0 };
  }
  const isSeen = (node: TreeNode | undefined) => filter === 'all' || !node || node.partInView;
  const seen = [...linesIn(roots)].filter(({ node }) => isSeen(node));
  const near = seen.filter(({ indent }) => indent < (depth ?? DEFAULT_DEPTH));
  const outside = [...nodesOf(roots)].filter(
    node => !isSeen(node) && (node.role !== 'generic' || node.text !== '' || node.interactive),
  );
  return { lines: worthSaying(near), outside: outside.length, deeper: seen.length - near.length };
}

/** `header`, the lines of the tree, and a line for each reason why something is left out. */
export function readPage(header: string, roots: readonly TreeNode[], options: ReadOptions): string {
  const { outside, deeper, lines } = partOf(options.root ? [options.root] : roots, options);
  const all = lines.map(({ indent, text }) => `${'  '.repeat(indent)}- ${text}`);
  const kept = all.slice(0, countIn(MAX_CHARACTERS - RESERVE, all));
  const cut = all.length - kept.length;
  const left = [
    outside > 0 &&
      `(${outside} more elements are outside the viewport: read with filter "all", scroll, or use find.)`,
    deeper > 0 && `(${deeper} elements lie deeper: read with a larger depth, or from a ref.)`,
    cut > 0 &&
      `(${cut} more lines were left out at ${MAX_CHARACTERS} characters: read a part of the page by its ref, use a smaller depth or filter "interactive", or use find.)`,
  ];
  return [header, kept.join('\n') || '(nothing to read here)', ...left].filter(Boolean).join('\n');
}

const FRAME_LIMIT_MS = 2_000;
const MAX_FRAMES = 20;
const SCRIPT_LIMIT_MS = 10_000;

async function frameText(frame: Frame): Promise<string | undefined> {
  const text = await within(callInPage(frame, 'visibleText'), FRAME_LIMIT_MS);
  return text && inParagraphs(text);
}

export function inParagraphs(text: string): string {
  const single = (space: string) => (/\n\s*\n/.test(space) ? '\n\n' : space.replace(/[ \t]+/g, ' '));
  return text.trim().replace(/\s+/g, single);
}

/** The page's text: of the article if there is one, frames and shadow roots included. */
export async function pageText(page: Page): Promise<string> {
  const [main, ...frames] = page.frames().slice(0, MAX_FRAMES);
  const parts = [await frameText(main!)];
  if (parts[0] === undefined)
    throw new DriverError(
      `The page did not give its text within ${FRAME_LIMIT_MS / 1000} s: it is too large, or its scripts keep it busy. Take a screenshot, scroll, or wait and try again.`,
    );
  for (const frame of frames) {
    const text = await frameText(frame);
    if (text) parts.push(`--- frame ${frame.url()}\n${text}`);
  }
  const text = parts.join('\n\n');
  if (text.length <= MAX_CHARACTERS) return text;
  const cut = MAX_CHARACTERS - 200;
  return `${text.slice(0, cut)}…\n(${text.length - cut} more characters were left out at ${MAX_CHARACTERS}: use find, or read_page with a ref.)`;
}

export async function runScript(page: Page, text: string): Promise<string> {
  const late = () => new DriverError(`The script did not end within ${SCRIPT_LIMIT_MS / 1000} s.`);
  const value: unknown = await limited(page.evaluate(text), SCRIPT_LIMIT_MS, late);
  const shown = typeof value === 'string' ? value : (JSON.stringify(value, null, 1) ?? String(value));
  return cutText(shown, MAX_CHARACTERS - 60);
}
