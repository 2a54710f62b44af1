import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Plan, planName, trialTitle } from '../../../../src/data/plan';
import {
  type AnnotatedTest,
  carriedPlan,
  carryPlan,
  planAnnotations,
  planOf,
  planWith,
  policyAnnotation,
  showUsed,
} from '../../../../src/playwright/run/plan';
import type { TaskSpec } from '../../../../src/spec';

const spec = (more: Partial<Plan> = {}): Plan => ({
  id: 'cart',
  file: 'tasks/cart.yaml',
  policy: { k: 5, minPasses: 4 },
  replayed: false,
  ...more,
});
/** Of a test file beside the config. */
const planIn = (test: AnnotatedTest) => planOf(test, '/suite/a.spec.ts', '/suite');
const declared = (plan: Plan) => ({ title: plan.id, titlePath: [], annotations: planAnnotations(plan) });

test('a plan is read back from its annotations, before and after its test was renamed', () => {
  const policies = fc
    .integer({ min: 1, max: 25 })
    .chain(k => fc.record({ k: fc.constant(k), minPasses: fc.integer({ min: 1, max: k }) }));
  fc.assert(
    fc.property(policies, fc.boolean(), fc.nat(24), (policy, replayed, index) => {
      const plan = spec({ policy, replayed });
      expect(planIn(declared(plan))).toEqual(plan);
      expect(planIn({ ...declared(plan), title: trialTitle(plan, index) })).toEqual(plan);
    }),
  );
});

test.each([
  ['/suite/agents/tasks.spec.ts', 'tasks/cart.yaml', 'agents/tasks/cart.yaml'],
  ['/suite/agents/tests/tasks.spec.ts', '../tasks/cart.yaml', 'agents/tasks/cart.yaml'],
  ['/suite/agents/tasks/cart.yaml', 'cart.yaml', 'agents/tasks/cart.yaml'],
  ['/shared/tasks.spec.ts', 'cart.yaml', '../shared/cart.yaml'],
])("the test file %s declares %s: the config's folder has it at %s", (testFile, file, inFolder) => {
  expect(planOf(declared(spec({ file })), testFile, '/suite')!.file).toBe(inFolder);
});

test('people read file and policy beside it, in annotations that the HTML report shows', () => {
  const shown = (plan: Plan) => planAnnotations(plan).filter(({ type }) => !type.startsWith('_'));
  expect(shown(spec())).toEqual([
    { type: 'spec', description: 'tasks/cart.yaml' },
    { type: 'policy', description: 'at least 4 of 5 trials must pass' },
  ]);
  const one = { k: 1, minPasses: 1 };
  expect(shown(spec({ policy: one, replayed: true }))[1]!.description).toBe('1 replay, which must pass');
  expect(shown(spec({ titlePath: ['a.spec.ts', 'cart'], earlyStop: true }))).toEqual([
    { type: 'pass policy', description: 'at least 4 of 5 trials must pass; stops early' },
  ]);
});

test.each<[string, (() => string[]) | string[] | undefined, string, string | undefined]>([
  ['in no describe', () => ['', 'agents', 'a.spec.ts', 'cart'], 'cart', undefined],
  ['in a describe', () => ['', '', 'a.spec.ts', 'phone', 'cart'], 'phone › cart', 'phone'],
  [
    'in two',
    () => ['', 'agents', 'a.spec.ts', 'shop', 'phone', 'cart'],
    'shop › phone › cart',
    'shop › phone',
  ],
  ['in a worker', ['a.spec.ts', 'phone', 'cart'], 'phone › cart', 'phone'],
])('a spec is named by the describes around it: %s', (_, titlePath, name, describe) => {
  const plan = planIn({ ...declared(spec()), titlePath: titlePath! })!;
  expect(plan.describe).toBe(describe);
  expect(planName(plan)).toBe(name);
});

test('titles tell the trial, and nothing of its outcome', () => {
  expect(trialTitle(spec(), 1)).toBe('cart · trial 2/5');
  expect(trialTitle(spec({ policy: { k: 1, minPasses: 1 }, replayed: true }), 0)).toBe('cart · replay 1/1');
});

