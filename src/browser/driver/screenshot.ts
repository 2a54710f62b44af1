// Pictures of a tab: JPEG, in CSS pixels, no larger than a model looks at.
import type { Page } from '@playwright/test';
import { evaluateUnseen } from '../evaluate';
import { within } from '../waiting';
import { type Size, viewportOf } from './refs';
import type { Box } from './tree';

/** Larger pictures would be shrunk before a model sees them. */
const LONGEST_EDGE = 1568;
const LARGEST_AREA = 1_150_000;
const QUALITY = 75;
const SHRINK_LIMIT_MS = 5_000;
const LIMIT_MS = 15_000;
/** A zoomed region is enlarged at most so much. */
const MAX_ZOOM = 4;

/** How much a full-viewport picture is to be shrunk: 1 for ordinary viewports. */
export function pictureScale(size: Size): number {
  return Math.min(1, largestScale(size));
}

/**
 * A picture of the viewport in Base64, or of a region of it enlarged as far as a model can see more in it.
 *
 * @returns also its pixels for each one of the page
 */
export async function picture(page: Page, region?: Box) {
  const viewport = await viewportOf(page);
  const clip = region ?? { x: 0, y: 0, ...viewport };
  const wanted = region ? Math.min(MAX_ZOOM, largestScale(clip)) : pictureScale(viewport);
  // Playwright's own picture of a page that is wider than its screen is as narrow as that; another would end the emulation.
  const screen = page.viewportSize()?.width ?? viewport.width;
  const isPlain = wanted === 1 || screen !== viewport.width;
  const data = isPlain ? undefined : await scaled(page, clip, wanted);
  if (data) return { data, mediaType: MEDIA_TYPE, scale: wanted };
  const whole = await plain(page, region);
  const scale = screen / viewport.width;
  const shrunk = wanted < scale ? await shrink(page, whole, wanted / scale) : undefined;
  return shrunk ? { ...shrunk, scale: scale * shrunk.scale } : { data: whole, mediaType: MEDIA_TYPE, scale };
}

const MEDIA_TYPE = 'image/jpeg' as const;

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

/** Only Chromium draws a page at another scale; elsewhere the picture is shrunk when it is taken. */
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

/** A JPEG in Base64, made smaller by a canvas in the page's browser; undefined if that fails. */
export async function shrink(page: Page, data: string, factor: number) {
  const script = `(${redraw})(${JSON.stringify(data)}, ${factor}, ${QUALITY / 100})`;
  const drawn = await within(evaluateUnseen(page, script), SHRINK_LIMIT_MS);
  return drawn ? { data: drawn as string, mediaType: MEDIA_TYPE, scale: factor } : undefined;
}

/** Runs in the page. Takes no image by address, which a page's policy may forbid. */
async function redraw(data: string, factor: number, quality: number): Promise<string> {
  const bytes = Uint8Array.from(atob(data), each => each.charCodeAt(0));
  const bitmap = await createImageBitmap(new Blob([bytes], { type: 'image/jpeg' }));
  const canvas = document.createElement('canvas');
  canvas.width = Math.round(bitmap.width * factor);
  canvas.height = Math.round(bitmap.height * factor);
  canvas.getContext('2d')!.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
  return canvas.toDataURL('image/jpeg', quality).split(',')[1]!;
}
