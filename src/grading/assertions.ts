// Checks the format's assertions with Playwright's `expect`: each waits like a web-first assertion, and says why it does not hold.
import { stripVTControlCharacters } from 'node:util';
import { expect, type Locator, type Page } from '@playwright/test';
import type { NetworkEvent } from '../data/record';
import type { Assertion, DomAssertion, NetworkAssertion } from '../spec';
import { hostOf } from '../spec/url';
import { messageOf, shorten } from '../text/line';

export interface GradedState {
  /** The active tab when the agent ended. */
  page: Page;
  /** Live: requests that arrive while an assertion waits count, too. */
  network: readonly NetworkEvent[];
  /** Milliseconds. Default: the project's `expect.timeout`. */
  timeoutMs?: number;
  /** Looks once, without waiting. Default: false. */
  once?: boolean;
}

/** Thrown by `checkAssertion` if an assertion does not hold. The message is the reason, in one line. */
export class AssertionFailure extends Error {
  override name = 'AssertionFailure';
  /** Whether it was waited for until the timeout. */
  waited = false;
}

/** Milliseconds for the text of a page: if its script never ends, it does not answer. */
const RESPONSE_MS = 5_000;
const GONE = 'the page has crashed, or its tab was closed';
const UNRESPONSIVE = 'the page did not respond: it was busy, or its script never ends';

/** The assertion as a sentence, for steps and records. */
export function assertionTitle(assertion: Assertion): string {
  if (assertion.type === 'url') return `url matches "${assertion.pattern}"`;
  if (assertion.type === 'dom') {
    const { selector, state, text } = assertion;
    return `"${selector}" ${state === 'text' ? `contains "${text}"` : `is ${state}`}`;
  }
  const { status } = assertion;
  return `${requestInWords(assertion)} was sent${status === undefined ? '' : ` and answered with ${status}`}`;
}

/** @throws AssertionFailure if the assertion does not hold within the timeout. */
export async function checkAssertion(assertion: Assertion, state: GradedState): Promise<void> {
  const { page, network } = state;
  if (assertion.type === 'network') {
    const isIt = requestFilter(assertion);
    return holds(state, () => lookInto(network.filter(isIt), assertion));
  }
  if (page.isClosed()) throw new AssertionFailure('no tab was open when the agent ended');
  if (assertion.type === 'dom') return checkDom(assertion, state);
  const { pattern } = assertion;
  const matches = urlGlob(pattern);
  await holds(state, () => {
    const url = page.url();
    return matches(url) ? null : `the URL ${url} does not match "${pattern}"`;
  });
}

/** Matches each event once, and only those with the method: a page may send thousands, with long URLs. */
function requestFilter({ urlPattern, method }: NetworkAssertion): (event: NetworkEvent) => boolean {
  const matches = urlGlob(urlPattern);
  const known = new WeakMap<NetworkEvent, boolean>();
  return event => {
    if (method !== undefined && event.method !== method) return false;
    const is = known.get(event) ?? matches(event.url);
    known.set(event, is);
    return is;
  };
}

/** Null if it holds; else why it does not. */
export function whyNotSent(network: readonly NetworkEvent[], assertion: NetworkAssertion): string | null {
  return lookInto(network.filter(requestFilter(assertion)), assertion);
}

function lookInto(sent: readonly NetworkEvent[], assertion: NetworkAssertion): string | null {
  const { status } = assertion;
  const request = requestInWords(assertion);
  const left = sent.filter(event => !event.keptByWorker && !event.answeredBy);
  // `data:` and `blob:` have a status, too.
  if (left.some(event => /^https?:/.test(event.url) && statusMatches(status, event.status))) return null;
  const refused = sent.find(event => event.answeredBy === 'guard');
  if (refused)
    return `${request} was refused by the guard: add ${hostOf(refused.url) ?? 'its host'} to allowedDomains`;
  const seen = new Set(left.map(event => event.status ?? event.failure ?? 'no answer'));
  if (seen.size)
    return status === undefined
      ? `${request} was made, but no server answered it (${[...seen].join(', ')})`
      : `${request} was sent, but answered with ${[...seen].join(', ')} instead of ${status}`;
  if (!sent.length) return `no request matched ${request}`;
  const by = sent.some(event => event.keptByWorker) ? 'a service worker' : "the agent's program";
  return `${request} was made, but ${by} answered it, not the server`;
}

