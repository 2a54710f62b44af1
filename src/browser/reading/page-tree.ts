// A page as text for the model: one line per element, with references to act on; or as people read it.

import type { Frame, Page } from '@playwright/test';
import { countIn, few, flat, shorten } from '../../text/line';
import { DriverError } from '../actions/act';
import { callInPage } from '../in-page';
import { within } from '../waiting';
import { nodesOf, type TreeNode, textOf } from './tree';

export const MAX_CHARACTERS = 50_000;
const DEFAULT_DEPTH = 15;
/** Room for the lines that say what was left out. */
const RESERVE = 600;

/** Roles that get a reference besides controls: a model may scroll to them, or read them alone. */
const REFERRED = new Set(
  'dialog alertdialog form table grid list tree menu tablist radiogroup region main navigation search complementary iframe'.split(
    ' ',
  ),
);
const QUIET_STATES = new Set(['url', 'placeholder', 'active']);

/** Roles that tell how an action ended. */
export const TELLING = new Set('heading status alert alertdialog dialog log progressbar'.split(' '));

export interface ReadOptions {
  /** `interactive`: controls. `telling`: controls, headings and messages. Default: what is in the viewport. */
  filter?: 'all' | 'interactive' | 'telling' | null;
  depth?: number | null;
  /** Only this subtree. */
  root?: TreeNode;
}

/** An element on one line: `button "Sign in" [ref_7] (disabled)`. */
export function lineOf(node: TreeNode, withText = true): string {
  const notes = Object.entries(node.states)
    .filter(([key, value]) => !QUIET_STATES.has(key) && value !== false)
    .map(([key, value]) => (value === true ? key : `${key}=${value}`));
  if (node.inputType) notes.push(`type=${node.inputType}`);
  const { placeholder, url } = node.states;
  if (placeholder && placeholder !== node.name)
    notes.push(`placeholder="${shorten(String(placeholder), 80)}"`);
  if (url && !node.name && !textOf(node, 1)) notes.push(`url=${shorten(String(url), 120)}`);
  if (node.interactive && node.role === 'generic') notes.push('clickable');
  const hasRef = node.ref && (node.interactive || REFERRED.has(node.role));
  return [
    node.role,
    node.name && `"${shorten(node.name, 400)}"`,
    hasRef && `[${node.ref}]`,
    notes.length > 0 && `(${notes.join(', ')})`,
    withText && node.text && node.text !== node.name && `: ${flat(node.text)}`,
  ]
    .filter(Boolean)
    .join(' ')
    .replace(/ : /, ': ');
}

export interface Entry {
  indent: number;
  text: string;
  /** Its element; for a text, the element around it. */
  node: TreeNode | undefined;
  /** The text, if the line is only text. */
  said?: string;
  name?: string;
  /** The line is only a role, so it says nothing by itself. */
  bare?: boolean;
}

class Listing {
  private readonly entries: Entry[] = [];
  outside = 0;
  deeper = 0;
  cut = 0;

  constructor(private readonly options: ReadOptions) {}

  add(nodes: readonly (TreeNode | string)[], indent = 0, parent?: TreeNode): void {
    for (const node of nodes) {
      if (typeof node === 'string') this.say(indent, node, parent);
      else this.element(node, indent);
    }
  }

  text(): string {
    const lines = this.worthSaying().map(({ indent, text }) => `${'  '.repeat(indent)}- ${text}`);
    const kept = lines.slice(0, countIn(MAX_CHARACTERS - RESERVE, lines));
    this.cut = lines.length - kept.length;
    return kept.join('\n');
  }

  private element(node: TreeNode, indent: number): void {
    const { filter } = this.options;
    if (filter !== 'all' && !node.partInView) {
      this.outside += [...nodesOf([node])].filter(each => this.counts(each)).length;
      return;
    }
    if (filter === 'interactive' || filter === 'telling') this.interactive(node);
    else if (node.role === 'generic' && !node.name && !node.interactive && !node.text)
      this.add(node.children, indent, node);
    else if (indent >= (this.options.depth ?? DEFAULT_DEPTH)) this.deeper += [...nodesOf([node])].length;
    else {
      this.own(node, indent);
      this.add(this.worthReading(node), indent + 1, node);
    }
  }

  private interactive(node: TreeNode): void {
    if (node.interactive && (node.inView || node.role === 'option')) this.own(node, 0);
    else if (node.interactive) this.outside++;
    else if (this.options.filter === 'telling' && TELLING.has(node.role)) this.tell(node);
    // The text in a button is in its name already.
    this.add(node.children.filter(child => typeof child !== 'string'));
  }

  /** A heading that is a link is listed as the link. */
  private tell(node: TreeNode): void {
    const acts = [...nodesOf(node.children)].some(({ interactive }) => interactive);
    const isBox = node.role.endsWith('dialog');
    if (acts && !isBox) return;
    const line = lineOf(node);
    const said = node.name || node.text || isBox ? '' : shorten(textOf(node, 400), 300);
    if (said || line !== node.role)
      this.entries.push({ indent: 0, text: said ? `${line}: ${said}` : line, node });
  }

