// Looks for the elements of a `dom` assertion, in Playwright's own world: a page can replace what `page.evaluate` uses.
import { stripVTControlCharacters } from 'node:util';
import type { ElementHandle, Locator, Page } from '@playwright/test';
import { callInPage } from '../browser/in-page';
import { showing } from '../browser/reading/shown';
import { within } from '../browser/waiting';
import type { NetworkEvent } from '../data/record';
import type { DomAssertion } from '../spec';
import { escapePattern, messageOf, readable, shorten, UNREAD } from '../text/line';
import { AssertionFailure, boundsOf, countInWords, type GradedState } from './holds';

/** Milliseconds for an element, which may be gone by then. */
const ELEMENT_MS = 1_000;
/** The most elements whose rendered texts are read. */
const MAX_TEXTS = 5_000;
/** The most elements that are read one by one, since each takes requests. */
const MAX_FIELDS = 200;
/** What a page shows besides texts. */
const DRAWN = 'css=img, svg, canvas, video, iframe, frame, object, input, button, select, textarea';
/** Shows only the chosen option. */
const CLOSED_LIST = 'css=select:not([multiple], [size]:not([size="0"], [size="1"]))';
/** Their form does not send the value that they have. */
const UNCHECKED = ':is([type=radio], [type=checkbox]):not(:checked)';

