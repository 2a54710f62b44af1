// Checks the format's assertions: each waits like a web-first assertion of Playwright's, and says why it does not hold.
import type { AssertionResult } from '../data/record';
import type { Assertion, DomAssertion } from '../spec';
import { urlGlob } from '../spec/url-glob';
import { answerTitle, lookAtAnswer } from './answer';
import { lookAtDom } from './dom';
import { lookAtDownload } from './download';
import { AssertionFailure, type GradedState, timesInWords, waitToHold } from './holds';
import { networkLook, networkTitle } from './network';

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

/** The result for the record. @param reason null if it holds @param line in the spec's file */
export function resultOf(assertion: Assertion, reason: string | null, line?: number): AssertionResult {
  const { type, description, method } = { method: undefined, ...assertion };
  const title = assertionTitle(assertion);
  return { title, type, method, description, passed: reason === null, reason, line };
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
