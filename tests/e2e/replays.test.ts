// Replayed verdicts: one trial stands for a recording, and nothing of it is mixed with what agents do.
import { cpSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Results } from '../../src/data/results';
import type { ResultRow } from '../../src/data/verdict';
import { recordsIn } from '../support/records';
import { config, makeSuite, type Run, type Suite, spec, startSite, TASKS_TEST, taskproof } from './suite';

const PAGE = `<button onclick="done.hidden=false">Go</button><p id="done" hidden>Done</p>`;

/** Clicks, unless BREAK names the spec or HEAL lets a fallback do it. */
const REPLAY = `defineAgent({ name: 'replay', replays: true, async run(task) {
  await task.turn('step 1', () => {});
  if (process.env.HEAL === task.specId)
    task.markHealed({ reason: 'action 2: button "Go" not found on ' + new URL(task.page.url()).pathname, recording: task.configDir + '/recordings/cart.json' });
  await task.turn('step 2', () => process.env.BREAK === task.specId ? undefined : task.page.getByText('Go').click());
} })`;

const AGENT = `defineAgent({ name: 'agent', model: 'm-1', async run(task) {
  await task.turn('click Go', () => task.page.getByText('Go').click());
} })`;

const REPORTERS = `[['list'], ['@taskproof/playwright/reporter', { summary: 'summary.md' }], ['json', { outputFile: 'pw.json' }], ...(process.env.BLOB ? [['blob']] : [])]`;

/** A project of this agent, of the tests in these files. */
const project = (
  name: string,
  agent: string,
  files = ['tasks.spec.ts'],
  repeats = `...repeats('t*/*.yaml')`,
) =>
  `{ name: '${name}', testMatch: ${JSON.stringify(files)}, ${repeats}, use: { taskproof: { agent: ${agent} } } }`;

const configOf = (...projects: string[]) => ({
  'playwright.config.ts': config({ projects: `[${projects}]`, reporters: REPORTERS }),
});

/** What a row says, in a line. */
const brief = ({ spec, project, replayed, verdict, passes, k, trials }: ResultRow) =>
  `${spec} ${project}${replayed ? ' replayed' : ''} ${verdict} ${passes}/${k} of ${trials.length}`;

interface Annotated {
  status: string;
  annotations: { type: string; description: string }[];
}

/** Titles and annotations of the tests that ran, as other reporters see them. */
function tests(json: string) {
  const specsOf = (part: { suites?: never[]; specs?: never[] }): never[] => [
    ...(part.specs ?? []),
    ...(part.suites ?? []).flatMap(specsOf),
  ];
  const specs: {
    title: string;
    tests: { projectName: string; status: string; results: Annotated[] }[];
  }[] = specsOf(JSON.parse(json));
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
  'test.use': (agent: string, glob = 'tasks/*.yaml') =>
    `import { defineAgent, taskproofTests, test } from '@taskproof/playwright';
test.use({ taskproof: { agent: ${agent} } });
taskproofTests('${glob}');`,
  'a fixture': (agent: string) => `import { defineAgent, taskproofTests, test } from '@taskproof/playwright';
test.use({ taskproof: async ({}, use) => use({ agent: ${agent} }) });
taskproofTests('tasks/*.yaml');`,
};

/** The last spec takes its worker along: a worker less to start. */
const DYING = REPLAY.replace(
  `await task.turn('step 1', () => {});`,
  `if (task.specId === 'docs') process.exit(1);`,
);

interface Moment {
  run: Run;
  results: Results;
  shown: ReturnType<typeof tests>;
  summary: string;
  /** What Playwright's JSON report holds. */
  json: string;
}

let suite: Suite;
/** Two shards of agents and replays, merged. */
let holding: Moment;
/** Both specs replayed twice, of which one is lost. */
let twice: Moment;
/** Replays that are lost, chosen in several ways, in a run where an agent plays what was replayed before. */
let lost: Moment;
/** The blobs of these two, merged. */
let mixed: Moment;

/** What a run comes to, or the merging of the blobs in a folder. */
async function play(args: string[], env: Record<string, string> = {}): Promise<Moment> {
  const run = await suite.playwright(args, env);
  const json = suite.read('pw.json');
  return { run, results: run.results(), shown: tests(json), summary: suite.read('summary.md'), json };
}
const merge = (blobs: string) => play(['merge-reports', '--config=merge.config.ts', blobs]);
const blob = (file: string) => ({ BLOB: '1', PLAYWRIGHT_BLOB_OUTPUT_FILE: join(suite.folder, file) });

