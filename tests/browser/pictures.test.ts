// The pictures of a trial's turns, by their pixels: each shows the active tab as it is after the turn, in CSS pixels.
import { setTimeout } from 'node:timers/promises';
import { type BrowserContextOptions, devices, type Page } from '@playwright/test';
import { beforeAll, expect, it } from 'vitest';
import type { Turn } from '../../src/agents/agent';
import {
  pictureForModel,
  pictureOfRegion,
  pictureScale,
  takeScreenshot,
  zoomedForModel,
} from '../../src/browser/session/pictures';
import { NO_USAGE } from '../../src/data/usage';
import type { JudgedTrial } from '../../src/grading/judge';
import { judgeTrial } from '../../src/trial/grade';
import type { AgentRun } from '../../src/trial/run-agent';
import type { Turns } from '../../src/trial/turns';
import { imageInfo, imageTokens } from '../support/messages-api/tokens';
import { sessionsOfTests } from '../support/sessions';
import { browserOfTests } from '../support/shared-browser';
import { turnsOver } from '../support/trials';
import { serverOfTests } from '../support/two-sites';

type Rgb = [number, number, number];
interface Trial {
  page: Page;
  /** Plays a turn; its picture's colour in the middle. */
  turn(act: (page: Page, turn: Turn) => Promise<unknown>): Promise<Rgb>;
  pictures: AgentRun['pictures'];
  context: AgentRun;
  turns: Turns;
}

/** The page's background is the path's colour; each button makes it 20 redder in its own way. */
const PAGE = (colour: string) => `<!doctype html><meta name="viewport" content="width=device-width">
<body style="margin:0;height:3000px;background:#${colour}"><script>
let red = 0;
const redder = () => { document.body.style.background = 'rgb(' + (red += 20) + ',0,0)'; };
const buttons = {
  'at once': redder,
  'in a frame': () => requestAnimationFrame(redder),
  'in a promise': () => Promise.resolve().then(redder),
  'in a timer': () => setTimeout(redder),
  'after layout': () => { document.body.offsetHeight; redder(); document.body.offsetHeight; },
};
for (const [name, act] of Object.entries(buttons)) {
  const button = document.createElement('button');
  button.textContent = name;
  button.onclick = act;
  document.body.append(button);
}
</script><a href="/00ff00" target="_blank">green tab</a> <a href="/0000ff">blue</a>`;

const browser = browserOfTests();
let reader: Page;
const open = sessionsOfTests(browser);
const site = serverOfTests((request, response) => {
  const { pathname, search } = new URL(request.url!, 'http://site');
  if (pathname === '/font') return;
  const answer = () => response.writeHead(200, { 'content-type': 'text/html' }).end(PAGE(pathname.slice(1)));
  // As long as the picture is asked for after the navigation.
  if (search) globalThis.setTimeout(answer, Number(search.slice(1)));
  else answer();
});

beforeAll(async () => {
  reader = await browser().newPage();
});

/** The colour at a point of a JPEG; its middle if none is given. */
function pixel(image: Buffer, at?: { x: number; y: number }): Promise<Rgb> {
  return reader.evaluate(
    async ([data, point]) => {
      const blob = await (await fetch(`data:image/jpeg;base64,${data}`)).blob();
      const bitmap = await createImageBitmap(blob);
      const canvas = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d')!;
      canvas.drawImage(bitmap, 0, 0);
      const { x, y } = point ?? { x: bitmap.width >> 1, y: bitmap.height >> 1 };
      return [...canvas.getImageData(x, y, 1, 1).data.slice(0, 3)] as [number, number, number];
    },
    [image.toString('base64'), at] as const,
  );
}

/** JPEG keeps colours nearly. */
function expectColour(actual: Rgb, expected: Rgb): void {
  const off = Math.max(...actual.map((each, index) => Math.abs(each - expected[index]!)));
  expect(off, `${actual} instead of ${expected}`).toBeLessThan(8);
}

/** @param options of a context of its own; else the page may be one that another test had */
async function inTrial(
  options: BrowserContextOptions | undefined,
  run: (trial: Trial) => Promise<void>,
): Promise<void> {
  const { page, ...opened } = await open({ allowedDomains: ['127.0.0.1'], own: options });
  await page.goto(`${site.url}/ffffff`);
  const { trial, turns } = turnsOver(opened, site.url);
  const { pictures, session } = trial;
  await run({
    page,
    pictures,
    context: trial,
    turns,
    turn: async act => {
      await turns.run('act', turn => act(session.page, turn).then(() => undefined));
      return pixel(pictures.at(-1)!.image);
    },
  });
}

const WAYS = ['at once', 'in a frame', 'in a promise', 'in a timer', 'after layout'];

