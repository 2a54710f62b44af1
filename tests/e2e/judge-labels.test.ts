// A judge that is measured on the suite's own trials: labelled by keyboard in a browser, checked, and then believed.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { chromium } from '@playwright/test';
import { afterAll, expect, inject, onTestFinished, test } from 'vitest';
import { launchOptions } from '../../scripts/browser.mjs';
import { labelsText, readLabels } from '../../src/data/labels';
import { candidatesIn, keepLabelled } from '../../src/report/judge/kept';
import { loadFile } from '../../src/spec/load';
import { decision, json, playJudge } from '../support/judge-model';
import { startMessagesApi } from '../support/messages-api';
import { startOpenAiApi } from '../support/openai-api';
import { config, makeSuite, PLAIN, spec, startSite, TASKS_TEST, taskproof } from './suite';

const KEY = 'sk-ant-the-key-of-this-judge';
const K = 4;
const WRONG = 1;
/** Labels that someone else gave, on another machine. */
const OTHERS = 16;
const PAGE = `<button onclick="done.hidden=false;done.textContent+='Sent. '">Go</button><p id="done" hidden></p>`;

/** The last trials send twice. */
const AGENT = `defineAgent({ name: 'sends', async run(task) {
  const times = test.info().repeatEachIndex < ${K - WRONG} ? 1 : 2;
  await task.turn('<script>alert(1)</script>' + 'W'.repeat(170), async () => {
    for (let time = 0; time < times; time++) await task.page.getByText('Go').click();
  });
} })`;

const api = await startMessagesApi({
  apiKey: KEY,
  script: playJudge({
    'key points': () => json({ keyPoints: ['It was sent once'] }),
    decision: request => json(decision(request, !request.text.includes('Sent. Sent.'), 'So says the judge.')),
  }),
});
afterAll(() => api.close());
const env = { ANTHROPIC_API_KEY: KEY };

function startJudge(cwd: string, command: string, env = {}) {
  const cli = join(inject('installed'), 'node_modules/@taskproof/playwright/dist/cli.js');
  return spawn(process.execPath, [cli, 'judge', command], { cwd, env: { ...process.env, ...env } });
}

/** Starts `judge label`. @returns its address, and what ends it */
async function startLabelling(folder: string) {
  const child = startJudge(folder, 'label');
  let out = '';
  const url = await new Promise<string>((resolve, reject) => {
    child.stderr.on('data', chunk => reject(new Error(String(chunk))));
    child.stdout.on('data', chunk => {
      out += chunk;
      const found = /http:\/\/127\.0\.0\.1:\d+\/[0-9a-f]{32}\//.exec(out)?.[0];
      if (found) resolve(found);
    });
  });
  const end = () => {
    child.kill('SIGINT');
    return new Promise<[number | null, string]>(resolve => child.on('close', code => resolve([code, out])));
  };
  return { url, end };
}

/** A spec with a rubric, and its test. */
const tasksOn = (url: string) => ({
  'tasks/send.yaml': spec({
    ...{ id: 'send', goal: 'Send it', url: `${url}/`, k: K, minPasses: K - WRONG },
    extra: 'judge: It was sent once.',
  }),
  'tasks.spec.ts': TASKS_TEST,
});