beforeAll(async () => {
  const site = await startSite({ '/': PAGE });
  const task = (id: string, k: number, minPasses: number) => spec({ id, url: `${site.url}/`, k, minPasses });
  suite = makeSuite({
    ...configOf(project('agents', AGENT), project('replays', REPLAY, ['tasks.spec.ts', 'tour.spec.ts'])),
    'merge.config.ts': `export default { reporter: ${REPORTERS} };`,
    'tasks/cart.yaml': task('cart', 2, 1),
    'tasks/docs.yaml': task('docs', 2, 2),
    'tasks.spec.ts': TASKS_TEST,
    'tour/tour.yaml': task('tour', 1, 1),
    'tour.spec.ts': MADE_BY['test.use'](AGENT, 'tour/*.yaml'),
    'played.spec.ts': MADE_BY['test.use'](AGENT),
    'use.spec.ts': MADE_BY['test.use'](REPLAY),
    'fixture.spec.ts': MADE_BY['a fixture'](REPLAY),
    'dying.spec.ts': MADE_BY['a fixture'](DYING),
  });
  for (const index of [1, 2]) {
    const env = { ...blob(`blobs/report-${index}.zip`), HEAL: 'cart' };
    const shard = await suite.playwright(['test', `--shard=${index}/2`], env);
    expect(shard.exitCode, shard.output).toBe(0);
  }
  suite.write(configOf(project('replays', REPLAY)));
  twice = await play(['test', '--repeat-each=2'], { ...blob('mixed/twice.zip'), BREAK: 'docs' });
  suite.write(
    configOf(
      project('test.use', AGENT, ['use.spec.ts']),
      project('a fixture', AGENT, ['fixture.spec.ts']),
      project('dies, from the config', DYING, ['tasks.spec.ts'], 'retries: 0'),
      project('dies, to no one', AGENT, ['dying.spec.ts']),
      project('replays', REPLAY, ['played.spec.ts', 'tour.spec.ts']),
    ),
  );
  lost = await play(['test'], { ...blob('mixed/lost.zip'), BREAK: 'docs' });
  renameSync(join(suite.folder, 'taskproof-results.json'), join(suite.folder, 'lost.json'));
  // Blobs need nothing of the suite.
  for (const gone of ['tasks', 'tasks.spec.ts']) rmSync(join(suite.folder, gone), { recursive: true });
  mixed = await merge('mixed');
  holding = await merge('blobs');
  renameSync(join(suite.folder, 'taskproof-results.json'), join(suite.folder, 'held.json'));
});

describe('replays that hold', () => {
  test('one replay for each spec', () => {
    const { run, results, shown, json } = holding;
    expect(run.exitCode, run.output).toBe(0);
    expect(rowsOf(results, 'replays')).toEqual([
      'cart replays replayed passed 1/1 of 1',
      'docs replays replayed passed 1/1 of 1',
      'tour replays passed 1/1 of 1',
    ]);
    const replayed = recordsIn(json).filter(record => record.replayed);
    expect(replayed.map(({ policy }) => policy)).toEqual(Array(2).fill({ k: 1, minPasses: 1 }));
    expect(run.output).toContain('2 replayed: 2 passed, 1 healed');
    expect(shown.find(({ title }) => title.startsWith('cart · replay'))).toMatchObject({
      verdict: 'passed: 1/1 passed, needs 1; replayed, which measures no agent',
      policy: '1 replay, which must pass',
    });
    expect(shown).toContainEqual(expect.objectContaining({ title: 'docs · replay 1/1', replay: '1/1' }));
  });

  test('what is healed is said everywhere', () => {
    const { run, results, shown, summary } = holding;
    const healed =
      'healed at turn 2: action 2: button "Go" not found on /; new recording beside recordings/cart.json for review';
    const row = results.verdicts.find(({ spec, project }) => spec === 'cart' && project === 'replays');
    expect(row).toMatchObject({
      healed: 1,
      interval: null,
      trials: [{ healed: { turn: 2, recording: 'recordings/cart.json' } }],
    });
    expect(run.output).toContain(`cart [replays] ${healed}`);
    expect(summary).toMatch(/cart\*\* \(replays\), replayed, healed at turn 2: action 2/);
    expect(shown).toContainEqual(
      expect.objectContaining({ title: 'cart · replay 1/1', replay: '1/1 (healed)', healed }),
    );
  });

  test('a project that runs each test once is no mistake for replays', () => {
    expect(rowsOf(lost.results, 'dies, from the config')[0]).toBe(
      'cart dies, from the config replayed passed 1/1 of 1',
    );
  });

  test('an agent chosen by test.use in a project of replays plays all its trials', () => {
    expect(rowsOf(lost.results, 'replays').slice(0, 2)).toEqual([
      'cart replays passed 2/2 of 2',
      'docs replays passed 2/2 of 2',
    ]);
  });
});