test('annotations of the same types that are not ours are no plan', () => {
  const annotations = [
    { type: 'spec', description: 'x' },
    { type: 'policy', description: 'at least 4 of 5 trials must pass' },
    { type: 'pass policy', description: 'at least 4 of 5 trials must pass' },
  ];
  expect(planIn({ title: 'cart', titlePath: [], annotations })).toBeUndefined();
});

test.each<[string, Plan['policy'], number | undefined, Plan['policy']]>([
  ['one replay stands for the recording', { k: 5, minPasses: 4 }, undefined, { k: 1, minPasses: 1 }],
  ['--repeat-each=3 asks for three', { k: 3, minPasses: 3 }, 3, { k: 3, minPasses: 3 }],
  ["--repeat-each=5 asks for the spec's own k", { k: 5, minPasses: 4 }, 5, { k: 5, minPasses: 4 }],
])('the policy of a replay: %s', (_name, policy, repeatEach, expected) => {
  const plan = planWith(spec({ policy }), { replays: true }, repeatEach);
  expect(plan).toEqual(spec({ policy: expected, replayed: true }));
  // Twice is once.
  expect(planWith(plan, { replays: true }, repeatEach)).toEqual(plan);
});

test('one trial does not stop early', () => {
  expect(planWith(spec(), { replays: false, earlyStop: true }, undefined)).toHaveProperty('earlyStop', true);
  expect(planWith(spec(), { replays: true, earlyStop: true }, undefined)).not.toHaveProperty('earlyStop');
});

test('a plan is changed in place, and copies of the test are left alone', () => {
  const shared = [{ type: 'policy', description: "the suite's own" }, ...planAnnotations(spec())];
  const [one, other] = [{ annotations: [...shared] }, { annotations: [...shared] }];
  const changed = planWith(spec(), { replays: true }, undefined);
  carryPlan(one, changed);
  expect(carriedPlan(one)).toEqual(changed);
  expect(one.annotations.map(({ description }) => description)).toEqual([
    "the suite's own",
    expect.stringContaining('"replayed":true'),
    'tasks/cart.yaml',
    '1 replay, which must pass',
  ]);
  expect(carriedPlan(other)).toEqual(spec());
});

test('the nearest of several pass policies counts, and is written as a plan', () => {
  const policies = [policyAnnotation({ k: 5, minPasses: 4 }), policyAnnotation({ k: 3, minPasses: 1 })];
  const declaredTest = {
    title: 'finds it',
    titlePath: ['chat.spec.ts', 'assistant', 'finds it'],
    annotations: policies,
  };
  const plan = planIn(declaredTest)!;
  expect(plan).toEqual({
    ...{ id: 'finds it', describe: 'assistant', file: 'chat.spec.ts', replayed: false },
    ...{ titlePath: ['chat.spec.ts', 'assistant', 'finds it'], policy: { k: 3, minPasses: 1 } },
  });
  expect(planName(plan)).toBe('chat.spec.ts › assistant › finds it');
  expect(carriedPlan(declaredTest)).toBeUndefined();
  carryPlan(declaredTest, plan);
  expect(carriedPlan(declaredTest)).toEqual(plan);
  expect(declaredTest.annotations).toHaveLength(3);
});

test('the texts that a trial used stand in place of the declared ones, with the names of secrets', () => {
  const annotations = [
    { type: 'goal', description: 'Log in with {{password}}' },
    { type: 'rubric', description: 'Is {{password}} hidden?' },
    { type: 'spec', description: 'cart.yaml' },
  ];
  const used = { goal: 'Log in with violet', judge: 'Is violet hidden?' } as TaskSpec;
  showUsed(annotations, used, text => text.replaceAll('violet', '<secret>PASSWORD</secret>'));
  expect(annotations.map(({ description }) => description)).toEqual([
    'Log in with <secret>PASSWORD</secret>',
    'Is <secret>PASSWORD</secret> hidden?',
    'cart.yaml',
  ]);
});
