// The HTML report, opened in a browser: is the verdict there, and why a spec was lost?
import { type Browser, chromium, type Page } from '@playwright/test';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchOptions } from '../../scripts/browser.mjs';
import { config, makeSuite, serveFolder, spec, startSite } from './suite';

let browser: Browser;
let url: string;
let output: string;
let ownSteps: string[];
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

/** Notes the steps whose place is in the library. */
const OWN_STEPS = `module.exports = class {
  onStepEnd(_test, _result, { title, location }) {
    if (/[\\\\/]dist[\\\\/]/.test(location?.file)) require('node:fs').appendFileSync('own-steps.txt', title + '\\n');
  }
};`;

async function runAndServe(): Promise<string> {
  const site = await startSite({ '/': PAGE });
  const assertions = `  - type: url\n    pattern: '**/'\n  - type: dom\n    selector: '#done'\n`;
  const suite = makeSuite({
    'playwright.config.ts': config({
      taskproof: `{ agent: ${AGENT} }`,
      reporters: `[['list'], ['@taskproof/playwright/reporter'], ['html'], ['./own-steps.cjs']]`,
    }),
    'own-steps.cjs': OWN_STEPS,
    'tasks/kept.yaml': spec({ id: 'kept', url: `${site.url}/`, k: 2, minPasses: 1, assertions }),
    'tasks/lost.yaml': spec({ id: 'lost', url: `${site.url}/`, k: 3, minPasses: 2, assertions }),
    'tasks.spec.ts': TESTS,
  });
  const run = await suite.playwright(['test']);
  expect(run.exitCode, run.output).toBe(1);
  output = run.output;
  ownSteps = [...new Set(suite.read('own-steps.txt').split('\n'))];
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

test('the terminal has a short error for each failed trial and one block for the lost spec', () => {
  const [list = '', block = ''] = output.split('taskproof: 1 spec did not pass\n');
  const errors = list.split(/\n {2}\d\) /).slice(1);
  expect(errors, output).toHaveLength(2);
  for (const error of errors)
    expect(error).toMatch(
      /^.*lost · trial.*\n\n {4}Error: .*\n {4}The agent stopped on .*\n {8}at lost \(.*lost\.yaml:\d+/,
    );
  expect(list).not.toMatch(/attachment #|Goal:|- type: dom/);
  expect(list).toContain('Tolerated in kept [agents]: trial 2/2: "#done" matches 1');
  expect(
    block
      .split('\n')
      .map(line => line.trim())
      .slice(0, 6),
  ).toEqual([
    '✗ lost [agents] failed: 1/3 passed, needs 2',
    '2 of 2 failures: "#done" matches 1, but none is visible; ended on / at',
    'button "Go"',
    expect.stringMatching(/^at tasks\/lost\.yaml:\d+$/),
    'Each trial, step by step: npx playwright show-report',
    'All verdicts as JSON: taskproof-results.json',
  ]);
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

test('what the library waits for is no step', () => {
  expect(ownSteps.filter(title => /^Wait/.test(title))).toEqual([]);
});
