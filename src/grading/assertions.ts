// Checks the format's assertions: each waits like a web-first assertion of Playwright's, and says why it does not hold.
import type { Download } from '@playwright/test';
import { within } from '../browser/waiting';
import type { Assertion, DomAssertion, DownloadAssertion } from '../spec';
import { few, shorten } from '../text/line';
import { answerTitle, lookAtAnswer } from './answer';
import { containing, lookAtDom } from './dom';
import { AssertionFailure, type GradedState, timesInWords, waitToHold } from './holds';
import { networkLook, networkTitle } from './network';
import { urlGlob } from './url-glob';

/** The assertion as a sentence, for steps and records. */
export function assertionTitle(assertion: Assertion): string {
  if (assertion.type === 'url') return `url matches "${assertion.pattern}"`;
  if (assertion.type === 'dom') return domTitle(assertion);
  if (assertion.type === 'answer') return answerTitle(assertion);
  if (assertion.type === 'network') return networkTitle(assertion);
  const { name, text } = assertion;
  return `a file "${name}"${text === undefined ? '' : ` with "${text}"`} was downloaded`;
}

function domTitle({ selector, state, text, hidden, value, count }: DomAssertion): string {
  const what = state === 'text' ? `contains "${text}"${hidden ? ', hidden or not' : ''}` : `is ${state}`;
  const valued = value === undefined ? '' : ` with the value "${value}"`;
  return `"${selector}" ${what}${valued}${count === undefined ? '' : ` ${timesInWords(count)}`}`;
}

/** @throws AssertionFailure if the assertion does not hold within the timeout. */
export async function checkAssertion(assertion: Assertion, state: GradedState): Promise<void> {
  const { page } = state;
  if (assertion.type === 'network') {
    const look = networkLook(assertion);
    return waitToHold(state, () => look(state));
  }
  if (assertion.type === 'answer') {
    const reason = lookAtAnswer(assertion, state.answer ?? null);
    if (reason !== null) throw new AssertionFailure(reason);
    return;
  }
  if (assertion.type === 'download')
    return waitToHold(state, () => lookAtDownload(assertion, state.downloads ?? []));
  if (page.isClosed()) throw new AssertionFailure('no tab was open when the agent ended');
  if (assertion.type === 'dom') return waitToHold(state, () => lookAtDom(assertion, state));
  const { pattern } = assertion;
  const matches = urlGlob(pattern);
  await waitToHold(state, () => {
    const url = page.url();
    return matches(url) ? null : `the URL ${url} does not match "${pattern}"`;
  });
}

/** Milliseconds for one look at a download, which may not have ended. */
const LOOK_MS = 2_000;
/** Bytes of a file in which a text is searched. */
const MAX_FILE = 10_000_000;

/** @returns why it does not hold, or null */
async function lookAtDownload(
  { name, text }: DownloadAssertion,
  downloads: readonly Download[],
): Promise<string | null> {
  const names = downloads.map(each => `"${each.suggestedFilename()}"`);
  const matches = urlGlob(name);
  const named = downloads.filter(each => matches(each.suggestedFilename()));
  if (!named.length) return `no file "${name}" was downloaded${names.length ? `, but ${few(names, 3)}` : ''}`;
  const reasons = await Promise.all(named.map(each => whyNot(each, text)));
  return reasons.includes(null) ? null : reasons[0]!;
}

async function whyNot(download: Download, text: string | undefined): Promise<string | null> {
  const name = `"${download.suggestedFilename()}"`;
  const ending = download.failure().then(failure => ({ failure }));
  const ended = await within(ending, LOOK_MS);
  if (!ended) return `the download of ${name} has not ended`;
  if (ended.failure !== null) return `the download of ${name} failed: ${ended.failure}`;
  if (text === undefined) return null;
  const content = await contentOf(download);
  if (containing(text).test(content)) return null;
  return `${name} does not contain "${text}"; it ${content ? `begins with "${shorten(content.slice(0, 300), 80)}"` : 'is empty'}`;
}

async function contentOf(download: Download): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  // Also of a browser on another machine.
  for await (const chunk of await download.createReadStream()) {
    chunks.push(chunk as Buffer);
    length += (chunk as Buffer).length;
    if (length >= MAX_FILE) break;
  }
  const bytes = Buffer.concat(chunks);
  // As Excel writes it.
  const isUtf16 = bytes[0] === 0xff && bytes[1] === 0xfe;
  return new TextDecoder(isUtf16 ? 'utf-16le' : 'utf-8').decode(bytes);
}
