// Whose document a frame shows: only those of admitted hosts get secrets and the inputs of page tools.
import type { Frame } from '@playwright/test';
import { hostAllowed } from '../spec/url';
import { unseen } from './in-page';
import { within } from './waiting';

const LIMIT_MS = 2_000;

/** Whether a frame's address is of an admitted host. A blank document counts as its parent's: `isAdmitted` checks that. */
export function admits(frame: Frame, allowedDomains: readonly string[]): boolean {
  return hostAllowed(addressOf(frame), allowedDomains);
}

export async function isAdmitted(frame: Frame, allowedDomains: readonly string[]): Promise<boolean> {
  return admits(frame, allowedDomains) && isOfParent(frame);
}

/** Another host can take over a blank frame without changing its URL. Then the frame's parent can't reach into it. */
async function isOfParent(frame: Frame): Promise<boolean> {
  const parent = frame.parentFrame();
  if (!parent || !frame.url().startsWith('about:')) return true;
  const reached = frame
    .frameElement()
    .then(element => element.evaluate(each => (each as HTMLIFrameElement).contentDocument !== null));
  return (await within(reached, LIMIT_MS)) === true && isOfParent(parent);
}

/**
 * A handle of the document that a frame shows; undefined if the document is not of an admitted host. What is evaluated on the
 * handle reaches this document or none: the handle is void once the frame has gone elsewhere.
 */
export async function documentIn(frame: Frame, allowedDomains: readonly string[]) {
  const handle = await unseen(frame.page(), () => frame.evaluateHandle(() => document));
  return (await isAdmitted(frame, allowedDomains)) ? handle : undefined;
}

/** A blank document's address is its parent's. */
function addressOf(frame: Frame): string {
  const parent = frame.parentFrame();
  return frame.url().startsWith('about:') && parent ? addressOf(parent) : frame.url();
}
