// Makes the judge's test set anew: `node scripts/judge/make-trials.mjs [name ...]` plays every scenario on the example
// site, through the trial that a suite runs, and writes down what the judge is given.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { chromium } from '@playwright/test';
import { startSite } from '../../example-tasks/site/server.mjs';
import { launchOptions } from '../browser.mjs';
import { load } from './bundle.mjs';
import { SCENARIOS } from './scenarios.mjs';
import { TASKS } from './tasks.mjs';

const FOLDER = resolve(import.meta.dirname, '../../tests/data/judge');
/** In the records, whatever port the site was given here. */
const ORIGIN = 'http://127.0.0.1:4173';
const VIEWPORT = { width: 800, height: 600 };

const { Trial, openSession, parseTaskSpec } = await load(
  'trial',
  `export { Trial } from './src/trial/trial';
   export { openSession } from './src/browser/open-session';
   export { parseTaskSpec } from './src/spec';`,
);

/** @param {import('@playwright/test').Page} page */
async function show(page, /** @type {string} */ text) {
  await page.evaluate(words => {
    const banner = document.createElement('p');
    banner.className = 'card';
    banner.textContent = words;
    document.querySelector('main')?.prepend(banner);
    banner.scrollIntoView();
  }, text);
}

/**
 * @param {import('@playwright/test').Page} page
 * @param {import('./scenarios.mjs').Operation} operation
 * @param {string} origin
 * @returns {Promise<string | undefined>} the action in words; undefined where it was not the agent's
 */
async function perform(page, [what, first, second = ''], origin) {
  const main = page.locator('body');
  switch (what) {
    case 'click': {
      const target =
        first === 'button' ? main.getByRole('button', { name: second, exact: true }) : main.getByText(second);
      await target.first().click();
      await page.waitForTimeout(500);
      return `click ${first} "${second}"`;
    }
    case 'fill':
      await main.getByLabel(first, { exact: true }).fill(second);
      return `type "${second}" into "${first}"`;
    case 'select':
      await main
        .getByLabel(first, { exact: true })
        .selectOption({ label: await labelOf(main, first, second) });
      await page.waitForTimeout(100);
      return `select "${second}" in "${first}"`;
    case 'check':
      await main.getByLabel(first, { exact: true }).check();
      await page.waitForTimeout(200);
      return `check "${first}"`;
    case 'scroll':
      await page.locator(second).evaluate(element => element.scrollIntoView());
      return `scroll to ${first}`;
    case 'open':
      await page.goto(origin + first);
      return `open ${ORIGIN}${first}`;
    default:
      await show(page, first);
      return undefined;
  }
}

/** Sizes carry their price. */
async function labelOf(
  /** @type {import('@playwright/test').Locator} */ main,
  /** @type {string} */ field,
  /** @type {string} */ start,
) {
  const labels = await main.getByLabel(field, { exact: true }).locator('option').allTextContents();
  return labels.map(label => label.trim()).find(label => label.startsWith(start)) ?? start;
}

/** @param {import('@playwright/test').Page} page */
async function prepare(page, /** @type {string} */ origin, /** @type {boolean} */ loggedIn) {
  await page.goto(origin);
  await page.getByRole('button', { name: 'Reject optional cookies' }).click();
  await page.getByRole('button', { name: /Dismiss/ }).click();
  if (!loggedIn) return;
  await page.goto(`${origin}/login`);
  await page.getByLabel('User name').fill('mira');
  await page.getByLabel('Password').fill('violet-garden-7');
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.getByRole('heading', { name: /Welcome back/ }).waitFor();
}

/**
 * @param {import('./scenarios.mjs').Scenario} scenario
 * @param {import('@playwright/test').Page} page
 * @param {string} origin
 */
