// Two agents are two projects over the same specs: they stand side by side (shards.test.ts: in merged shards, too).
import { beforeAll, expect, test } from 'vitest';
import type { Results } from '../../src/report/results';
import { config, makeSuite, type Run, type Suite, spec, startSite, TASKS_TEST } from './suite';

const PAGE = `<button onclick="done.hidden=false">Go</button><p id="done" hidden>Done</p>`;

/** Clicks unless its project is to fail on this trial; each turn costs a cent. */
const agent = (name: string, failing: Record<string, number>) => `defineAgent({
  name: '${name}', model: '${name}-1',
  async run(task) {
    const failing = ${JSON.stringify(failing)}[task.specId] ?? 0;
    task.usage({ inputTokens: 10, costUsd: 0.01 });
    await task.turn('click Go', async () => {
      if (test.info().repeatEachIndex >= failing) await task.page.getByText('Go').click();
    });
  },
})`;

const SHOWN = [
  /^ {2}passes, turns, cost +strong +weak$/m,
  /^ {2}refund +✓ 2\/2 {2}1 {2}\$0\.02 +✗ 0\/2 {2}1 {2}\$0\.02$/m,
  /^ {2}specs passed +3\/3 +2\/3$/m,
  /^ {2}Verdicts differ on 1 spec: refund$/m,
  /^ {2}Same verdict, other pass rate: pricing$/m,
  // Lost specs keep their row and have a block with the reason; specs that are not compared keep their row.
  /^ {2}refund +weak +✗ failed/m,
  /^ {2}✗ refund \[weak\] failed: 0\/2 passed, needs 1\n.*none is visible/m,
  /^ {2}alone +strong +✓ passed/m,
];

let suite: Suite;
let whole: Run;

beforeAll(async () => {
  const site = await startSite({ '/': PAGE });
  const project = (name: string, failing: Record<string, number>, more = '') =>
    `{ name: '${name}', ...repeats('tasks/**/*.yaml'), use: { taskproof: { agent: ${agent(name, failing)} } }, ${more} }`;
  // What fails twice comes last: after each failed trial but the last of its worker another worker starts.
  const tasks = ['cart', 'pricing', 'refund', 'alone'].map(id => [
    `tasks/${id}.yaml`,
    spec({ id, url: `${site.url}/`, k: /cart|alone/.test(id) ? 1 : 2, minPasses: 1 }),
  ]);
  suite = makeSuite({
    'playwright.config.ts': config({
      imports: `import { test } from '@playwright/test';`,
      projects: `[${project('strong', { pricing: 1 })}, ${project('weak', { refund: 2 }, 'grep: /^(?!.*alone)/')}]`,
      reporters: `[['list'], ['@taskproof/playwright/reporter', { summary: 'summary.md' }]]`,
    }),
    ...Object.fromEntries(tasks),
    'tasks.spec.ts': TASKS_TEST,
  });
  whole = await suite.playwright(['test']);
  comparison = whole.results().comparison;
});

let comparison: Results['comparison'];

test('two projects: the table, the JSON, the summary', () => {
  expect(whole.exitCode, whole.output).toBe(1);
  expect(comparison, whole.output).toMatchObject({
    projects: [
      { project: 'strong', agent: 'strong', model: 'strong-1', specs: 3, specsPassed: 3, passes: 4 },
      { project: 'weak', specs: 3, specsPassed: 2, passes: 3, failures: 2, costUsd: 0.05 },
    ],
    differ: ['refund'],
    ratesDiffer: ['pricing'],
    unclear: [],
  });
  expect(comparison!.specs.map(({ spec }) => spec)).toEqual(['cart', 'pricing', 'refund']);
  for (const line of SHOWN) expect(whole.output).toMatch(line);
  expect(suite.read('summary.md')).toContain('### Side by side');
  expect(suite.read('summary.md')).toContain('| refund | ✓ 2/2 · 1 · \\$0.02 | ✗ **0/2** · 1 · \\$0.02 |');
});