/** Asked before a trial, which would be paid for in vain. @returns why the selector is not valid, or null */
export async function whyInvalid({ selector }: DomAssertion, page: Page): Promise<string | null> {
  const invalid = (why: string) => `"${selector}" is not a valid CSS selector: ${why}`;
  // Playwright reads `>>` as a chain of selectors of several kinds; the format only has CSS.
  const unquoted = selector.replace(/"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'/g, '""');
  if (unquoted.includes('>>')) return invalid('">>"');
  const error = await page
    .locator(`css=${selector}`)
    .count()
    .then(() => '', messageOf);
  // Playwright colours its messages. Others say nothing about the selector.
  const [line] = stripVTControlCharacters(error).split('\n');
  return /selector/i.test(error) ? invalid(line!.replace('locator.count: ', '')) : null;
}

/** @returns why it does not hold, or null */
export async function lookAtDom(assertion: DomAssertion, state: GradedState): Promise<string | null> {
  return (await lookAt(assertion, state)) ?? whyNoAbsence(assertion, state);
}

/** On an error page of the server everything is absent. A 404, though, may be what the task leads to. */
async function whyNoAbsence({ selector, state, count }: DomAssertion, { page, network }: GradedState) {
  if (state !== 'absent' && boundsOf(count).min > 0) return null;
  const [url] = page.url().split('#');
  const isShown = (each: NetworkEvent) => each.resourceType === 'document' && each.url === url;
  const told = await within(callInPage(page, 'statusOfDocument'), ELEMENT_MS);
  const status = told || (network.findLast(isShown)?.status ?? 0);
  if (status >= 500 && (await page.locator(`css=${selector}`).count())) return null;
  return status < 500
    ? null
    : `that "${selector}" is absent says nothing: the server answered ${status} (${url})`;
}

/** The part of an assertion that can still break after it held: its upper limit. What is gone by then was there. */
export function limitOf(assertion: DomAssertion): DomAssertion {
  const { state, count } = assertion;
  if (state === 'hidden') return { ...assertion, state: 'visible', count: { max: 0 } };
  return count === undefined ? assertion : { ...assertion, count: { max: boundsOf(count).max } };
}

async function lookAt(assertion: DomAssertion, { page, specVersion }: GradedState): Promise<string | null> {
  const { selector, state, hidden, value } = assertion;
  const locator = page.locator(`css=${selector}`);
  const matched = await locator.count();
  if (state === 'absent')
    return matched ? `"${selector}" still matches ${matched}` : whyBlank(page, `"${selector}" is absent`);
  const isNeeded = boundsOf(assertion.count).min > 0;
  if (!matched && isNeeded)
    return `nothing matches "${selector}"${state === 'hidden' ? ': `hidden` needs a match' : ''}`;
  if (state === 'text' && specVersion === 'playwright/1' && !hidden)
    return lookAtRendered(assertion, locator);
  if (state === 'text') return lookAtTexts(assertion, page, locator, matched);
  if (value !== undefined) return lookAtValues(assertion, locator);
  if (state === 'attached') return miscounted(assertion, matched, page, 'matches');
  const visible = await seen(locator).count();
  if (state === 'hidden') return visible ? `"${selector}" is visible (${visible} of ${matched})` : null;
  if (!visible && isNeeded) return `"${selector}" matches ${matched}, but none is visible`;
  return miscounted(assertion, visible, page, `is ${state satisfies 'visible'} in`);
}

/** As in 0.1: hidden text counts, too. */
async function lookAtTexts(assertion: DomAssertion, page: Page, locator: Locator, count: number) {
  const { selector, text } = assertion;
  const pattern = containing(text!, MAY_BREAK);
  const inBody = await locator.filter({ hasText: pattern }).count();
  const saying = inBody + (await countInData(locator, pattern));
  if (!saying && boundsOf(assertion.count).min > 0)
    return `"${selector}" does not contain "${text}"; it says ${await firstTexts(locator, count)}`;
  return miscounted(assertion, saying, page, `contains "${text}" in`);
}

/** `hasText` skips the title, the rest of the head, scripts and styles. Here they count if the selector names them. */
async function countInData(locator: Locator, pattern: RegExp): Promise<number> {
  const data = locator.and(locator.page().locator('css=head *, script, style'));
  const texts = await Promise.all(
    (await data.elementHandles()).slice(0, MAX_FIELDS).map(each => each.textContent()),
  );
  return texts.filter(text => pattern.test(text ?? '')).length;
}

const seen = (locator: Locator) => locator.filter({ visible: true });

/** @param held begins the reason: `matches` 3, not 2 */
async function miscounted(
  { selector, count = { min: 1 } }: DomAssertion,
  found: number,
  page: Page,
  held: string,
): Promise<string | null> {
  const { min, max } = boundsOf(count);
  if (found < min || found > max) return `"${selector}" ${held} ${found}, not ${countInWords(count)}`;
  return found ? null : whyBlank(page, `"${selector}" ${held} 0`);
}

async function lookAtRendered(assertion: DomAssertion, locator: Locator): Promise<string | null> {
  const { selector, text } = assertion;
  const page = locator.page();
  await refuseMany(seen(locator), selector, MAX_TEXTS);
  const saying = await (await showing(locator, containing(readable(text!), `${UNREAD}*`))).count();
  if (saying || boundsOf(assertion.count).min === 0)
    return miscounted(assertion, saying, page, `contains "${text}" in`);
  const lists = listsOffering(locator, containing(text!));
  if (await lists.count()) {
    const chosen = await firstTexts(lists.locator('css=option:checked'), 1);
    return `"${selector}" contains "${text}" only in an option that is not chosen; ${chosen} is`;
  }
  const inDocument = await locator.filter({ hasText: containing(text!) }).count();
  const shown = await showing(locator);
  const count = await shown.count();
  const says = count ? `it shows ${await firstTexts(shown, count)}` : 'no match shows a text';
  const where = inDocument ? `contains "${text}" only in hidden text` : `does not contain "${text}"`;
  return `"${selector}" ${where}; ${says}`;
}

/** The visible closed lists, among the matches and in them, that have the text in an option that is not chosen. */
function listsOffering(locator: Locator, text: RegExp): Locator {
  const option = locator.page().locator('css=option:not(:checked)').filter({ hasText: text });
  const lists = seen(locator.page().locator(CLOSED_LIST).filter({ has: option }));
  return locator.locator(lists).or(locator.and(lists));
}

async function lookAtValues(assertion: DomAssertion, locator: Locator): Promise<string | null> {
  const { selector, value, state } = assertion;
  const page = locator.page();
  const matched = state === 'visible' ? seen(locator) : locator;
  const fields = matched.and(page.locator(`css=:not(${UNCHECKED})`));
  await refuseMany(fields, selector, MAX_FIELDS);
  const read = await Promise.all((await fields.elementHandles()).map(fieldIn));
  const values = read.flatMap(({ value }) => value ?? []);
  const equal = values.filter(each => each === value).length;
  if (equal || boundsOf(assertion.count).min === 0)
    return miscounted(assertion, equal, page, `has the value "${value}" in`);
  const isUnchecked = read.some(each => each.isUnchecked) || (await matched.count()) > read.length;
  if (!values.length && isUnchecked) return `"${selector}" is not checked`;
  if (!values.length) return `"${selector}" matches no ${state === 'visible' ? 'visible ' : ''}field`;
  return `"${selector}" has the value ${quoted(values)}, not "${value}"`;
}

/** Of a label, or an element in one, this reads the label's field. */
async function fieldIn(element: ElementHandle): Promise<{ value?: string; isUnchecked?: boolean }> {
  try {
    const value = await element.inputValue();
    return (await element.isChecked().catch(() => true)) ? { value } : { isUnchecked: true };
  } catch (error) {
    if (/not an? <?(?:input|HTMLInput)/i.test(messageOf(error))) return {};
    throw error;
  }
}

async function refuseMany(locator: Locator, selector: string, most: number): Promise<void> {
  const count = await locator.count();
  if (count > most)
    throw new AssertionFailure(
      `"${selector}" matches ${count} elements, more than the ${most} that can be read: use a narrower selector`,
    );
}

/** Soft hyphens and zero-width spaces, where a word may break. */
const MAY_BREAK = '[\\u00ad\\u200b]*';

/**
 * The text with any white space matching any other. Not a string, which would match in any case.
 *
 * @param between a pattern of what may stand between its characters
 */
export function containing(text: string, between = ''): RegExp {
  const characters = [...text.replace(/\s+/g, ' ')];
  // At either end one white space is enough: `\s+` would be slow on a page with megabytes of it.
  const isEnd = (at: number) => at === 0 || at === characters.length - 1;
  const patterns = characters.map((each, at) =>
    each !== ' ' ? escapePattern(each) : isEnd(at) ? '\\s' : '\\s+',
  );
  return new RegExp(patterns.join(between));
}

/** The texts of the first matches, for the reason. */
async function firstTexts(locator: Locator, count: number): Promise<string> {
  const reading = Array.from({ length: Math.min(count, 3) }, (_, index) =>
    locator.nth(index).textContent({ timeout: ELEMENT_MS }),
  );
  return quoted(await Promise.all(reading.map(text => text.then(each => each ?? '').catch(() => ''))));
}

/** The first three. Cut texts end with an ellipsis: the mask knows that a secret may be cut there. */
function quoted(texts: readonly string[]): string {
  return texts
    .slice(0, 3)
    .map(text => `"${shorten(text, 80)}"`)
    .join(', ');
}

/** On a page that shows nothing, everything is absent, which says nothing about the site. */
async function whyBlank(page: Page, pass: string): Promise<string | null> {
  const url = page.url();
  const said = `${pass}, but that says nothing:`;
  if (url === 'about:blank') return `${said} the page is blank (about:blank)`;
  if (/^(chrome|edge|about)(-error|:neterror)/.test(url)) return `${said} the page failed to load`;
  const says = await showing(page.locator('css=body'));
  const drawn = seen(page.locator(DRAWN));
  if ((await says.count()) || (await drawn.count())) return null;
  return `${said} the page rendered no content (${url})`;
}
