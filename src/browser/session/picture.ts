// Asking a browser for a picture of a page that may be coming or going.
import type { Page } from '@playwright/test';
import { listen } from '../page-calls';
import { limited } from '../waiting';

/** Chromium 156 refuses to draw a document that is just coming or going. */
const REFUSED_PAUSE_MS = 20;

/**
 * Asks again if the document was replaced meanwhile: then the first request is never answered, or refused.
 *
 * @throws Error if it takes longer than `timeoutMs`, or the page is closed, has crashed or hangs
 */
export async function drawn<T>(page: Page, draw: () => Promise<T>, timeoutMs: number): Promise<T> {
  const end = performance.now() + timeoutMs;
  let unlisten = () => {};
  const answer = new Promise<T>((resolve, reject) => {
    const ask = (tries = 10): unknown =>
      draw().then(resolve, error => {
        if (tries > 1 && !page.isClosed() && performance.now() < end)
          setTimeout(ask, REFUSED_PAUSE_MS, tries - 1);
        else reject(error);
      });
    unlisten = listen(page, { framenavigated: frame => frame === page.mainFrame() && ask() });
    ask();
  });
  return limited(answer, timeoutMs, () => new Error('the page was not drawn in time')).finally(unlisten);
}