test('without labels a rubric is inconclusive; labelled and checked, it passes', async () => {
  const site = await startSite({ '/': PAGE });
  const suite = makeSuite({
    ...tasksOn(site.url),
    'playwright.config.ts': config({
      taskproof: `{ agent: ${AGENT}, judge: webJudge({ baseURL: '${api.url}', minAgreement: 0.9 }) }`,
    }),
  });
  const unlabelled = await suite.playwright(['test'], env);
  expect(unlabelled.exitCode, unlabelled.output).toBe(1);
  expect(unlabelled.output).toContain('judge: not calibrated');

  expect(unlabelled.results().verdicts).toMatchObject([
    {
      verdict: 'inconclusive',
      ...{ passes: 0, failures: 0, errors: K },
      reason: expect.stringContaining('has no label for this rubric, and minAgreement is 0.9'),
    },
  ]);

  const rubric = loadFile(join(suite.folder, 'tasks/send.yaml')).rubricHash!;
  const about = { spec: 'send', project: 'agents', rubric, run: '2026-11-24T10:00:00.000Z' };
  const others = Array.from({ length: OTHERS }, (_, index) => ({
    ...{ ...about, index, trial: index.toString(16).padStart(32, '0'), at: '2026-11-24T11:00:00.000Z' },
    label: index < OTHERS - 2 ? ('passed' as const) : ('failed' as const),
  }));
  const answers = others.map(({ trial, label }) => ({
    ...{
      judge: 'webJudge',
      model: 'claude-sonnet-5-5',
      prompt: '1',
      trial,
      rubric,
      passed: label === 'passed',
    },
  }));
  suite.write({ 'taskproof-labels.json': labelsText({ labels: others, answers }) });
  const { url, end } = await startLabelling(suite.folder);
  const browser = await chromium.launch(launchOptions());
  const page = await browser.newPage();
  const dialogs: string[] = [];
  page.on('dialog', dialog => void dialogs.push(dialog.message()));
  await page.goto(url);
  for (let trial = 0; trial < K; trial++) {
    const text = await page.locator('body').innerText();
    expect(text).toContain('It was sent once.');
    expect(text).toContain('<script>alert(1)</script>');
    expect(text).not.toContain('So says the judge.');
    const overflow = () => document.documentElement.scrollWidth - document.documentElement.clientWidth;
    expect(await page.evaluate(overflow), 'no line is wider than the page').toBe(0);
    const width = () =>
      page
        .locator('img')
        .first()
        .evaluate(image => (image as HTMLImageElement).naturalWidth);
    await expect.poll(width).toBeGreaterThan(0);
    const last = await page.locator('details').textContent();
    const before = page.url();
    await page.keyboard.press(last!.includes('Sent. Sent.') ? 'f' : 'p');
    await page.waitForURL(now => now.href !== before);
  }
  // A label is changed by going back and giving another one.
  await page.keyboard.press('ArrowLeft');
  const told = page.getByText(/^You: /);
  const first = (await told.innerText()).includes('You: passed') ? 'p' : 'f';
  for (const key of [first === 'p' ? 'f' : 'p', first]) {
    await page.keyboard.press(key);
    await page.waitForURL(now => now.href.endsWith('done'));
    await page.keyboard.press('ArrowLeft');
    expect(await told.innerText()).toMatch(
      key === 'p' ? /^You: passed\. The judge: / : /^You: failed\. The judge: /,
    );
  }
  expect(dialogs).toEqual([]);
  await browser.close();
  const [code, out] = await end();
  expect(code).toBe(0);
  expect(out).toContain(`${K + OTHERS} labels in taskproof-labels.json`);

  const asked = api.requests.length;
  const checked = await taskproof(suite, ['judge', 'check'], env);
  expect(checked.code, checked.err + checked.out).toBe(0);
  expect(checked.err).toMatch(/grades 4 labelled trials again: about 5 requests, at most \$/);
  expect(checked.out).toContain('agrees with    20 of 20 labels, 100%');
  expect(api.requests.length - asked).toBe(K + 1);

  const unanswered = await taskproof(suite, ['judge', 'check', '--max-cost=0.0001'], env);
  expect(unanswered.code, unanswered.err + unanswered.out).toBe(3);
  expect(unanswered.out).toContain('no judgement   4 of 4 trials: the figures above rest on earlier answers');
  expect(api.requests.length - asked).toBe(K + 1);

  const labelled = await taskproof(suite, ['regrade'], env);
  expect(labelled.code, labelled.err).toBe(0);
  expect(labelled.err).toContain('judge: agrees with 20 of 20 labels');
  expect(JSON.parse(suite.read('taskproof-results.json'))).toMatchObject({
    verdicts: [{ verdict: 'passed', passes: K - WRONG, failures: WRONG }],
    judges: [{ judge: 'webJudge', labels: 20, agreed: 20, minAgreement: 0.9 }],
  });
  expect(suite.read('taskproof-labels.json')).not.toContain(KEY);

  // Someone is of another opinion, and says so of all trials that are kept here.
  const { labels, answers: given } = readLabels(join(suite.folder, 'taskproof-labels.json'));
  const turned = labels.map(each => (each.run === about.run ? each : { ...each, label: 'failed' as const }));
  suite.write({ 'taskproof-labels.json': labelsText({ labels: turned, answers: given }) });
  const below = await taskproof(suite, ['judge', 'check', '--max-cost=1'], env);
  expect(below.code, below.err + below.out).toBe(1);
  expect(below.out).toContain('agrees with    17 of 20 labels, 85%');
  expect(below.out).toContain('false passes   3 of 6 that people failed');
  expect(below.out).toContain(': passed, labelled failed: So says the judge.');

  // A label is of its rubric.
  suite.write({ 'tasks/send.yaml': suite.read('tasks/send.yaml').replace('sent once', 'sent only once') });
  const before = api.requests.length;
  const stale = await taskproof(suite, ['judge', 'check'], env);
  expect(stale.code, stale.err + stale.out).toBe(3);
  expect(stale.out).toMatch(/Not asked about 20 labels \(send.*\): the rubric has changed/);
  expect(api.requests).toHaveLength(before);
});

