// Why a spec was lost, where people read it: failures in groups, and where they left the way of passing trials. The HTML report is
// opened in a browser.
import { join } from 'node:path';
import { type Browser, chromium, type Page } from '@playwright/test';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchOptions } from '../../scripts/browser.mjs';
import type { Results } from '../../src/data/results';
import { openTrial, shownOn } from '../support/html-report';
import {
  config,
  makeSuite,
  type Run,
  type Suite,
  serveFolder,
  spec,
  startSite,
  TASKS_TEST_IN_ONE_WORKER,
  tasksTest,
} from './suite';

// Half of the visitors get a checkout without a way for guests: the fault.
const PAGES: Record<string, string> = {
  '/': '<h1>Shop</h1><a href="/checkout">Checkout</a>',
  '/checkout': `<h1>Checkout</h1><button onclick="location='/details'">Continue as guest</button>
    <a href="/login">Sign in</a><script>if (document.cookie.includes('variant=b')) document.querySelector('button').remove()</script>`,
  '/login': '<h1>Sign in</h1><label>E-mail <input></label><button>Sign in</button>',
  '/details': `<h1>Details</h1><label>Last name <input></label>
    <button onclick="fetch('/orders', { method: 'POST' }).then(() => { location = '/thanks' })">Place order</button>`,
  '/thanks': '<h1 id="done">Thank you</h1>',
  '/orders': 'ok',
  '/shop': `<a href="/menu" class="menu" style="display:block;height:20px"></a><h1>Shop</h1><p role="alert"></p><button onclick="fetch('/api/cart', { method: 'POST' }).then(({ ok }) => {
    document.querySelector(ok ? 'h1' : 'p').textContent = ok ? 'Added' : 'The basket is closed' })">Add</button>`,
};

const SAID = `I could not ${'really '.repeat(40)}use "Add to basket"`;

/** Its second trial finds the basket closed. */
const CART_TEST = `import { defineAgent, test } from '@taskproof/playwright';
const agent = defineAgent({ name: 'cautious', async run(task) {
  await task.turn('add', async turn => {
    const add = task.page.getByRole('button', { name: 'Add' });
    await turn.record({ do: 'click' }, add);
    await add.click();
    await task.page.getByText(/Added|closed/).waitFor();
  });
  if (await task.page.getByText('closed').count()) return { status: 'gave_up', reason: '${SAID}' };
} });
test.use({ taskproof: { agent } });
${TASKS_TEST_IN_ONE_WORKER.replace('tasks', 'shop').replace(', test }', '}')}`;

/** A guest if the page lets it be one. Else it tries to sign in, again and again. */
const agent = (name: string, brokenFrom: number) => `defineAgent({
  name: '${name}',
  async run(task) {
    const click = (role, name) => task.turn('click ' + role + ' "' + name + '"', async turn => {
      const control = task.page.getByRole(role, { name });
      await turn.record({ do: 'click' }, control);
      await control.click();
    });
    if (test.info().repeatEachIndex >= ${brokenFrom})
      await task.context.addCookies([{ name: 'variant', value: 'b', url: task.entryUrl }]);
    await click('link', 'Checkout');
    const guest = task.page.getByRole('button', { name: 'Continue as guest' });
    if (!(await guest.count())) {
      await click('link', 'Sign in');
      for (;;) await click('button', 'Sign in');
    }
    await click('button', 'Continue as guest');
    await task.turn('enter "Doe" into textbox "Last name"', async turn => {
      const field = task.page.getByLabel('Last name');
      await turn.record({ do: 'fill', text: 'Doe' }, field);
      await field.fill('Doe');
    });
    await click('button', 'Place order');
    await task.page.waitForURL('**/thanks');
  },
})`;

const ASSERTIONS = `  - type: dom\n    selector: '#done'\n  - type: network\n    urlPattern: '**/orders'\n    method: POST\n`;
const HEADLINE = '2 of 2 failures: stuck on /login at button "Sign in" (used all 5 turns)';
const PARTED = 'turn 2: the passing trial clicked button "Continue as guest", these clicked link "Sign in"';

let suite: Suite;
/** Of the weak agent alone. */
let run: Run;
let alone: Results;
/** Of its blob and the strong agent's. */
let merged: Run;
let browser: Browser;

