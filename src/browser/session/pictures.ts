// Pictures of a tab, all JPEG in CSS pixels: of each turn for the report, for a model (no larger than it looks at), and of
// what was found on a page.
import type { CDPSession, Page, PageScreenshotOptions } from '@playwright/test';
import { callInPage, protocolOf } from '../in-page';
import type { Box, Point, Size } from '../injected/elements';
import { limited, listen, within } from '../waiting';

/** Larger pictures would be shrunk before a model sees them. */
const LONGEST_EDGE = 1568;
const LARGEST_AREA = 1_150_000;
const MODEL_QUALITY = 75;
const MAX_ZOOM = 4;
const LIMIT_MS = 15_000;
const SHRINK_LIMIT_MS = 5_000;
/** Low enough for the pictures of twenty turns to fit into a report. */
const TURN_QUALITY = 60;
/** Short, so that a page that hangs costs little of the trial's time. */
const TURN_LIMIT_MS = 5_000;
/** The limit after a timeout: if the page still hangs, every turn waits that long. */
const RETRY_LIMIT_MS = 1_000;
/** Chromium 156 refuses to draw a document that is just coming or going. */
const REFUSED_PAUSE_MS = 20;

/** In CSS pixels of the page: a page without a viewport tag is laid out wider than a phone's screen. */
export async function viewportOf(page: Page): Promise<Size> {
  return (await within(callInPage(page, 'viewport'), 1_000)) ?? assumedViewport(page);
}

export const assumedViewport = (page: Page): Size => page.viewportSize() ?? { width: 1280, height: 720 };

/** The area that two boxes share. If they share none, its width or its height is negative. */
export function overlap(one: Box, other: Box): Box {
  const [x, y] = [Math.max(one.x, other.x), Math.max(one.y, other.y)];
  const right = Math.min(one.x + one.width, other.x + other.width);
  const bottom = Math.min(one.y + one.height, other.y + other.height);
  return { x, y, width: right - x, height: bottom - y };
}

const hanging = new WeakSet<Page>();

/** Null if the page is closed, has crashed or hangs. `mark`: where the agent clicked, shown as a ring. */
export async function takeScreenshot(page: Page, mark?: Point): Promise<Buffer | null> {
  const timeout = hanging.has(page) ? RETRY_LIMIT_MS : TURN_LIMIT_MS;
  const image = await within(whole(page, { quality: TURN_QUALITY, timeout }, mark), timeout);
  if (image) hanging.delete(page);
  else hanging.add(page);
  return image ?? null;
}

/** The factor for a model's picture of the whole viewport: 1 for ordinary sizes, less for large ones. */
export const pictureScale = (size: Size) => Math.min(1, largestScale(size));

function largestScale({ width, height }: Size): number {
  return Math.min(LONGEST_EDGE / Math.max(width, height), Math.sqrt(LARGEST_AREA / (width * height)));
}

/** A picture of the viewport for a model. `scale`: its pixels for each CSS pixel. */
export async function pictureForModel(page: Page) {
  const { width } = await viewportOf(page);
  const image = await forModel(page, await whole(page, { quality: MODEL_QUALITY, timeout: LIMIT_MS }));
  // Less than 1 also for a page that is wider than its emulated screen.
  return { ...jpeg(image), scale: (sizeOf(image)?.width ?? width) / width };
}

export async function zoomedForModel(page: Page, region: Box) {
  const scale = Math.min(MAX_ZOOM, largestScale(region));
  return jpeg(await pictureOfRegion(page, region, MODEL_QUALITY, scale));
}

const jpeg = (image: Buffer) => ({ data: image.toString('base64'), mediaType: 'image/jpeg' as const });

/** Shrinks a picture to what models look at: its tokens grow with its area. */
export async function forModel(page: Page, image: Buffer): Promise<Buffer> {
  const size = sizeOf(image);
  const scale = size ? pictureScale(size) : 1;
  if (scale === 1) return image;
  const redrawn = callInPage(page, 'redraw', image.toString('base64'), scale, MODEL_QUALITY / 100);
  const data = await within(redrawn, SHRINK_LIMIT_MS);
  return data === undefined ? image : Buffer.from(data, 'base64');
}

