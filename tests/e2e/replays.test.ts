// Replayed verdicts: one trial stands for a recording, and nothing of it is mixed with what agents do.
import { execFile } from 'node:child_process';
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, inject, test } from 'vitest';
import type { ResultRow } from '../../src/report/results';
import { recordsIn } from '../support/records';
import { config, makeSuite, type Run, type Suite, spec, startSite, TASKS_TEST } from './suite';

const exec = promisify(execFile);
const PAGE = `<button onclick="done.hidden=false">Go</button><p id="done" hidden>Done</p>`;

/** Clicks, unless BREAK names the spec or HEAL lets a fallback do it. */
const REPLAY = `defineAgent({ name: 'replay', replays: true, async run(task) {
  await task.turn('step 1', () => {});
  if (process.env.HEAL === task.specId)
    task.markHealed({ reason: 'step 2: button "Go" not found on ' + new URL(task.page.url()).pathname, recording: task.configDir + '/recordings/cart.json' });
  await task.turn('step 2', () => process.env.BREAK === task.specId ? undefined : task.page.getByText('Go').click());
} })`;

const AGENT = `defineAgent({ name: 'agent', model: 'm-1', async run(task) {
  await task.turn('click Go', () => task.page.getByText('Go').click());
} })`;

const REPORTERS = `process.env.BLOB ? [['@taskproof/playwright/reporter'], ['blob']] : [['list'], ['@taskproof/playwright/reporter', { summary: 'summary.md' }], ['json', { outputFile: 'pw.json' }]]`;

const replays = (more = `...repeats('tasks/**/*.yaml')`) =>
  `{ name: 'replays', ${more}, use: { taskproof: { agent: ${REPLAY} } } }`;
const agents = `{ name: 'agents', ...repeats('tasks/**/*.yaml'), use: { taskproof: { agent: ${AGENT} } } }`;

async function suiteOf(
  projects: string,
  files: Record<string, string> = { 'tasks.spec.ts': TASKS_TEST },
): Promise<Suite> {
  const site = await startSite({ '/': PAGE });
  const task = (id: string, k: number, minPasses: number) => ({
    [`tasks/${id}.yaml`]: spec({ id, url: `${site.url}/`, k, minPasses }),
  });
  return makeSuite({
    'playwright.config.ts': config({ projects, reporters: REPORTERS }),
    'merge.config.ts': `export default { reporter: ${REPORTERS} };`,
    ...task('cart', 3, 2),
    ...task('docs', 2, 2),
    ...files,
  });
}

/** What a row says, in a line. */
const brief = ({ spec, project, replayed, verdict, passes, k, trials }: ResultRow) =>
  `${spec} ${project}${replayed ? ' replayed' : ''} ${verdict} ${passes}/${k} of ${trials.length}`;

interface Annotated {
  status: string;
  annotations: { type: string; description: string }[];
}

/** Titles and annotations of the tests that ran, as other reporters see them. */
function tests(suite: Suite) {
  const specsOf = (part: { suites?: never[]; specs?: never[] }): never[] => [
    ...(part.specs ?? []),
    ...(part.suites ?? []).flatMap(specsOf),
  ];
  const specs: { title: string; tests: { status: string; results: Annotated[] }[] }[] = specsOf(
    JSON.parse(suite.read('pw.json')),
  );
  return specs.flatMap(({ title, tests }) =>
    tests.map(({ status, results }) => {
      const said = results.flatMap(({ annotations }) => annotations);
      return {
        title,
        status,
        ...Object.fromEntries(said.map(({ type, description }) => [type, description])),
      } as Record<'title' | 'status' | 'policy', string>;
    }),
  );
}

test('one replay for each spec, more only by --repeat-each; what is lost and healed is said everywhere', async () => {
  const suite = await suiteOf(`[${replays()}]`);
  const once = await suite.playwright(['test'], { HEAL: 'cart' });
  expect(once.exitCode, once.output).toBe(0);
  expect(once.results().verdicts.map(brief)).toEqual([
    'cart replays replayed passed 1/1 of 1',
    'docs replays replayed passed 1/1 of 1',
  ]);
  const healed =
    'healed at turn 2: step 2: button "Go" not found on /; new recording beside recordings/cart.json for review';
  expect(once.results().verdicts[0]).toMatchObject({
    healed: 1,
    interval: null,
    trials: [{ healed: { turn: 2, recording: 'recordings/cart.json' } }],
  });
  expect(once.output).toContain(`cart [replays] ${healed}`);
  expect(once.output).toContain('2 replayed: 2 passed, 1 healed');
  expect(suite.read('summary.md')).toMatch(/cart\*\* \(replays\), replayed, healed at turn 2: step 2/);
  expect(recordsIn(suite.read('pw.json')).map(({ policy, replayed }) => ({ ...policy, replayed }))).toEqual([
    { k: 1, minPasses: 1, replayed: true },
    { k: 1, minPasses: 1, replayed: true },
  ]);
  expect(tests(suite)).toMatchObject([
    {
      title: 'cart · replay 1/1 (healed) · verdict: passed 1/1',
      verdict: 'passed: 1/1 passed, needs 1; replayed, which measures no agent',
      replay: '1/1 (healed)',
      policy: '1 replay, which must pass',
      healed,
    },
    { title: 'docs · replay 1/1 · verdict: passed 1/1' },
  ]);

  const insisted = await suite.playwright(['test', '--repeat-each=3'], { BREAK: 'docs' });
  expect(insisted.exitCode, insisted.output).toBe(1);
  expect(insisted.results().verdicts.map(brief)).toEqual([
    'cart replays replayed passed 3/3 of 3',
    'docs replays replayed failed 0/3 of 3',
  ]);
  expect(insisted.output).toContain('docs [replays], replayed, failed: 0/3 passed, needs 2');
  expect(tests(suite)[0]?.policy).toBe('at least 2 of 3 replays must pass');
});

