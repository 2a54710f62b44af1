// Replayed verdicts: one trial stands for a recording, and nothing of it is mixed with what agents do.
import { cpSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { ResultRow, Results } from '../../src/report/results';
import { recordsIn } from '../support/records';
import { config, makeSuite, type Run, type Suite, spec, startSite, TASKS_TEST, taskproof } from './suite';

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

const REPORTERS = `[['list'], ['@taskproof/playwright/reporter', { summary: 'summary.md' }], ['json', { outputFile: 'pw.json' }], ...(process.env.BLOB ? [['blob']] : [])]`;

/** A project of this agent, of the tests in that file. */
const project = (
  name: string,
  agent: string,
  file = 'tasks.spec.ts',
  repeats = `...repeats('tasks/**/*.yaml')`,
) => `{ name: '${name}', testMatch: '${file}', ${repeats}, use: { taskproof: { agent: ${agent} } } }`;
const agents = project('agents', AGENT);
const replays = project('replays', REPLAY);

async function suiteOf(projects: string, files: Record<string, string> = {}): Promise<Suite> {
  const site = await startSite({ '/': PAGE });
  const task = (id: string, k: number, minPasses: number) => ({
    [`tasks/${id}.yaml`]: spec({ id, url: `${site.url}/`, k, minPasses }),
  });
  return makeSuite({
    'playwright.config.ts': config({ projects, reporters: REPORTERS }),
    'merge.config.ts': `export default { reporter: ${REPORTERS} };`,
    ...task('cart', 2, 1),
    ...task('docs', 2, 2),
    'tasks.spec.ts': TASKS_TEST,
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
  const specs: {
    title: string;
    tests: { projectName: string; status: string; results: Annotated[] }[];
  }[] = specsOf(JSON.parse(suite.read('pw.json')));
  return specs.flatMap(({ title, tests }) =>
    tests.map(({ projectName, status, results }) => {
      const said = results.flatMap(({ annotations }) => annotations);
      return {
        title,
        project: projectName,
        status,
        ...Object.fromEntries(said.map(({ type, description }) => [type, description])),
      } as Record<'title' | 'project' | 'status' | 'policy' | 'replay', string>;
    }),
  );
}

/** Rows of a project, in lines. */
const rowsOf = (run: { verdicts: ResultRow[] }, name: string) =>
  run.verdicts.filter(row => row.project === name).map(brief);

const MADE_BY = {
  'test.use': (agent: string) => `import { defineAgent, taskproofTests, test } from '@taskproof/playwright';
test.use({ taskproof: { agent: ${agent} } });
taskproofTests('tasks/**/*.yaml');`,
  'a fixture': (agent: string) => `import { defineAgent, taskproofTests, test } from '@taskproof/playwright';
test.use({ taskproof: async ({}, use) => use({ agent: ${agent} }) });
taskproofTests('tasks/**/*.yaml');`,
};

describe('replays that hold', () => {
  let suite: Suite;
  let run: Run;
  let results: Results;
  let shown: ReturnType<typeof tests>;
  beforeAll(async () => {
    const projects = [
      replays,
      project('once', REPLAY, 'tasks.spec.ts', 'retries: 0'),
      project('played', REPLAY, 'played.spec.ts'),
    ];
    suite = await suiteOf(`[${projects}]`, { 'played.spec.ts': MADE_BY['test.use'](AGENT) });
    run = await suite.playwright(['test'], { HEAL: 'cart' });
    results = run.results();
    shown = tests(suite);
  });

  test('one replay for each spec', () => {
    expect(run.exitCode, run.output).toBe(0);
    expect(rowsOf(results, 'replays')).toEqual([
      'cart replays replayed passed 1/1 of 1',
      'docs replays replayed passed 1/1 of 1',
    ]);
    const replayed = recordsIn(suite.read('pw.json')).filter(record => record.replayed);
    expect(replayed.map(({ policy }) => policy)).toEqual(Array(4).fill({ k: 1, minPasses: 1 }));
    expect(run.output).toContain('4 replayed: 4 passed, 2 healed');
    expect(shown.find(({ title }) => title.startsWith('cart · replay'))).toMatchObject({
      verdict: 'passed: 1/1 passed, needs 1; replayed, which measures no agent',
      policy: '1 replay, which must pass',
    });
    expect(shown).toContainEqual(expect.objectContaining({ title: 'docs · replay 1/1', replay: '1/1' }));
  });

  test('what is healed is said everywhere', () => {
    const healed =
      'healed at turn 2: step 2: button "Go" not found on /; new recording beside recordings/cart.json for review';
    const row = results.verdicts.find(({ spec, project }) => spec === 'cart' && project === 'replays');
    expect(row).toMatchObject({
      healed: 1,
      interval: null,
      trials: [{ healed: { turn: 2, recording: 'recordings/cart.json' } }],
    });
    expect(run.output).toContain(`cart [replays] ${healed}`);
    expect(suite.read('summary.md')).toMatch(/cart\*\* \(replays\), replayed, healed at turn 2: step 2/);
    expect(shown).toContainEqual(
      expect.objectContaining({
        title: 'cart · replay 1/1',
        replay: '1/1 (healed)',
        healed,
      }),
    );
  });

  test('a project that runs each test once is no mistake for replays', () => {
    expect(rowsOf(results, 'once')).toEqual([
      'cart once replayed passed 1/1 of 1',
      'docs once replayed passed 1/1 of 1',
    ]);
  });

  test('an agent chosen by test.use in a project of replays plays all its trials', () => {
    expect(rowsOf(results, 'played')).toEqual(['cart played passed 2/2 of 2', 'docs played passed 2/2 of 2']);
  });
});

const DYING = REPLAY.replace(
  `await task.turn('step 1', () => {});`,
  `if (task.specId === 'cart') process.exit(1);`,
);

describe('replays that are lost, chosen in several ways', () => {
  let suite: Suite;
  let run: Run;
  let merged: Run;
  let shown: ReturnType<typeof tests>;
  /** What the run itself, and the merging of its blob, came to. */
  let results: Record<'run' | 'blob', Results>;
  beforeAll(async () => {
    const projects = [
      project('test.use', AGENT, 'use.spec.ts'),
      project('a fixture', AGENT, 'fixture.spec.ts'),
      project('dies, from the config', DYING),
      project('dies, to no one', AGENT, 'dying.spec.ts'),
    ];
    suite = await suiteOf(`[${projects}]`, {
      'use.spec.ts': MADE_BY['test.use'](REPLAY),
      'fixture.spec.ts': MADE_BY['a fixture'](REPLAY),
      'dying.spec.ts': MADE_BY['a fixture'](DYING),
    });
    run = await suite.playwright(['test'], {
      BREAK: 'docs',
      BLOB: '1',
      PLAYWRIGHT_BLOB_OUTPUT_FILE: join(suite.folder, 'blobs/whole.zip'),
    });
    const live = run.results();
    rmSync(join(suite.folder, 'taskproof-results.json'));
    merged = await suite.playwright(['merge-reports', '--config=merge.config.ts', 'blobs']);
    results = { run: live, blob: merged.results() };
    shown = tests(suite);
  });

  test.each([
    { by: 'test.use', skipped: 0 },
    // Only a worker can know: it skips what the main process could not trim.
    { by: 'a fixture', skipped: 2 },
  ] as const)('replays chosen by $by: one verdict of one trial, lost or not', ({ by, skipped }) => {
    expect(run.exitCode, run.output).toBe(1);
    expect(results.run.complete, run.output).toBe(true);
    const rows = results.run.verdicts.filter(row => row.project === by);
    expect(rows.map(row => brief({ ...row, trials: [] }))).toEqual([
      `cart ${by} replayed passed 1/1 of 0`,
      `docs ${by} replayed failed 0/1 of 0`,
    ]);
    const mine = shown.filter(({ project }) => project === by);
    expect(mine.filter(({ status }) => status === 'skipped')).toHaveLength(skipped);
    expect(mine.filter(({ replay }) => replay === 'not needed')).toHaveLength(skipped);
    const lost = mine.find(({ title, status }) => title.startsWith('docs') && status !== 'skipped');
    expect(lost).toMatchObject({ status: 'unexpected', replay: expect.stringMatching(/^1\/1 \(failed\)/) });
  });

  test.each([
    { known: 'from the config', from: 'run' },
    { known: 'from the config', from: 'blob' },
    { known: 'to no one', from: 'run' },
    { known: 'to no one', from: 'blob' },
  ] as const)(
    'a replay, known $known, whose worker dies is an error of the one verdict, in the $from',
    row => {
      const name = `dies, ${row.known}`;
      const [cart, docs] = results[row.from].verdicts.filter(({ project }) => project === name);
      expect(brief({ ...docs!, trials: [] })).toBe(`docs ${name} replayed failed 0/1 of 0`);
      expect(brief({ ...cart!, trials: [] })).toBe(`cart ${name} replayed inconclusive 0/1 of 0`);
      expect(cart).toMatchObject({ errors: 1, trials: [{ index: 0, errorKind: 'internal' }] });
      expect({ run, blob: merged }[row.from].exitCode).toBe(1);
    },
  );
});

describe('agents and replays in one run', () => {
  const ROWS = [
    'cart agents passed 2/2 of 2',
    'cart replays replayed passed 1/1 of 1',
    'docs agents passed 2/2 of 2',
    'docs replays replayed passed 1/1 of 1',
  ];
  let suite: Suite;
  /** Of both specs twice, of which one is lost. */
  let twice: { run: Run; rows: string[]; shown: ReturnType<typeof tests> };
  const blob = (file: string, env = {}) => ({
    BLOB: '1',
    PLAYWRIGHT_BLOB_OUTPUT_FILE: join(suite.folder, file),
    ...env,
  });
  const merge = (blobs: string) => suite.playwright(['merge-reports', '--config=merge.config.ts', blobs]);

  beforeAll(async () => {
    suite = await suiteOf(`[${agents}, ${replays}]`);
    for (const index of [1, 2]) {
      const shard = await suite.playwright(['test', `--shard=${index}/2`], blob(`blobs/report-${index}.zip`));
      expect(shard.exitCode, shard.output).toBe(0);
    }
    const lost = await suite.playwright(
      ['test', '--project=replays', '--repeat-each=2'],
      blob('mixed/replays.zip', { BREAK: 'docs' }),
    );
    twice = { run: lost, rows: lost.results().verdicts.map(brief), shown: tests(suite) };
    // The project that replayed is played by an agent now.
    suite.write({
      'playwright.config.ts': config({
        projects: `[${agents.replace('{', '{ grep: /docs/,')}, ${project('replays', AGENT)}]`,
        reporters: REPORTERS,
      }),
    });
    const played = await suite.playwright(['test', '--repeat-each=1'], blob('mixed/agents.zip'));
    expect(played.exitCode, played.output).toBe(0);
    renameSync(join(suite.folder, 'taskproof-results.json'), join(suite.folder, 'played.json'));
    for (const gone of ['tasks', 'tasks.spec.ts']) rmSync(join(suite.folder, gone), { recursive: true });
  });

  test('more than one replay only by --repeat-each; what is lost is said', () => {
    const { run, rows, shown } = twice;
    expect(run.exitCode, run.output).toBe(1);
    expect(rows).toEqual(['cart replays replayed passed 2/2 of 2', 'docs replays replayed failed 0/2 of 2']);
    expect(run.output).toContain('docs [replays], replayed, failed: 0/2 passed, needs 2');
    expect(shown[0]?.policy).toBe('at least 1 of 2 replays must pass');
  });

  test('two shards', async () => {
    const merged = await merge('blobs');
    expect(merged.exitCode, merged.output).toBe(0);
    expect(merged.results().verdicts.map(brief)).toEqual(ROWS);
    expect(merged.results(), 'a replay is no agent to compare with').not.toHaveProperty('comparison');
    expect(merged.output).toContain('2 specs: 2 passed; 2 replayed: 2 passed');

    expect((await taskproof(suite, ['baseline', 'save'])).out).toContain('Saved 4 verdicts (2 replayed)');
    // What an agent plays that was replayed is nothing to compare, and no regression.
    const changed = await taskproof(suite, ['diff', 'taskproof-baseline.json', 'played.json', '--json']);
    expect(JSON.parse(changed.out).rows).toMatchObject([
      { change: 'removed', spec: 'cart', project: 'agents', replayed: false },
      { change: 'removed', spec: 'cart', project: 'replays', replayed: true },
      { change: 'removed', spec: 'docs', project: 'replays', replayed: true },
      { change: 'added', spec: 'cart', project: 'replays', replayed: false },
      { change: 'added', spec: 'docs', project: 'replays', replayed: false },
      { change: 'unchanged', spec: 'docs', project: 'agents' },
    ]);
  });

  test('of a missing shard the plan still says what was to be replayed', async () => {
    cpSync(join(suite.folder, 'blobs/report-1.zip'), join(suite.folder, 'partial/report-1.zip'));
    const partial = await merge('partial');
    const { verdicts } = partial.results();
    expect(verdicts.map(row => brief(row).replace(/ (passed|undecided) .*/, ''))).toEqual(
      ROWS.map(row => row.replace(/ passed .*/, '')),
    );
    expect(verdicts.map(({ k }) => k)).toEqual([2, 1, 2, 1]);
    expect(partial.output).toMatch(/2 specs did not run.*cart \[replays\], replayed,.*docs \[replays\]/);
  });

  test('reports merged of an agent and of replays in a project of one name keep two verdicts', async () => {
    const merged = await merge('mixed');
    expect(merged.exitCode, merged.output).toBe(1);
    expect(rowsOf(merged.results(), 'replays')).toEqual([
      'cart replays passed 1/1 of 1',
      'cart replays replayed passed 2/2 of 2',
      'docs replays passed 1/1 of 1',
      'docs replays replayed failed 0/2 of 2',
    ]);
  });
});
