// Checks the format's assertions with Playwright's `expect`: each waits like a web-first assertion, and says why it does not hold.
import { expect, type Locator, type Page } from '@playwright/test';
import { shorten } from '../browser/reading/tree';
import type { NetworkEvent } from '../browser/session/network';
import { limited } from '../browser/waiting';
import type { Assertion, DomAssertion, NetworkAssertion, UrlAssertion } from '../spec';

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

  /** @param waited whether it was waited for until the timeout */
  constructor(
    reason: string,
    readonly waited = false,
  ) {
    super(reason);
  }
}

/** Milliseconds for the first look at a page: if its script never ends, it does not answer. */
const RESPONSE_MS = 5_000;
const UNRESPONSIVE = 'the page did not respond: it was busy, or its script never ends';

/** The assertion as a sentence, for steps and records. */
export function assertionTitle(assertion: Assertion): string {
  if (assertion.type === 'url') return `url matches "${assertion.pattern}"`;
  if (assertion.type === 'network')
    return `${requestInWords(assertion)} was sent${assertion.status === undefined ? '' : ` and answered with ${assertion.status}`}`;
  return assertion.state === 'text'
    ? `"${assertion.selector}" contains "${assertion.text}"`
    : `"${assertion.selector}" is ${assertion.state}`;
}

/** @throws AssertionFailure if the assertion does not hold within the timeout. */
export async function checkAssertion(assertion: Assertion, state: GradedState): Promise<void> {
  if (assertion.type === 'network') return checkNetwork(assertion, state);
  if (state.page.isClosed()) throw new AssertionFailure('no tab was open when the agent ended');
  if (assertion.type === 'url') return checkUrl(assertion, state);
  return checkDom(assertion, state);
}

async function checkUrl({ pattern }: UrlAssertion, state: GradedState): Promise<void> {
  const { page } = state;
  const reason = () => `the URL ${page.url()} does not match "${pattern}"`;
  await holds(state, () => matchesUrlGlob(pattern, page.url()), reason);
}

async function checkNetwork(assertion: NetworkAssertion, state: GradedState): Promise<void> {
  const { network } = state;
  const sent = (event: NetworkEvent) =>
    matchesUrlGlob(assertion.urlPattern, event.url) &&
    (assertion.method === undefined || event.method === assertion.method);
  const holdsFor = (event: NetworkEvent) =>
    !event.keptByWorker && sent(event) && statusMatches(assertion.status, event.status);
  const reason = () => {
    const matching = network.filter(sent);
    const answered = matching.filter(event => !event.keptByWorker);
    const seen = new Set(answered.map(event => event.status ?? event.failure ?? 'no answer'));
    if (seen.size)
      return `${requestInWords(assertion)} was sent, but answered with ${[...seen].join(', ')} instead of ${assertion.status}`;
    return matching.length
      ? `${requestInWords(assertion)} was made, but a service worker answered it, not the server`
      : `no request matched ${requestInWords(assertion)} (${network.length} requests in this trial)`;
  };
  await holds(state, () => network.some(holdsFor), reason);
}

function statusMatches(wanted: NetworkAssertion['status'], status: number | null): boolean {
  if (wanted === undefined) return true;
  if (status === null) return false;
  return typeof wanted === 'number' ? status === wanted : Math.floor(status / 100) === Number(wanted[0]);
}

function requestInWords({ method, urlPattern }: NetworkAssertion): string {
  return `${method ?? 'a request'} ${method ? '' : 'to '}"${urlPattern}"`;
}

interface DomSnapshot {
  count: number;
  visible: number;
  /** How many contain the assertion's text. */
  saying: number;
  /** Why `absent` says nothing on this page; null if it rendered content. */
  blank: string | null;
}

