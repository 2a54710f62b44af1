// The spec of one trial: its placeholders have their values, and its URLs are those of the deployment under test.
import { escapePattern } from '../text/line';
import { formatPath } from './errors';
import { isPath, SPEC_VERSION_1 } from './schema';
import type { Assertion, TaskSpec } from './task-spec';
import { hasCredentials, NO_CREDENTIALS, parsedUrl } from './url';

/** The data that differs between the trials of a spec. */
export interface TrialData {
  /** 1 to k. */
  trial: number;
  /** Letters and digits, beginning with a letter. Differs in every trial of every run. */
  unique: string;
}

/** What recordings keep instead of its value. */
export const UNIQUE = '{{unique}}';
const PLACEHOLDER = /\{\{[^\S\n]*([^{}\s][^{}\n]{0,60}?)[^\S\n]*\}\}/g;
/** Every trial has values for these. */
export const GIVEN_PLACEHOLDERS: readonly string[] = ['trial', 'unique'] satisfies (keyof TrialData)[];
const FIELDS = ['goal', 'entryUrl', 'assertions', 'judge'] as const;

/** In the order of FIELDS, each name once per text. @returns `known`: each trial replaces it; `path`: such as `assertions[0].text` */
export function placeholdersIn(spec: TaskSpec) {
  const found: { name: string; known: boolean; path: string }[] = [];
  for (const field of FIELDS)
    mapTexts(spec[field], [field], (text, path) => {
      for (const name of new Set([...text.matchAll(PLACEHOLDER)].map(([, name]) => name!)))
        found.push({ name, known: GIVEN_PLACEHOLDERS.includes(name), path: formatPath(path) });
      return text;
    });
  return found;
}

/**
 * The spec of one trial. Unknown placeholders stay as they are.
 *
 * @throws Error for a value that would change a glob, or the query of entryUrl
 */
export function withData(
  spec: TaskSpec,
  data: TrialData & Readonly<Record<string, string | number>>,
): TaskSpec {
  const fill = (text: string, path: Path) =>
    text.replace(PLACEHOLDER, (whole, name: string, at: number) => {
      // Fields of an assertion, not keys of the same names in a body or a JSON Schema.
      const isInQuery = path[0] === 'entryUrl' && text[at - 1] === '=';
      const field = path.length === 3 ? String(path[2]) : isInQuery ? 'query' : '';
      if (!Object.hasOwn(data, name)) return field === 'regex' ? escapePattern(whole) : whole;
      const value = String(data[name]);
      // If the value is the whole selector, it is not escaped.
      return (whole === text && field === 'selector' ? undefined : IN_TEXTS[field]?.(value, whole)) ?? value;
    });
  const filled = FIELDS.map(field => [field, mapTexts(spec[field], [field], fill)] as const);
  return { ...spec, ...Object.fromEntries(filled.filter(([, value]) => value !== undefined)) };
}

