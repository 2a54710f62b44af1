import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  markReplay,
  nameOf,
  type PlannedSpec,
  planAnnotations,
  plannedSpec,
  replayPolicy,
  trialTitle,
} from '../../../src/playwright/annotations';

const spec = (more: Partial<PlannedSpec> = {}): PlannedSpec => ({
  id: 'cart',
  file: 'tasks/cart.yaml',
  policy: { k: 5, minPasses: 4 },
  replayed: false,
  ...more,
});
const declared = (planned: PlannedSpec) => ({ title: planned.id, annotations: planAnnotations(planned) });

test('a plan is read back from its annotations, before and after its test was renamed', () => {
  const policies = fc
    .integer({ min: 1, max: 25 })
    .chain(k => fc.record({ k: fc.constant(k), minPasses: fc.integer({ min: 1, max: k }) }));
  fc.assert(
    fc.property(policies, fc.boolean(), fc.nat(24), (policy, replayed, index) => {
      const planned = spec({ policy, replayed });
      expect(plannedSpec(declared(planned))).toEqual(planned);
      const title = trialTitle(planned, index);
      expect(plannedSpec({ ...declared(planned), title })).toEqual(planned);
    }),
  );
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
  ['as other agents hand it over', undefined, 'cart', undefined],
])('a spec is named by the describes around it: %s', (_, titlePath, name, describe) => {
  const planned = plannedSpec({ ...declared(spec()), titlePath })!;
  expect(planned.describe).toBe(describe);
  expect(nameOf(planned)).toBe(name);
});

test('titles tell the trial, and nothing of its outcome', () => {
  expect(trialTitle(spec(), 1)).toBe('cart · trial 2/5');
  expect(trialTitle(spec({ policy: { k: 1, minPasses: 1 }, replayed: true }), 0)).toBe('cart · replay 1/1');
});

test.each([
  [[]],
  [[{ type: 'policy', description: 'at least 4 of 5 trials must pass' }]],
  [
    [
      { type: 'spec', description: 'x' },
      { type: 'policy', description: 'no flakes' },
    ],
  ],
  [[{ type: 'spec' }, { type: 'policy', description: '1 trial, which must pass' }]],
])('a test that is not ours has no plan: %j', annotations => {
  expect(plannedSpec({ title: 'cart', annotations })).toBeUndefined();
});

test.each<[string, PlannedSpec['policy'], number | undefined, PlannedSpec['policy']]>([
  ['one replay stands for the recording', { k: 5, minPasses: 4 }, undefined, { k: 1, minPasses: 1 }],
  ['one trial stays one', { k: 1, minPasses: 1 }, undefined, { k: 1, minPasses: 1 }],
  ['--repeat-each=3 asks for three', { k: 3, minPasses: 3 }, 3, { k: 3, minPasses: 3 }],
  ["--repeat-each=5 asks for the spec's own k", { k: 5, minPasses: 4 }, 5, { k: 5, minPasses: 4 }],
])('the policy of a replay: %s', (_name, policy, repeatEach, expected) => {
  expect(replayPolicy(policy, repeatEach)).toEqual(expected);
});

describe('a declared test becomes a replay', () => {
  test('in what people read and in what the reporter reads; copies of the test are left alone', () => {
    const shared = [{ type: 'policy', description: "the suite's own" }, ...planAnnotations(spec())];
    const [one, other] = [
      { title: 'cart', annotations: [...shared] },
      { title: 'cart', annotations: [...shared] },
    ];
    markReplay(one, undefined);
    expect(plannedSpec(one)).toMatchObject({ policy: { k: 1, minPasses: 1 }, replayed: true });
    expect(one.annotations.map(({ description }) => description)).toEqual([
      "the suite's own",
      'tasks/cart.yaml',
      '1 replay, which must pass',
    ]);
    expect(plannedSpec(other)).toEqual(spec());
  });

  test('twice is once, and a test that is not ours stays as it is', () => {
    const replayed = declared(spec({ policy: { k: 2, minPasses: 1 } }));
    markReplay(replayed, 2);
    const once = structuredClone(replayed);
    markReplay(replayed, 2);
    expect(replayed).toEqual(once);
    expect(replayed.annotations.at(-1)?.description).toBe('at least 1 of 2 replays must pass');
    const foreign = { title: 'theirs', annotations: [{ type: 'policy', description: 'theirs' }] };
    markReplay(foreign, undefined);
    expect(foreign.annotations).toEqual([{ type: 'policy', description: 'theirs' }]);
  });
});
