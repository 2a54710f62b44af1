// Before the first test: which repeats are trials, what they are called, and whether the run can be judged at all.
import type { FullConfig, FullProject, Suite, TestCase } from '@playwright/test/reporter';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { keptRuns, planAnnotations } from '../../src/playwright/annotations';
import type { TaskproofOptions } from '../../src/playwright/options';
import { planRun } from '../../src/report/planning';

const agent = { name: 'mine', run: async () => undefined };
const argv = process.argv;

beforeEach(() => {
  process.argv = ['node', 'playwright', 'test'];
});
afterEach(() => {
  process.argv = argv;
  delete process.env.TASKPROOF_REPEAT_EACH;
  vi.restoreAllMocks();
});

interface Declared {
  id?: string;
  k?: number;
  minPasses?: number;
  line?: number;
  project?: string;
  describe?: string;
  repeatEach?: number;
  taskproof?: TaskproofOptions | null;
  /** Its file does not parse. */
  broken?: boolean;
  rubric?: string;
}

function run(specs: readonly Declared[], shard: FullConfig['shard'] = null) {
  const projects = new Map<string, FullProject>();
  const tests = specs.flatMap(spec => {
    const { id = 'cart', k = 2, minPasses = k, line = 1, project = 'agents', describe } = spec;
    const { repeatEach = k, taskproof = { agent }, broken = false, rubric } = spec;
    if (!projects.has(project))
      projects.set(project, { name: project, repeatEach, use: { taskproof } } as unknown as FullProject);
    const plan = planAnnotations({
      file: `${id}.yaml`,
      policy: { k, minPasses },
      replayed: false,
    });
    const annotations = broken
      ? [{ type: 'broken spec', description: `${id}.yaml` }]
      : [...(rubric ? [{ type: 'rubric', description: rubric }] : []), ...plan];
    return Array.from({ length: repeatEach }, (_, repeatEachIndex) => ({
      title: id,
      annotations: [...annotations],
      repeatEachIndex,
      titlePath: () => ['', project, 'tasks.spec.ts', ...(describe ? [describe] : []), id],
      location: { file: '/suite/tasks.spec.ts', line, column: 1 },
      parent: { project: () => projects.get(project) },
    }));
  }) as unknown as TestCase[];
  const config = {
    metadata: {},
    reporter: [],
    shard,
    configFile: '/suite/playwright.config.ts',
  } as unknown as FullConfig;
  const excluded: TestCase[] = [];
  const suite = { allTests: () => tests } as unknown as Suite;
  const planned = planRun(config, suite, {
    exclude: (each: TestCase) => void excluded.push(each),
  } as never);
  return { planned, tests, excluded, config };
}

test('trials are numbered, and repeats beyond k are left out', async () => {
  const { planned, tests, excluded } = run([{ repeatEach: 3 }]);
  await planned;
  expect(tests.map(({ title }) => title)).toEqual(['cart · trial 1/2', 'cart · trial 2/2', 'cart']);
  expect(excluded).toEqual([tests[2]]);
});

test('a spec that does not parse fails once', async () => {
  const { planned, tests, excluded } = run([{ k: 3, broken: true }]);
  await planned;
  expect(excluded).toEqual(tests.slice(1));
  expect(tests.map(({ title }) => title)).toEqual(['cart', 'cart', 'cart']);
});

test('a replay is one trial, and is called a replay', async () => {
  const { planned, tests, excluded } = run([{ k: 5, taskproof: { agent: { ...agent, replays: true } } }]);
  await planned;
  expect(tests[0]!.title).toBe('cart · replay 1/1');
  expect(excluded).toHaveLength(4);
});

