// Groups, sums, the least number and the order of texts.

/** In the order of the first item of each group. */
export function groupBy<Item, Key>(
  items: Iterable<Item>,
  keyOf: (item: Item) => Key,
): Map<Key, [Item, ...Item[]]> {
  const groups = new Map<Key, [Item, ...Item[]]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}

/** By code unit, not localeCompare: the order must be the same on every machine. */
export const compareText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

/** Undefined if no number is known. */
export function leastOf(numbers: readonly (number | undefined)[]): number | undefined {
  const known = numbers.filter(number => number !== undefined);
  return known.length ? Math.min(...known) : undefined;
}

export const sumOf = <Item>(items: readonly Item[], numberOf: (item: Item) => number) =>
  items.reduce((sum, item) => sum + numberOf(item), 0);
