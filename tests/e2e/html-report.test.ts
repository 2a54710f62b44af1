// The HTML report, opened in a browser: is the verdict there, and why a spec was lost?
import { type Browser, chromium, type Page } from '@playwright/test';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchOptions } from '../../scripts/browser.mjs';
import { config, makeSuite, serveFolder, spec, startSite } from './suite';

let browser: Browser;
let url: string;
beforeAll(async () => {
  browser = await chromium.launch(launchOptions());
  url = await runAndServe();
});
afterAll(() => browser.close());

const PAGE = '<h1>Shop</h1><button onclick="done.hidden=false">Go</button><p id="done" hidden>Done</p>';

const AGENT = `defineAgent({ name: 'clicks', async run(task) {
  await task.turn('click button "Go"', () => task.page.getByText('Go').click());
} })`;

const TESTS = `import { test as base, taskproofTests } from '@taskproof/playwright';
const test = base.extend({
  page: async ({ page }, use, testInfo) => {
    const broken = { kept: [1], lost: [0, 2] }[testInfo.title];
    if (broken.includes(testInfo.repeatEachIndex))
      await page.addInitScript(() => addEventListener('click', event => event.stopImmediatePropagation(), true));
    await use(page);
  },
});
taskproofTests('tasks/**/*.yaml', { test });
`;

async function runAndServe(): Promise<string> {
  const site = await startSite({ '/': PAGE });
  const assertions = `  - type: url\n    pattern: '**/'\n  - type: dom\n    selector: '#done'\n`;
  const suite = makeSuite({
    'playwright.config.ts': config({
      taskproof: `{ agent: ${AGENT} }`,
      reporters: `[['list'], ['@taskproof/playwright/reporter'], ['html']]`,
    }),
    'tasks/kept.yaml': spec({ id: 'kept', url: `${site.url}/`, k: 2, minPasses: 1, assertions }),
    'tasks/lost.yaml': spec({ id: 'lost', url: `${site.url}/`, k: 3, minPasses: 2, assertions }),
    'tasks.spec.ts': TESTS,
  });
  const run = await suite.playwright(['test']);
  expect(run.exitCode, run.output).toBe(1);
  return serveFolder(`${suite.folder}/playwright-report`);
}

async function report(): Promise<Page> {
  const page = await browser.newPage();
  await page.goto(url);
  await page.getByText('trial 1/3').first().waitFor();
  return page;
}

test('the list names trial and verdict, a tolerated failure is green, a lost spec stands on top with its reason', async () => {
  const page = await report();
  const row = (text: string) => page.locator('.test-file-test', { hasText: text });
  expect(await row('kept · trial 2/2').innerText()).toMatch(/verdict:passed[\s\S]*tolerated/);
  expect(await row('kept · trial 1/2').innerText()).not.toContain('tolerated');
  expect(await row('kept · trial 2/2').getAttribute('class')).toContain('outcome-expected');
  expect(await row('lost · trial 2/3').innerText()).toContain('verdict:failed');
  for (const trial of ['lost · trial 1/3', 'lost · trial 3/3'])
    expect(await row(trial).getAttribute('class'), trial).toContain('outcome-unexpected');
  expect(await row('lost · trial 2/3').getAttribute('class')).toContain('outcome-expected');
  const body = await page.locator('body').innerText();
  expect(body).toContain('lost [agents] failed: 1/3 passed, needs 2');
  expect(body).toMatch(
    /2 of 2 failures: "#done" matches 1, but none is visible; ended on \/ at\s+button "Go"/,
  );
  expect(body).not.toContain('kept [agents]');
});

test('a trial shows verdict, turns by name, pictures, and its assertions at their lines', async () => {
  const page = await report();
  await page.getByText('lost · trial 1/3').click();
  await page.getByText('Test Steps').waitFor();
  const body = await page.locator('body').innerText();
  expect(body).toContain('failed: 1/3 passed, needs 2');
  expect(body).toMatch(/click button "Go"/);
  expect(body).toMatch(/url matches "\*\*\/".*tasks\/lost\.yaml:\d+/s);
  expect(body).toMatch(/"#done" is visible.*tasks\/lost\.yaml:\d+/s);
  expect(body).toMatch(/>\s+\d+ \|\s+- type: dom/);
  expect(body).not.toContain('_taskproof');
  const pictures = page.locator('img[src*="data/"]');
  const turns = new Set(body.match(/turn-\d+\.jpg/g));
  expect(turns.size).toBeGreaterThan(0);
  // Shown on the page, not behind a link.
  await page.getByText('transcript').click();
  await page.locator('.attachment-body', { hasText: 'Goal: Click "Go"' }).waitFor();
  // One for each turn, and one of the end.
  expect(await pictures.count()).toBe(turns.size + 1);
  expect(await pictures.first().evaluate((img: HTMLImageElement) => img.naturalWidth)).toBeGreaterThan(300);
});