test.each<[string, Declared[], RegExp]>([
  [
    'a k that the project does not reach, once per project, the largest',
    [
      { id: 'a', k: 2, repeatEach: 1 },
      { id: 'b', k: 5, repeatEach: 1 },
    ],
    /^taskproof: spec "b" needs k: 5, but project "agents" runs each test once\. Add `\.\.\.repeats\([^\n]*playwright\.config\.ts, or run with --repeat-each=N[^\n]*$/,
  ],
  [
    'a spec that is declared twice, with both places',
    [
      { id: 'a', line: 3 },
      { id: 'a', line: 7 },
    ],
    /spec "a" is declared 2 times in project "agents": \/suite\/tasks\.spec\.ts:3, \/suite\/tasks\.spec\.ts:7\./,
  ],
  [
    'a spec that is declared twice in one describe',
    [
      { id: 'a', describe: 'phone', line: 3 },
      { id: 'a', describe: 'phone', line: 7 },
    ],
    /spec "phone › a" is declared 2 times in project "agents".*give each declaration its own describe/,
  ],
  ['a project without an agent', [{ taskproof: null }], /^project "agents": no agent is configured/],
])('the run does not start with %s', async (_, specs, message) => {
  await expect(run(specs).planned).rejects.toThrow(message);
});

test('the same spec in describes of other titles, and in none, is planned for each', async () => {
  const shard = { current: 1, total: 2 };
  const { planned, config } = run(
    [{ describe: 'phone' }, { describe: 'desktop', line: 7 }, { line: 9 }],
    shard,
  );
  await planned;
  expect(keptRuns(config)[0]!.plan.map(({ spec }) => spec.describe)).toEqual(['phone', 'desktop', undefined]);
});

test('what an agent or a judge is missing stops the run, with its project', async () => {
  const preflight = () => {
    throw new Error('there is no key');
  };
  const missing = run([{ taskproof: { agent: { ...agent, preflight } } }]);
  await expect(missing.planned).rejects.toThrow(/^taskproof: project "agents" can't run: there is no key$/);
});

test('--list asks no agent, and editors run single repeats', async () => {
  process.argv = ['node', 'playwright', 'test', '--list'];
  await run([{ taskproof: null }]).planned;
  process.argv = ['node', 'playwright', 'test', '--ui'];
  await run([{ k: 5, repeatEach: 1 }]).planned;
});

test('with --repeat-each the run says which k it has, and needs no repeats of the project', async () => {
  process.argv = ['node', 'playwright', 'test', '--repeat-each=3'];
  const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  await run([{ k: 5, repeatEach: 3 }]).planned;
  expect(write).toHaveBeenCalledWith(expect.stringContaining('--repeat-each=3 overrides k'));
});

test('editors see one trial under its own title', async () => {
  process.argv = ['node', 'playwright', 'test', '--debug'];
  const { planned, tests, excluded } = run([{ k: 3 }]);
  await planned;
  expect(excluded).toEqual(tests.slice(1));
  expect(tests[0]!.title).toBe('cart');
});

const replaying = (withRecording: string[]) => ({
  ...agent,
  replays: true,
  withoutRecording: 'fail',
  missingRecording: async (_: string, name: string) =>
    withRecording.includes(name) ? undefined : `/suite/recordings/${name}.json`,
});

test.each<[string, Declared[], string | undefined]>([
  [
    'rubrics without a judge',
    [{ id: 'a', rubric: 'Is it so?' }, { id: 'b' }, { id: 'c', rubric: 'Is it?' }],
    'taskproof: project "agents": a, c: no judge for the rubric, so only the assertions decide.',
  ],
  [
    'rubrics with a judge',
    [{ rubric: 'Is it so?', taskproof: { agent, judge: { name: 'strict', judge: vi.fn() } } }],
    undefined,
  ],
  [
    'specs without a recording',
    ['a', 'b', 'c'].map(id => ({ id, taskproof: { agent: replaying(['b']) } })),
    'taskproof: project "agents": no recording: recordings/a.json, recordings/c.json. To make one, ',
  ],
])('%s are named once', async (_, specs, warning) => {
  const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  await run(specs.map(spec => ({ ...spec, taskproof: spec.taskproof ?? specs[0]!.taskproof }))).planned;
  const said = write.mock.calls
    .map(([text]) => String(text))
    .filter(text => text.includes('project "agents"'));
  expect(said).toHaveLength(warning ? 1 : 0);
  if (warning) expect(said[0]).toContain(warning);
});

test('a shard keeps the plan of the whole run: once for each spec and project', async () => {
  const { planned, config } = run([{ id: 'a' }, { id: 'b' }, { id: 'a', project: 'second' }], {
    current: 1,
    total: 2,
  });
  await planned;
  const [kept] = keptRuns(config);
  expect(kept).toMatchObject({ shard: '1/2' });
  expect(kept!.plan.map(({ project, spec }) => `${project}:${spec.id}`)).toEqual([
    'agents:a',
    'agents:b',
    'second:a',
  ]);
  const whole = run([{ id: 'a' }]);
  await whole.planned;
  expect(keptRuns(whole.config)).toEqual([]);
});
