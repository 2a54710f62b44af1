import { expect, test } from 'vitest';
import { findText } from '../../../../src/browser/reading/find';
import { nodesOf, treeOf } from '../../../../src/browser/reading/snapshot';

/** A list of so many rows, and how often the tree under it is looked into while it is searched. */
function lookups(rows: number): number {
  const items = Array.from({ length: rows }, (_, row) => ({
    role: 'listitem',
    ref: `e${row}`,
    children: [{ role: 'link', name: `Item ${row}`, ref: `l${row}` }],
  }));
  const roots = treeOf([{ role: 'list', ref: 'list', children: items }], { width: 100, height: 100 });
  let count = 0;
  for (const node of nodesOf(roots)) {
    const { children } = node;
    node.ref = `ref_${node.handle}`;
    Object.defineProperty(node, 'children', { get: () => ++count && children });
  }
  expect(findText('item 7', roots)).toContain('"Item 7"');
  return count;
}

test('searching takes as many looks for each element of a long list as of a short one', () => {
  const [short, long] = [lookups(100) / 100, lookups(2_000) / 2_000];
  expect(long).toBeLessThan(short * 1.5);
});
