// The accessibility tree as the driver keeps it: Playwright's snapshot, with all boxes in pixels of the page's viewport.
import { shorten } from '../../text/line';
import type { Box } from '../injected/elements';

export interface TreeNode {
  role: string;
  name: string;
  /** Its text, if that is its only child. */
  text: string;
  /** Playwright's own reference, if the element has one. */
  handle: string | undefined;
  /** The model's reference: `ref_7`. Set by Refs. */
  ref: string | undefined;
  /** In pixels of the page's viewport, also in frames. */
  box: Box | undefined;
  /** Whether a part of it is inside the viewport, and inside the viewport of its frame. */
  inView: boolean;
  /** Whether it, or anything in it, is in view. */
  partInView: boolean;
  /** Whether a person could act on it. */
  interactive: boolean;
  /** `type` of an input that takes its value in a special way. */
  inputType: string | undefined;
  /** checked, disabled, expanded, level, pressed, selected, url, placeholder ... */
  states: Record<string, string | number | boolean>;
  children: (TreeNode | string)[];
}

const INTERACTIVE = new Set(
  'button link textbox searchbox checkbox radio switch combobox listbox option menuitem menuitemcheckbox menuitemradio tab slider spinbutton treeitem'.split(
    ' ',
  ),
);
const NOT_STATES = new Set(['role', 'name', 'text', 'ref', 'box', 'children', 'cursor']);

type Raw = Record<string, unknown>;

function intersect(a: Box, b: Box): Box {
  const x = Math.max(a.x, b.x);
  const y = Math.max(a.y, b.y);
  return {
    x,
    y,
    width: Math.min(a.x + a.width, b.x + b.width) - x,
    height: Math.min(a.y + a.height, b.y + b.height) - y,
  };
}

interface Scope {
  offset: { x: number; y: number };
  /** The visible part of the frame. */
  clip: Box;
  parentInView: boolean;
}

function convert(raw: Raw, scope: Scope): TreeNode {
  const { x, y } = scope.offset;
  const given = raw.box as Box | undefined;
  const box = given && { ...given, x: given.x + x, y: given.y + y };
  const sized = box && (box.width > 0 || box.height > 0);
  const seen = sized ? intersect(box, scope.clip) : undefined;
  const inView = seen ? seen.width >= 0 && seen.height >= 0 : scope.parentInView;
  const role = String(raw.role ?? 'generic');
  const states = Object.fromEntries(
    Object.entries(raw).filter(([key, value]) => !NOT_STATES.has(key) && typeof value !== 'object'),
  ) as TreeNode['states'];
  const frame = role === 'iframe' && box && seen;
  const inner: Scope = frame
    ? { offset: { x: box.x, y: box.y }, clip: seen, parentInView: inView }
    : { ...scope, parentInView: inView };
  const children = ((raw.children as (string | Raw)[]) ?? []).map(child =>
    typeof child === 'string' ? child : convert(child, inner),
  );
  return {
    role,
    name: String(raw.name ?? ''),
    text: typeof raw.text === 'string' ? raw.text : '',
    handle: raw.ref as string | undefined,
    ref: undefined,
    box,
    inView,
    partInView: inView || children.some(child => typeof child !== 'string' && child.partInView),
    interactive: raw.ref !== undefined && (INTERACTIVE.has(role) || raw.cursor === 'pointer'),
    inputType: undefined,
    states,
    children,
  };
}

/** @param snapshot result of `page.ariaSnapshotJSON({ mode: 'ai', boxes: true })` */
export function treeOf(snapshot: unknown, viewport: { width: number; height: number }): TreeNode[] {
  const scope: Scope = { offset: { x: 0, y: 0 }, clip: { x: 0, y: 0, ...viewport }, parentInView: true };
  const roots = Array.isArray(snapshot) ? snapshot : [snapshot];
  return roots
    .filter(root => typeof root === 'object' && root !== null)
    .map(root => convert(root as Raw, scope));
}

/** Parents before children. */
export function* nodesOf(roots: readonly (TreeNode | string)[]): Generator<TreeNode> {
  for (const node of roots) {
    if (typeof node === 'string') continue;
    yield node;
    yield* nodesOf(node.children);
  }
}

/** The text in a node, cut soon after `most` characters. */
export function textOf(node: TreeNode, most = 2_000): string {
  const parts: string[] = [];
  let length = 0;
  const add = ({ text, children }: TreeNode): void => {
    for (const child of text ? [text] : children) {
      if (length > most) return;
      const own = typeof child === 'string' ? child : child.name;
      if (own) length += parts.push(own) && own.length;
      else if (typeof child !== 'string') add(child);
    }
  };
  add(node);
  return parts.join(' ');
}

/** An element in words: `button "Sign in"`. */
export function words(node: TreeNode): string {
  const role = node.role === 'generic' ? 'element' : node.role;
  const label = node.name || textOf(node, 200);
  return label ? `${role} "${shorten(label, 60)}"` : role;
}
