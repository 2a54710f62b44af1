// Finds the line and column of a path in a spec, such as `assertions[0].selector`.
import { type Alias, isAlias, isMap, isScalar, isSeq, type Node, type Pair, type YAMLMap } from 'yaml';
import { type SourceLocation, shown } from './errors';

export type SpecPath = readonly (string | number)[];

export interface Locator {
  /** Where the value at a path begins; undefined if the file has none. */
  value(path: SpecPath): SourceLocation | undefined;
  /** Where the value begins; if the file has none, the nearest value around it. */
  nearest(path: SpecPath): SourceLocation;
  /** Where the last key of a path is. */
  key(path: SpecPath): SourceLocation | undefined;
}

/** The value at a path, and the key in front of it. */
interface Place {
  key?: Node;
  value: Node | null;
}

export function createLocator(
  root: Node | null,
  aliases: ReadonlyMap<Alias, Node>,
  at: (offset: number | undefined) => SourceLocation,
): Locator {
  const pairs = new WeakMap<YAMLMap, Map<unknown, Pair>>();
  const pairOf = (map: YAMLMap, key: string | number): Pair | undefined => {
    let known = pairs.get(map);
    if (!known) {
      known = new Map(map.items.map(pair => [isScalar(pair.key) ? pair.key.value : pair.key, pair]));
      pairs.set(map, known);
    }
    return known.get(key);
  };

  const step = (from: Node | null | undefined, segment: string | number): Place | undefined => {
    const node = isAlias(from) ? aliases.get(from) : from;
    if (isSeq(node) && typeof segment === 'number')
      return segment in node.items ? { value: node.items[segment] as Node } : undefined;
    const pair = isMap(node) ? pairOf(node, segment) : undefined;
    return pair && { key: pair.key as Node, value: pair.value as Node | null };
  };

  const find = (path: SpecPath): Place | undefined =>
    path.reduce<Place | undefined>((place, segment) => place && step(place.value, segment), { value: root });

  const value = (path: SpecPath): SourceLocation | undefined => {
    const found = find(path);
    if (!found) return undefined;
    // An empty value has no place of its own: use its key's.
    const node = isEmpty(found.value) ? (found.key ?? found.value) : found.value;
    return at(node?.range?.[0]);
  };

  return {
    value,
    key: path => {
      const key = find(path)?.key;
      return key && at(key.range?.[0]);
    },
    nearest: path => {
      for (let length = path.length; length > 0; length--) {
        const found = value(path.slice(0, length));
        if (found) return found;
      }
      return at(root?.range?.[0]);
    },
  };
}

function isEmpty(node: Node | null): boolean {
  return node === null || (isScalar(node) && node.value === null && node.source === '');
}

/** `assertions[0].selector`; ambiguous names are quoted: `["a.b"]`. */
export function formatPath(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, segment) => {
    if (typeof segment === 'number') return `${text}[${segment}]`;
    const name = String(segment);
    if (!/^[\w$-]{1,60}$/.test(name)) return `${text}[${shown(name)}]`;
    return text === '' ? name : `${text}.${name}`;
  }, '');
}

/** The segments of a path that `formatPath` wrote. */
export function parsePath(path: string): (string | number)[] {
  return [...path.matchAll(/\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]|[^.[\]]+/g)].map(([name, index, quoted]) => {
    if (index !== undefined) return Number(index);
    return quoted === undefined ? name : (JSON.parse(quoted) as string);
  });
}
