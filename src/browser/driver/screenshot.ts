// Pictures of a tab: JPEG, in CSS pixels, no larger than a model looks at.
import type { Page } from '@playwright/test';
import { viewportOf } from './refs';
import type { Box } from './tree';

/** Larger pictures are shrunk before a model sees them, and cost upload time only. */
const LONGEST_EDGE = 1568;
const LARGEST_AREA = 1_150_000;
const QUALITY = 75;
const LIMIT_MS = 15_000;
/** A zoomed region is enlarged at most so much. */
const MAX_ZOOM = 4;

/** How much a full-viewport picture is shrunk: 1 for ordinary viewports. The model's coordinates are in that picture. */
export function pictureScale(size: { width: number; height: number }): number {
  return Math.min(1, largestScale(size));
}

/** A picture of the viewport in Base64, or of a region of it enlarged as far as a model can see more in it. */
export async function picture(page: Page, region?: Box) {
  const viewport = await viewportOf(page);
  const clip = region ?? { x: 0, y: 0, ...viewport };
  const scale = region ? Math.min(MAX_ZOOM, largestScale(clip)) : pictureScale(viewport);
  const data = (scale === 1 ? undefined : await scaled(page, clip, scale)) ?? (await plain(page, region));
  return { data, mediaType: 'image/jpeg' as const };
}

function largestScale({ width, height }: { width: number; height: number }): number {
  return Math.min(LONGEST_EDGE / Math.max(width, height), Math.sqrt(LARGEST_AREA / (width * height)));
}

async function plain(page: Page, clip?: Box): Promise<string> {
  const bytes = await page.screenshot({
    type: 'jpeg',
    quality: QUALITY,
    scale: 'css',
    caret: 'initial',
    timeout: LIMIT_MS,
    ...(clip && { clip }),
  });
  return bytes.toString('base64');
}

/** Only Chromium draws a page at another scale; elsewhere the picture stays as it is. */
async function scaled(page: Page, clip: Box, scale: number): Promise<string | undefined> {
  const newSession = page.context().newCDPSession(page);
  const session = await newSession.catch(() => undefined);
  if (!session) return undefined;
  try {
    const view = await page.evaluate(() => ({
      x: window.scrollX,
      y: window.scrollY,
      ratio: devicePixelRatio,
    }));
    // Playwright's emulated viewport is captured in CSS pixels, a window's own one in the screen's.
    const ratio = page.viewportSize() ? 1 : view.ratio;
    const { data } = await session.send('Page.captureScreenshot', {
      format: 'jpeg',
      quality: QUALITY,
      clip: { ...clip, x: clip.x + view.x, y: clip.y + view.y, scale: scale / ratio },
    });
    return data;
  } finally {
    await session.detach().catch(() => undefined);
  }
}
