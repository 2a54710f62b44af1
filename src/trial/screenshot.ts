import type { Page } from '@playwright/test';

/** A page that hangs must not eat the trial's time for a picture. */
const TIMEOUT_MS = 5_000;
/** For a page that let the last picture time out: it may have come back, but a page that hangs would take that time in each turn. */
const RETRY_TIMEOUT_MS = 1_000;
const hanging = new WeakSet<Page>();

/**
 * The viewport as JPEG in CSS pixels, small enough for twenty of them in a report.
 *
 * @param mark where the agent clicked, in viewport pixels: shown as a ring.
 * @returns null where there is nothing to take: a closed, crashed or hanging page.
 */
export async function takeScreenshot(page: Page, mark?: { x: number; y: number }): Promise<Buffer | null> {
  try {
    const image = await page.screenshot({
      type: 'jpeg',
      quality: 60,
      scale: 'css',
      timeout: hanging.has(page) ? RETRY_TIMEOUT_MS : TIMEOUT_MS,
      ...(mark ? { style: ring(mark, page.viewportSize()) } : {}),
    });
    hanging.delete(page);
    return image;
  } catch {
    hanging.add(page);
    return null;
  }
}

/** The style reaches frames too; the media query keeps the ring out of those smaller than the viewport. */
function ring(
  { x, y }: { x: number; y: number },
  viewport: { width: number; height: number } | null,
): string {
  const rule = `html::after {
    content: ''; position: fixed; z-index: 2147483647; pointer-events: none;
    left: ${x - 14}px; top: ${y - 14}px; width: 28px; height: 28px; box-sizing: border-box;
    border: 3px solid #e11d48; border-radius: 50%; box-shadow: 0 0 0 2px #fff;
  }`;
  if (!viewport) return rule;
  return `@media (min-width: ${viewport.width}px) and (min-height: ${viewport.height}px) { ${rule} }`;
}
