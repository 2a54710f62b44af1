// A run that ends before it writes its results leaves those of an earlier run: no command takes them for its own.
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { serve } from '../support/serve';
import { inProcess, makeSuite, printed } from './suite';

const CONFIG = `import { defineConfig } from '@playwright/test';
export default defineConfig({
  reporter: [['list'], ['@taskproof/playwright/reporter']],
  globalSetup: process.env.SET_UP,
});`;
const TESTS = `import { test } from '@playwright/test';
import { passPolicy } from '@taskproof/playwright';
test('good', passPolicy({ k: 1, minPasses: 1 }), async () => {
  if (process.env.ASK) await fetch(process.env.ASK);
  if (process.env.HANG) { console.log('begun'); await new Promise(() => {}); }
});`;
const PLAIN_TEST = `import { test } from '@playwright/test';
test('plain', () => {});`;

test('after a run that broke, diff, baseline save and record refuse the results of the run before', async () => {
  const suite = makeSuite({
    'playwright.config.ts': CONFIG,
    'good.spec.ts': TESTS,
    'setup.ts': `export default () => { throw new Error('no database'); };`,
  });
  expect((await suite.playwright(['test'])).exitCode).toBe(0);
  expect((await inProcess(suite, ['baseline', 'save'])).code).toBe(0);
  const exitCode = async (...args: string[]) => (await inProcess(suite, args)).code;
  // Nothing has run, so nothing is superseded.
  await suite.playwright(['test', '--list']);
  suite.write({ 'broken.spec.ts': 'test(', 'plain.spec.ts': PLAIN_TEST });
  // Without a policy there is nothing to judge, and the results stay those of the last run that had one.
  expect((await suite.playwright(['test', 'plain.spec.ts'])).exitCode).toBe(0);
  expect(await exitCode('diff')).toBe(0);

  const breaks: [string, () => Promise<unknown>][] = [
    ['a set-up that fails', () => suite.playwright(['test', 'good.spec.ts'], { SET_UP: './setup.ts' })],
    ['a syntax error', () => suite.playwright(['test', 'broken.spec.ts'])],
    [
      'SIGKILL',
      async () => {
        const { process, done } = suite.start(['test', 'good.spec.ts'], { HANG: '1' });
        await printed(process.stdout!, /begun/);
        process.kill('SIGKILL');
        await done;
      },
    ],
  ];
  for (const [what, run] of breaks) {
    const begun = Date.now();
    await run();
    const compared = await inProcess(suite, ['diff']);
    expect(compared, what).toMatchObject({ code: 3, out: '' });
    const by =
      /^taskproof-results\.json: the results of an earlier run \(.*\): the run that began at (.*) has not written its own\. If it was interrupted, continue it: npx taskproof resume/;
    expect(Date.parse(by.exec(compared.err)?.[1] ?? ''), what).toBeGreaterThanOrEqual(begun);
  }
  expect(await exitCode('baseline', 'save')).toBe(3);
  expect(await exitCode('record')).toBe(3);
});

test('a run without our reporter leaves no results of another where its config writes them', async () => {
  const suite = makeSuite({
    'own.config.mts': CONFIG.replace("reporter']", "reporter', { outputFile: 'out/own.json' }]"),
    'good.spec.ts': TESTS,
  });
  const args = ['test', '--config', 'own.config.mts'];
  expect(await suite.playwright(args)).toMatchObject({ exitCode: 0 });
  expect((await inProcess(suite, ['baseline', 'save', 'out/own.json'])).code).toBe(0);
  await suite.playwright([...args, '--reporter=line']);
  const compared = await inProcess(suite, ['diff', 'taskproof-baseline.json', 'out/own.json']);
  expect(compared.err).toContain('has not written its own');
  expect(compared.code).toBe(3);
});

test('two runs at once in one folder: each has its own verdicts, and says that the other writes its results there, too', async () => {
  const { url, server, close } = await serve(() => {});
  const asked = once(server, 'request');
  const suite = makeSuite({ 'playwright.config.ts': CONFIG, 'good.spec.ts': TESTS });
  await suite.playwright(['test']);
  const first = suite.start(['test'], { ASK: url });
  await asked;
  const second = await suite.playwright(['test']);
  expect(second).toMatchObject({ exitCode: 0, output: expect.not.stringContaining('another run') });
  await close();
  const { exitCode, output, results } = await first.done;
  expect(exitCode, output).toBe(1);
  expect(output).toMatch(/good .* ✗ failed/);
  expect(output).toMatch(/results\.json: another run, which began at .*, writes this file, too/);
  expect(results().verdicts).toMatchObject([{ spec: 'good', verdict: 'failed' }]);
});
