// A spec's source as one YAML document: its plain value and where each part of it stands.
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
  /** Plain data, shared and even circular if the document's aliases make it so. */
  value: unknown;
  locator: Locator;
}

export const MAX_SOURCE_BYTES = 1024 * 1024;
export const TOO_LARGE = 'larger than 1 MiB: no task spec needs that, is it the right file?';
export const START: SourceLocation = { line: 1, column: 1 };

/** @throws TaskSpecYamlError, and nothing else. */
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
  // The composer always ends with a document, be it an empty one.
  if (!document) return failAt('empty', START);
  const flaw = document.errors[0] ?? document.warnings.find(({ code }) => code === 'TAG_RESOLVE_FAILED');
  if (flaw) failAt(inOurWords(flaw), at(flaw.pos[0]));
  if (second)
    failAt(
      'a second document begins here: a file holds one task spec, so give each a file of its own',
      at(second.range[0]),
    );

  const aliases = check(document, (reason, node) => failAt(reason, at(node.range?.[0])), at);
  try {
    return { value: document.toJS(), locator: createLocator(document.contents, aliases, at) };
  } catch (error) {
    // What is left is yaml's guard against aliases that multiply.
    return failAt(`${messageOf(error)}: write the values out`, at(aliases.keys().next().value?.range?.[0]));
  }
}

const COMPOSE = {
  prettyErrors: false,
  stringKeys: true,
  // Quadratic in the number of keys; `check` below is not.
  uniqueKeys: false,
  // Without !!binary, !!set and the like, a value is what JSON could hold, too.
  resolveKnownTags: false,
} as const;

/** The format itself nests four deep. */
const MAX_DEPTH = 64;
/** Anchors, aliases, tags and directives together: each alias costs time in proportion to all of them. */
const MAX_PROPERTIES = 1000;

/**
 * Stops at what no spec has use for: the composer recurses, and near the end of its stack V8 ends the whole
 * process, which nothing could catch.
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
        `more than ${MAX_PROPERTIES} anchors, aliases, tags and directives: no task spec needs that many`,
        parser.offset,
      );
    yield* parser.next(lexeme);
    if (parser.stack.length > MAX_DEPTH) refuse('nested too deeply', parser.offset);
  }
  yield* parser.end();
}

/** Refuses repeated keys and aliases without an anchor; returns what each alias stands for. */
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
        fail(`the key ${shown(name)} stands here again, first in line ${at(first.range?.[0]).line}`, key),
      );
    },
    Alias: (_, node) => {
      const name = shown(`*${node.source}`);
      const problem = `${name} is read as a YAML alias, and no anchor has that name: put quotes around a text that begins with *`;
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
