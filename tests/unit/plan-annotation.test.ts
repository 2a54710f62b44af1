import { describe, expect, test } from 'vitest';
import {
  asReplay,
  markReplay,
  type PlannedSpec,
  planAnnotations,
  plannedSpec,
} from '../../src/playwright/plan-annotation';

const spec = (more: Partial<PlannedSpec> = {}): PlannedSpec => ({
  id: 'cart',
  file: 'tasks/cart.yaml',
  line: 2,
  declared: { k: 5, minPasses: 4 },
  policy: { k: 5, minPasses: 4 },
  ...more,
});

test.each<[string, Partial<PlannedSpec>, PlannedSpec['policy']]>([
  ['one replay stands for the recording', {}, { k: 1, minPasses: 1 }],
  ['one trial stays one', { policy: { k: 1, minPasses: 1 } }, { k: 1, minPasses: 1 }],
  ['--repeat-each=3 insists', { repeatEach: 3, policy: { k: 3, minPasses: 3 } }, { k: 3, minPasses: 3 }],
  ["--repeat-each=5 insists, though it is the spec's own k", { repeatEach: 5 }, { k: 5, minPasses: 4 }],
])('the policy of a replay: %s', (_name, more, policy) => {
  const replay = asReplay(spec(more));
  expect(replay).toEqual({ ...spec(more), policy, replayed: true });
  expect(asReplay(replay)).toEqual(replay);
});

describe('a declared test becomes a replay', () => {
  test('in what people read and in what the reporter reads; copies of the test are left alone', () => {
    const shared = [{ type: 'policy', description: "the suite's own" }, ...planAnnotations(spec())];
    const [one, other] = [[...shared], [...shared]];
    markReplay(one);
    expect(plannedSpec(one)).toMatchObject({ policy: { k: 1, minPasses: 1 }, replayed: true });
    expect(one.map(({ description }) => description).slice(0, 2)).toEqual([
      "the suite's own",
      '1 replay, which must pass',
    ]);
    expect(one).toHaveLength(3);
    expect(plannedSpec(other)).toEqual(spec());
    expect(other[1]?.description).toBe('at least 4 of 5 trials must pass');
  });

  test('twice is once, and a test that is not ours stays as it is', () => {
    const annotations = planAnnotations(spec({ repeatEach: 2, policy: { k: 2, minPasses: 1 } }));
    markReplay(annotations);
    const once = structuredClone(annotations);
    markReplay(annotations);
    expect(annotations).toEqual(once);
    expect(annotations[0]?.description).toBe('at least 1 of 2 replays must pass');
    const foreign = [{ type: 'policy', description: 'theirs' }];
    markReplay(foreign);
    expect(foreign).toEqual([{ type: 'policy', description: 'theirs' }]);
  });
});
