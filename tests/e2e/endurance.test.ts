// Forty trials in one worker: memory stays flat, and no process, context or browser target is left behind.
import { expect, test } from 'vitest';
import { marked } from '../support/processes';
import { config, makeSuite, spec, startSite, TASKS_TEST } from './suite';

const TRIALS = 40;
const idOf = (index: number) => `trial-${String(index).padStart(3, '0')}`;

/**
 * One line for each trial: its worker, the browser's pages, and of the later half, which are compared, the heap after two collections
 * (the first frees what finalizers hold).
 */
const AGENT = `defineAgent({ name: 'measuring', async run(task) {
  const browser = task.context.browser();
  const cdp = await browser.newBrowserCDPSession();
  const { targetInfos } = await cdp.send('Target.getTargets');
  await cdp.detach();
  if (task.specId >= '${idOf(TRIALS / 2)}') {
    setFlagsFromString('--expose-gc');
    const gc = runInNewContext('gc');
    gc();
    await new Promise(setImmediate);
    gc();
  }
  appendFileSync('measures.txt', JSON.stringify({
    worker: process.pid,
    heap: process.memoryUsage().heapUsed,
    contexts: browser.contexts().length,
    pages: targetInfos.filter(({ type }) => type === 'page').length,
  }) + '\\n');
} })`;

interface Measure {
  worker: number;
  heap: number;
  contexts: number;
  pages: number;
}

test(`${TRIALS} trials in one worker`, { timeout: 600_000 }, async () => {
  const site = await startSite({ '/': '<p id="done">Done</p>' });
  const ids = Array.from({ length: TRIALS }, (_, index) => idOf(index));
  const suite = makeSuite({
    'playwright.config.ts': config({
      imports: `import { appendFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';`,
      taskproof: `{ agent: ${AGENT} }`,
      // Small pictures: they are most of what such a trial costs.
      projects: `[{ name: 'agents', fullyParallel: true, use: { viewport: { width: 320, height: 200 } } }]`,
      reporters: `[['dot'], ['@taskproof/playwright/reporter']]`,
      // What is left behind adds up within a worker: one shows as much as two with twice the trials.
    }),
    ...Object.fromEntries(ids.map(id => [`tasks/${id}.yaml`, spec({ id, url: `${site.url}/` })])),
    'tasks.spec.ts': TASKS_TEST,
  });
  const processes = marked();
  const run = await suite.playwright(['test'], processes.env);
  expect(run.exitCode, run.output).toBe(0);
  expect(run.output).not.toContain('MaxListenersExceededWarning');
  expect(run.results().verdicts.map(row => row.verdict)).toEqual(ids.map(() => 'passed'));
  const measures = suite
    .read('measures.txt')
    .trim()
    .split('\n')
    .map(line => JSON.parse(line) as Measure);
  expect(measures).toHaveLength(TRIALS);
  for (const measure of measures) expect(measure).toMatchObject({ contexts: 1, pages: 1 });
  expect(new Set(measures.map(measure => measure.worker)).size).toBe(1);
  const heaps = measures.map(({ heap }) => heap);
  const quarter = Math.floor(heaps.length / 4);
  // Earlier trials load what all others share, and warm up what Node compiles.
  const [third, last] = [median(heaps.slice(-2 * quarter, -quarter)), median(heaps.slice(-quarter))];
  expect(last / third, `${third} bytes in the third quarter, ${last} in the last`).toBeLessThan(1.012);
  await processes.gone();
});

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
}