async function checkDom(assertion: DomAssertion, state: GradedState): Promise<void> {
  const { page } = state;
  const locator = await cssLocator(page, assertion.selector);
  let last: DomSnapshot | null = null;
  const look = async () => {
    try {
      last = await snapshot(page, locator, assertion);
      return domHolds(assertion, last);
    } catch (error) {
      // If the page navigates meanwhile, look again; `poll` itself would give up.
      if (isNavigating(error)) return undefined;
      throw error;
    }
  };
  await holds(state, look, () => (last ? domReason(assertion, last, locator) : UNRESPONSIVE));
}

function domHolds({ state }: DomAssertion, { count, visible, saying, blank }: DomSnapshot): boolean {
  const holds: Record<DomAssertion['state'], boolean> = {
    visible: visible > 0,
    attached: count > 0,
    hidden: count > 0 && visible === 0,
    absent: count === 0 && blank === null,
    text: saying > 0,
  };
  return holds[state];
}

async function domReason(
  { selector, state, text }: DomAssertion,
  { count, visible, blank }: DomSnapshot,
  locator: Locator,
): Promise<string> {
  if (!count && state === 'absent') return `"${selector}" is absent, but that says nothing: ${blank}`;
  if (!count) return `nothing matches "${selector}"${state === 'hidden' ? ': `hidden` needs a match' : ''}`;
  if (state === 'hidden') return `"${selector}" is visible (${visible} of ${count})`;
  if (state === 'absent') return `"${selector}" still matches ${count}`;
  if (state === 'visible')
    return `"${selector}" matches ${count}, but none is visible${await firstBox(locator)}`;
  const texts = await firstTexts(locator, count);
  return `"${selector}" does not contain "${text}"; it says ${texts.map(said => `"${said}"`).join(', ')}`;
}

// Reads everything in Playwright's own world, apart from the page's scripts: a page can replace what `page.evaluate` and
// `allTextContents` use.
async function snapshot(page: Page, locator: Locator, { state, text }: DomAssertion): Promise<DomSnapshot> {
  const count = await locator.count();
  const visible =
    state === 'visible' || state === 'hidden' ? await locator.filter({ visible: true }).count() : 0;
  const saying = state === 'text' ? await locator.filter({ hasText: containing(text!) }).count() : 0;
  const blank = state === 'absent' && count === 0 ? await whyBlank(page) : null;
  return { count, visible, saying, blank };
}