it.each(WAYS)('shows what a click changed %s', name =>
  inTrial(undefined, async ({ turn }) => {
    for (let red = 20; red <= 40; red += 20)
      expectColour(await turn(page => page.getByRole('button', { name }).click()), [red, 0, 0]);
  }),
);

it('shows what a script did without a click, and the same again if nothing changed', () =>
  inTrial(undefined, async ({ turn }) => {
    const paint = (colour: string) => (page: Page) =>
      page.evaluate(to => {
        document.body.style.background = to;
      }, colour);
    expectColour(await turn(paint('rgb(0,200,0)')), [0, 200, 0]);
    expectColour(await turn(async () => undefined), [0, 200, 0]);
    expectColour(await turn(page => page.getByRole('button').first().hover()), [0, 200, 0]);
    expectColour(await turn(paint('rgb(0,0,200)')), [0, 0, 200]);
  }));

it('shows the end, too, if the agent ends right after its turn, and not if it did anything since', () =>
  inTrial(undefined, async ({ page, pictures, turns }) => {
    const act = async () => undefined;
    await turns.run('act', act);
    expect(turns.freshPicture?.image).toBe(pictures.at(-1)!.image);
    expect(turns.freshPicture?.page === page).toBe(true);
    await turns.run('act', act);
    await page.getByRole('button').first().click();
    expect(turns.freshPicture).toBeUndefined();
    // The agent went on while this one was taken.
    await turns.run('act', act, { waitForPicture: false });
    await turns.pictured;
    expect(turns.freshPicture).toBeUndefined();
    // A ring is drawn on this one.
    await turns.run('act', turn => turn.action({ title: 'act', point: { x: 9, y: 9 } }));
    expect(turns.freshPicture).toBeUndefined();
  }));

it('shows the active tab: one that opened, one that navigated, the one below a closed one', () =>
  inTrial(undefined, async ({ page, turn }) => {
    expectColour(await turn(() => page.getByText('green tab').click()), [0, 255, 0]);
    // The tab in the back goes on, and is not what is shown.
    expectColour(
      await turn(() => page.getByRole('button', { name: 'at once' }).click({ force: true })),
      [0, 255, 0],
    );
    expectColour(
      await turn(active => Promise.all([active.waitForURL('**/0000ff'), active.getByText('blue').click()])),
      [0, 0, 255],
    );
    expectColour(await turn(active => active.close()), [20, 0, 0]);
    expectColour(await turn(active => active.goto(`${site.url}/ff00ff`)), [255, 0, 255]);
  }));

const SIZES: [string, BrowserContextOptions, { width: number; height: number }][] = [
  ['an ordinary viewport', {}, { width: 1280, height: 720 }],
  ['odd sizes', { viewport: { width: 501, height: 333 } }, { width: 501, height: 333 }],
  ['a screen of scale 2', { deviceScaleFactor: 2 }, { width: 1280, height: 720 }],
  [
    'a scale of 1.5',
    { viewport: { width: 501, height: 333 }, deviceScaleFactor: 1.5 },
    { width: 501, height: 333 },
  ],
  ['a phone', devices['Pixel 5'], devices['Pixel 5'].viewport],
  ['a window', { viewport: null }, { width: 800, height: 600 }],
];

it.each(SIZES)('is in CSS pixels, of what is scrolled to: %s', (_, options, size) =>
  inTrial(options, async ({ page, pictures, turn }) => {
    const scrolled = await turn(() =>
      page.evaluate(() => {
        document.body.style.background = 'linear-gradient(rgb(250,0,0), rgb(0,0,250))';
        scrollTo(0, 1000);
      }),
    );
    const { image } = pictures.at(-1)!;
    expect(imageInfo(image)).toEqual({ mediaType: 'image/jpeg', ...size });
    expectColour(scrolled, await pixel(await page.screenshot({ type: 'jpeg', scale: 'css' })));
    expect(await page.evaluate(() => [scrollY, innerWidth])).toEqual([1000, size.width]);
  }),
);

