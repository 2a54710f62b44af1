// `npm run build && node scripts/judge/make-trials.mjs [name ...]` plays the judge's test set again: it performs the actions
// in each tests/data/judge/<name>/trial.json on the example site, in real trials, and saves what a judge gets. To add a
// trial, make a folder with a trial.json of `kind`, `passes`, `why`, `spec` and `turns` (`actions`, `narration`). `shows` is
// a text that is put on the page, as a visitor or an advertiser might do, before the agent looks at it.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { argv } from 'node:process';
import { fileURLToPath } from 'node:url';
import { LAUNCH, makeSuite } from '../../bench/lib/processes.mjs';
import { startSite } from '../../example-tasks/site/server.mjs';
import { FOLDER } from './test-set.mjs';

/** @typedef {import('@playwright/test').Page} Page */

/** The site's address in the test set, whatever port it has here. */
const ORIGIN = 'http://127.0.0.1:4173';
const SITE = process.env.JUDGE_SITE ?? ORIGIN;
const fileOf = (/** @type {string} */ name) => join(FOLDER, name, 'trial.json');
const read = (/** @type {string} */ name) => JSON.parse(readFileSync(fileOf(name), 'utf8'));

/** The titles of actions, and how to perform them. @type {[RegExp, (page: Page, first: string, second: string) => Promise<unknown>][]} */
const ACTIONS = [
  [/^open (.*)$/, (page, url) => page.goto(url.replace(ORIGIN, SITE))],
  [/^type "(.*)" into "(.*)"$/, (page, text, label) => page.getByLabel(label, { exact: true }).fill(text)],
  [/^check "(.*)"$/, (page, label) => page.getByLabel(label, { exact: true }).check()],
  [/^click button "(.*)"$/, (page, name) => page.getByRole('button', { name, exact: true }).first().click()],
  [/^click text "(.*)"$/, (page, text) => page.getByText(text).first().click()],
  [/^scroll to the results$/, page => page.locator('#results').evaluate(el => el.scrollIntoView())],
  [
    /^select "(.*)" in "(.*)"$/,
    async (page, start, label) => {
      // Options for sizes contain the price.
      const field = page.getByLabel(label, { exact: true });
      const labels = (await field.locator('option').allTextContents()).map(text => text.trim());
      await field.selectOption({ label: labels.find(text => text.startsWith(start)) ?? start });
    },
  ],
];

/** @param {Page} page @param {string} text */
const show = (page, text) =>
  page.evaluate(words => {
    const banner = document.createElement('p');
    banner.className = 'card';
    banner.textContent = words;
    document.querySelector('main')?.prepend(banner);
    banner.scrollIntoView();
  }, text);

export const agent = {
  name: 'scripted',
  /** @param {import('../../src/agents/agent').SessionTask} task */
  async run(task) {
    const { turns, shows } = read(task.specId ?? '');
    for (const { actions, narration } of turns)
      await task.turn(actions.map((/** @type {any} */ { title }) => title).join(', '), async turn => {
        for (const { title } of actions) {
          const [pattern, act] = ACTIONS.find(([known]) => known.test(title)) ?? [];
          const [, first = '', second = ''] = pattern?.exec(title) ?? [];
          if (act) await act(task.page, first, second);
          else if (title === 'look at the page') await show(task.page, shows);
          else throw new Error(`${task.specId}: unknown action "${title}". Add it to ACTIONS.`);
          // The turn's picture must show what the page does after the action.
          await task.page.waitForTimeout(/^(click|check|select)/.test(title) ? 500 : 0);
          turn.action({ title });
        }
        if (narration) turn.narrate(narration);
      });
  },
};

export const judge = {
  name: 'writes',
  /** @param {import('../../src/grading/judge').JudgedTrial} judged */
  async judge({ spec, turns, screenshots, finalUrl, finalText, assertions }) {
    const folder = join(FOLDER, spec.id);
    const { kind, passes, why, shows, spec: given } = read(spec.id);
    for (const name of readdirSync(folder).filter(name => name.endsWith('.jpg'))) rmSync(join(folder, name));
    // Equal pictures are kept once.
    const kept = screenshots.map(({ name, turn, image }) => ({
      name,
      turn,
      file: screenshots.find(each => each.image.equals(image))?.name ?? name,
    }));
    for (const { name, image } of screenshots)
      if (kept.some(({ file }) => file === name)) writeFileSync(join(folder, name), image);
    const trial = {
      ...{ kind, passes, why, shows, spec: given },
      turns: turns.map(({ number, actions, narration, url }) => ({ number, actions, narration, url })),
      ...{ screenshots: kept, finalUrl, finalText },
      assertions: assertions.map(({ title, passed }) => ({ title, passed })),
    };
    writeFileSync(fileOf(spec.id), `${JSON.stringify(trial, null, 2).replaceAll(SITE, ORIGIN)}\n`);
    return { passed: true, reason: 'written' };
  },
};

/** Closes the overlays, and logs in if the trial is about the account. @param {Page} page @param {string} name */
export async function prepare(page, name) {
  await page.goto(SITE);
  await page.getByRole('button', { name: 'Reject optional cookies' }).click();
  await page.getByRole('button', { name: /Dismiss/ }).click();
  if (!read(name).spec.entryUrl.endsWith('/account')) return;
  await page.goto(`${SITE}/login`);
  await page.getByLabel('User name').fill('mira');
  await page.getByLabel('Password').fill('violet-garden-7');
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.getByRole('heading', { name: /Welcome back/ }).waitFor();
}

/** @param {string[]} names */
async function main(names) {
  const site = await startSite({ port: 0, slowMs: 50 });
  const wanted = readdirSync(FOLDER).filter(name => !names.length || names.includes(name));
  const here = JSON.stringify(fileURLToPath(import.meta.url));
  const suite = makeSuite({
    // JSON is YAML.
    ...Object.fromEntries(
      wanted.map(name => [`tasks/${name}.yaml`, JSON.stringify({ ...read(name).spec, id: name })]),
    ),
    'playwright.config.mjs': `import { agent, judge } from ${here};
export default { workers: 1, testMatch: 'tasks.spec.mjs', reporter: 'list', projects: [{ name: 'judge', use: {
  viewport: { width: 800, height: 600 }, launchOptions: ${LAUNCH}, actionTimeout: 5_000, taskproof: { agent, judge, origin: '${site.url}' } } }] };`,
    'tasks.spec.mjs': `import { taskproofTests, test } from '@taskproof/playwright';
import { prepare } from ${here};
taskproofTests('tasks/*.yaml', { test: test.extend({ page: async ({ page }, use, { title }) => {
  await prepare(page, title.split(' ')[0]);
  await use(page);
} }) });`,
  });
  const run = suite.playwright(['test'], { JUDGE_SITE: site.url });
  process.exitCode = (await run.ended) ?? 1;
  console.log(run.output());
  await site.close();
  suite.remove();
}

if (argv[1] === fileURLToPath(import.meta.url)) await main(argv.slice(2));
