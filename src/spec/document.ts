// A spec's source as one YAML document: its plain value, and the place of each part of it.
import { createRequire } from 'node:module';
import type { Alias, Node, Pair, Document as YamlDocument } from 'yaml';
import { messageOf } from '../text/line';
import { escapeControls, type SourceLocation, shown, TaskSpecYamlError } from './errors';

/** Loaded with the first spec: a suite may have none, and its workers import us, too. */
const yaml = (): typeof import('yaml') => createRequire(__filename)('yaml');

export const MAX_SOURCE_BYTES = 1024 * 1024;
export const TOO_LARGE = 'larger than 1 MiB: is it the right file?';
export const START: SourceLocation = { line: 1, column: 1 };
/** Each costs time in proportion to the whole document. */
const MAX_ALIASES = 100;

/** Where a node begins. */
type PlaceOf = (node: Node | null | undefined) => SourceLocation;

/**
 * Aliases can make the value shared or even circular.
 *
 * @throws TaskSpecYamlError only
 */
export function readDocument(
  source: string,
  filename: string | undefined,
): { value: unknown; locator: Locator } {
  const lines = new (yaml().LineCounter)();
  const placeOf = (offset: number): SourceLocation => {
    const { line, col } = lines.linePos(offset);
    return line < 1 ? START : { line, column: col };
  };
  const refuse = (reason: string, offset: number): never => {
    throw new TaskSpecYamlError(reason, placeOf(offset), filename);
  };
  const at: PlaceOf = node => placeOf(node?.range?.[0] ?? 0);
  if (typeof source !== 'string')
    return refuse(`the source must be a string of YAML, got ${source === null ? 'null' : typeof source}`, 0);
  if (Buffer.byteLength(source) > MAX_SOURCE_BYTES) return refuse(TOO_LARGE, 0);
  try {
    const [document, second] = yaml().parseAllDocuments(source.replace(/^\uFEFF/, ''), {
      lineCounter: lines,
      prettyErrors: false,
      stringKeys: true,
      // Without !!binary, !!set and the like, every value could also be JSON.
      resolveKnownTags: false,
    });
    if (!document) return { value: undefined, locator: createLocator(undefined, at) };
    const flaw = document.errors[0] ?? document.warnings.find(({ code }) => code === 'TAG_RESOLVE_FAILED');
    if (flaw) {
      const remedy =
        flaw.code === 'TAG_RESOLVE_FAILED' ? ': remove the tag, or put quotes around the text' : '';
      refuse(`${escapeControls(flaw.message)}${remedy}`, flaw.pos[0]);
    }
    if (second) refuse('a second document begins here, but a file holds one task spec', second.range[0]);
    checkAliases(document, refuse);
    return { value: document.toJS(), locator: createLocator(document, at) };
  } catch (error) {
    if (error instanceof TaskSpecYamlError) throw error;
    return refuse(`it can't be read: ${escapeControls(messageOf(error))}`, 0);
  }
}

function checkAliases(document: YamlDocument, refuse: (reason: string, offset: number) => never): void {
  const aliases: Alias[] = [];
  yaml().visit(document, { Alias: (_, node) => void aliases.push(node) });
  const offsetOf = (node: Alias | undefined) => node?.range?.[0] ?? 0;
  if (aliases.length > MAX_ALIASES)
    refuse(`more than ${MAX_ALIASES} aliases: write the values out`, offsetOf(aliases[MAX_ALIASES]));
  const lost = aliases.find(node => !node.resolve(document));
  if (lost)
    refuse(
      `${shown(`*${lost.source}`)} is a YAML alias without an anchor: put quotes around a text that begins with *`,
      offsetOf(lost),
    );
}

type SpecPath = readonly (string | number)[];

export type Locator = ReturnType<typeof createLocator>;

/** The value at a path, and the key in front of it. */
type Place = { key?: Node; value: Node | null };

function createLocator(document: YamlDocument | undefined, at: PlaceOf) {
  const { isAlias, isMap, isScalar, isSeq } = yaml();
  const inside = (place: Place | undefined, segment: string | number): Place | undefined => {
    const node = isAlias(place?.value) ? place.value.resolve(document!) : place?.value;
    const isAt = ({ key }: Pair) => isScalar(key) && key.value === segment;
    if (isMap(node)) return node.items.find(isAt) as Place | undefined;
    const isItem = isSeq(node) && typeof segment === 'number' && segment in node.items;
    return isItem ? { value: node.items[segment] as Node } : undefined;
  };
  const root = document?.contents as Node | null;
  const find = (path: SpecPath) => path.reduce(inside, { value: root } as Place | undefined);
  /** Where the value at a path begins; undefined if the file has none. */
  const value = (path: SpecPath): SourceLocation | undefined => {
    const found = find(path);
    if (!found) return undefined;
    const isEmpty = isScalar(found.value) && found.value.value === null && found.value.source === '';
    // An empty value has no place of its own: use its key's.
    return at((isEmpty || !found.value) && found.key ? found.key : found.value);
  };
  /** Where the last key of a path is. */
  const key = (path: SpecPath): SourceLocation | undefined => {
    const found = find(path)?.key;
    return found && at(found);
  };
  /** Where the value begins; if the file has none, the nearest value around it. */
  const nearest = (path: SpecPath): SourceLocation =>
    value(path) ?? (path.length ? nearest(path.slice(0, -1)) : at(root));
  return { value, nearest, key };
}
