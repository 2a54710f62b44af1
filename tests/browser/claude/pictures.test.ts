import type { BrowserContextOptions, Page } from '@playwright/test';
import { describe, expect, it } from 'vitest';
import { harness, html } from '../../support/claude-harness';
import { at, imageInfo } from '../../support/messages-api';

const pages = harness({
  '/': html(
    `<style>button{position:fixed;left:50%;top:50%;width:20px;height:20px;margin:-10px;padding:0}</style>
    <button onclick="document.title='hit'"></button>`,
  ),
  '/guarded': (_, response) => {
    response.writeHead(200, { 'content-type': 'text/html', 'content-security-policy': "default-src 'none'" });
    response.end('<!doctype html><title>Guarded</title><p>Nothing may be loaded here.</p>');
  },
});

/** As Firefox and WebKit have it. */
function withoutProtocol(page: Page): void {
  page.context().newCDPSession = () => Promise.reject(new Error('CDP session is only available in Chromium'));
}

async function open(path: string, context: BrowserContextOptions, protocol: boolean) {
  const opened = await pages.open(path, { context });
  if (!protocol) withoutProtocol(opened.page);
  return opened;
}

const sizes = [
  [800, 600, 2],
  [1440, 900, 1],
  [2560, 1440, 1.5],
];

describe.each([true, false])('with the protocol: %s', protocol => {
  it.each(sizes)(
    'a click on the middle of the picture of %i x %i at scale %d lands there',
    async (width, height, deviceScaleFactor) => {
      const { act, page } = await open('/', { viewport: { width, height }, deviceScaleFactor }, protocol);
      const { image } = await act('screenshot');
      const { width: across, height: down } = imageInfo(image!)!;
      expect(Math.max(across, down)).toBeLessThanOrEqual(Math.min(width, 1568));
      expect(across * down).toBeLessThanOrEqual(1_160_000);
      expect(across / down).toBeCloseTo(width / height, 1);
      await act('left_click', { target: at(across / 2, down / 2) });
      expect(await page.title()).toBe('hit');
    },
  );

  it('a page that may load nothing is pictured, too', async () => {
    const { act } = await open('/guarded', { viewport: { width: 1920, height: 1200 } }, protocol);
    expect(imageInfo((await act('screenshot')).image!)!.width).toBeLessThanOrEqual(1568);
  });
});

it('where a picture can not be shrunk, coordinates are those of the picture as it is', async () => {
  const { act, page } = await open('/', { viewport: { width: 1600, height: 1000 } }, false);
  await page.evaluate('createImageBitmap = () => Promise.reject(new Error("no"))');
  expect(imageInfo((await act('screenshot')).image!)).toMatchObject({ width: 1600, height: 1000 });
  await act('left_click', { target: at(800, 500) });
  expect(await page.title()).toBe('hit');
});

it('on a phone, a page without a viewport tag is as wide as it is laid out', async () => {
  const phone = {
    viewport: { width: 390, height: 844 },
    isMobile: true,
    hasTouch: true,
    deviceScaleFactor: 3,
  };
  const { act, page } = await open('/', phone, true);
  const { image } = await act('screenshot');
  const { width, height } = imageInfo(image!)!;
  expect(width / height).toBeCloseTo(390 / 844, 1);
  await act('left_click', { target: at(width / 2, height / 2) });
  expect(await page.title()).toBe('hit');
  expect((await act('read_page')).text).toMatch(/button \[ref_\d+\]/);
});
