// A page as a tree of its elements: Playwright's snapshot with boxes in pixels of the page's viewport, and with references
// of our own, such as `ref_7`, which are never used again for another element.
import type { Page } from '@playwright/test';
import { shorten } from '../../text/line';
import { DriverError } from '../actions/act';
import type { besideTree } from '../injected/document';
import type { Box, Point, Size } from '../injected/elements';
import { callOnAll } from '../on-elements';
import { assumedViewport, overlap } from '../session/pictures';
import { within } from '../waiting';

const SNAPSHOT_LIMIT_MS = 10_000;
/** The handle of a canvas begins with this: Playwright gives it no reference. */
const CANVAS = 'canvas >> nth=';
/** Types of inputs that models have to know: their values are set in a special way, or hidden. */
const TYPES = ['date', 'time', 'datetime-local', 'month', 'week', 'color', 'file', 'password', 'range'];
/** The document itself, and elements about which the accessibility tree says too little. */
const LOOKED_AT = `html,canvas,[role][aria-valuenow],[role][aria-valuetext],[contenteditable]:not([contenteditable=false]),input[readonly],textarea[readonly],${TYPES.map(type => `input[type=${type}]`)}`;
const INPUT_ROLES = ['textbox', 'button', 'slider'];
const VALUE_ROLES = ['slider', 'progressbar', 'spinbutton', 'meter', 'scrollbar', 'separator'];
const EDITABLE_ROLES = ['generic', 'textbox', 'paragraph', 'group'];

export type Snapshot = Awaited<ReturnType<Refs['snapshot']>>;

interface Owner {
  page: Page;
  words: string;
  role: string;
  name: string;
  path: string;
  /** Counts snapshots: the element was first seen in this one. */
  first: number;
  last: number;
}

export class Refs {
  private count = 0;
  private snapshots = 0;
  private readonly names = new Map<Page, Map<string, string>>();
  private readonly current = new Map<Page, Map<string, TreeNode>>();
  private readonly owners = new Map<string, Owner>();

  /** Reads the whole tab. Elements that are still there keep their references. */
  async snapshot(page: Page, timeout = SNAPSHOT_LIMIT_MS) {
    // Always the whole page: Playwright forgets references that are not in its newest snapshot.
    const reading = page.ariaSnapshotJSON({ mode: 'ai', boxes: true, timeout });
    const [raw, seen] = await Promise.all([reading.catch(tooLarge), lookAt(page, timeout)]);
    const { special, size, ...place } = seen;
    const canvases = special.filter(({ tag }) => tag === 'canvas');
    const fields = special.filter(({ tag }) => tag !== 'canvas');
    const roots = treeOf([raw, drawingsIn(canvases)].flat(), size);
    markFields(roots, fields);
    this.name(page, roots);
    return { roots, ...place };
  }

  wordsOf(ref: string): string | undefined {
    return this.owners.get(normal(ref))?.words;
  }

  nodeOf(page: Page, ref: string): TreeNode | undefined {
    return this.current.get(page)?.get(ref);
  }

  /** Throws, without waiting, if the reference is unknown or of another tab, or the element is gone. */
  async locate(page: Page, given: string) {
    const ref = normal(given);
    const owner = this.owners.get(ref);
    if (!owner)
      throw new DriverError(
        `There is no ${shorten(ref, 40)}. Call read_page or find, and use a reference from what they return.`,
      );
    if (owner.page !== page)
      throw new DriverError(
        `${ref} is in another tab. Switch to that tab, or name it with tab_id, or read this one again.`,
      );
    const known = await this.lookUp(page, ref);
    if (known) return known;
    // The element may still be there: if someone else took a snapshot, Playwright forgot the references of ours.
    await this.snapshot(page).catch(() => undefined);
    const found = (await this.lookUp(page, ref)) ?? (await this.renderedAnew(page, owner));
    if (found) return found;
    throw new DriverError(
      `${ref} (${owner.words}) is stale: the page has changed since it was read. Call read_page or find for references that are valid now.`,
    );
  }

  /** The only element on the page with the role and name of the one that is gone, if it is new: the page rendered it again. */
  private async renderedAnew(page: Page, gone: Owner) {
    if (!gone.name || gone.path !== addressOf(page)) return undefined;
    const now = [...(this.current.get(page) ?? [])];
    const [same, another] = now.filter(([, { role, name }]) => role === gone.role && name === gone.name);
    const isNew = same && !another && this.owners.get(same[0])!.first > gone.last;
    return isNew ? this.lookUp(page, same[0]) : undefined;
  }

