// Parses YAML to a task spec, or to one typed error with all problems and their places, explained to someone who writes a YAML file.
import { createRequire } from 'node:module';
import type { Alias, ErrorCode, Node, Pair, Document as YamlDocument } from 'yaml';
import type { z } from 'zod';
import { messageOf } from '../text/line';
import { nearest } from '../text/nearest';
import { fieldsOf1 } from './assertions';
import {
  escapeControls,
  formatPath,
  outOfBounds,
  type SourceLocation,
  shown,
  type TaskSpecError,
  type TaskSpecIssue,
  TaskSpecValidationError,
  TaskSpecYamlError,
  typeName,
  UnsupportedSpecVersionError,
} from './errors';
import { SPEC_VERSION, SPEC_VERSION_1, schemaFor } from './schema';
import type { TaskSpec } from './task-spec';

/** Loaded with the first spec: a suite may have none, and its workers import us, too. */
const yaml = (): typeof import('yaml') => createRequire(__filename)('yaml');

export const MAX_SOURCE_BYTES = 1024 * 1024;
export const TOO_LARGE = 'larger than 1 MiB: is it the right file?';
export const START: SourceLocation = { line: 1, column: 1 };
/** To resolve one takes time in proportion to the whole document. */
const MAX_ALIASES = 100;

/** What is likely meant where the parser names only the rule of YAML. */
const REMEDIES: { [Code in ErrorCode]?: string } = {
  BLOCK_AS_IMPLICIT_KEY: 'put quotes around a text with a colon, or indent the line below like this one',
  MISSING_CHAR: 'close what is open, or indent the line like the others of its item',
  MULTILINE_IMPLICIT_KEY: 'put a space after the colon of a key',
  TAB_AS_INDENT: 'use spaces',
  TAG_RESOLVE_FAILED: 'remove the tag, or put quotes around the text',
  DUPLICATE_KEY: 'remove or rename this one',
  UNEXPECTED_TOKEN: 'put quotes around the whole text, and a backslash before each quote in it',
};