beforeAll(async () => {
  browser = await chromium.launch(launchOptions());
  let carts = 0;
  const site = await startSite({
    ...PAGES,
    '/api/cart': (_, response) => void response.writeHead(carts++ ? 500 : 201).end(),
  });
  const project = (name: string, brokenFrom: number) =>
    `{ name: '${name}', testMatch: '${name}{,-shop}.spec.ts', ...repeats('${name}/*.yaml'), use: { taskproof: { agent: ${agent(name, brokenFrom)} } } }`;
  // One trial of the agent that passes shows its way.
  const specOf = (id: string, k: number) =>
    spec({
      ...{ id, url: `${site.url}/`, k, minPasses: Math.max(1, k - 1), assertions: ASSERTIONS },
      extra: 'maxSteps: 5',
    });
  suite = makeSuite({
    'playwright.config.ts': config({
      projects: `[${project('strong', 1)}, ${project('weak', 1)}]`,
      reporters: `[['list'], ['@taskproof/playwright/reporter', { summary: 'summary.md' }], ['html'], ['blob']]`,
    }),
    'merge.config.ts': `export default { reporter: [['@taskproof/playwright/reporter'], ['html', { outputFolder: 'merged' }]] };`,
    'strong/buy.yaml': specOf('buy', 1),
    'weak/buy.yaml': specOf('buy', 3),
    'weak/kept.yaml': specOf('kept', 2),
    'shop/cart.yaml': spec({
      ...{ id: 'cart', url: `${site.url}/shop`, k: 2, goal: 'Click "Add"' },
      assertions: `  - type: dom\n    selector: h1\n    state: text\n    text: Added\n`,
    }),
    'weak-shop.spec.ts': CART_TEST,
    'strong.spec.ts': tasksTest('strong/*.yaml'),
    // The tolerated failure is green by our reporter alone, and the last one: no worker starts after it.
    'weak.spec.ts': TASKS_TEST_IN_ONE_WORKER.replace('tasks', 'weak').replace(
      'fail()',
      "fail(info.title === 'buy')",
    ),
  });
  const play = (name: string, ...args: string[]) =>
    suite.playwright(['test', `--project=${name}`, ...args], {
      PLAYWRIGHT_BLOB_OUTPUT_FILE: join(suite.folder, 'blobs', `${name}.zip`),
    });
  await play('strong', '--reporter=blob,@taskproof/playwright/reporter');
  run = await play('weak');
  alone = run.results();
  merged = await suite.playwright(['merge-reports', '--config=merge.config.ts', 'blobs']);
});
afterAll(() => browser.close());

test('the terminal and the summary say what the failures have in common, once', () => {
  expect(run.exitCode, run.output).toBe(1);
  const lines = run.output.split('\n').map(line => line.trim());
  expect(lines, run.output).toContain(HEADLINE);
  expect(lines.join(' ')).toContain(PARTED);
  const summary = suite.read('summary.md').replaceAll('\\', '');
  expect(summary).toContain(
    `- ✗ **buy** (weak) failed: 1/3 passed, needs 2\n  - ${HEADLINE}\n  - ${PARTED}\n`,
  );
});

test('the results file has groups and partings', () => {
  const { diagnosis } = alone.verdicts[0]!;
  expect(diagnosis).toMatchObject({
    headline: HEADLINE,
    parted: PARTED,
    groups: [
      {
        ...{ trials: [1, 2], status: 'max_steps', path: '/login', control: 'button "Sign in"' },
        check: '"#done" is visible',
      },
    ],
  });
  expect(diagnosis!.partings.filter(({ index }) => index === 1)).toMatchObject([
    {
      ...{ kind: 'action', from: 'trials', turn: 2 },
      expected: {
        path: '/checkout',
        did: 'clicked button "Continue as guest"',
        project: 'weak',
        trial: 0,
        screenshot: 'turn-1.jpg',
      },
      actual: { path: '/checkout', did: 'clicked link "Sign in"', screenshot: 'turn-1.jpg' },
    },
  ]);
});

test('the HTML report has it on top, and both pictures side by side in the failed trial', async () => {
  await expectShown('playwright-report');
});

test('the same where another run was merged', async () => {
  const [strong, weak] = merged.results().verdicts;
  expect(strong, merged.output).not.toHaveProperty('diagnosis');
  expect(strong!.way!.actions.map(({ did }) => did)).toEqual([
    'clicked link "Checkout"',
    'clicked button "Continue as guest"',
    'filled field "Last name"',
    'clicked button "Place order"',
  ]);
  const { partings, ...diagnosis } = weak!.diagnosis!;
  // Trials come in the order in which their workers end.
  const sorted = (some: typeof partings) => some.toSorted((a, b) => a.index - b.index);
  const { diagnosis: before, way } = alone.verdicts[0]!;
  expect({ ...diagnosis, partings: sorted(partings) }).toEqual({
    ...before,
    partings: sorted(before!.partings),
  });
  expect(weak!.way).toEqual(way);
  await expectShown('merged');
});

const rowOf = (page: Page, text: string) => page.locator('.test-file-test', { hasText: text });

async function openReport(folder: string): Promise<Page> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  await page.goto(await serveFolder(join(suite.folder, folder)));
  await rowOf(page, 'buy · trial 1/3').waitFor();
  return page;
}