  private async lookUp(page: Page, ref: string) {
    const node = this.current.get(page)?.get(ref);
    if (!node?.handle) return undefined;
    const locator = node.handle.startsWith(CANVAS) ? page.locator(node.handle) : page.getByRef(node.handle);
    // Playwright would wait for a removed element, and throws if its frame is gone.
    const count = await locator.count().catch(() => 0);
    return count === 1 ? { locator, node, ref } : undefined;
  }

  private name(page: Page, roots: TreeNode[]): void {
    const names = this.names.get(page) ?? new Map<string, string>();
    const current = new Map<string, TreeNode>();
    const path = addressOf(page);
    const number = ++this.snapshots;
    for (const node of nodesOf(roots)) {
      if (!node.handle) continue;
      // Playwright gives a new reference if the role or name changes, but counts from the start after a navigation.
      const key = `${node.handle} ${node.role} ${node.name}`;
      const ref = names.get(key) ?? `ref_${++this.count}`;
      names.set(key, ref);
      node.ref = ref;
      current.set(ref, node);
      const first = this.owners.get(ref)?.first ?? number;
      const { role, name } = node;
      this.owners.set(ref, { page, words: words(node), role, name, path, first, last: number });
    }
    this.names.set(page, names);
    this.current.set(page, current);
  }
}

