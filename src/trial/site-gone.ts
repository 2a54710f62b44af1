// Did the site go away while the trial ran? Then what the agent did not manage says nothing about the site's pages.
import type { BrowserContext } from '@playwright/test';
import type { NetworkEvent } from '../browser/network-log';
import { messageOf, oneLine } from './text';

/** Milliseconds that a site has to show that it is still there. */
const ANSWER_TIMEOUT_MS = 5_000;

/**
 * Asks the site once more, where one of its requests was left without an answer.
 *
 * @returns why the site does not answer, in one line; null where it does.
 */
export async function whySiteIsGone(
  context: BrowserContext,
  entryUrl: string,
  events: readonly NetworkEvent[],
): Promise<string | null> {
  const { origin } = new URL(entryUrl);
  const unanswered = ({ url, status, failure = '' }: NetworkEvent) =>
    failure !== '' && status === null && !/abort|block|cancel/i.test(failure) && url.startsWith(`${origin}/`);
  if (!events.some(unanswered)) return null;
  try {
    const answer = await context.request.get(entryUrl, { timeout: ANSWER_TIMEOUT_MS, maxRedirects: 0 });
    await answer.dispose();
    return null;
  } catch (error) {
    return oneLine(
      messageOf(error)
        .split('\n')[0]!
        .replace(/^.*\.get: /, ''),
      300,
    );
  }
}
