// The state of a page in a few bytes, to tell whether an action had an effect.
import type { Page } from '@playwright/test';
import { type Fingerprint, pathOf } from '../../data/action';
import { evaluateUnseen } from '../page-calls';
import { within } from '../waiting';

const LIMIT_MS = 1_000;
/** More frames would cost time and rarely matter. */
const MAX_FRAMES = 6;

/** Recorded for a page that did not answer. */
export const NO_ANSWER: Fingerprint = { url: '', content: '' };

/** Undefined if the page does not answer because it is navigating. */
export async function fingerprintOf(page: Page): Promise<Fingerprint | undefined> {
  const frames = page.frames().slice(0, MAX_FRAMES);
  const hashes = frames.map(frame => within(evaluateUnseen(frame, `(${hashOfContent})()`), LIMIT_MS));
  const parts = await Promise.all(hashes);
  if (parts[0] === undefined) return undefined;
  return { url: pathOf(page.url()), content: parts.map(part => part ?? '-').join('.') };
}

export function sameFingerprint(one: Fingerprint, other: Fingerprint): boolean {
  return one.url === other.url && one.content === other.content;
}

/**
 * Runs in the page. FNV-1a over the text that is rendered and the state of the controls. Style, attributes and scrolling
 * are left out: they change by themselves, and under the pointer.
 */
function hashOfContent(): string {
  const ARIA = ['checked', 'pressed', 'expanded', 'selected', 'current', 'disabled', 'valuenow'];
  const stateOf = (element: Element): unknown[] => {
    const aria = ARIA.map(name => element.getAttribute(`aria-${name}`));
    const disabled = 'disabled' in element && element.disabled;
    if (element instanceof HTMLInputElement) return [...aria, disabled, element.value, element.checked];
    if (element instanceof HTMLTextAreaElement || element instanceof HTMLSelectElement)
      return [...aria, disabled, element.value];
    if (element instanceof HTMLDetailsElement || element instanceof HTMLDialogElement)
      return [...aria, element.open];
    return element instanceof HTMLImageElement ? [...aria, element.currentSrc] : [...aria, disabled];
  };
  const seen: unknown[] = [document.title, document.body?.innerText];
  const roots: (Document | ShadowRoot)[] = [document];
  for (const root of roots)
    for (const element of root.querySelectorAll('*')) {
      seen.push(...stateOf(element));
      if (!element.shadowRoot) continue;
      roots.push(element.shadowRoot);
      seen.push(element.shadowRoot.textContent);
    }
  const text = seen.join('\0');
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return (hash >>> 0).toString(36);
}
