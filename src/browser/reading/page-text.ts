// Reads a page's text (the article if there is one, frames and shadow roots included), and runs scripts in it.
import type { Frame, Page } from '@playwright/test';
import { DriverError } from '../errors';
import { callInPage } from '../in-page';
import { within } from '../waiting';
import { MAX_CHARACTERS } from './page-tree';

const FRAME_LIMIT_MS = 2_000;
const MAX_FRAMES = 20;
const SCRIPT_LIMIT_MS = 10_000;

/** Undefined if the frame does not answer in time. */
async function frameText(frame: Frame): Promise<string | undefined> {
  const text = await within(callInPage(frame, 'visibleText'), FRAME_LIMIT_MS);
  return text
    ?.replace(/[ \t]+/g, ' ')
    .replace(/\s*\n\s*\n\s*/g, '\n\n')
    .trim();
}

export async function pageText(page: Page): Promise<string> {
  const [main, ...frames] = page.frames().slice(0, MAX_FRAMES);
  const parts = [await frameText(main!)];
  if (parts[0] === undefined)
    throw new DriverError(
      `The page did not give its text within ${FRAME_LIMIT_MS / 1000} s: it is too large, or its scripts keep it busy. Take a screenshot, scroll, or wait and try again.`,
    );
  for (const frame of frames) {
    const text = await frameText(frame);
    if (text) parts.push(`--- frame ${frame.url()}\n${text}`);
  }
  const text = parts.join('\n\n');
  if (text.length <= MAX_CHARACTERS) return text;
  const cut = MAX_CHARACTERS - 200;
  return `${text.slice(0, cut)}…\n(${text.length - cut} more characters were left out at ${MAX_CHARACTERS}: use find, or read_page with a ref.)`;
}

/** The value of the last expression, as JSON if possible. */
export async function runScript(page: Page, text: string): Promise<string> {
  const [outcome] = (await within(Promise.allSettled([page.evaluate(text)]), SCRIPT_LIMIT_MS)) ?? [];
  if (!outcome) throw new DriverError(`The script did not end within ${SCRIPT_LIMIT_MS / 1000} s.`);
  if (outcome.status === 'rejected')
    throw new DriverError(outcome.reason.message.replace(/^page\.evaluate: /, '').split('\n    at')[0]!);
  const { value } = outcome;
  const shown = typeof value === 'string' ? value : (JSON.stringify(value, null, 1) ?? String(value));
  return shown.length > MAX_CHARACTERS
    ? `${shown.slice(0, MAX_CHARACTERS - 60)}…\n(cut at ${MAX_CHARACTERS} characters)`
    : shown;
}
