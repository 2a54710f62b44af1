// Pictures of a tab: JPEG, in CSS pixels, no larger than what models look at.
import type { Page } from '@playwright/test';
import type { Box, Size } from '../geometry';
import { callInPage } from '../in-page';
import { protocolOf } from '../page-calls';
import { viewportOf } from '../reading/references';
import { within } from '../waiting';
import { drawn } from './picture';

/** Larger pictures would be shrunk before a model sees them. */
const LONGEST_EDGE = 1568;
const LARGEST_AREA = 1_150_000;
const QUALITY = 75;
const SHRINK_LIMIT_MS = 5_000;
const LIMIT_MS = 15_000;
/** The largest factor for a zoomed region. */
const MAX_ZOOM = 4;

/** The factor for a picture of the whole viewport: 1 for ordinary sizes, less for large ones. */
export function pictureScale(size: Size): number {
  return Math.min(1, largestScale(size));
}

/**
 * A picture of the viewport in Base64, or of a region (CSS pixels), enlarged as far as that helps a model.
 *
 * @returns `scale`: pixels of the picture for each CSS pixel
 */
export async function picture(page: Page, region?: Box) {
  const viewport = await viewportOf(page);
  const clip = region ?? { x: 0, y: 0, ...viewport };
  const wanted = region ? Math.min(MAX_ZOOM, largestScale(clip)) : pictureScale(viewport);
  // If a page is wider than its emulated screen, only Playwright's own picture, which is as wide as the screen, keeps the emulation.
  const screen = page.viewportSize()?.width ?? viewport.width;
  const isPlain = wanted === 1 || screen !== viewport.width;
  const data = isPlain ? undefined : await capture(page, clip, wanted);
  if (data) return { data, mediaType: MEDIA_TYPE, scale: wanted };
  const whole = await plain(page, region);
  const scale = screen / viewport.width;
  const shrunk = wanted < scale ? await shrink(page, whole, wanted / scale) : undefined;
  return shrunk ? { ...shrunk, scale: scale * shrunk.scale } : { data: whole, mediaType: MEDIA_TYPE, scale };
}

const MEDIA_TYPE = 'image/jpeg' as const;

function largestScale({ width, height }: Size): number {
  return Math.min(LONGEST_EDGE / Math.max(width, height), Math.sqrt(LARGEST_AREA / (width * height)));
}

async function plain(page: Page, clip?: Box, quality = QUALITY): Promise<string> {
  const options = { type: 'jpeg', quality, scale: 'css', caret: 'initial', timeout: LIMIT_MS, clip } as const;
  return (await drawn(page, () => page.screenshot(options), LIMIT_MS)).toString('base64');
}

/** A picture of a region of the viewport, in Base64. */
export async function pictureOf(page: Page, clip: Box, quality: number): Promise<string> {
  return (await capture(page, clip, 1, quality)) ?? plain(page, clip, quality);
}

/** Only Chromium can draw a page at another scale. In other browsers, the picture is shrunk afterwards. */
async function capture(page: Page, clip: Box, scale: number, quality = QUALITY): Promise<string | undefined> {
  const session = await protocolOf(page);
  if (!session) return undefined;
  const { pageX, pageY } = (await session.send('Page.getLayoutMetrics')).cssVisualViewport;
  // An emulated viewport is captured in CSS pixels, a window in the screen's pixels.
  const ratio = page.viewportSize() ? 1 : (await callInPage(page, 'viewport')).ratio;
  const onPage = { ...clip, x: clip.x + pageX, y: clip.y + pageY, scale: scale / ratio };
  const options = { format: 'jpeg', quality, clip: onPage } as const;
  return (await drawn(page, () => session.send('Page.captureScreenshot', options), LIMIT_MS)).data;
}

/** Shrinks a JPEG in Base64, with a canvas in the page; undefined if that fails. */
export async function shrink(page: Page, data: string, factor: number) {
  const drawn = await within(callInPage(page, 'redraw', data, factor, QUALITY / 100), SHRINK_LIMIT_MS);
  return drawn ? { data: drawn, mediaType: MEDIA_TYPE, scale: factor } : undefined;
}