test('a project that runs each test once is no mistake for replays', async () => {
  const suite = await suiteOf(`[${replays('retries: 0')}]`);
  const run = await suite.playwright(['test']);
  expect(run.exitCode, run.output).toBe(0);
  expect(run.results().verdicts.map(brief)).toContain('cart replays replayed passed 1/1 of 1');
});

const MADE_BY = {
  'test.use': `import { defineAgent, taskproofTests, test } from '@taskproof/playwright';
test.use({ taskproof: { agent: ${REPLAY} } });
taskproofTests('tasks/**/*.yaml');`,
  'a fixture': `import { defineAgent, taskproofTests, test } from '@taskproof/playwright';
test.use({ taskproof: async ({}, use) => use({ agent: ${REPLAY} }) });
taskproofTests('tasks/**/*.yaml');`,
};

test.each([
  { by: 'test.use', skipped: 0 },
  // Only a worker can know: it skips what the main process could not trim.
  { by: 'a fixture', skipped: 3 },
] as const)('replays chosen by $by: one verdict of one trial, lost or not', async ({ by, skipped }) => {
  const suite = await suiteOf(`[${agents}]`, { 'tasks.spec.ts': MADE_BY[by] });
  const run = await suite.playwright(['test'], { BREAK: 'docs' });
  expect(run.exitCode, run.output).toBe(1);
  expect(run.results().complete, run.output).toBe(true);
  expect(run.results().verdicts.map(row => brief({ ...row, trials: [] }))).toEqual([
    'cart agents replayed passed 1/1 of 0',
    'docs agents replayed failed 0/1 of 0',
  ]);
  const shown = tests(suite);
  expect(shown.filter(({ status }) => status === 'skipped')).toHaveLength(skipped);
  expect(shown.filter(({ title }) => title.includes('replay not needed'))).toHaveLength(skipped);
  expect(shown.find(({ title }) => title.startsWith('docs · replay 1/1 (failed)'))?.status).toBe(
    'unexpected',
  );
});

test('an agent chosen by test.use in a project of replays plays all its trials', async () => {
  const suite = await suiteOf(`[${replays()}]`, {
    'tasks.spec.ts': MADE_BY['test.use'].replace(REPLAY, () => AGENT),
  });
  const run = await suite.playwright(['test']);
  expect(run.exitCode, run.output).toBe(0);
  expect(run.results().verdicts.map(brief)).toEqual([
    'cart replays passed 3/3 of 3',
    'docs replays passed 2/2 of 2',
  ]);
});

const DYING = REPLAY.replace(
  `await task.turn('step 1', () => {});`,
  `if (task.specId === 'cart') process.exit(1);`,
);

test.each([
  { known: 'from the config', project: replays().replace(REPLAY, () => DYING), tests: TASKS_TEST },
  { known: 'to no one', project: agents, tests: MADE_BY['a fixture'].replace(REPLAY, () => DYING) },
])('a replay, known $known, whose worker dies is an error of the one verdict, in blobs, too', async row => {
  const suite = await suiteOf(`[${row.project.replace("'replays'", "'agents'")}]`, {
    'tasks.spec.ts': row.tests,
  });
  const expectOneVerdict = (run: Run) => {
    expect(run.exitCode, run.output).toBe(1);
    const [cart, docs] = run.results().verdicts;
    expect(brief({ ...docs!, trials: [] })).toBe('docs agents replayed passed 1/1 of 0');
    expect(brief({ ...cart!, trials: [] })).toBe('cart agents replayed inconclusive 0/1 of 0');
    expect(cart).toMatchObject({ errors: 1, trials: [{ index: 0, errorKind: 'internal' }] });
  };
  expectOneVerdict(await suite.playwright(['test']));
  await suite.playwright(['test'], {
    BLOB: '1',
    PLAYWRIGHT_BLOB_OUTPUT_FILE: join(suite.folder, 'blobs/whole.zip'),
  });
  rmSync(join(suite.folder, 'taskproof-results.json'));
  expectOneVerdict(await suite.playwright(['merge-reports', '--config=merge.config.ts', 'blobs']));
});