/** A region of the viewport (CSS pixels). Only Chromium can draw it at another scale than 1. */
export async function pictureOfRegion(page: Page, clip: Box, quality: number, scale = 1): Promise<Buffer> {
  const options = { quality, timeout: LIMIT_MS };
  const screen = page.viewportSize();
  const session = await protocolOf(page);
  // If a page is wider than its emulated screen, only Playwright's own picture keeps the emulation.
  if (!session || (screen && screen.width !== (await viewportOf(page)).width))
    return byPlaywright(page, { ...options, clip });
  const { pageX, pageY } = (await session.send('Page.getLayoutMetrics')).cssVisualViewport;
  // An emulated viewport is captured in CSS pixels, a window in the screen's pixels.
  const ratio = screen ? 1 : (await callInPage(page, 'viewport')).ratio;
  const onPage = { ...clip, x: clip.x + pageX, y: clip.y + pageY, scale: scale / ratio };
  return byProtocol(page, session, { ...options, clip: onPage });
}

/**
 * The whole viewport, if possible by the protocol. That is faster than `page.screenshot`, which prepares every frame and waits
 * for fonts, even if one never comes. Without a clip the browser changes nothing in the page, and draws an emulated viewport
 * in CSS pixels at any scale factor. If the picture has another size, as on a screen with another scale factor, Playwright
 * takes it (Chromium 156).
 */
async function whole(page: Page, options: Wanted, mark?: Point): Promise<Buffer> {
  const viewport = page.viewportSize();
  const session = mark || !viewport ? undefined : await protocolOf(page);
  const image = session && (await byProtocol(page, session, options).catch(() => undefined));
  const size = image && sizeOf(image);
  if (image && size?.width === viewport?.width && size?.height === viewport?.height) return image;
  return byPlaywright(page, { ...options, ...(mark && { style: ring(mark, viewport) }) });
}

interface Wanted {
  quality: number;
  timeout: number;
}

async function byProtocol(
  page: Page,
  session: CDPSession,
  { timeout, ...options }: Wanted & { clip?: Box & { scale: number } },
): Promise<Buffer> {
  const asked = () => session.send('Page.captureScreenshot', { format: 'jpeg', ...options });
  return Buffer.from((await drawn(page, asked, timeout)).data, 'base64');
}

function byPlaywright(page: Page, options: Wanted & PageScreenshotOptions): Promise<Buffer> {
  const asked = () => page.screenshot({ type: 'jpeg', scale: 'css', caret: 'initial', ...options });
  return drawn(page, asked, options.timeout);
}

/** Asks again if the document is replaced meanwhile: then a request is refused, or never answered. */
async function drawn<T>(page: Page, draw: () => Promise<T>, timeoutMs: number): Promise<T> {
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

function sizeOf(image: Buffer): Size | undefined {
  for (let at = 2; at + 9 <= image.length; at += 2 + image.readUInt16BE(at + 2)) {
    const marker = image.readUInt16BE(at);
    if (marker >= 0xffc0 && marker <= 0xffc2)
      return { height: image.readUInt16BE(at + 5), width: image.readUInt16BE(at + 7) };
  }
  return undefined;
}

/** The style also applies to frames; the media query keeps the ring out of those smaller than the viewport. */
function ring({ x, y }: Point, viewport: Size | null): string {
  const rule = `html::after {
    content: ''; position: fixed; z-index: 2147483647; pointer-events: none;
    left: ${x - 14}px; top: ${y - 14}px; width: 28px; height: 28px; box-sizing: border-box;
    border: 3px solid #e11d48; border-radius: 50%; box-shadow: 0 0 0 2px #fff;
  }`;
  if (!viewport) return rule;
  return `@media (min-width: ${viewport.width}px) and (min-height: ${viewport.height}px) { ${rule} }`;
}
