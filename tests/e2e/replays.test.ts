// A replay that the config does not show: test.use or a fixture chooses it, or its worker dies. It has one verdict of one trial all
// the same, in a run and where its blob is merged. What replays come to in words: tests/unit/report/render/replayed.test.ts.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import type { ResultRow } from '../../src/data/verdict';
import { config, makeSuite, PAGE, type Run, spec, startSite, TASKS_TEST } from './suite';

/** Clicks, but for the spec `docs`. */
const REPLAY = `defineAgent({ name: 'replay', replays: true, async run(task) {
  await task.turn('step 1', () => task.specId === 'docs' ? undefined : task.page.getByText('Go').click());
} })`;
const AGENT = REPLAY.replace('replays: true,', '').replaceAll('docs', 'none');
/** The last spec takes its worker along: a worker less to start. */
const DYING = REPLAY.replace(`await`, `if (task.specId === 'docs') process.exit(1);\n  await`);

const project = (name: string, agent: string, file: string, more = `...repeats('tasks/*.yaml')`) =>
  `{ name: '${name}', testMatch: '${file}', ${more}, use: { taskproof: { agent: ${agent} } } }`;
/** In a describe, so that files of one project, which share its worker, have verdicts of their own. */
const using = (
  name: string,
  taskproof: string,
) => `import { defineAgent, taskproofTests, test } from '@taskproof/playwright';
test.use({ taskproof: ${taskproof} });
// Failures that are expected start no new workers.
test.afterEach(({}, info) => { if (info.status === 'failed') info.fail(); });
test.describe('${name}', () => taskproofTests('tasks/*.yaml'));`;
const made = (name: string, agent: string) => using(name, `async ({}, use) => use({ agent: ${agent} })`);

const brief = ({ spec, replayed, verdict, passes, k }: ResultRow) =>
  `${spec}${replayed ? ' replayed' : ''} ${verdict} ${passes}/${k}`;

let run: Run;
let merged: Run;
let rows: Record<'run' | 'merged', ResultRow[]>;

beforeAll(async () => {
  const site = await startSite({ '/': PAGE });
  const reporters = (other: string) => `[['list'], ['@taskproof/playwright/reporter'], ${other}]`;
  const suite = makeSuite({
    'playwright.config.ts': config({
      reporters: reporters(`['blob']`),
      projects: `[${[
        project('an agent', AGENT, '{use,fixture,z-dying}.spec.ts'),
        project('a replay', REPLAY, 'played.spec.ts'),
        project('a replay that dies', DYING, 'tasks.spec.ts', 'retries: 0'),
      ]}]`,
    }),
    'merge.config.ts': `export default { reporter: ${reporters(`['json', { outputFile: 'pw.json' }]`)} };`,
    'tasks/cart.yaml': spec({ id: 'cart', url: `${site.url}/`, k: 2, minPasses: 1 }),
    'tasks/docs.yaml': spec({ id: 'docs', url: `${site.url}/`, k: 2 }),
    'tasks.spec.ts': TASKS_TEST,
    'played.spec.ts': using('plays', `{ agent: ${AGENT} }`),
    'use.spec.ts': using('test.use', `{ agent: ${REPLAY} }`),
    'fixture.spec.ts': made('a fixture', REPLAY),
    'z-dying.spec.ts': made('dies, to no one', DYING),
  });
  run = await suite.playwright(['test']);
  const { verdicts } = run.results();
  // Blobs need nothing of the suite.
  for (const gone of ['tasks', 'tasks.spec.ts']) rmSync(join(suite.folder, gone), { recursive: true });
  merged = await suite.playwright(['merge-reports', '--config=merge.config.ts', 'blob-report']);
  rows = { run: verdicts, merged: merged.results().verdicts };
});

test.each(['run', 'merged'] as const)('one verdict for each recording, lost or not: %s', where => {
  const rowsOf = (name: string) => rows[where].filter(row => (row.describe ?? row.project) === name);
  const { exitCode, output } = where === 'run' ? run : merged;
  expect(exitCode, output).toBe(1);
  for (const name of ['test.use', 'a fixture'])
    expect(rowsOf(name).map(brief), name).toEqual(['cart replayed passed 1/1', 'docs replayed failed 0/1']);
  for (const name of ['a replay that dies', 'dies, to no one']) {
    expect(rowsOf(name).map(brief), name).toEqual([
      'cart replayed passed 1/1',
      'docs replayed inconclusive 0/1',
    ]);
    expect(rowsOf(name)[1]).toMatchObject({ errors: 1, trials: [{ index: 0, errorKind: 'internal' }] });
  }
});

test('an agent that test.use chooses in a project of replays plays all its trials', () => {
  const played = rows.run.filter(row => row.describe === 'plays');
  expect(played.map(brief)).toEqual(['cart passed 2/2', 'docs passed 2/2']);
});
