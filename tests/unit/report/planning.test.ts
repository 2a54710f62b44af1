// Before the first test: which repeats are trials, what they are called, and whether the run can be judged at all.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FullConfig, FullProject, TestCase } from '@playwright/test/reporter';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Policy } from '../../../src/data/verdict';
import type { TaskproofOptions } from '../../../src/playwright/run/options';
import { planAnnotations, policyAnnotation } from '../../../src/playwright/run/plan';
import { CHECK_RUN, type CheckRun } from '../../../src/playwright/run/settings';
import { keptRuns } from '../../../src/report/missing';
import { planRun } from '../../../src/report/planning';
import { type FakeTest, fakeConfig, fakeProject, fakeRepeats, fakeSuite } from '../../support/fake-suite';
import { tempFolder } from '../../support/temp-folder';

const agent = { name: 'mine', run: async () => undefined };
const argv = process.argv;

beforeEach(() => {
  process.argv = ['node', 'playwright', 'test'];
});
afterEach(() => {
  process.argv = argv;
  delete process.env.TASKPROOF_REPEAT_EACH;
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

interface Declared extends Pick<FakeTest, 'line' | 'describe' | 'retries' | 'inside' | 'outside'> {
  id?: string;
  k?: number;
  minPasses?: number;
  project?: string;
  /** In another project of the same name. */
  isInTwin?: true;
  repeatEach?: number;
  taskproof?: TaskproofOptions | null;
  /** Its file does not parse. */
  broken?: boolean;
  rubric?: string;
  specFile?: string;
  goal?: string;
  /** An ordinary test with a pass policy; null: without one. */
  isTest?: true | null;
}

function annotationsOf(
  id: string,
  policy: Policy,
  { broken, isTest, goal, rubric, specFile: file = `${id}.yaml` }: Declared,
) {
  if (broken) return [{ type: 'broken spec', description: `${id}.yaml` }];
  if (isTest !== undefined) return isTest ? [policyAnnotation(policy)] : [];
  return [
    ...(goal ? [{ type: 'goal', description: goal }] : []),
    ...(rubric ? [{ type: 'rubric', description: rubric }] : []),
    ...planAnnotations({ id, file, policy, replayed: false }),
  ];
}

function run(specs: readonly Declared[], shard: FullConfig['shard'] = null, more: Partial<FullConfig> = {}) {
  const projects = new Map<string, FullProject>();
  const tests = specs.flatMap(spec => {
    const { id: title = 'cart', k = 2, minPasses = k, project: name = 'agents' } = spec;
    const { repeatEach = k, taskproof = { agent } } = spec;
    const use = { taskproof } as unknown as FullProject['use'];
    const key = name + (spec.isInTwin ?? '');
    const project = projects.get(key) ?? fakeProject(name, { repeatEach, use });
    projects.set(key, project);
    const annotations = annotationsOf(title, { k, minPasses }, spec);
    return fakeRepeats(repeatEach, { ...spec, title, project, annotations });
  });
  const config = fakeConfig([...projects.values()], { shard, ...more });
  const excluded: TestCase[] = [];
  const exclude = (each: TestCase) => void excluded.push(each);
  const planned = planRun(config, fakeSuite(tests), { exclude } as never);
  return { planned, tests, excluded, config };
}

function printed(): () => string[] {
  const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  return () => write.mock.calls.map(([text]) => String(text));
}

test('trials are numbered, and repeats beyond k are left out', async () => {
  const { planned, tests, excluded } = run([{ repeatEach: 3 }]);
  await planned;
  expect(tests.map(({ title }) => title)).toEqual(['cart · trial 1/2', 'cart · trial 2/2', 'cart']);
  expect(excluded).toEqual([tests[2]]);
});

test('so they are in a project that others depend on, where Playwright refuses it', async () => {
  const detached: TestCase[] = [];
  const _detach = (each: TestCase) => void detached.push(each);
  const tests = fakeRepeats(2, { project: fakeProject('agents', { repeatEach: 2 }), outside: { _detach } });
  for (const each of tests) each.annotations.push(policyAnnotation({ k: 1, minPasses: 1 }));
  const exclude = () => {
    throw new Error('these always run in full');
  };
  await planRun(fakeConfig(), fakeSuite(tests), { exclude } as never);
  expect(detached).toEqual([tests[1]]);
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

test('an ordinary test keeps its trials beside replay(): it may use no agent', async () => {
  const { planned, excluded } = run([
    { k: 5, isTest: true, taskproof: { agent: { ...agent, replays: true } } },
  ]);
  expect((await planned).map(({ plan }) => plan.replayed)).toEqual(Array(5).fill(false));
  expect(excluded).toEqual([]);
});

const few = { k: 5, repeatEach: 2 };

test.each<[string, Declared[], RegExp, Partial<FullConfig>?]>([
  [
    'a k that the project does not reach, once per project, the largest',
    [
      { id: 'a', k: 2, repeatEach: 1 },
      { id: 'b', k: 5, repeatEach: 1 },
    ],
    /^taskproof: spec "b" needs k: 5, but project "agents" runs each test once\. Add `\.\.\.repeats\('<the globs of your specs>'\)` \(or `repeatEach: 5`, [^\n]*playwright\.config\.ts, or run with --repeat-each=N[^\n]*$/,
  ],
  [
    'a spec that is declared twice, with both places',
    [3, 7].map(line => ({ id: 'a', line })),
    /spec "a" is declared 2 times in project "agents": \/suite\/tasks\.spec\.ts:3, \/suite\/tasks\.spec\.ts:7\./,
  ],
  [
    'a spec that is declared twice in one describe',
    [3, 7].map(line => ({ id: 'a', describe: 'phone', line })),
    /spec "phone › a" is declared 2 times in project "agents".*give each declaration its own describe/,
  ],
  [
    'a spec that two test files declare by one helper',
    ['desktop.spec.ts', 'phone.spec.ts'].map(file => ({
      ...{ id: 'a', inside: { titlePath: () => ['', 'agents', file, 'a'] } },
    })),
    /^taskproof: spec "a" is declared 2 times in project "agents": desktop\.spec\.ts, phone\.spec\.ts\. [^\n]*$/,
  ],
  [
    'specs of one id in two files',
    [3, 7].map(line => ({ id: 'a', line, specFile: `tasks/${line}.yaml` })),
    /^taskproof: spec "a" is declared 2 times [^\n]*spec\.ts:7\. The id stands in different files: tasks\/3\.yaml, tasks\/7\.yaml\. Give each spec an id of its own, /,
  ],
  [
    'projects of one name',
    [{ id: 'a' }, { id: 'b', isTest: true, isInTwin: true }],
    /^taskproof: 2 projects are called "agents", [^\n]* Give each project in \/suite\/playwright\.config\.ts a name of its own\.$/,
  ],
  [
    'projects without a name, of which a shard sees one',
    [{ project: '' }],
    /^taskproof: 2 projects have no name, [^\n]*$/,
    { projects: [fakeProject(''), fakeProject('')], shard: { current: 1, total: 2 } },
  ],
  [
    'an ordinary test that the project does not repeat often enough',
    [{ id: 'answers', ...few, isTest: true }],
    /^taskproof: test "answers" needs k: 5, .*Add `\.\.\.repeats\(\{ atLeast: 5 \}\)` /,
  ],
  [
    'a pass policy in a serial describe, told once',
    [{ id: 'answers', k: 2, isTest: true, outside: { _parallelMode: 'serial' } }],
    /^taskproof: test "answers" \(\/suite\/tasks\.spec\.ts:1\) has a pass policy in a serial describe, [^\n]*$/,
  ],
  [
    'a pass policy that another annotation replaced',
    [{ id: 'answers', k: 2, isTest: null, inside: { tags: ['@pass-policy'] } }],
    /^taskproof: test "answers" \(\/suite\/tasks\.spec\.ts:1\) lost its pass policy: [^\n]*$/,
  ],
  [
    'several problems, a line each',
    [
      { id: 'a', line: 3 },
      { id: 'a', line: 7, ...few },
    ],
    /^taskproof: spec "a" is declared 2 times [^\n]*\ntaskproof: spec "a" needs k: 5[^\n]*$/,
  ],
  [
    'a secret without a value that a goal names',
    [{ id: 'a', goal: 'Log in with PASSWORD', taskproof: { agent, secrets: { PASSWORD: undefined } } }],
    /^taskproof: project "agents": use\.taskproof\.secrets: PASSWORD has no value, but "a" needs it\./,
  ],
  ['a project without an agent', [{ taskproof: null }], /^project "agents": no agent is configured/],
  [
    'no config',
    [{ taskproof: null }],
    /^no Playwright config in \/suite\. Run the command in its folder, or pass --config=<file>\.$/,
    { configFile: undefined as never, rootDir: '/suite' },
  ],
])('the run does not start with %s', async (_, specs, message, config = {}) => {
  await expect(run(specs, null, config).planned).rejects.toThrow(message);
});

test('projects of one name are planned if one alone has specs', async () => {
  const projects = [fakeProject(''), fakeProject('')];
  await expect(run([{ project: '' }], null, { projects }).planned).resolves.toHaveLength(2);
});

test('the same spec in describes of other titles, and in none, is planned for each', async () => {
  const shard = { current: 1, total: 2 };
  const { planned, config } = run(
    [{ describe: 'phone' }, { describe: 'desktop', line: 7 }, { line: 9 }],
    shard,
  );
  await planned;
  expect(keptRuns(config, new Set())[0]!.plan.map(({ spec }) => spec.describe)).toEqual([
    'phone',
    'desktop',
    undefined,
  ]);
});

test('what an agent or a judge is missing stops the run, with its project', async () => {
  const preflight = () => {
    throw new Error('there is no key');
  };
  const missing = run([{ taskproof: { agent: { ...agent, preflight } } }]);
  await expect(missing.planned).rejects.toThrow(/^taskproof: project "agents" can't run: there is no key$/);
  const odd = run([{ taskproof: { agent: { ...agent, preflight: () => Promise.reject('no key') } } }]);
  await expect(odd.planned).rejects.toThrow(/^taskproof: project "agents" can't run: no key$/);
  const refused = { ...agent, preflight: () => Promise.reject('no access with hunter2secret') };
  const telling = run([{ taskproof: { agent: refused, secrets: { PW: 'hunter2secret' } } }]);
  await expect(telling.planned).rejects.toThrow(/no access with <secret>PW<\/secret>$/);
  const keyless = () => ({ agent: { ...agent, preflight } });
  const both = run([
    { project: 'opus', taskproof: keyless() },
    { project: 'gpt', taskproof: keyless() },
  ]);
  const lines = ['opus', 'gpt'].map(name => `taskproof: project "${name}" can't run: there is no key`);
  await expect(both.planned).rejects.toThrow(lines.join('\n'));
});

test('--list asks no agent, and prints titles that --test-list finds; editors run single repeats', async () => {
  process.argv = ['node', 'playwright', 'test', '--list'];
  const { planned, tests } = run([{ id: 'cart', taskproof: null }]);
  await planned;
  expect(new Set(tests.map(({ title }) => title))).toEqual(new Set(['cart']));
  process.argv = ['node', 'playwright', 'test', '--ui'];
  await run([{ k: 5, repeatEach: 1 }]).planned;
});

test('with --repeat-each the run says which k it has, and needs no repeats of the project', async () => {
  process.argv = ['node', 'playwright', 'test', '--repeat-each=3'];
  const said = printed();
  const few = { k: 5, repeatEach: 3 };
  await run([
    { ...few, minPasses: 2 },
    { ...few, id: 'docs', minPasses: 1 },
  ]).planned;
  expect(said()).toEqual([
    expect.stringMatching(/--repeat-each=3 overrides k: each spec runs 3 times and needs 1 or 2 of 3\.\n$/),
  ]);
});

test('editors see one trial under its own title', async () => {
  process.argv = ['node', 'playwright', 'test', '--debug'];
  const { planned, tests, excluded } = run([{ k: 3 }]);
  await planned;
  expect(excluded).toEqual(tests.slice(1));
  expect(tests[0]!.title).toBe('cart');
});

const replaying = (withRecording: string[], withoutRecording = 'skip') => ({
  ...agent,
  replays: true,
  withoutRecording,
  missingRecording: async (_: string, name: string) =>
    withRecording.includes(name) ? undefined : `/suite/recordings/${name}.json`,
});

const judged = (ofAgent: object, ofJudge: object): Declared => ({
  rubric: 'Is it so?',
  taskproof: { agent: { ...agent, ...ofAgent }, judge: { name: 'strict', judge: vi.fn(), ...ofJudge } },
});

test.each<[string, Declared[], string | undefined]>([
  [
    'rubrics without a judge',
    [{ id: 'a', rubric: 'Is it so?' }, { id: 'b' }, { id: 'c', rubric: 'Is it?' }],
    'taskproof: project "agents": a, c: no judge for the rubric, so only the assertions decide.',
  ],
  ['rubrics with a judge', [judged({}, {})], undefined],
  [
    "a judge of the agent's family",
    [judged({ model: 'claude-opus-5-5' }, { model: 'us.anthropic.claude-sonnet-5-5' })],
    "the judge's model (us.anthropic.claude-sonnet-5-5) is of the agent's family",
  ],
  ['a judge of another family', [judged({ model: 'claude-opus-5-5' }, { model: 'gpt-5.5' })], undefined],
  [
    'secrets without a value that no goal names',
    [{ goal: 'Look', taskproof: { agent, secrets: { PASSWORD: undefined, PIN: undefined } } }],
    `taskproof: project "agents": secrets without a value: PASSWORD, PIN. The agent can't use them.`,
  ],
  ['secrets with a value', [{ taskproof: { agent, secrets: { PASSWORD: 'x' } } }], undefined],
  ['recordings that are there', [{ taskproof: { agent: replaying(['cart']) as never } }], undefined],
  [
    'specs that are skipped without a recording',
    ['a', 'b', 'c'].map(id => ({ id, taskproof: { agent: replaying(['b']) } })),
    'taskproof: project "agents": skipped, since there is no recording: recordings/a.json, recordings/c.json',
  ],
  [
    'specs that say so when they fail without a recording',
    [{ id: 'a', taskproof: { agent: replaying([], 'fail') as never } }],
    undefined,
  ],
])('%s are named once', async (_, specs, warning) => {
  const said = printed();
  await run(specs.map(spec => ({ ...spec, taskproof: spec.taskproof ?? specs[0]!.taskproof }))).planned;
  const told = said().filter(text => text.includes('project "agents"'));
  expect(told).toEqual(warning ? [expect.stringContaining(warning)] : []);
});

test('a shard keeps the plan of the whole run: once for each spec and project', async () => {
  const { planned, config } = run([{ id: 'a' }, { id: 'b' }, { id: 'a', project: 'second' }], {
    current: 1,
    total: 2,
  });
  await planned;
  const [kept] = keptRuns(config, new Set());
  expect(kept).toMatchObject({ shard: '1/2' });
  expect(kept!.plan.map(({ project, spec }) => `${project}:${spec.id}`)).toEqual([
    'agents:a',
    'agents:b',
    'second:a',
  ]);
  const whole = run([{ id: 'a' }]);
  await whole.planned;
  expect(keptRuns(whole.config, new Set())).toEqual([]);
});

test('a Playwright that has changed is told', async () => {
  const said = printed();
  await run([{}]).planned;
  await run([]).planned;
  expect(said()).toEqual([]);
  await run([{ outside: { _use: undefined } }]).planned;
  expect(said()).toEqual([
    expect.stringMatching(
      /^taskproof: With Playwright [\d.]+\S*, .*wrong options in `test\.use`.*: this version .*\n$/,
    ),
  ]);
});

test('retries are off for tests with a pass policy, which is said once', async () => {
  const said = printed();
  const answers = { id: 'answers', isTest: true, retries: 2 } as const;
  const { planned, tests } = run([answers, { ...answers, id: 'more' }, { id: 'cart', retries: 1 }]);
  await planned;
  expect(tests.map(({ retries }) => retries)).toEqual([0, 0, 0, 0, 1, 1]);
  expect(said()).toEqual([
    'taskproof: retries are off for tests with a pass policy: a retry does not count as a trial.\n',
  ]);
  await run([{ ...answers, retries: 0 }]).planned;
  process.argv = ['node', 'playwright', 'test', '--list'];
  await run([answers]).planned;
  expect(said()).toHaveLength(1);
});

test('ordinary tests ask no agent, and keep their repeats', async () => {
  const { planned, excluded, tests } = run([
    { id: 'answers', k: 2, repeatEach: 3, isTest: true, taskproof: null },
    { id: 'plain', k: 3, isTest: null, taskproof: null },
  ]);
  await planned;
  expect(excluded).toEqual([tests[2]]);
  expect(tests.map(({ title }) => title)).toEqual([
    ...['answers · trial 1/2', 'answers · trial 2/2', 'answers', 'plain', 'plain', 'plain'],
  ]);
});

test('what a fixture sets is left to the worker, which alone can know it', async () => {
  const fixtures = [{ fixtures: { taskproof: () => undefined } }];
  await run([{ taskproof: null, inside: { _testType: { fixtures } } }]).planned;
});

test('a blob keeps the plan, too, with the CI run and whether the command line chose tests', async () => {
  const reporter = [['html'], ['blob']] as unknown as FullConfig['reporter'];
  vi.stubEnv('GITHUB_RUN_ID', '77');
  const whole = run([{ id: 'a' }], null, { reporter });
  await whole.planned;
  const [kept] = keptRuns(whole.config, new Set());
  expect(kept).toMatchObject({ shard: null, ciRun: '77', filtered: false, plan: [{ project: 'agents' }] });
  process.argv = ['node', 'playwright', 'test', '-g', 'cart'];
  const part = run([{ id: 'a' }], { current: 2, total: 3 });
  await part.planned;
  expect(keptRuns(part.config, new Set())[0]).toMatchObject({ shard: '2/3', filtered: true });
});

describe('a run that a command of ours began', () => {
  const begin = (check: Omit<CheckRun, 'outputFile'>) => {
    const file = join(tempFolder(), 'check.json');
    writeFileSync(file, JSON.stringify({ ...check, outputFile: 'results.json' }));
    vi.stubEnv(CHECK_RUN, file);
  };
  const wanted = [{ project: 'agents', spec: 'cart', enough: 2, trials: 3, trialUsd: 0 }];
  const left = ({ tests, excluded }: ReturnType<typeof run>) =>
    tests
      .filter(each => !excluded.includes(each))
      .map(each => `${each.parent.project()!.name} ${each.title}`);

  test('a probe, which has no judge, does not say that the suite has none', async () => {
    begin({ purpose: 'probe' });
    const said = printed();
    await run([{ rubric: 'Is it so?' }]).planned;
    expect(said().join('')).not.toContain('no judge');
  });

  test('a confirmation runs what is wanted, and what that depends on', async () => {
    begin({ purpose: 'confirm', wanted });
    const plain = { isTest: null, k: 1 } as const;
    const projects = [
      { name: 'agents', dependencies: ['login'], teardown: 'leave' },
      { name: 'login', dependencies: ['data'] },
      { name: 'data', dependencies: [] },
      { name: 'leave', dependencies: [] },
      { name: 'e2e', dependencies: [] },
    ];
    const ran = run(
      [
        { id: 'cart', k: 1 },
        { id: 'docs', k: 1 },
        { ...plain, id: 'plain' },
        ...['login', 'data', 'leave', 'e2e'].map(project => ({ ...plain, id: 'x', project })),
        { id: 'cart', k: 1, project: 'e2e' },
      ],
      null,
      { projects: projects as unknown as FullProject[] },
    );
    await ran.planned;
    expect(left(ran)).toEqual(['agents cart · trial 1/1', 'login x', 'data x', 'leave x']);
  });

  test('a probe runs every spec, and no code of a test', async () => {
    begin({ purpose: 'probe' });
    const ran = run([
      { id: 'cart', k: 1 },
      { id: 'answers', k: 1, isTest: true },
      { id: 'plain', k: 1, isTest: null },
    ]);
    await ran.planned;
    expect(left(ran)).toEqual(['agents cart · trial 1/1']);
  });
});
