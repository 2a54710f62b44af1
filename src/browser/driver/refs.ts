// What the model calls `ref_7`: Playwright's references under names of our own that no other element ever gets.
import type { Locator, Page } from '@playwright/test';
import { DriverError } from './errors';
import { nodesOf, type TreeNode, treeOf, words } from './tree';

const SNAPSHOT_LIMIT_MS = 10_000;
const SPECIAL_INPUTS = [
  ...['date', 'time', 'datetime-local', 'month', 'week', 'color', 'file', 'password', 'range'].map(
    type => `input[type=${type}]`,
  ),
  '[contenteditable]:not([contenteditable=false])',
].join(',');
const INPUT_ROLES = new Set(['textbox', 'button', 'slider']);
const EDITABLE_ROLES = new Set(['generic', 'textbox', 'paragraph', 'group']);

export interface Located {
  page: Page;
  locator: Locator;
  node: TreeNode;
  ref: string;
}

export async function viewportOf(page: Page): Promise<{ width: number; height: number }> {
  return page.viewportSize() ?? page.evaluate(() => ({ width: innerWidth, height: innerHeight }));
}

export class Refs {
  private count = 0;
  /** Every name ever given, by tab and by what it was given to. */
  private readonly names = new Map<Page, Map<string, string>>();
  /** What the newest snapshot of a tab holds. */
  private readonly current = new Map<Page, Map<string, TreeNode>>();
  private readonly owners = new Map<string, { page: Page; words: string }>();

  /** Reads the whole tab. Names of elements that are still there stay as they were. */
  async snapshot(page: Page): Promise<TreeNode[]> {
    // Always the whole page: Playwright forgets the references that its newest snapshot does not hold.
    const raw = await page.ariaSnapshotJSON({ mode: 'ai', boxes: true, timeout: SNAPSHOT_LIMIT_MS });
    const roots = treeOf(raw, await viewportOf(page));
    await this.markSpecial(page, roots);
    this.name(page, roots);
    return roots;
  }

  /** The words of a ref as it was last read; undefined for one that was never given. */
  wordsOf(ref: string): string | undefined {
    return this.owners.get(normal(ref))?.words;
  }

  /** The element in the newest snapshot. */
  nodeOf(page: Page, ref: string): TreeNode | undefined {
    return this.current.get(page)?.get(ref);
  }

  /**
   * @throws DriverError, without waiting, if the ref is unknown, of another tab, or of an element that is gone.
   */
  async locate(page: Page, given: string): Promise<Located> {
    const ref = normal(given);
    const owner = this.owners.get(ref);
    if (!owner)
      throw new DriverError(
        `There is no ${ref}. Call read_page or find, and use a reference from what they return.`,
      );
    if (owner.page !== page)
      throw new DriverError(`${ref} is in another tab. Name that tab with tab_id, or read this one again.`);
    let found = await this.lookUp(page, ref);
    if (!found) {
      // Someone else's snapshot of the page makes Playwright forget ours, while the element is still there.
      await this.snapshot(page).catch(() => undefined);
      found = await this.lookUp(page, ref);
    }
    if (found) return found;
    throw new DriverError(
      `${ref} (${owner.words}) is stale: the page has changed since it was read. Call read_page or find for references that are valid now.`,
    );
  }

  private async lookUp(page: Page, ref: string): Promise<Located | undefined> {
    const node = this.current.get(page)?.get(ref);
    if (!node?.handle) return undefined;
    const locator = page.getByRef(node.handle);
    // Playwright would wait for an element that is gone, and throws if its frame is.
    const count = await locator.count().catch(() => 0);
    return count === 1 ? { page, locator, node, ref } : undefined;
  }

  private name(page: Page, roots: TreeNode[]): void {
    const names = this.names.get(page) ?? new Map<string, string>();
    const current = new Map<string, TreeNode>();
    for (const node of nodesOf(roots)) {
      if (!node.handle) continue;
      // Playwright gives a new reference if role or name change, but begins to count anew after a navigation.
      const key = `${node.handle} ${node.role} ${node.name}`;
      const ref = names.get(key) ?? `ref_${++this.count}`;
      names.set(key, ref);
      node.ref = ref;
      current.set(ref, node);
      this.owners.set(ref, { page, words: words(node) });
    }
    this.names.set(page, names);
    this.current.set(page, current);
  }

  /**
   * The accessibility tree tells a date field from a text field as little as an editable element from any other.
   * The page does, and an equal box says which is which.
   */
  private async markSpecial(page: Page, roots: TreeNode[]): Promise<void> {
    const found = await page
      .locator(SPECIAL_INPUTS)
      .evaluateAll(elements =>
        elements.map(element => {
          const { x, y, width, height } = element.getBoundingClientRect();
          return { key: [x, y, width, height].map(Math.round).join(), type: element.getAttribute('type') };
        }),
      )
      .catch(() => []);
    if (found.length === 0) return;
    const types = new Map(found.map(({ key, type }) => [key, type]));
    for (const node of nodesOf(roots)) {
      if (!node.box || !node.handle) continue;
      const { x, y, width, height } = node.box;
      const key = [x, y, width, height].map(Math.round).join();
      const type = types.get(key);
      if (type === undefined || !(type === null ? EDITABLE_ROLES : INPUT_ROLES).has(node.role)) continue;
      // An editor's only paragraph may fill it: the outermost one is the editor.
      types.delete(key);
      node.interactive = true;
      if (type === null) node.role = 'textbox';
      else node.inputType = type;
      if (type === 'password' && node.text) node.text = '•'.repeat(8);
    }
  }
}

/** Models write `[ref_7]` and `7` as well. */
function normal(ref: string): string {
  const digits = /^\[?(?:ref[_-]?)?(\d+)\]?$/i.exec(ref.trim())?.[1];
  return digits ? `ref_${digits}` : ref.trim();
}
