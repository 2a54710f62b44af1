// The errors of reading task specs, each with a message that is complete on its own, and how they show places, paths and texts of a file.
import { inspect } from 'node:util';
import type { z } from 'zod';
import { plural } from '../text/print';

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
    /** In the order of the file; empty if the problem has no single place. */
    readonly issues: readonly TaskSpecIssue[] = [],
  ) {
    super(filename === undefined ? message : `${filename}: ${message}`);
    // Where a config throws it, Node would print its fields, too.
    Object.defineProperty(this, inspect.custom, { value: () => this.stack });
  }
}

/** A problem at one place. */
export class TaskSpecErrorAt extends TaskSpecError implements SourceLocation {
  readonly line: number;
  readonly column: number;

  constructor(problem: string, reason: string, at: SourceLocation, filename?: string) {
    const issue = { path: '', message: `${problem}; ${reason}`, ...at };
    super(`${problem}\n  ${place(filename, at)} ${reason}`, filename, [issue]);
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
    const problem =
      version === undefined ? 'specVersion is missing' : `specVersion ${shown(version)} is not supported`;
    super(problem, `supported: ${readable}; write specVersion: "${supported[0]}"`, at, filename);
  }
}

/** The document does not have the shape of a task spec. */
export class TaskSpecValidationError extends TaskSpecError {
  override name = 'TaskSpecValidationError';

  constructor(issues: readonly TaskSpecIssue[], filename?: string) {
    const lines = issues
      .slice(0, MAX_SHOWN_ISSUES)
      .map(issue => `  ${place(filename, issue)} ${issue.path && `${issue.path}: `}${issue.message}`);
    if (issues.length > MAX_SHOWN_ISSUES) lines.push(`  ... and ${issues.length - MAX_SHOWN_ISSUES} more`);
    super(`${plural(issues.length, 'problem')} in this task spec\n${lines.join('\n')}`, filename, issues);
  }
}

/** Thrown by `taskproofTests()` and `repeats()`. Its message contains those of all broken files. */
export class TaskSpecLoadError extends TaskSpecError {
  override name = 'TaskSpecLoadError';

  constructor(
    message: string,
    /** One for each broken file, for each id that files share, and for globs that match nothing while others do. Empty if no file was found. */
    readonly errors: readonly TaskSpecError[] = [],
  ) {
    super(message);
  }
}

const MAX_SHOWN_ISSUES = 50;

export function errorPlace({ issues: [first] }: TaskSpecError): SourceLocation {
  return { line: first?.line ?? 1, column: first?.column ?? 1 };
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

/** What is wrong with a number, a text or a list that is too small or too large; undefined for other issues. */
export function outOfBounds(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code !== 'too_small' && issue.code !== 'too_big') return undefined;
  const { origin, inclusive, input } = issue;
  const [bound, least, beyond] =
    issue.code === 'too_small' ? [issue.minimum, 'at least', 'above'] : [issue.maximum, 'at most', 'below'];
  if (bound === 1 && origin === 'string') return 'must not be empty';
  if (bound === 1 && origin === 'array') return 'must not be an empty list';
  const { length = input } = Object(input) as { length?: number };
  const unit = typeof input === 'string' ? ' characters long' : '';
  return `must be ${inclusive ? least : beyond} ${bound}${unit}, got ${length}`;
}

/** All issues as `path: message`. @param whole stands for the path of the data itself */
export function problemsIn({ issues }: Pick<z.ZodError, 'issues'>, whole: string): string[] {
  return issues.map(({ path, message }) => `${formatPath(path) || whole}: ${message}`);
}

/** The name of a value's type, for YAML authors and programmers. */
export function typeName(input: unknown): string {
  if (input === null || input === undefined) return 'nothing';
  if (Array.isArray(input)) return 'a list (array)';
  if (typeof input === 'object') return 'a mapping (object)';
  if (typeof input === 'number' || typeof input === 'boolean') return `a ${typeof input} (${input})`;
  return `a ${typeof input}`;
}
