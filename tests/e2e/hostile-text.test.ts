// Text of pages, agents and specs that means harm: nothing of it runs, moves or speaks, wherever it is shown.
import { chromium, type Page } from '@playwright/test';
import { expect, test } from 'vitest';
import { launchOptions } from '../../scripts/browser.mjs';
import { CONTROL, expectHarmless } from '../support/harmless';
import { openTrial } from '../support/html-report';
import { recordsIn } from '../support/records';
import { config, makeSuite, serveFolder, spec, startSite, TASKS_TEST_IN_ONE_WORKER } from './suite';

/** Literally in what is shown: a word by which the text is found, and what would act. */
const MARKUP = `</script><script>window.ran = 1</script><img src=x onerror="window.ran = 1">`;
const EVIL = `harm | \`code\` **bold** [link](http://127.0.0.1:9/) @octocat #1 ${MARKUP} \u001b[31mred\u001b]0;owned\u0007\u001b]8;;http://127.0.0.1:9/\u0007x\u009b2J \uFFFE\uFFFF\u202Ekcab\u202C ##[error]v1 ##vso[task.complete]v0
::error file=a,line=1::boom
  ::add-mask::boom\r::stop-commands::boom\u2028::set-output name=x::boom
| a | b |`;

const SITE = `<title>${EVIL}</title><button onclick="alert(document.title)">Go</button>
<a id="file" download href="/file">File</a><pre id="text"></pre>
<script>text.textContent = document.title; history.replaceState(null, '', '#' + document.title);</script>`;

const AGENT = `defineAgent({ name: 'gullible', async run(task) {
  const { page } = task;
  const said = (await page.title()) + (await page.locator('#text').textContent());
  await task.turn('read ' + said, async turn => {
    turn.narrate(said);
    turn.action({ title: said, error: said, detail: { said } });
    await page.getByText('Go').click();
    await page.locator('#file').click();
    throw new Error(said);
  }).catch(() => {});
  if (task.goal.startsWith('throw')) throw new Error(said);
  if (task.goal.startsWith('give up')) return { status: 'gave_up', reason: said };
} })`;

async function hostileRun() {
  const site = await startSite({
    '/': (_, response) =>
      void response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(SITE),
    '/file': (_, response) =>
      void response
        .writeHead(200, {
          'content-disposition': `attachment; filename*=UTF-8''${encodeURIComponent(EVIL)}`,
        })
        .end('content'),
  });
  const evilSpec = (id: string, goal: string) =>
    spec({
      id,
      url: `${site.url}/`,
      extra: `description: ${JSON.stringify(EVIL)}\nmaxSteps: 3`,
      assertions: `  - type: dom\n    selector: '#text'\n    state: text\n    text: ${JSON.stringify(`${EVIL}!`)}\n    description: ${JSON.stringify(EVIL)}\n  - type: url\n    pattern: '**'\n`,
    }).replace(/^goal: .*$/m, () => `goal: ${JSON.stringify(`${goal} ${EVIL}`)}`);
  const suite = makeSuite({
    'playwright.config.ts': config({
      taskproof: `{ agent: ${AGENT} }`,
      reporters: `[['list', { printSteps: true }], ['@taskproof/playwright/reporter', { summary: 'summary.md' }], ['html'], ['json', { outputFile: 'pw.json' }], ['junit', { outputFile: 'junit.xml' }]]`,
    }),
    'tasks/gives-up.yaml': evilSpec('gives-up', 'give up'),
    'tasks/throws.yaml': evilSpec('throws', 'throw'),
    'tasks/ends.yaml': evilSpec('ends', 'end'),
    'tasks.spec.ts': TASKS_TEST_IN_ONE_WORKER,
  });
  const run = await suite.playwright(['test']);
  expect(run.exitCode, run.output).toBe(1);
  return { suite, run };
}

test('hostile text in the terminal, the Markdown and the HTML report', async () => {
  const { suite, run } = await hostileRun();
  const records = recordsIn(suite.read('pw.json'));
  expect(records, run.output).toHaveLength(3);
  const shown = records.map(({ reason }) => reason ?? '').join('\n');
  expectHarmless(shown);
  // Playwright's list reporter prints our error and the steps' titles.
  expectHarmless(run.output);

  expect(suite.read('junit.xml')).not.toMatch(CONTROL);

  const summary = suite.read('summary.md');
  expectHarmless(summary.replaceAll('@&#8203;', '@'));
  expect(summary).not.toMatch(/<(?!\/?(details|summary)>|!--)/);
  expect(summary, 'no code, no emphasis, no links, no mentions').not.toMatch(
    /(?<!\\)[`[\]]|@octocat|(?<!&)#1 /,
  );
  const rows = summary.split('\n').filter(line => line.startsWith('|'));
  expect(new Set(rows.map(row => row.split(/(?<!\\)\|/).length)).size, summary).toBe(1);
  expect(rows).toHaveLength(2 + 3);

  const browser = await chromium.launch(launchOptions());
  try {
    const page = await browser.newPage();
    const dialogs: string[] = [];
    page.on('dialog', dialog => void dialogs.push(dialog.message()));
    const url = await serveFolder(`${suite.folder}/playwright-report`);
    await page.goto(url);
    await page.getByText('trial 1/').first().waitFor();
    await expectInert(page);
    for (const id of ['gives-up', 'throws', 'ends']) {
      await page.goto(url);
      await openTrial(page, `${id} · trial 1/`);
      await page
        .locator('[aria-expanded="false"]')
        .evaluateAll(closed => closed.forEach(element => void (element as HTMLElement).click()));
      expect(await page.locator('body').innerText(), id).toContain(MARKUP);
      await expectInert(page);
    }
    expect(dialogs).toEqual([]);
  } finally {
    await browser.close();
  }
});

/** Nothing of the text became an element or ran, and no line is wider than the page. */
async function expectInert(page: Page): Promise<void> {
  const found = await page.evaluate(() => ({
    ran: 'ran' in window,
    images: document.querySelectorAll('img[src="x"]').length,
    overflow: Math.max(0, document.documentElement.scrollWidth - document.documentElement.clientWidth),
  }));
  expect(found).toMatchObject({ ran: false, images: 0, overflow: 0 });
}
