// The errors of parsing a task spec, with messages that are complete on their own, and Zod's issues explained to someone who writes
// a YAML file.
import type { z } from 'zod';
import type { LoadedSpec } from './load';

/** 1-based; columns count UTF-16 units, as editors do. */
export interface SourceLocation {
  line: number;
  column: number;
}

/** One problem of a spec. */
export interface TaskSpecIssue extends SourceLocation {
  /** Dotted, with bracketed indices: `assertions[0].selector`. Empty for the whole document. */
  path: string;
  message: string;
}

/** A problem with one task spec, or with loading several. Its message begins with `FILENAME: ` if one is known. */
export class TaskSpecError extends Error {
  override name = 'TaskSpecError';

  constructor(
    message: string,
    readonly filename?: string,
  ) {
    super(filename === undefined ? message : `${filename}: ${message}`);
  }
}

/** A problem at one place. */
export class TaskSpecErrorAt extends TaskSpecError implements SourceLocation {
  readonly line: number;
  readonly column: number;

  constructor(problem: string, reason: string, at: SourceLocation, filename?: string) {
    super(`${problem}\n  ${place(filename, at)} ${reason}`, filename);
    this.line = at.line;
    this.column = at.column;
  }
}

/** The source is not one readable YAML document. */
export class TaskSpecYamlError extends TaskSpecErrorAt {
  override name = 'TaskSpecYamlError';

  constructor(reason: string, at: SourceLocation, filename?: string) {
    super('not a readable YAML file', reason, at, filename);
  }
}

/** The spec declares an unsupported version, or none. */
export class UnsupportedSpecVersionError extends TaskSpecErrorAt {
  override name = 'UnsupportedSpecVersionError';

  constructor(
    /** Undefined if the spec has no `specVersion`. */
    readonly version: string | undefined,
    readonly supported: readonly string[],
    at: SourceLocation,
    filename?: string,
  ) {
    const readable = supported.map(one => `"${one}"`).join(', ');
    const [problem, remedy] =
      version === undefined
        ? ['specVersion is missing', `add the line specVersion: "${supported[0]}"`]
        : [`specVersion ${shown(version)} is not supported`, 'use a supported one, or update this library'];
    super(problem, `supported: ${readable}; ${remedy}`, at, filename);
  }
}

/** The document does not have the shape of a task spec. */
export class TaskSpecValidationError extends TaskSpecError {
  override name = 'TaskSpecValidationError';

  constructor(
    /** In the order of the file. */
    readonly issues: readonly TaskSpecIssue[],
    filename?: string,
  ) {
    const lines = issues
      .slice(0, MAX_SHOWN_ISSUES)
      .map(issue => `  ${place(filename, issue)} ${issue.path && `${issue.path}: `}${issue.message}`);
    if (issues.length > MAX_SHOWN_ISSUES) lines.push(`  ... and ${issues.length - MAX_SHOWN_ISSUES} more`);
    const count = issues.length === 1 ? '1 problem' : `${issues.length} problems`;
    super(`${count} in this task spec\n${lines.join('\n')}`, filename);
  }
}

/** Thrown by `taskproofTests()` and `repeats()`. Its message contains those of all broken files. */
export class TaskSpecLoadError extends TaskSpecError {
  override name = 'TaskSpecLoadError';

  constructor(
    message: string,
    /** One for each broken file, for each id that files share, and for globs that match nothing while others do. Empty if no file was found. */
    readonly errors: readonly TaskSpecError[] = [],
    /** The specs of the valid files. */
    readonly specs: readonly LoadedSpec[] = [],
  ) {
    super(message);
  }
}

const MAX_SHOWN_ISSUES = 50;

/** The place of an error in one file. */
export function placeOf(error: TaskSpecError): SourceLocation {
  const at = error instanceof TaskSpecValidationError ? error.issues[0] : error;
  return at && 'line' in at
    ? { line: at.line as number, column: at.column as number }
    : { line: 1, column: 1 };
}

function place(filename: string | undefined, { line, column }: SourceLocation): string {
  return `${filename === undefined ? '' : `${filename}:`}${line}:${column}`;
}