  private own(node: TreeNode, indent: number): void {
    if (node.role === 'generic' && !node.name && !node.interactive) {
      this.say(indent, node.text, node);
      return;
    }
    const text = lineOf(node);
    this.entries.push({ indent, text, node, name: flat(node.name), bare: text === node.role });
  }

  private say(indent: number, text: string, node: TreeNode | undefined): void {
    const said = flat(text);
    this.entries.push({ indent, text: `text: ${said}`, node, said });
  }

  /** Without empty structure, and without labels next to the fields that they name. */
  worthSaying(): Entry[] {
    const kept: Entry[] = [];
    // From the end, since a list may become empty when its items are dropped.
    for (let index = this.entries.length - 1; index >= 0; index--) {
      const entry = this.entries[index]!;
      const after = kept.at(-1);
      const empty = entry.bare && (!after || after.indent <= entry.indent);
      const labels = [this.entries[index - 1], after].some(
        other => entry.said !== undefined && other?.indent === entry.indent && other.name === entry.said,
      );
      if (!empty && !labels) kept.push(entry);
    }
    return kept.reverse();
  }

  /** A child that only repeats its parent's name says nothing. */
  private worthReading(node: TreeNode): (TreeNode | string)[] {
    if (!node.name) return node.children;
    const name = flat(node.name);
    return node.children.filter(child => flat(typeof child === 'string' ? child : '') !== name);
  }

  private counts(node: TreeNode): boolean {
    if (this.options.filter === 'interactive') return node.interactive;
    return node.role !== 'generic' || node.text !== '' || node.interactive;
  }
}

const MOST_OPTIONS = 12;

/** All lines of a tree, with the options of a list on the line of the list. */
export function entriesOf(roots: readonly TreeNode[], options: ReadOptions): Entry[] {
  const listing = new Listing(options);
  listing.add(roots);
  const entries: Entry[] = [];
  for (const entry of listing.worthSaying()) {
    const isOption = entry.node?.role === 'option' && entries.at(-1)?.node?.children.includes(entry.node);
    if (!isOption) entries.push(withOptions({ ...entry, text: entry.text.replace(/ \(level=\d\)/, '') }));
  }
  return entries;
}

/** `combobox "Sort" [ref_7]: Name (or Price, Age)` */
function withOptions(entry: Entry): Entry {
  const children = entry.node?.children ?? [];
  const options = children.filter(child => typeof child !== 'string').filter(({ role }) => role === 'option');
  if (options.length === 0) return entry;
  const names = (isChosen: boolean) =>
    options
      .filter(({ states }) => Boolean(states.selected) === isChosen)
      .map(node => shorten(node.name || textOf(node, 100), 40));
  const chosen = names(true).join(', ');
  return { ...entry, text: `${entry.text}: ${chosen} (or ${few(names(false), MOST_OPTIONS)})` };
}

/** `header`, the lines of the tree, and a line for each reason why something is left out. */
export function readPage(header: string, roots: readonly TreeNode[], options: ReadOptions = {}): string {
  const listing = new Listing(options);
  listing.add(options.root ? [options.root] : roots);
  const body = listing.text() || '(nothing to read here)';
  const left = [
    listing.outside > 0 &&
      `(${listing.outside} more elements are outside the viewport: read with filter "all", scroll, or use find.)`,
    listing.deeper > 0 && `(${listing.deeper} elements lie deeper: read with a larger depth, or from a ref.)`,
    listing.cut > 0 &&
      `(${listing.cut} more lines were left out at ${MAX_CHARACTERS} characters: read a part of the page by its ref, use a smaller depth or filter "interactive", or use find.)`,
  ];
  return [header, body, ...left].filter(Boolean).join('\n');
}

const FRAME_LIMIT_MS = 2_000;
const MAX_FRAMES = 20;
const SCRIPT_LIMIT_MS = 10_000;

/** Undefined if the frame does not answer in time. */
async function frameText(frame: Frame): Promise<string | undefined> {
  const text = await within(callInPage(frame, 'visibleText'), FRAME_LIMIT_MS);
  return text
    ?.replace(/[ \t]+/g, ' ')
    .replace(/\s*\n\s*\n\s*/g, '\n\n')
    .trim();
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

/** The value of the last expression, as JSON if possible. */
export async function runScript(page: Page, text: string): Promise<string> {
  const [outcome] = (await within(Promise.allSettled([page.evaluate(text)]), SCRIPT_LIMIT_MS)) ?? [];
  if (!outcome) throw new DriverError(`The script did not end within ${SCRIPT_LIMIT_MS / 1000} s.`);
  if (outcome.status === 'rejected')
    throw new DriverError(outcome.reason.message.replace(/^page\.evaluate: /, '').split('\n    at')[0]!);
  const { value } = outcome;
  const shown = typeof value === 'string' ? value : (JSON.stringify(value, null, 1) ?? String(value));
  return shown.length > MAX_CHARACTERS
    ? `${shown.slice(0, MAX_CHARACTERS - 60)}…\n(cut at ${MAX_CHARACTERS} characters)`
    : shown;
}