describe('replays that are lost, chosen in several ways', () => {
  test.each([
    { by: 'test.use', skipped: 0 },
    // Only a worker can know: it skips what the main process could not trim.
    { by: 'a fixture', skipped: 2 },
  ] as const)('replays chosen by $by: one verdict of one trial, lost or not', ({ by, skipped }) => {
    const { run, results, shown } = lost;
    expect(run.exitCode, run.output).toBe(1);
    expect(results.complete, run.output).toBe(true);
    const rows = results.verdicts.filter(row => row.project === by);
    expect(rows.map(row => brief({ ...row, trials: [] }))).toEqual([
      `cart ${by} replayed passed 1/1 of 0`,
      `docs ${by} replayed failed 0/1 of 0`,
    ]);
    const mine = shown.filter(({ project }) => project === by);
    expect(mine.filter(({ status }) => status === 'skipped')).toHaveLength(skipped);
    expect(mine.filter(({ replay }) => replay === 'not needed')).toHaveLength(skipped);
    const broken = mine.find(({ title, status }) => title.startsWith('docs') && status !== 'skipped');
    expect(broken).toMatchObject({ status: 'unexpected', replay: expect.stringMatching(/^1\/1 \(failed\)/) });
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
      const { run, results } = { run: lost, blob: mixed }[row.from];
      const [cart, docs] = results.verdicts.filter(({ project }) => project === name);
      expect(brief({ ...cart!, trials: [] })).toBe(`cart ${name} replayed passed 1/1 of 0`);
      expect(brief({ ...docs!, trials: [] })).toBe(`docs ${name} replayed inconclusive 0/1 of 0`);
      expect(docs).toMatchObject({ errors: 1, trials: [{ index: 0, errorKind: 'internal' }] });
      expect(run.exitCode).toBe(1);
    },
  );
});

describe('agents and replays in one run', () => {
  const ROWS = [
    'cart agents passed 2/2 of 2',
    'cart replays replayed passed 1/1 of 1',
    'docs agents passed 2/2 of 2',
    'docs replays replayed passed 1/1 of 1',
    'tour replays passed 1/1 of 1',
  ];

  test('more than one replay only by --repeat-each; what is lost is said', () => {
    const { run, results, shown } = twice;
    expect(run.exitCode, run.output).toBe(1);
    expect(results.verdicts.map(brief)).toEqual([
      'cart replays replayed passed 2/2 of 2',
      'docs replays replayed failed 0/2 of 2',
    ]);
    expect(run.output).toContain('docs [replays], replayed, failed: 0/2 passed, needs 2');
    expect(shown[0]?.policy).toBe('at least 1 of 2 replays must pass');
  });

  test('two shards', async () => {
    const { run, results } = holding;
    expect(run.exitCode, run.output).toBe(0);
    expect(results.verdicts.map(brief)).toEqual(ROWS);
    expect(results, 'a replay is no agent to compare with').not.toHaveProperty('comparison');
    expect(run.output).toContain('3 specs: 3 passed; 2 replayed: 2 passed');

    const saved = await taskproof(suite, ['baseline', 'save', 'held.json']);
    expect(saved.out, saved.err).toContain('Saved 5 verdicts (2 replayed)');
    // What an agent plays that was replayed is nothing to compare, and no regression.
    const changed = await taskproof(suite, ['diff', 'taskproof-baseline.json', 'lost.json', '--json']);
    const rows: { project: string }[] = JSON.parse(changed.out).rows;
    expect(rows.filter(({ project }) => ['agents', 'replays'].includes(project))).toMatchObject([
      { change: 'removed', spec: 'cart', project: 'agents', replayed: false },
      { change: 'removed', spec: 'cart', project: 'replays', replayed: true },
      { change: 'removed', spec: 'docs', project: 'agents', replayed: false },
      { change: 'removed', spec: 'docs', project: 'replays', replayed: true },
      { change: 'added', spec: 'cart', project: 'replays', replayed: false },
      { change: 'added', spec: 'docs', project: 'replays', replayed: false },
      { change: 'unchanged', spec: 'tour', project: 'replays' },
    ]);
  });

  test('of a missing shard the plan still says what was to be replayed', async () => {
    cpSync(join(suite.folder, 'blobs/report-1.zip'), join(suite.folder, 'partial/report-1.zip'));
    const { run, results } = await merge('partial');
    expect(results.verdicts.map(row => brief(row).replace(/ (passed|undecided) .*/, ''))).toEqual(
      ROWS.map(row => row.replace(/ passed .*/, '')),
    );
    expect(results.verdicts.map(({ k }) => k)).toEqual([2, 1, 2, 1, 1]);
    expect(run.output).toMatch(/3 specs did not run.*cart \[replays\], replayed,.*docs \[replays\]/);
  });

  test('reports merged of an agent and of replays in a project of one name keep two verdicts', () => {
    const { run, results } = mixed;
    expect(run.exitCode, run.output).toBe(1);
    expect(rowsOf(results, 'replays')).toEqual([
      'cart replays passed 2/2 of 2',
      'cart replays replayed passed 2/2 of 2',
      'docs replays passed 2/2 of 2',
      'docs replays replayed failed 0/2 of 2',
      'tour replays passed 1/1 of 1',
    ]);
  });
});