test('the list names trial and verdict, a tolerated failure is green, a lost spec stands on top with its reason', async () => {
  const page = await openReport('playwright-report');
  const row = (text: string) => rowOf(page, text);
  expect(await row('kept · trial 2/2').innerText()).toMatch(/verdict:passed[\s\S]*tolerated/);
  expect(await row('kept · trial 1/2').innerText()).not.toContain('tolerated');
  expect(await row('kept · trial 2/2').getAttribute('class')).toContain('outcome-expected');
  expect(await row('buy · trial 1/3').innerText()).toContain('verdict:failed');
  expect(await row('buy · trial 1/3').getAttribute('class')).toContain('outcome-expected');
  for (const trial of ['buy · trial 2/3', 'buy · trial 3/3'])
    expect(await row(trial).getAttribute('class'), trial).toContain('outcome-unexpected');
  const body = await page.locator('body').innerText();
  expect(body).toContain('buy [weak] failed: 1/3 passed, needs 2');
  expect(body).not.toContain('kept [weak]');
  await page.close();
});

test('a trial shows verdict, turns by name, pictures, and its assertions at their lines', async () => {
  const page = await openReport('playwright-report');
  const lost = await openTrial(page, 'buy · trial 2/3');
  expect(lost).toContain('failed: 1/3 passed, needs 2');
  expect(lost).toMatch(/"#done" is visible.*weak\/buy\.yaml:\d+/s);
  expect(lost).toMatch(/>\s+\d+ \| maxSteps: 5/);
  await page.goBack();
  const body = await openTrial(page, 'kept · trial 1/2');
  expect(body).toMatch(/click button "Place order"/);
  expect(body).toMatch(/"#done" is visible.*weak\/kept\.yaml:\d+/s);
  expect(body).not.toContain('_taskproof');
  const pictures = page.locator('img[src*="data/"]');
  const turns = new Set(body.match(/turn-\d+\.jpg/g));
  expect(turns.size).toBe(4);
  // Shown on the page, not behind a link.
  await page.getByText('transcript').click();
  await page.locator('.attachment-body', { hasText: 'Goal: Click "Go"' }).waitFor();
  // One for each turn, and one of the end.
  expect(await pictures.count()).toBe(turns.size + 1);
  expect(await pictures.first().evaluate((img: HTMLImageElement) => img.naturalWidth)).toBeGreaterThan(300);
  await page.close();
});

async function expectShown(folder: string): Promise<void> {
  const page = await openReport(folder);
  const row = (trial: number) => rowOf(page, `buy · trial ${trial}/3`).filter({ hasText: 'weak' });
  const top = await shownOn(page);
  for (const line of [HEADLINE, PARTED]) expect(top).toContain(line);
  // The pictures of the page on which they parted, as each saw it: with the button, and without.
  const pictureIn = async (trial: number) => {
    await row(trial).getByText(`buy · trial ${trial}/3`).click();
    await page.getByText('Test Steps').waitFor();
    return page.getByRole('link', { name: 'turn-1.jpg' }).getAttribute('href');
  };
  const expected = await pictureIn(1);
  await page.goBack();
  const actual = await pictureIn(2);
  const body = await page.locator('body').innerText();
  expect(body).toMatch(/diagnosis: ?2 of 2 failures: stuck on \/login/);
  expect(body).toMatch(
    /parted: ?turn 2: the passing trial clicked button "Continue as guest", this one clicked link "Sign in"/,
  );
  expect(body).toContain('click link "Sign in" (first difference from passing trials)');
  const viewer = page.locator('.chip', { hasText: 'parted-at-turn-2' });
  await viewer.getByText('Side by side').click();
  const shown = await viewer
    .locator('img')
    .evaluateAll(images => images.map(image => image.getAttribute('src')));
  expect(shown).toEqual([expected, actual]);
  expect(expected).not.toBe(actual);
  await page.close();
}

test('a request that failed, what the page says, the words of an agent that gave up, and not what passing trials have, too', async () => {
  const line = run.output.replace(/\s+/g, ' ');
  const request =
    'turn 1: POST /api/cart answered 500 (201 in passing trials); gave up on /shop: I could not';
  const says = 'the page says: "The basket is closed"';
  for (const text of [request, says, SAID]) expect(line).toContain(text);
  const { diagnosis } = alone.verdicts.find(({ spec }) => spec === 'cart')!;
  expect(diagnosis).toMatchObject({
    requests: [{ index: 1, turn: 1, request: 'POST /api/cart', status: 500, failure: null, expected: 201 }],
    pageSaid: 'The basket is closed',
    groups: [{ said: SAID }],
    // The passing trial has it, too.
    findings: [],
    others: [{ kind: 'no_name', locator: "locator('.menu')" }],
  });
  expect(diagnosis!.headline).toHaveLength(160);
  const page = await openReport('playwright-report');
  const body = await openTrial(page, 'cart · trial 2/2');
  for (const text of [request, SAID, 'The basket is closed']) expect(body).toContain(text);
  await page.close();
});