/** With aliases, parts of the value can be shared or even circular. @throws TaskSpecYamlError only */
function readDocument(source: string, filename: string | undefined): { value: unknown; locator: Locator } {
  const lines = new (yaml().LineCounter)();
  const placeOf = (offset: number): SourceLocation => {
    const { line, col } = lines.linePos(offset);
    return line < 1 ? START : { line, column: col };
  };
  const refuse = (reason: string, offset = 0): never => {
    throw new TaskSpecYamlError(reason, placeOf(offset), filename);
  };
  if (typeof source !== 'string')
    return refuse(`the source must be a string of YAML, got ${source === null ? 'null' : typeof source}`);
  if (Buffer.byteLength(source) > MAX_SOURCE_BYTES) return refuse(TOO_LARGE);
  const text = source.replace(/^\uFEFF/, '');
  try {
    const [document, second] = yaml().parseAllDocuments(text, {
      lineCounter: lines,
      prettyErrors: false,
      stringKeys: true,
      // Refuses !!binary, !!set and the like: every value must be one that JSON has.
      resolveKnownTags: false,
    });
    const locator = createLocator(document, placeOf);
    if (!document) return { value: undefined, locator };
    const flaw = document.errors[0] ?? document.warnings.find(({ code }) => code === 'TAG_RESOLVE_FAILED');
    if (flaw) {
      const remedy = REMEDIES[flaw.code];
      refuse(`${escapeControls(flaw.message)}${remedy ? `: ${remedy}` : ''}`, flaw.pos[0]);
    }
    if (second) refuse('a second document begins here, but a file holds one task spec', second.range[0]);
    checkAliases(document, refuse);
    checkComments(document, text, refuse);
    return { value: document.toJS(), locator };
  } catch (error) {
    if (error instanceof TaskSpecYamlError) throw error;
    return refuse(`it can't be read: ${escapeControls(messageOf(error))}`);
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

/** Fields that nothing follows, or that nothing is checked by. */
const ONE_WORD = new Set(['description', 'id', 'method', 'specVersion', 'state', 'tags', 'type']);

/** `selector: main #thanks` is only `main` for YAML: it would be checked, and hold. */
function checkComments(
  document: YamlDocument,
  text: string,
  refuse: (reason: string, offset: number) => never,
): void {
  const { isPair, isScalar } = yaml();
  yaml().visit(document, {
    Scalar: (_, { type, value, range }, path) => {
      if (type !== 'PLAIN' || typeof value !== 'string') return;
      const end = range?.[1] ?? 0;
      const [blanks, comment] =
        /^([ \t]+)(#(?!(?:TODO|FIXME)(?![\w-])|[#!])\S.*)/.exec(text.slice(end, end + 200))?.slice(1) ?? [];
      if (comment === undefined) return;
      const keys = path.filter(isPair).map(({ key }) => (isScalar(key) ? String(key.value) : ''));
      if (ONE_WORD.has(keys.at(-1) ?? '') && !keys.includes('body')) return;
      refuse(
        `${shown(comment)} is a comment for YAML: put quotes around the whole text, or a space after the #`,
        end + blanks!.length,
      );
    },
  });
}

type SpecPath = readonly (string | number)[];

type Locator = ReturnType<typeof createLocator>;

/** The value at a path, and the key in front of it. */
type Place = { key?: Node; value: Node | null };

function createLocator(document: YamlDocument | undefined, placeOf: (offset: number) => SourceLocation) {
  const { isAlias, isMap, isScalar, isSeq } = yaml();
  const at = (node: Node | null) => placeOf(node?.range?.[0] ?? 0);
  const inside = (place: Place | undefined, segment: string | number): Place | undefined => {
    const node = isAlias(place?.value) ? place.value.resolve(document!) : place?.value;
    const isAt = ({ key }: Pair) => isScalar(key) && key.value === segment;
    if (isMap(node)) return node.items.find(isAt) as Place | undefined;
    const isItem = isSeq(node) && typeof segment === 'number' && segment in node.items;
    return isItem ? { value: node.items[segment] as Node } : undefined;
  };
  const root = (document?.contents ?? null) as Node | null;
  const find = (path: SpecPath) => path.reduce(inside, { value: root } as Place | undefined);
  /** Where the value at a path begins; undefined if the file has none. */
  const value = (path: SpecPath): SourceLocation | undefined => {
    const found = find(path);
    if (!found) return undefined;
    const isEmpty = isScalar(found.value) && found.value.value === null && found.value.source === '';
    // An empty value has no place of its own, so use its key's.
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

/** The values of `specVersion` that this library reads. */
export const SUPPORTED_SPEC_VERSIONS: readonly string[] = Object.freeze([SPEC_VERSION, SPEC_VERSION_1]);

export interface ParseOptions {
  /** Shown in error messages; not read. */
  filename?: string;
}

export type SafeParseResult = { ok: true; spec: TaskSpec } | { ok: false; error: TaskSpecError };

/** A spec and the places of its parts in the source. */
export interface LocatedSpec {
  spec: TaskSpec;
  /** Where the value at a path such as `assertions[0].selector` begins; undefined if the source has none. */
  locate(path: string): SourceLocation | undefined;
}

/**
 * Reads one task spec from YAML.
 *
 * @throws TaskSpecYamlError, UnsupportedSpecVersionError or TaskSpecValidationError; all are TaskSpecErrors.
 */
export function parseTaskSpec(source: string, options?: ParseOptions): TaskSpec {
  return parseLocated(source, options).spec;
}

/** As `parseTaskSpec`, but returns the error. Never throws, whatever the source. */
export function safeParseTaskSpec(source: string, options?: ParseOptions): SafeParseResult {
  try {
    return { ok: true, spec: parseTaskSpec(source, options) };
  } catch (error) {
    return { ok: false, error: error as TaskSpecError };
  }
}

/** As `parseTaskSpec`, with the place of each part. */
export function parseLocated(source: string, options?: ParseOptions): LocatedSpec {
  const filename = typeof options?.filename === 'string' ? options.filename || undefined : undefined;
  const { value, locator } = readDocument(source, filename);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    const message = `a task spec must be a mapping (key: value pairs), got ${typeName(value)}`;
    throw new TaskSpecValidationError([{ path: '', message, ...locator.nearest([]) }], filename);
  }
  checkVersion(value, locator, filename);
  const parsed = schemaFor(value).safeParse(value, { error: explain });
  if (!parsed.success) {
    const issues = parsed.error.issues.flatMap(issue => located(issue, locator));
    issues.sort((a, b) => a.line - b.line || a.column - b.column);
    throw new TaskSpecValidationError(issues, filename);
  }
  return { spec: parsed.data, locate: path => locator.value(segmentsOf(path)) };
}

function segmentsOf(path: string): (string | number)[] {
  return (path.match(/[^.[\]]+/g) ?? []).map(name => (/^\d+$/.test(name) ? Number(name) : name));
}

/** If the version is not a string, the schema says so, with what else is wrong. */
function checkVersion(value: object, locator: Locator, filename: string | undefined): void {
  const version = (value as { specVersion?: unknown }).specVersion;
  if (version !== undefined && (typeof version !== 'string' || SUPPORTED_SPEC_VERSIONS.includes(version)))
    return;
  const place = locator.nearest(['specVersion']);
  throw new UnsupportedSpecVersionError(version, SUPPORTED_SPEC_VERSIONS, place, filename);
}

function located(issue: z.core.$ZodIssue, locator: Locator): TaskSpecIssue[] {
  const path = issue.path as (string | number)[];
  if (issue.code === 'unrecognized_keys') {
    const messages = issue.message.split('\n');
    return issue.keys.map((key, index) => {
      const keyPath = [...path, key];
      const place = locator.key(keyPath) ?? locator.nearest(path);
      return { path: formatPath(keyPath), message: messages[index]!, ...place };
    });
  }
  // If the value is missing, a rule between fields may name one near it.
  const near = issue.code === 'custom' ? issue.params?.near : undefined;
  const beside = locator.value(path) ?? (near && locator.value([...path.slice(0, -1), near]));
  return [{ path: formatPath(path), message: issue.message, ...(beside ?? locator.nearest(path)) }];
}

const EXPECTED: Record<string, string> = {
  string: 'a string',
  number: 'a finite number',
  array: 'a list',
  object: 'a mapping (key: value pairs)',
  record: 'a mapping (key: value pairs)',
};

/** One sentence that says what is wrong and what to do; undefined where Zod's own does. Each unknown key gets a line. */
export function explain(issue: z.core.$ZodRawIssue): string | undefined {
  const { input } = issue;
  switch (issue.code) {
    case 'invalid_type': {
      if (input === undefined) return 'is required, but missing';
      const isMapping = typeof input === 'object' && !Array.isArray(input);
      const remedy = issue.expected === 'string' && !isMapping ? ': quote it' : '';
      const hint = input === null ? ' (put quotes around text that begins with #)' : remedy;
      return `must be ${EXPECTED[issue.expected] ?? issue.expected}, got ${typeName(input)}${hint}`;
    }
    case 'invalid_value':
      return notOneOf(issue.values.map(String), input);
    case 'invalid_union': {
      const { discriminator, options = [] } = issue as { discriminator?: string; options?: unknown[] };
      if (discriminator === undefined) return undefined;
      const given = (input as Record<string, unknown>)[discriminator];
      return fieldsOf1(given) ? needsNewer(`type ${given}`) : notOneOf(options.map(String), given);
    }
    case 'unrecognized_keys': {
      const { shape = {} } = (issue.inst as z.ZodObject | undefined) ?? {};
      const known = Object.keys(shape);
      const newer = ('type' in shape && fieldsOf1((input as { type?: unknown }).type)) || {};
      return issue.keys
        .map(key => (Object.hasOwn(newer, key) ? needsNewer(`\`${key}\``) : unknownKey(key, known)))
        .join('\n');
    }
    default:
      return outOfBounds(issue);
  }
}

const needsNewer = (what: string) =>
  `${what} needs specVersion: "${SPEC_VERSION_1}" instead of "${SPEC_VERSION}"`;

function unknownKey(key: string, known: readonly string[]): string {
  if (key === '<<') return 'unknown key `<<`: YAML merge keys are not supported, write the fields out';
  const name = /^[\w-]{1,60}$/.test(key) ? `\`${key}\`` : shown(key);
  const meant = nearest(key, known);
  return meant
    ? `unknown key ${name} (did you mean \`${meant}\`?)`
    : `unknown key ${name} (known here: ${known.map(one => `\`${one}\``).join(', ')})`;
}

function notOneOf(options: readonly string[], input: unknown): string {
  const got = typeof input === 'string' ? shown(input) : typeName(input);
  const meant = typeof input === 'string' ? nearest(input, options) : undefined;
  return `must be one of ${options.join(', ')}, got ${got}${meant ? ` (did you mean \`${meant}\`?)` : ''}`;
}