const addressOf = (page: Page) => page.url().split(/[?#]/)[0]!;

function tooLarge(error: Error): never {
  if (!/Timeout/.test(error.message)) throw error;
  throw new DriverError(
    'The page did not give its elements in time: it is too large, or its scripts keep it busy. Take a screenshot and act by coordinates, scroll, or wait and try again.',
  );
}

type Special = ReturnType<typeof besideTree>[number];

/** What the tree does not tell about a page; defaults if the page does not answer. */
async function lookAt(page: Page, timeout: number) {
  const all = await within(callOnAll(page.locator(LOOKED_AT), 'besideTree', undefined, timeout), timeout);
  const size = all?.[0]?.size ?? assumedViewport(page);
  const { above = 0, below = 0, document = 0 } = all?.[0] ?? {};
  return { size, above, below, document, special: all?.slice(1) ?? [] };
}

/**
 * In the accessibility tree, a date field looks like a text field, an editable element like any other, and a library's slider
 * has no value. The page tells more about them; a node and an element with the same box are the same.
 */
function markFields(roots: TreeNode[], special: readonly Special[]): void {
  const keyOf = ({ x, y, width, height }: Box) => [x, y, width, height].map(Math.round).join();
  const fields = new Map(special.map(each => [keyOf(each.box), each]));
  for (const node of nodesOf(roots)) {
    const key = node.box && node.handle ? keyOf(node.box) : '';
    const field = fields.get(key);
    if (!field) continue;
    if (VALUE_ROLES.includes(node.role)) node.text ||= field.value;
    // A paragraph may fill its editor: the outermost element is the editor.
    if (markField(node, field)) fields.delete(key);
  }
}

/** @returns whether the node is that field */
function markField(node: TreeNode, { tag, type, readonly }: Special): boolean {
  const isInput = /^(?:input|textarea)$/.test(tag);
  if (!(isInput ? INPUT_ROLES : EDITABLE_ROLES).includes(node.role)) return false;
  node.interactive = true;
  if (!isInput) node.role = 'textbox';
  else if (type && TYPES.includes(type)) node.inputType = type;
  node.states.readonly ??= readonly;
  if (type === 'password' && node.text) node.text = '•'.repeat(8);
  return true;
}

/** Canvases without a role, in the form of the snapshot, which leaves them out. */
function drawingsIn(canvases: readonly Special[]) {
  return canvases.flatMap(({ box, label, hasRole }, index) => {
    if (hasRole || box.width === 0) return [];
    const [x, y, width, height] = [box.x, box.y, box.width, box.height].map(Math.round);
    const told = {
      at: `${x},${y}`,
      size: `${width}x${height}`,
      'only a screenshot shows what is on it': true,
    };
    return [{ role: 'canvas', name: label, ref: `${CANVAS}${index}`, box, cursor: 'pointer', ...told }];
  });
}

/** Models also write `[ref_7]` and `7`. */
function normal(ref: string): string {
  const digits = /^\[?(?:ref[_-]?)?(\d+)\]?$/i.exec(ref.trim())?.[1];
  return digits ? `ref_${digits}` : ref.trim();
}

export interface TreeNode {
  role: string;
  name: string;
  text: string;
  handle: string | undefined;
  /** The model's reference: `ref_7`. Set by Refs. */
  ref?: string;
  /** In pixels of the page's viewport, also in frames. */
  box: Box | undefined;
  /** Whether a part of it is inside the viewport, and inside the viewport of its frame. */
  inView: boolean;
  /** Whether that is true of it, or of anything in it. */
  partInView: boolean;
  interactive: boolean;
  /** `type` of an input that takes its value in a special way. */
  inputType?: string;
  /** checked, disabled, expanded, level, pressed, selected, url, placeholder ... */
  states: Record<string, string | number | boolean>;
  children: (TreeNode | string)[];
}

const INTERACTIVE =
  /^(?:button|link|textbox|searchbox|checkbox|radio|switch|combobox|listbox|option|menuitem(?:checkbox|radio)?|tab|slider|spinbutton|treeitem)$/;
const NO_STATES = /^(?:role|name|text|ref|box|children|cursor)$/;

type Raw = Record<string, unknown>;

interface Scope extends Point {
  clip: Box;
  parentInView: boolean;
}

function convert(raw: Raw, scope: Scope): TreeNode {
  const given = raw.box as Box | undefined;
  const box = given && { ...given, x: given.x + scope.x, y: given.y + scope.y };
  const sized = box && (box.width > 0 || box.height > 0);
  const seen = sized ? overlap(box, scope.clip) : undefined;
  const inView = seen ? seen.width >= 0 && seen.height >= 0 : scope.parentInView;
  const role = String(raw.role ?? 'generic');
  const states = Object.fromEntries(
    Object.entries(raw).filter(([key, value]) => !NO_STATES.test(key) && typeof value !== 'object'),
  ) as TreeNode['states'];
  const frame = role === 'iframe' && box && seen ? { x: box.x, y: box.y, clip: seen } : {};
  const inner = { ...scope, ...frame, parentInView: inView };
  const children = ((raw.children as (string | Raw)[]) ?? []).map(child =>
    typeof child === 'string' ? child : convert(child, inner),
  );
  return {
    role,
    name: String(raw.name ?? ''),
    text: typeof raw.text === 'string' ? raw.text : '',
    handle: raw.ref as string | undefined,
    box,
    inView,
    partInView: inView || children.some(child => typeof child !== 'string' && child.partInView),
    interactive: raw.ref !== undefined && (INTERACTIVE.test(role) || raw.cursor === 'pointer'),
    states,
    children,
  };
}

/** @param snapshot result of `page.ariaSnapshotJSON({ mode: 'ai', boxes: true })` */
export function treeOf(snapshot: unknown, viewport: Size): TreeNode[] {
  const roots = [snapshot].flat().filter((root): root is Raw => typeof root === 'object' && root !== null);
  const scope = { x: 0, y: 0, clip: { x: 0, y: 0, ...viewport }, parentInView: true };
  return roots.map(root => convert(root, scope));
}

export function* nodesOf(roots: readonly (TreeNode | string)[]): Generator<TreeNode> {
  for (const node of roots) {
    if (typeof node === 'string') continue;
    yield node;
    yield* nodesOf(node.children);
  }
}

export function textOf(node: TreeNode, most = 2_000): string {
  const parts: string[] = [];
  let length = 0;
  const add = ({ text, children }: TreeNode): void => {
    for (const child of text ? [text] : children) {
      if (length > most) return;
      const own = typeof child === 'string' ? child : child.name;
      if (own) {
        parts.push(own);
        length += own.length;
      } else if (typeof child !== 'string') add(child);
    }
  };
  add(node);
  return parts.join(' ');
}

export function words(node: TreeNode): string {
  const role = node.role === 'generic' ? 'element' : node.role;
  const label = node.name || textOf(node, 200);
  return label ? `${role} "${shorten(label, 60)}"` : role;
}
