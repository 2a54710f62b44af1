import type { Page } from '@playwright/test';
import { protocolOf } from '../browser/page-calls';
import { drawn } from '../browser/session/picture';
import { within } from '../browser/waiting';
import type { Action } from '../data/record';

const QUALITY = 60;
/** So that a page that hangs costs little of the trial's time. */
const TIMEOUT_MS = 5_000;
/** After a timeout: the page may be back, but if it still hangs, each turn would wait. */
const RETRY_TIMEOUT_MS = 1_000;
const hanging = new WeakSet<Page>();

type Point = NonNullable<Action['point']>;

/**
 * The viewport as JPEG in CSS pixels, small enough for twenty of them in a report. It shows the page at the time of the call, or
 * later.
 *
 * @param mark where the agent clicked, in viewport pixels: shown as a ring
 * @returns null if the page is closed, has crashed or hangs
 */
export async function takeScreenshot(page: Page, mark?: Point): Promise<Buffer | null> {
  const timeout = hanging.has(page) ? RETRY_TIMEOUT_MS : TIMEOUT_MS;
  const image = await within(mark ? byPlaywright(page, timeout, mark) : shoot(page, timeout), timeout);
  if (image) hanging.delete(page);
  else hanging.add(page);
  return image ?? null;
}

/**
 * Faster than `page.screenshot`, which prepares every frame and waits for fonts. Without a clip the browser changes nothing in the
 * page, and draws an emulated viewport in CSS pixels at any scale factor. On a screen with another scale factor the picture is larger:
 * then Playwright takes it (Chromium 156).
 */
async function shoot(page: Page, timeout: number): Promise<Buffer> {
  const viewport = page.viewportSize();
  const session = viewport ? await protocolOf(page) : undefined;
  if (!viewport || !session) return byPlaywright(page, timeout);
  const options = { format: 'jpeg', quality: QUALITY } as const;
  const asked = drawn(page, () => session.send('Page.captureScreenshot', options), timeout);
  const image = await asked.then(({ data }) => Buffer.from(data, 'base64')).catch(() => undefined);
  const size = image && sizeOf(image);
  const fits = size?.width === viewport.width && size.height === viewport.height;
  return image && fits ? image : byPlaywright(page, timeout);
}

function byPlaywright(page: Page, timeout: number, mark?: Point): Promise<Buffer> {
  const style = mark && ring(mark, page.viewportSize());
  const options = { type: 'jpeg', quality: QUALITY, scale: 'css', timeout, ...(style && { style }) } as const;
  return drawn(page, () => page.screenshot(options), timeout);
}

/** From the JPEG's frame header. */
export function sizeOf(jpeg: Buffer): { width: number; height: number } | undefined {
  for (let at = 2; at + 9 <= jpeg.length; at += 2 + jpeg.readUInt16BE(at + 2)) {
    const marker = jpeg.readUInt16BE(at);
    if (marker >= 0xffc0 && marker <= 0xffc2)
      return { height: jpeg.readUInt16BE(at + 5), width: jpeg.readUInt16BE(at + 7) };
  }
  return undefined;
}

/** The style also applies to frames; the media query keeps the ring out of those smaller than the viewport. */
function ring({ x, y }: Point, viewport: ReturnType<Page['viewportSize']>): string {
  const rule = `html::after {
    content: ''; position: fixed; z-index: 2147483647; pointer-events: none;
    left: ${x - 14}px; top: ${y - 14}px; width: 28px; height: 28px; box-sizing: border-box;
    border: 3px solid #e11d48; border-radius: 50%; box-shadow: 0 0 0 2px #fff;
  }`;
  if (!viewport) return rule;
  return `@media (min-width: ${viewport.width}px) and (min-height: ${viewport.height}px) { ${rule} }`;
}