function statusMatches(wanted: NetworkAssertion['status'], status: number | null): boolean {
  if (status === null) return false;
  if (wanted === undefined) return true;
  return typeof wanted === 'number' ? status === wanted : Math.floor(status / 100) === Number(wanted[0]);
}

function requestInWords({ method, urlPattern }: NetworkAssertion): string {
  return `${method ?? 'a request'} ${method ? '' : 'to '}"${urlPattern}"`;
}

async function checkDom(assertion: DomAssertion, state: GradedState): Promise<void> {
  const { selector } = assertion;
  const invalid = (why: string) => new AssertionFailure(`"${selector}" is not a valid CSS selector: ${why}`);
  // Playwright reads `>>` as a chain of selectors of several kinds; the format only has CSS.
  const unquoted = selector.replace(/"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'/g, '""');
  if (unquoted.includes('>>')) throw invalid('">>"');
  const locator = state.page.locator(`css=${selector}`);
  await holds(state, () =>
    lookAt(locator, assertion, state.page).catch(error => {
      // Playwright colours its messages.
      const [line] = stripVTControlCharacters(messageOf(error)).split('\n');
      throw /selector/i.test(messageOf(error)) ? invalid(line!) : error;
    }),
  );
}

// Reads everything in Playwright's own world, apart from the page's scripts: a page can replace what `page.evaluate` and
// `allTextContents` use.
async function lookAt(
  locator: Locator,
  { selector, state, text }: DomAssertion,
  page: Page,
): Promise<string | null> {
  const count = await locator.count();
  if (state === 'absent') {
    if (count) return `"${selector}" still matches ${count}`;
    const blank = await whyBlank(page);
    return blank && `"${selector}" is absent, but that says nothing: ${blank}`;
  }
  if (!count) return `nothing matches "${selector}"${state === 'hidden' ? ': `hidden` needs a match' : ''}`;
  if (state === 'attached') return null;
  if (state === 'text') {
    const isSaid = (await locator.filter({ hasText: containing(text!) }).count()) > 0;
    return isSaid
      ? null
      : `"${selector}" does not contain "${text}"; it says ${await firstTexts(locator, count)}`;
  }
  const visible = await locator.filter({ visible: true }).count();
  if (state === 'hidden') return visible ? `"${selector}" is visible (${visible} of ${count})` : null;
  return visible ? null : `"${selector}" matches ${count}, but none is visible`;
}

/** The text with any white space matching any other. Not a string, which would match in any case. */
function containing(text: string): RegExp {
  const pattern = text
    .replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
    // At either end one white space is enough: more would be tried at each place of a page's megabytes of it.
    .replace(/^\s+|\s+$/g, '\\s')
    .replace(/\s+/g, '\\s+');
  return new RegExp(pattern);
}

/** The texts of the first matches, for the reason. A cut one ends with an ellipsis: the mask knows that a secret may be cut there. */
async function firstTexts(locator: Locator, count: number): Promise<string> {
  const reading = Array.from({ length: Math.min(count, 3) }, (_, index) =>
    locator.nth(index).textContent({ timeout: 1_000 }),
  );
  const texts = await Promise.all(reading.map(text => text.catch(() => '')));
  return texts.map(text => `"${shorten(text ?? '', 80)}"`).join(', ');
}

/** On a page that shows nothing, everything is absent: such a pass would say nothing about the site. */
async function whyBlank(page: Page): Promise<string | null> {
  const url = page.url();
  if (url === 'about:blank') return 'the page is blank (about:blank)';
  if (/^(chrome|edge|about)(-error|:neterror)/.test(url)) return 'the page failed to load';
  const body = page.locator('css=body');
  const shown = 'css=img, svg, canvas, video, iframe, object, input, button, select, textarea';
  const isSaying =
    (await body.count()) && (await body.first().innerText({ timeout: RESPONSE_MS })).trim() !== '';
  if (isSaying || (await body.locator(shown).filter({ visible: true }).count())) return null;
  return `the page rendered no content (${url})`;
}

const NAVIGATING = /context was destroyed|cannot find context|navigat|frame was detached/i;

/**
 * @param look returns why the assertion does not hold, or null
 * @throws AssertionFailure with the last reason, if it does not come to hold within the timeout
 */
async function holds(
  { timeoutMs, once }: GradedState,
  look: () => string | null | Promise<string | null>,
): Promise<void> {
  // Often at first: most pages settle soon.
  const options = { intervals: [50, 100, 250, 500], ...(timeoutMs !== undefined && { timeout: timeoutMs }) };
  let reason: string | null = UNRESPONSIVE;
  const looked = async () => {
    try {
      reason = await look();
    } catch (error) {
      // If the page navigates meanwhile, look again; `poll` itself would give up.
      if (NAVIGATING.test(messageOf(error))) return false;
      throw error;
    }
    if (reason !== null && once) throw new AssertionFailure(reason);
    return reason === null;
  };
  try {
    await expect.poll(looked, options).toBe(true);
  } catch (error) {
    if (error instanceof AssertionFailure) throw error;
    if (/crashed|has been closed/i.test(messageOf(error))) throw new AssertionFailure(GONE);
    throw Object.assign(new AssertionFailure(reason ?? UNRESPONSIVE), { waited: true });
  }
}

/** More are forgotten: an odd pattern has many, and pages choose their URLs. */
const MAX_STATES = 1_000;

/** Which tokens of a glob are met so far, and what follows on each character. */
interface GlobState {
  live: readonly boolean[];
  next: GlobState[];
}

// Not picomatch: its `?` and `*` stop at other characters, its `**/x` matches a bare `x`, and its expressions backtrack: `**a**a**a**b`
// takes minutes on a URL of 2000 characters, and pages choose their URLs. Here a character costs one look-up in most cases, and at
// most the tokens of the pattern.
/**
 * Whether a whole URL matches a glob: `**` is any run of characters, `*` any run without `/`, `?` exactly one
 * character, everything else itself. Case-sensitive.
 */
export function urlGlob(pattern: string): (url: string) => boolean {
  const tokens = pattern.match(/\*{2,}|./gsu) ?? [];
  const states = new Map<string, GlobState>();
  const stateOf = (live: readonly boolean[]): GlobState => {
    const key = live.map(Number).join('');
    const known = states.get(key);
    if (known) return known;
    if (states.size >= MAX_STATES) states.clear();
    const state = { live, next: [] };
    states.set(key, state);
    return state;
  };
  // Whether the first n tokens match the URL so far.
  const first = [true];
  for (const token of tokens) first.push(first.at(-1)! && token.startsWith('*'));
  const after = ({ live }: GlobState, character: string): GlobState => {
    const next = [false];
    for (const [at, token] of tokens.entries()) {
      const goesOn = token !== '*' || character !== '/';
      const isRun = next[at]! || (live[at + 1]! && goesOn);
      const isIt = token === '?' || token === character;
      next.push(token.startsWith('*') ? isRun : live[at]! && isIt);
    }
    return stateOf(next);
  };
  return url => {
    let state = stateOf(first);
    for (let at = 0; at < url.length; ) {
      const code = url.codePointAt(at)!;
      state = state.next[code] ??= after(state, String.fromCodePoint(code));
      at += code > 0xffff ? 2 : 1;
    }
    return state.live.at(-1)!;
  };
}