/** Escapes a value in texts that have a syntax, so that it stays literal, or refuses it. */
const IN_TEXTS: Readonly<Record<string, (value: string, placeholder: string) => string>> = {
  selector: value => value.replace(/["'\\]/g, '\\$&'),
  regex: escapePattern,
  pattern: inGlob,
  urlPattern: inGlob,
  query: inQuery,
};

function inQuery(value: string, placeholder: string): string {
  if (!/[&#]/.test(value)) return value;
  throw new Error(
    `the value of ${placeholder} has \`&\` or \`#\`, which would end it in entryUrl. Encode it in prepare: encodeURIComponent(value)`,
  );
}

function inGlob(value: string, placeholder: string): string {
  if (/^[!-~]*$/.test(value) && !/[*"<>\\^`{|}]/.test(value)) return value;
  const why = value.includes('*')
    ? '`*`, which stands for any characters there. Use a value without it'
    : 'characters that no URL has. Encode it in prepare: encodeURIComponent(value)';
  throw new Error(`the value of ${placeholder} stands in a URL glob, but has ${why}`);
}

export interface Site {
  /** Of another deployment, where the spec is played instead. */
  origin?: string | undefined;
  /** Of the suite, for an entryUrl that is a path. */
  baseURL?: string | undefined;
}

export function atSite(spec: TaskSpec, { origin, baseURL }: Site): TaskSpec {
  const isRelative = origin === undefined && isPath(spec.entryUrl);
  if (hasCredentials(isRelative ? baseURL : origin))
    throw new Error(`${isRelative ? 'use.baseURL' : 'origin'} ${NO_CREDENTIALS}`);
  const placed = atOrigin(atBase(spec, origin ?? baseURL), origin);
  if (placed.specVersion !== SPEC_VERSION_1) return placed;
  return { ...placed, assertions: withUrls(placed.assertions, asBrowsersWrite) };
}

/** `http://Shop.test:80/für alle/**` is `http://shop.test/f%C3%BCr%20alle/**`. */
const asBrowsersWrite = (glob: string) =>
  withPlainOrigin(glob).replace(/[^!-~]+/g, each => encodeURIComponent(each.toWellFormed()));

/** A glob that begins with a whole origin: `http://Shop.test:80/**` is `http://shop.test/**`. */
function withPlainOrigin(glob: string): string {
  const [written = ''] = /^https?:\/\/[^/?#*]+(?=[/#]|$)/i.exec(glob) ?? [];
  return (parsedUrl(written)?.origin ?? written) + glob.slice(written.length);
}

/** The same spec on another deployment: with its origin in entryUrl, URL globs and the goal, and its host allowed. */
export function atOrigin(spec: TaskSpec, origin: string | undefined): TaskSpec {
  if (origin === undefined) return spec;
  const entry = new URL(spec.entryUrl);
  const target = new URL(origin);
  const ownHost = new RegExp(`(?<![\\w.-])${escapePattern(entry.host)}(?![\\w.:-])`, 'i');
  const moved = (glob: string) => {
    const written = withPlainOrigin(glob);
    const rest = written.slice(entry.origin.length);
    // `https://example.com.evil.org/**` also starts with `https://example.com`.
    const sameOrigin = written.startsWith(entry.origin) && (rest === '' || /^[/?#*]/.test(rest));
    if (sameOrigin) return target.origin + rest;
    // Globs without a scheme, such as `*://example.com/**`.
    return /^https?:\/\//i.test(glob) ? glob : glob.replace(ownHost, target.host);
  };
  const host = target.hostname;
  // An agent that is told to open the old deployment would test that one.
  const goal = spec.goal.replace(/https?:\/\/[\w.-]*\w(?::\d+)?/g, address => moved(address));
  return {
    ...spec,
    goal,
    entryUrl: target.origin + entry.pathname + entry.search + entry.hash,
    allowedDomains: spec.allowedDomains.includes(host) ? spec.allowedDomains : [...spec.allowedDomains, host],
    assertions: withUrls(spec.assertions, moved),
  };
}

/** The spec with whole URLs: an entryUrl that is a path gets the suite's baseURL, and globs that begin with a slash get the origin. */
export function atBase(spec: TaskSpec, baseURL: string | undefined): TaskSpec {
  const globsAt = (origin: string) =>
    withUrls(spec.assertions, pattern => (isPath(pattern) ? origin + pattern : pattern));
  if (!isPath(spec.entryUrl)) {
    // In 0.1, globs are always for whole URLs.
    if (spec.specVersion !== SPEC_VERSION_1) return spec;
    return { ...spec, assertions: globsAt(new URL(spec.entryUrl).origin) };
  }
  if (baseURL === undefined)
    throw new Error(
      `entryUrl is the path ${spec.entryUrl}, which is relative to the suite's baseURL. Set use.baseURL in the Playwright config, or write the whole URL.`,
    );
  const entry = parsedUrl(spec.entryUrl, baseURL);
  if (!entry?.protocol.startsWith('http'))
    // Not shown, since it may hold a password.
    throw new Error('use.baseURL must be an http: or https: URL, such as http://localhost:3000');
  return {
    ...spec,
    entryUrl: entry.href,
    allowedDomains: spec.allowedDomains.length ? spec.allowedDomains : [entry.hostname],
    assertions: globsAt(entry.origin),
  };
}

function withUrls(assertions: readonly Assertion[], change: (glob: string) => string): Assertion[] {
  return assertions.map(assertion => {
    if (assertion.type === 'url') return { ...assertion, pattern: change(assertion.pattern) };
    if (assertion.type === 'network') return { ...assertion, urlPattern: change(assertion.urlPattern) };
    return assertion;
  });
}

/** Sites may write a name in capitals, or with a capital first letter. */
const CASES: readonly ((text: string) => string)[] = [
  text => text,
  text => text.toUpperCase(),
  text => text.replace(/[a-z]/, first => first.toUpperCase()),
];

/** Puts `{{unique}}` in place of its value. In the JSON text, too, the value stands as it is: it has only letters and digits. */
export function uniqueByName<Value>(value: Value, unique: string | undefined): Value {
  if (!unique) return value;
  const written = JSON.stringify(value);
  const named = CASES.reduce((text, cased) => text.replaceAll(cased(unique), cased(UNIQUE)), written);
  return JSON.parse(named) as Value;
}

/** Puts the value in place of `{{unique}}`. */
export const uniqueByValue = (text: string, unique: string): string =>
  CASES.reduce((rest, cased) => rest.replaceAll(cased(UNIQUE), cased(unique)), text);

type Path = readonly (string | number)[];

function mapTexts(value: unknown, path: Path, change: (text: string, path: Path) => string): unknown {
  if (typeof value === 'string') return change(value, path);
  if (Array.isArray(value)) return value.map((each, index) => mapTexts(each, [...path, index], change));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, inner]) => [key, mapTexts(inner, [...path, key], change)]);
  return Object.fromEntries(entries);
}
