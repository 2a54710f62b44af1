// A spec's source as one YAML document: its plain value, and the place of each part of it.
import { createRequire } from 'node:module';
import type { Alias, CST, Document, LineCounter, Node, Pair, YAMLError } from 'yaml';
import { messageOf } from '../text/error-message';
import { escapeControls, type SourceLocation, shown, TaskSpecYamlError } from './errors';

/** Loaded with the first spec: a suite may have none, and its workers import us, too. */
const yaml = (): typeof import('yaml') => createRequire(__filename)('yaml');

export interface SpecDocument {
  /** Plain data. Aliases in the document can make it shared or even circular. */
  value: unknown;
  locator: Locator;
}

export const MAX_SOURCE_BYTES = 1024 * 1024;
export const TOO_LARGE = 'larger than 1 MiB: is it the right file?';
export const START: SourceLocation = { line: 1, column: 1 };

/** @throws TaskSpecYamlError only. */
export function readDocument(source: string, filename: string | undefined): SpecDocument {
  try {
    return read(source, filename);
  } catch (error) {
    if (error instanceof TaskSpecYamlError) throw error;
    throw new TaskSpecYamlError(`it can't be read: ${messageOf(error)}`, START, filename);
  }
}

/** Where a node begins. */
type PlaceOf = (node: Node | null | undefined) => SourceLocation;
type Refuse = (reason: string, at: SourceLocation) => never;

function read(source: string, filename: string | undefined): SpecDocument {
  const refuse: Refuse = (reason, at) => {
    throw new TaskSpecYamlError(reason, at, filename);
  };
  if (typeof source !== 'string')
    refuse(`the source must be a string of YAML, got ${source === null ? 'null' : typeof source}`, START);
  if (source.length > MAX_SOURCE_BYTES || Buffer.byteLength(source) > MAX_SOURCE_BYTES)
    refuse(TOO_LARGE, START);

  const lines = new (yaml().LineCounter)();
  const placeOf = (offset: number): SourceLocation => {
    const { line, col } = lines.linePos(offset);
    return line < 1 ? START : { line, column: col };
  };
  const at: PlaceOf = node => placeOf(node?.range?.[0] ?? 0);
  const text = source.replace(/^\uFEFF/, '');
  const tokens = modestTokens(text, lines, (reason, offset) => refuse(reason, placeOf(offset)));
  const [document, second] = new (yaml().Composer)(COMPOSE).compose(tokens, true, text.length);
  // The composer always yields a document, even for an empty source.
  if (!document) return refuse('empty', START);
  const flaw = document.errors[0] ?? document.warnings.find(({ code }) => code === 'TAG_RESOLVE_FAILED');
  if (flaw) refuse(inOurWords(flaw), placeOf(flaw.pos[0]));
  if (second)
    refuse(
      'a second document begins here, but a file holds one task spec: move it to its own file',
      placeOf(second.range[0]),
    );

  const aliases = resolved(document, refuse, at);
  try {
    return { value: document.toJS(), locator: createLocator(document.contents, aliases, at) };
  } catch (error) {
    // Only yaml's guard against aliases that multiply gets here.
    return refuse(`${messageOf(error)}: write the values out`, at(aliases.keys().next().value));
  }
}

const COMPOSE = {
  prettyErrors: false,
  stringKeys: true,
  // yaml's own check is quadratic in the number of keys; `check` below is not.
  uniqueKeys: false,
  // Without !!binary, !!set and the like, every value could also be JSON.
  resolveKnownTags: false,
} as const;

/** The format itself nests four levels. */
const MAX_DEPTH = 64;
/** Anchors, aliases, tags and directives together: each alias costs time in proportion to all of them. */
const MAX_PROPERTIES = 1000;

/**
 * Refuses documents that are too deep or have too many anchors. The composer recurses, and when V8 runs out of stack there, it ends the
 * whole process instead of throwing.
 */