async function taskproof(suite: Suite, ...args: string[]) {
  const cli = join(inject('installed'), 'node_modules/@taskproof/playwright/dist/cli.js');
  const ended = await exec(process.execPath, [cli, ...args], { cwd: suite.folder }).catch(error => error);
  return { code: (ended.code as number | undefined) ?? 0, output: `${ended.stdout}${ended.stderr}` };
}

test('agents and replays in one run: two shards, a baseline, a diff', async () => {
  const suite = await suiteOf(`[${agents}, ${replays()}]`);
  const rows = [
    'cart agents passed 3/3 of 3',
    'cart replays replayed passed 1/1 of 1',
    'docs agents passed 2/2 of 2',
    'docs replays replayed passed 1/1 of 1',
  ];
  for (const index of [1, 2]) {
    const shard = await suite.playwright(['test', `--shard=${index}/2`], {
      BLOB: '1',
      PLAYWRIGHT_BLOB_OUTPUT_FILE: join(suite.folder, 'blobs', `report-${index}.zip`),
    });
    expect(shard.exitCode, shard.output).toBe(0);
  }
  const { tasks, testFile } = {
    tasks: join(suite.folder, 'tasks'),
    testFile: join(suite.folder, 'tasks.spec.ts'),
  };
  cpSync(tasks, join(suite.folder, 'kept/tasks'), { recursive: true });
  for (const gone of [tasks, testFile]) rmSync(gone, { recursive: true });
  const merged = await suite.playwright(['merge-reports', '--config=merge.config.ts', 'blobs']);
  expect(merged.exitCode, merged.output).toBe(0);
  expect(merged.results().verdicts.map(brief)).toEqual(rows);
  expect(merged.results(), 'a replay is no agent to compare with').not.toHaveProperty('comparison');
  expect(merged.output).toContain('2 specs: 2 passed; 2 replayed: 2 passed');

  // Of a missing shard the plan still says what was to be replayed.
  rmSync(join(suite.folder, 'blobs/report-2.zip'));
  const partial = await suite.playwright(['merge-reports', '--config=merge.config.ts', 'blobs']);
  expect(
    partial
      .results('taskproof-results.json')
      .verdicts.map(row => brief(row).replace(/ (passed|undecided) .*/, '')),
  ).toEqual(rows.map(row => row.replace(/ passed .*/, '')));
  expect(partial.results().verdicts.map(({ k }) => k)).toEqual([3, 1, 2, 1]);
  expect(partial.output).toMatch(/\[replays\], replayed, undecided: 0\/1 passed/);

  cpSync(join(suite.folder, 'kept/tasks'), tasks, { recursive: true });
  suite.write({ 'tasks.spec.ts': TASKS_TEST });
  await suite.playwright(['test']);
  expect((await taskproof(suite, 'baseline', 'save')).output).toContain('Saved 4 verdicts (2 replayed)');
  // The project that replayed is played by an agent now: nothing to compare, and no regression.
  suite.write({
    'playwright.config.ts': config({
      projects: `[${agents}, ${agents.replace("'agents'", "'replays'")}]`,
      reporters: REPORTERS,
    }),
  });
  await suite.playwright(['test', '--grep', 'docs']);
  const changed = await taskproof(suite, 'diff', 'taskproof-baseline.json', '--json');
  expect(JSON.parse(changed.output.split('\nNote')[0]!).rows).toMatchObject([
    { change: 'removed', spec: 'cart', project: 'agents', replayed: false },
    { change: 'removed', spec: 'cart', project: 'replays', replayed: true },
    { change: 'removed', spec: 'docs', project: 'replays', replayed: true },
    { change: 'added', spec: 'docs', project: 'replays', replayed: false },
    { change: 'unchanged', spec: 'docs', project: 'agents' },
  ]);
});

test('reports merged of an agent and of replays in a project of one name keep two verdicts', async () => {
  const suite = await suiteOf(`[${replays()}]`);
  const blob = (name: string, env = {}) => ({
    BLOB: '1',
    PLAYWRIGHT_BLOB_OUTPUT_FILE: join(suite.folder, 'blobs', `${name}.zip`),
    ...env,
  });
  const lost = await suite.playwright(['test'], blob('replays', { BREAK: 'docs' }));
  expect(lost.exitCode, lost.output).toBe(1);
  suite.write({
    'playwright.config.ts': config({
      projects: `[${agents.replace("'agents'", "'replays'")}]`,
      reporters: REPORTERS,
    }),
  });
  await suite.playwright(['test'], blob('agents'));
  const merged = await suite.playwright(['merge-reports', '--config=merge.config.ts', 'blobs']);
  expect(merged.exitCode, merged.output).toBe(1);
  expect(merged.results().verdicts.map(brief)).toEqual([
    'cart replays passed 3/3 of 3',
    'cart replays replayed passed 1/1 of 1',
    'docs replays passed 2/2 of 2',
    'docs replays replayed failed 0/1 of 1',
  ]);
});
