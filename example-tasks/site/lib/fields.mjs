// Checks what forms send. Each checker takes a value and returns what is wrong with it, or nothing.
import { HttpError } from './http.mjs';

/** @typedef {(value: unknown) => string | undefined} Check */

/**
 * @param {string} what the sentence shown where nothing was entered
 * @param {number} [max] characters
 * @returns {Check}
 */
export function filled(what, max = 200) {
  return value => {
    if (typeof value !== 'string' || value.trim() === '') return what;
    return value.length > max ? `Use at most ${max} characters.` : undefined;
  };
}

/** @type {Check} */
export function email(value) {
  const looksRight =
    typeof value === 'string' && value.length <= 200 && /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(value);
  return looksRight ? undefined : 'Enter an email address, like name@example.com.';
}

/**
 * @param {readonly string[]} values
 * @param {string} what
 * @returns {Check}
 */
export function oneOf(values, what) {
  return value => (typeof value === 'string' && values.includes(value) ? undefined : what);
}

/**
 * @param {string} what
 * @returns {Check}
 */
export function ticked(what) {
  return value => (value === true ? undefined : what);
}

/** @type {Check} */
export function date(value) {
  const isDate =
    typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value) && !Number.isNaN(Date.parse(value));
  return isDate ? undefined : 'Enter a date.';
}

/**
 * @param {Check} check
 * @returns {Check} the same, for a field that may be left empty
 */
export function optional(check) {
  return value => (value === undefined || value === '' ? undefined : check(value));
}

/**
 * The values of the named fields as text; anything else that was sent is dropped.
 * @template {Record<string, Check>} Checks
 * @param {Record<string, unknown>} sent
 * @param {Checks} checks
 * @returns {Record<keyof Checks, string>}
 * @throws {HttpError} 422 with a sentence for each field that is wrong
 */
export function checkFields(sent, checks) {
  /** @type {Record<string, string>} */
  const wrong = {};
  for (const [name, check] of Object.entries(checks)) {
    const problem = check(sent[name]);
    if (problem) wrong[name] = problem;
  }
  if (Object.keys(wrong).length > 0) throw new HttpError(422, 'Please check the form.', wrong);
  return /** @type {Record<keyof Checks, string>} */ (
    Object.fromEntries(Object.keys(checks).map(name => [name, String(sent[name] ?? '').trim()]))
  );
}