function* modestTokens(
  text: string,
  lines: LineCounter,
  refuse: (reason: string, offset: number) => never,
): Generator<CST.Token> {
  const { CST, Lexer, Parser } = yaml();
  const parser = new Parser(lines.addNewLine);
  lines.addNewLine(0);
  let properties = 0;
  let before = '';
  for (const lexeme of new Lexer().lex(text)) {
    if (/^[*&!%]/.test(lexeme) && before !== CST.SCALAR) properties++;
    before = lexeme;
    if (properties > MAX_PROPERTIES)
      refuse(
        `more than ${MAX_PROPERTIES} anchors, aliases, tags and directives: write the values out`,
        parser.offset,
      );
    yield* parser.next(lexeme);
    if (parser.stack.length > MAX_DEPTH) refuse('nested too deeply', parser.offset);
  }
  yield* parser.end();
}

/** Refuses repeated keys, and aliases without an anchor. @returns the value of each alias */
function resolved(document: Document.Parsed, refuse: Refuse, at: PlaceOf): Map<Alias, Node> {
  const anchors = new Map<string, Node>();
  const aliases = new Map<Alias, Node>();
  const { isScalar, visit } = yaml();
  visit(document, {
    Value: (_, node) => void (node.anchor && anchors.set(node.anchor, node)),
    Map: (_, node) => {
      if (node.anchor) anchors.set(node.anchor, node);
      const seen = new Map<string, Node>();
      for (const { key } of node.items) {
        if (!isScalar<string>(key)) continue;
        const first = seen.get(key.value);
        if (first)
          refuse(`the key ${shown(key.value)} is repeated; it is first in line ${at(first).line}`, at(key));
        seen.set(key.value, key);
      }
    },
    Alias: (_, node) => {
      const name = shown(`*${node.source}`);
      const problem = `${name} is a YAML alias without an anchor: put quotes around a text that begins with *`;
      aliases.set(node, anchors.get(node.source) ?? refuse(problem, at(node)));
    },
  });
  return aliases;
}

function inOurWords({ code, ...error }: YAMLError): string {
  const message = escapeControls(error.message);
  if (code === 'NON_STRING_KEY') return 'every key must be a plain name';
  if (code !== 'TAG_RESOLVE_FAILED') return message;
  return `${message}: task specs are plain YAML, remove the tag (a text that begins with ! needs quotes)`;
}

type SpecPath = readonly (string | number)[];

export interface Locator {
  /** Where the value at a path begins; undefined if the file has none. */
  value(path: SpecPath): SourceLocation | undefined;
  /** Where the value begins; if the file has none, the nearest value around it. */
  nearest(path: SpecPath): SourceLocation;
  /** Where the last key of a path is. */
  key(path: SpecPath): SourceLocation | undefined;
}

/** The value at a path, and the key in front of it. */
type Place = { key?: Node; value: Node | null };

function createLocator(root: Node | null, aliases: ReadonlyMap<Alias, Node>, at: PlaceOf): Locator {
  const { isAlias, isMap, isScalar, isSeq } = yaml();
  const inside = (place: Place | undefined, segment: string | number): Place | undefined => {
    const node = isAlias(place?.value) ? aliases.get(place.value) : place?.value;
    const isAt = ({ key }: Pair) => isScalar(key) && key.value === segment;
    if (isMap(node)) return node.items.find(isAt) as Place | undefined;
    const isItem = isSeq(node) && typeof segment === 'number' && segment in node.items;
    return isItem ? { value: node.items[segment] as Node } : undefined;
  };
  const find = (path: SpecPath) => path.reduce(inside, { value: root } as Place | undefined);
  const value = (path: SpecPath): SourceLocation | undefined => {
    const found = find(path);
    // An empty value has no place of its own: use its key's.
    return found && at(isEmpty(found.value) ? (found.key ?? found.value) : found.value);
  };
  const key = (path: SpecPath): SourceLocation | undefined => {
    const found = find(path)?.key;
    return found && at(found);
  };
  const nearest = (path: SpecPath): SourceLocation =>
    value(path) ?? (path.length ? nearest(path.slice(0, -1)) : at(root));
  return { value, nearest, key };
}

function isEmpty(node: Node | null): boolean {
  return node === null || (yaml().isScalar(node) && node.value === null && node.source === '');
}

/** The segments of a path that `formatPath` wrote. */
export function parsePath(path: string): (string | number)[] {
  return [...path.matchAll(/\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]|[^.[\]]+/g)].map(([name, index, quoted]) => {
    if (index !== undefined) return Number(index);
    return quoted === undefined ? name : (JSON.parse(quoted) as string);
  });
}
