// A spec's source as one YAML document: its plain value, and the place of each part of it.
import {
  type Alias,
  Composer,
  CST,
  type Document,
  isScalar,
  Lexer,
  LineCounter,
  type Node,
  Parser,
  visit,
  type YAMLError,
  type YAMLMap,
} from 'yaml';
import { printable, type SourceLocation, shown, TaskSpecYamlError } from './errors';
import { createLocator, type Locator } from './locate';

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

function read(source: string, filename: string | undefined): SpecDocument {
  const failAt = (reason: string, at: SourceLocation): never => {
    throw new TaskSpecYamlError(reason, at, filename);
  };
  if (typeof source !== 'string')
    failAt(`the source must be a string of YAML, got ${source === null ? 'null' : typeof source}`, START);
  if (source.length > MAX_SOURCE_BYTES || Buffer.byteLength(source) > MAX_SOURCE_BYTES)
    failAt(TOO_LARGE, START);

  const lines = new LineCounter();
  const at = (offset: number | undefined): SourceLocation => {
    const { line, col } = lines.linePos(offset ?? 0);
    return line < 1 ? START : { line, column: col };
  };
  const text = source.replace(/^\uFEFF/, '');
  const tokens = modestTokens(text, lines, (reason, offset) => failAt(reason, at(offset)));
  const [document, second] = new Composer(COMPOSE).compose(tokens, true, text.length);
  // The composer always yields a document, even for an empty source.
  if (!document) return failAt('empty', START);
  const flaw = document.errors[0] ?? document.warnings.find(({ code }) => code === 'TAG_RESOLVE_FAILED');
  if (flaw) failAt(inOurWords(flaw), at(flaw.pos[0]));
  if (second)
    failAt(
      'a second document begins here, but a file holds one task spec: move it to its own file',
      at(second.range[0]),
    );

  const aliases = check(document, (reason, node) => failAt(reason, at(node.range?.[0])), at);
  try {
    return { value: document.toJS(), locator: createLocator(document.contents, aliases, at) };
  } catch (error) {
    // Only yaml's guard against aliases that multiply gets here.
    return failAt(`${messageOf(error)}: write the values out`, at(aliases.keys().next().value?.range?.[0]));
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
function check(
  document: Document.Parsed,
  fail: (reason: string, node: Node) => never,
  at: (offset: number | undefined) => SourceLocation,
): Map<Alias, Node> {
  const anchors = new Map<string, Node>();
  const aliases = new Map<Alias, Node>();
  const anchor = (node: Node & { anchor?: string }) => node.anchor && anchors.set(node.anchor, node);
  visit(document, {
    Scalar: (_, node) => void anchor(node),
    Seq: (_, node) => void anchor(node),
    Map: (_, node) => {
      anchor(node);
      checkKeys(node, (key, first, name) =>
        fail(`the key ${shown(name)} is repeated; it is first in line ${at(first.range?.[0]).line}`, key),
      );
    },
    Alias: (_, node) => {
      const name = shown(`*${node.source}`);
      const problem = `${name} is a YAML alias without an anchor: put quotes around a text that begins with *`;
      aliases.set(node, anchors.get(node.source) ?? fail(problem, node));
    },
  });
  return aliases;
}

function checkKeys(map: YAMLMap, repeated: (key: Node, first: Node, name: string) => never): void {
  const seen = new Map<string, Node>();
  for (const { key } of map.items) {
    if (!isScalar<string>(key)) continue;
    const first = seen.get(key.value);
    if (first) repeated(key, first, key.value);
    seen.set(key.value, key);
  }
}

function inOurWords({ code, ...error }: YAMLError): string {
  const message = printable(error.message);
  switch (code) {
    case 'TAG_RESOLVE_FAILED':
      return `${message}: task specs are plain YAML, remove the tag (a text that begins with ! needs quotes)`;
    case 'NON_STRING_KEY':
      return 'every key must be a plain name';
    default:
      return message;
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