test('aiJudge(): a merged blob is as inconclusive as its run; Ctrl-C in a check keeps what was answered', async () => {
  const site = await startSite({ '/': PAGE });
  /** Answers before the model goes silent. */
  let left = Number.POSITIVE_INFINITY;
  let silent = () => {};
  const model = await startOpenAiApi({
    apiKey: KEY,
    script: playJudge({
      'key points': () => json({ keyPoints: ['It was sent once'] }),
      decision: request => {
        if (left-- > 0) return json(decision(request));
        silent();
        return { fault: 'slow', delayMs: 60_000 };
      },
    }),
  });
  onTestFinished(() => model.close());
  const suite = makeSuite({
    ...tasksOn(site.url),
    'playwright.config.ts': config({
      imports: `import { createOpenAI } from '@ai-sdk/openai';
const judge = createOpenAI({ baseURL: '${model.url}' })('gpt-judge');`,
      taskproof: `{ agent: ${AGENT}, judge: aiJudge({ model: judge, pricing: { input: 1, output: 4 }, minAgreement: 0.9 }) }`,
    }),
    'merge.config.ts': `export default { reporter: ${PLAIN} };`,
  });
  const env = { OPENAI_API_KEY: KEY };
  const run = await suite.playwright(['test', `--reporter=blob,@taskproof/playwright/reporter`], env);
  expect(run.exitCode, run.output).toBe(1);
  suite.remove('taskproof-results.json');
  const merged = await suite.playwright(['merge-reports', '--config=merge.config.ts', 'blob-report']);
  expect(merged.exitCode, merged.output).toBe(1);
  expect(merged.output).toContain('judge: not calibrated');
  const uncalibrated = { outcome: 'error', errorKind: 'uncalibrated' };
  expect(merged.results().verdicts).toMatchObject([
    { verdict: 'inconclusive', passes: 0, errors: K, trials: Array(K).fill(uncalibrated) },
  ]);

  const candidates = candidatesIn(suite.folder, 1);
  expect(candidates).toHaveLength(K);
  for (const each of candidates) keepLabelled(suite.folder, each);
  const at = '2026-11-24T11:00:00.000Z';
  const labels = candidates.map(({ file, ...each }) => ({ ...each, label: 'passed' as const, at }));
  suite.write({ 'taskproof-labels.json': labelsText({ labels, answers: [] }) });
  const answered = () => readLabels(join(suite.folder, 'taskproof-labels.json')).answers;

  left = 2;
  const child = startJudge(suite.folder, 'check', env);
  let said = '';
  child.stderr.on('data', chunk => (said += chunk));
  const ended = new Promise<number | null>(resolve => child.on('close', resolve));
  await Promise.race([ended, new Promise<void>(resolve => (silent = resolve))]);
  await expect.poll(() => answered().length).toBe(2);
  child.kill('SIGINT');
  expect(await ended, said).toBe(2);
  expect(said).toContain(
    'Interrupted. What the judge has answered is kept in taskproof-labels.json, and counts.',
  );
  expect(said).not.toMatch(/before any trial ran| {4}at /);
  expect(answered()).toHaveLength(2);

  left = Number.POSITIVE_INFINITY;
  const whole = await taskproof(suite, ['judge', 'check'], env);
  expect(whole.code, whole.err + whole.out).toBe(3);
  expect(whole.out).toContain('aiJudge (gpt-judge)\n  agrees with    4 of 4 labels');
  expect(answered()).toHaveLength(K);
  expect(suite.read('taskproof-labels.json')).not.toContain(KEY);
});