/** A text from a spec in quotes, short and without control sequences. */
export function shown(text: string): string {
  return escapeControls(JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}...` : text));
}

/** Escapes control characters and direction marks as `\u`. */
export function escapeControls(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is replaced
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g, unsafe => {
    return `\\u${unsafe.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
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

type RawIssue = z.core.$ZodRawIssue;

/** An `error` for Zod schemas: one sentence that says what is wrong and what to do. */
export function explain(issue: RawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return wrongType(String(issue.expected), issue.input);
    case 'invalid_value':
      return notOneOf(issue.values.map(String), issue.input);
    case 'invalid_union':
      return unknownAssertion(issue);
    case 'not_multiple_of':
      return `must be a whole number, got ${issue.input}`;
    case 'too_small':
      if (issue.origin === 'string') return 'must not be empty';
      if (issue.origin === 'array') return 'must not be an empty list';
      return `must be ${issue.inclusive ? 'at least' : 'above'} ${issue.minimum}, got ${issue.input}`;
    case 'too_big':
      if (typeof issue.input === 'string')
        return `must have at most ${issue.maximum} characters, has ${[...issue.input].length}`;
      return `must be at most ${issue.maximum}, got ${issue.input}`;
    default:
      return undefined;
  }
}

/** As `explain`, for a mapping with these keys. Each unknown key gets a line. */
export function explainMapping(known: readonly string[]) {
  return (issue: RawIssue): string | undefined =>
    issue.code === 'unrecognized_keys'
      ? issue.keys.map(key => unknownKey(key, known)).join('\n')
      : explain(issue);
}

function unknownKey(key: string, known: readonly string[]): string {
  if (key === '<<') return 'unknown key `<<`: YAML merge keys are not supported, write the fields out';
  const name = /^[\w-]{1,60}$/.test(key) ? `\`${key}\`` : shown(key);
  const meant = nearest(key, known);
  return meant
    ? `unknown key ${name} (did you mean \`${meant}\`?)`
    : `unknown key ${name} (known here: ${known.map(one => `\`${one}\``).join(', ')})`;
}

const EXPECTED: Record<string, string> = {
  string: 'a string',
  number: 'a number',
  array: 'a list',
  object: 'a mapping (key: value pairs)',
};

function wrongType(expected: string, input: unknown): string {
  if (input === undefined) return 'is required, but missing';
  const wanted = EXPECTED[expected] ?? `a ${expected}`;
  if (typeof input === 'number' && !Number.isFinite(input)) return `must be a finite number, got ${input}`;
  if (input === null)
    return `must be ${wanted}, but is empty (null): give it a value${expected === 'string' ? ' (one that begins with # needs quotes)' : ''}, or remove the key`;
  return `must be ${wanted}, got ${typeName(input)}${remedy(expected, input)}`;
}

function remedy(expected: string, input: unknown): string {
  if (expected === 'string') return typeof input === 'object' && !Array.isArray(input) ? '' : ': quote it';
  if (expected === 'number' && typeof input === 'string') return ': write it without quotes';
  return '';
}

/** The name of a value's type, for YAML authors and programmers. */
export function typeName(input: unknown): string {
  if (input === null) return 'null';
  if (Array.isArray(input)) return 'a list (array)';
  if (input instanceof Date) return 'a date';
  if (typeof input === 'object') return 'a mapping (object)';
  if (typeof input === 'number' || typeof input === 'boolean') return `a ${typeof input} (${input})`;
  return `a ${typeof input}`;
}

function notOneOf(options: readonly string[], input: unknown): string {
  if (input === undefined) return `is required: one of ${options.join(', ')}`;
  const got = typeof input === 'string' ? shown(input) : typeName(input);
  const meant = typeof input === 'string' ? nearest(input, options) : undefined;
  return `must be one of ${options.join(', ')}, got ${got}${meant ? ` (did you mean \`${meant}\`?)` : ''}`;
}

function unknownAssertion(issue: RawIssue & { code: 'invalid_union' }): string | undefined {
  if (!('discriminator' in issue) || typeof issue.discriminator !== 'string') return undefined;
  const type = (issue.input as Record<string, unknown>)[issue.discriminator];
  return notOneOf((issue.options as unknown[]).map(String), type);
}

/** All issues as `path: message`. @param whole stands for the path of the data itself */
export function problemsIn({ issues }: z.ZodError, whole: string): string[] {
  const dotted = (path: readonly PropertyKey[]) =>
    path.map(key => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`)).join('');
  return issues.map(({ path, message }) => `${dotted(path).replace(/^\./, '') || whole}: ${message}`);
}

/** The nearest known word, if it is near enough to be a typo; ignores case and separators. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  if (word.length > MAX_LENGTH) return undefined;
  const plain = bare(word);
  const ranked = known
    .map(candidate => ({ candidate, distance: editDistance(plain, bare(candidate)) }))
    .filter(({ candidate, distance }) => distance <= Math.floor(Math.max(word.length, candidate.length) / 3))
    .sort((a, b) => a.distance - b.distance);
  return ranked[0]?.candidate;
}

const MAX_LENGTH = 40;

function bare(word: string): string {
  return word.replace(/[-_\s]/g, '').toLowerCase();
}

/** How many letters to insert, delete, replace or swap with their neighbour to get from one word to the other. */
function editDistance(from: string, to: string): number {
  const rows = [Array.from({ length: to.length + 1 }, (_, index) => index)];
  for (let i = 1; i <= from.length; i++) {
    const above = rows[i - 1]!;
    const row = [i];
    for (let j = 1; j <= to.length; j++) {
      const replaced = above[j - 1]! + (from[i - 1] === to[j - 1] ? 0 : 1);
      const swapped =
        from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1] ? rows[i - 2]![j - 2]! + 1 : replaced;
      row.push(Math.min(replaced, swapped, above[j]! + 1, row[j - 1]! + 1));
    }
    rows.push(row);
  }
  return rows.at(-1)!.at(-1)!;
}