it('goes to the judge as large as the agent sees it', () =>
  inTrial({ viewport: { width: 2560, height: 1440 } }, async ({ page, pictures, turn, context }) => {
    await turn(() => page.evaluate(() => document.body.style.setProperty('background', 'rgb(0,200,0)')));
    await turn(active => active.setViewportSize({ width: 800, height: 600 }));
    const seen: JudgedTrial['screenshots'][number][] = [];
    const judge = async ({ screenshots }: JudgedTrial) => {
      seen.push(...screenshots);
      return { passed: true, reason: 'fine' };
    };
    const stopped = new AbortController().signal;
    const turns = { records: [], usage: NO_USAGE };
    const judged = { ...context, turns, plan: { ...context.plan, spec: { judge: 'green' } } } as never;
    const result = await judgeTrial(
      judged,
      { name: 'mine', judge },
      { finalUrl: '', finalText: '', assertions: [] },
      stopped,
    );
    expect(result).toHaveProperty('judgement.passed', true);
    expect(pictures.map(({ image }) => imageInfo(image)!.width)).toEqual([2560, 800]);
    const shown = seen.map(({ image }) => imageInfo(image)!);
    const { width, height } = shown[0]!;
    expect(width / 2560).toBeCloseTo(pictureScale({ width: 2560, height: 1440 }), 2);
    expect(width / height).toBeCloseTo(16 / 9, 2);
    expect(imageTokens(shown[0]!)).toBeLessThan(1_600);
    expectColour(await pixel(seen[0]!.image), [0, 200, 0]);
    // What is no larger than that goes as it is.
    expect(seen[1]!.image.equals(pictures[1]!.image)).toBe(true);
  }));

it('is taken of a page that is just leaving, whenever its next document comes', () =>
  inTrial(undefined, async ({ page }) => {
    for (let ms = 0; ms < 30; ms += 5) {
      await page.evaluate(to => {
        window.setTimeout(() => location.assign(to));
      }, `${site.url}/00ff00?${ms}`);
      await setTimeout(ms);
      expect(await takeScreenshot(page), `${ms} ms after it began to leave`).not.toBe(null);
      await page.waitForURL(`**?${ms}`);
    }
  }));

it('rings the place of a click, at any scale', () =>
  inTrial({ deviceScaleFactor: 2 }, async ({ page, pictures, turn }) => {
    const middle = await turn(async (_, { action }) => action({ title: 'click', point: { x: 200, y: 300 } }));
    expectColour(middle, [255, 255, 255]);
    const [red, green] = await pixel(pictures[0]!.image, { x: 187, y: 300 });
    expect(red).toBeGreaterThan(180);
    expect(green).toBeLessThan(120);
    // It is gone again.
    expectColour(await pixel(await page.screenshot({ type: 'jpeg' }), { x: 375, y: 600 }), [255, 255, 255]);
  }));

const DRAWN: [string, (page: Page) => Promise<Buffer | null>][] = [
  ["a turn's", page => takeScreenshot(page)],
  ["a turn's, with a ring", page => takeScreenshot(page, { x: 9, y: 9 })],
  ["a model's", async page => Buffer.from((await pictureForModel(page)).data, 'base64')],
  ["a model's, of a region", async page => Buffer.from((await zoomedForModel(page, REGION)).data, 'base64')],
  ["a finding's", page => pictureOfRegion(page, REGION, 60)],
];
const REGION = { x: 300, y: 300, width: 200, height: 100 };

it.each(DRAWN)('is asked for again if the browser refuses it while a document comes or goes: %s', (_, draw) =>
  inTrial({}, async ({ page }) => {
    const context = page.context();
    const other = await context.newPage();
    await other.goto(`${site.url}/00ff00`);
    const session = await context.newCDPSession(other);
    const send = session.send.bind(session) as (method: string, params?: object) => Promise<unknown>;
    let refusals = 2;
    const refuse = () => Promise.reject(new Error('Unable to capture screenshot'));
    Object.assign(session, {
      send: (method: string, params?: object) =>
        method === 'Page.captureScreenshot' && refusals-- > 0 ? refuse() : send(method, params),
    });
    context.newCDPSession = async () => session;
    // Playwright's own picture is refused in the same moment.
    const screenshot = other.screenshot.bind(other);
    other.screenshot = options => (refusals-- > 0 ? refuse() : screenshot(options));
    expectColour(await pixel((await draw(other))!), [0, 255, 0]);
    expect(refusals).toBe(-1);
  }),
);

it('is taken of a page whose font never comes', () =>
  inTrial({}, async ({ page }) => {
    await page.evaluate(url => {
      document.head.innerHTML = `<style>@font-face { font-family: late; src: url(${url}) } * { font-family: late }</style>`;
    }, `${site.url}/font`);
    await expect.poll(() => page.evaluate(() => document.fonts.status)).toBe('loading');
    expect(await takeScreenshot(page)).not.toBe(null);
    expect((await pictureForModel(page)).scale).toBe(1);
    expect((await zoomedForModel(page, REGION)).data).not.toBe('');
  }));

it('is taken where there is no protocol, too; of a closed tab there is none', () =>
  inTrial({}, async ({ page }) => {
    const context = page.context();
    const other = await context.newPage();
    await other.goto(`${site.url}/00ff00`);
    context.newCDPSession = () => Promise.reject(new Error('not this browser'));
    expectColour(await pixel((await takeScreenshot(other))!), [0, 255, 0]);
    await other.close();
    expect(await takeScreenshot(other)).toBe(null);
  }));