async function play(scenario, page, origin) {
  const { path, loggedIn, ...task } = /** @type {import('./tasks.mjs').JudgedTask} */ (TASKS[scenario.task]);
  const spec = parseTaskSpec(
    JSON.stringify({ specVersion: '0.1', id: scenario.task, entryUrl: origin + path, ...task }),
  );
  await prepare(page, origin, loggedIn ?? false);
  /** @type {any} */
  let judged;
  const agent = {
    name: 'scripted',
    /** @param {any} given */
    async run(given) {
      for (const { say, does } of scenario.turns)
        await given.turn(
          does.map(([what, first, second = '']) => `${what} ${first} ${second}`).join(', '),
          async (/** @type {any} */ turn) => {
            for (const operation of does) {
              const title = await perform(given.page, operation, origin);
              turn.action({ title: title ?? 'look at the page' });
            }
            if (say) turn.narrate(say);
          },
        );
    },
  };
  const judge = {
    name: 'notes',
    async judge(/** @type {any} */ trial) {
      judged = trial;
      return { passed: true, reason: 'noted' };
    },
  };
  const opened = await openSession(page, spec.allowedDomains);
  const trial = new Trial(
    {
      ...spec,
      spec,
      agent,
      judge,
      turnTimeoutMs: 30_000,
      expectTimeoutMs: 2_000,
      seed: 0,
      secrets: {},
      locate: () => ({ file: 'scenario', line: 1, column: 1 }),
    },
    { specId: spec.id, specHash: '', specFile: '', repeatIndex: 0, retry: 0, policy: spec.passPolicy },
    opened,
    {
      attach: async () => undefined,
      step: (/** @type {string} */ _, /** @type {any} */ body) => body(async () => undefined),
    },
  );
  const record = await trial.run();
  await opened.close();
  if (!judged) throw new Error(`${scenario.name}: ${record.outcome}: ${record.reason}`);
  write(scenario, judged, origin);
}

/** @param {any} judged */
function write(
  /** @type {import('./scenarios.mjs').Scenario} */ { name, kind, passes, why },
  judged,
  /** @type {string} */ origin,
) {
  const folder = join(FOLDER, name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  // A picture that another one repeats is kept once.
  const fileOf = (/** @type {any} */ shot) =>
    judged.screenshots.find((/** @type {any} */ each) => each.image.equals(shot.image)).name;
  for (const shot of judged.screenshots)
    if (fileOf(shot) === shot.name) writeFileSync(join(folder, shot.name), shot.image);
  const trial = {
    kind,
    passes,
    why,
    spec: judged.spec,
    turns: judged.turns.map((/** @type {any} */ { number, actions, narration, url }) => ({
      number,
      actions,
      narration,
      url,
    })),
    screenshots: judged.screenshots.map((/** @type {any} */ shot) => ({
      name: shot.name,
      turn: shot.turn,
      file: fileOf(shot),
    })),
    finalUrl: judged.finalUrl,
    finalText: judged.finalText,
    assertions: judged.assertions.map((/** @type {any} */ { title, passed }) => ({ title, passed })),
  };
  writeFileSync(join(folder, 'trial.json'), `${JSON.stringify(trial, null, 2).replaceAll(origin, ORIGIN)}\n`);
}

const wanted = process.argv.slice(2);
const scenarios = SCENARIOS.filter(({ name }) => !wanted.length || wanted.includes(name));
const site = await startSite({ port: 0, slowMs: 50 });
const browser = await chromium.launch(launchOptions());
const problems = [];
try {
  for (const scenario of scenarios) {
    const context = await browser.newContext({ viewport: VIEWPORT });
    context.setDefaultTimeout(5_000);
    try {
      await play(scenario, await context.newPage(), site.url);
    } catch (error) {
      problems.push(`${scenario.name}: ${error instanceof Error ? error.message : error}`);
    }
    await context.close();
  }
} finally {
  await browser.close();
  await site.close();
}
console.log(`${scenarios.length - problems.length} of ${scenarios.length} trials are made.`);
for (const problem of problems) console.error(problem);
process.exitCode = problems.length ? 1 : 0;
