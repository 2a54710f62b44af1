// The state of a page in a few bytes, to tell whether an action had an effect.
import type { Page } from '@playwright/test';
import { type Fingerprint, pathOf } from '../../data/action';
import { callInPage } from '../in-page';
import { within } from '../waiting';

const LIMIT_MS = 1_000;
/** More frames would cost time and rarely matter. */
const MAX_FRAMES = 6;

/** Recorded for a page that did not answer. */
export const NO_ANSWER: Fingerprint = { url: '', content: '' };

/** Undefined if the page does not answer because it is navigating. */
export async function fingerprintOf(page: Page): Promise<Fingerprint | undefined> {
  const frames = page.frames().slice(0, MAX_FRAMES);
  const hashes = frames.map(frame => within(callInPage(frame, 'hashOfContent'), LIMIT_MS));
  const parts = await Promise.all(hashes);
  if (parts[0] === undefined) return undefined;
  return { url: pathOf(page.url()), content: parts.map(part => part ?? '-').join('.') };
}

export function sameFingerprint(one: Fingerprint, other: Fingerprint): boolean {
  return one.url === other.url && one.content === other.content;
}