/** Why Playwright calls the first match hidden, in a clause; empty if its box does not show it. */
async function firstBox(locator: Locator): Promise<string> {
  const box = await locator
    .first()
    .boundingBox({ timeout: 1_000 })
    .catch(() => null);
  if (!box || (box.width > 0 && box.height > 0)) return '';
  const [width, height] = [Math.round(box.width), Math.round(box.height)];
  return `: the box of ${(await locator.count()) > 1 ? 'the first' : 'it'} is ${width} x ${height} pixels`;
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
async function firstTexts(locator: Locator, count: number): Promise<string[]> {
  const reading = Array.from({ length: Math.min(count, 3) }, (_, index) =>
    locator.nth(index).textContent({ timeout: 1_000 }),
  );
  const texts = await Promise.all(reading.map(text => text.catch(() => '')));
  return texts.map(text => shorten(text ?? ''));
}

/** On a page that shows nothing, everything is absent: such a pass would say nothing about the site. */
async function whyBlank(page: Page): Promise<string | null> {
  const url = page.url();
  if (url === 'about:blank') return 'the page is blank (about:blank)';
  if (/^(chrome|edge|about)(-error|:neterror)/.test(url)) return 'the page failed to load';
  const body = page.locator('css=body');
  const shown = 'css=img, svg, canvas, video, iframe, object, input, button, select, textarea';
  const rendered =
    (await body.count()) > 0 &&
    ((await body.first().innerText({ timeout: RESPONSE_MS })).trim() !== '' ||
      (await body.locator(shown).filter({ visible: true }).count()) > 0);
  return rendered ? null : `the page rendered no content (${url})`;
}

/** @throws AssertionFailure if the selector is not CSS. */
async function cssLocator(page: Page, selector: string): Promise<Locator> {
  // Playwright reads `>>` as a chain of selectors of several kinds; the format only has CSS.
  const unquoted = selector.replace(/"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'/g, '""');
  if (unquoted.includes('>>')) throw new AssertionFailure(`"${selector}" is not a valid CSS selector: ">>"`);
  const locator = page.locator(`css=${selector}`);
  try {
    // `count` has no timeout.
    await limited(locator.count(), RESPONSE_MS, () => new AssertionFailure(UNRESPONSIVE));
  } catch (error) {
    if (error instanceof AssertionFailure) throw error;
    const message = error instanceof Error ? error.message : String(error);
    if (/crash|closed/i.test(message))
      throw new AssertionFailure(`the page can't be read: ${firstLine(message)}`);
    // A navigation may break this first look; the polled ones come later.
    if (isNavigating(error)) return locator;
    throw new AssertionFailure(`"${selector}" is not a valid CSS selector: ${firstLine(message)}`);
  }
  return locator;
}

function isNavigating(error: unknown): boolean {
  return (
    error instanceof Error &&
    /context was destroyed|cannot find context|navigat|frame was detached/i.test(error.message)
  );
}

/** @param look returns undefined if it saw nothing, and has to be repeated */
async function holds(
  { timeoutMs, once }: GradedState,
  look: () => boolean | Promise<boolean | undefined>,
  reason: () => string | Promise<string>,
): Promise<void> {
  // Often at first: most pages settle soon.
  const options = { intervals: [50, 100, 250, 500], ...(timeoutMs !== undefined && { timeout: timeoutMs }) };
  const looked = async () => {
    const holding = await look();
    if (holding === false && once) throw new AssertionFailure(await reason());
    return holding;
  };
  try {
    await expect.poll(looked, options).toBe(true);
  } catch (error) {
    if (error instanceof AssertionFailure) throw error;
    const message = error instanceof Error ? error.message : String(error);
    if (/Target crashed|page crashed/i.test(message)) throw new AssertionFailure('the page has crashed');
    if (/has been closed/i.test(message))
      throw new AssertionFailure('the tab was closed before it could be graded');
    throw new AssertionFailure(await reason(), true);
  }
}

function firstLine(message: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: Playwright colours its messages
  return (message.split('\n')[0] ?? message).replace(/\u001b\[[0-9;]*m/g, '');
}

// The format's URL globs. Not picomatch: its `?` and `*` stop at other characters, its `**/x` matches a bare `x`, and its expressions
// backtrack: `**a**a**a**b` takes minutes on a URL of 2000 characters, and pages choose their URLs. Here the work is at most (tokens
// of the pattern) x (characters of the URL).

/**
 * Whether a whole URL matches a glob: `**` is any run of characters, `*` any run without `/`, `?` exactly one
 * character, everything else itself. Case-sensitive.
 */
export function matchesUrlGlob(pattern: string, url: string): boolean {
  const tokens = pattern.match(/\*{2,}|./gsu) ?? [];
  // The positions in the pattern that the URL may have come to.
  let live = withEmptyRuns([0], tokens);
  for (const character of url) {
    const next: number[] = [];
    for (const at of live) {
      const token = tokens[at];
      if (token?.startsWith('*')) {
        if (token !== '*' || character !== '/') next.push(at);
      } else if (token === '?' || token === character) next.push(at + 1);
    }
    live = withEmptyRuns(next, tokens);
    if (live.size === 0) return false;
  }
  return live.has(tokens.length);
}

/** Adds the positions after runs that may be empty. */
function withEmptyRuns(positions: readonly number[], tokens: readonly string[]): Set<number> {
  const reached = new Set<number>();
  for (let at of positions)
    for (reached.add(at); tokens[at]?.startsWith('*') && !reached.has(at + 1); reached.add(at)) at++;
  return reached;
}
