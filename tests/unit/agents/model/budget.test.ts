// A request is made only if what it will probably cost is left of the trial's cap.
import { expect, test } from 'vitest';
import type { AgentTask } from '../../../../src/agents/agent';
import { AgentApiError } from '../../../../src/agents/agent';
import { pricesOf, usageOf } from '../../../../src/agents/claude/pricing';
import { Budget, costOf, type Prices } from '../../../../src/agents/model/budget';
import type { Usage } from '../../../../src/data/usage';

// 4 in, 20 out, 0.20 from the cache, 5 into it: dollars per million tokens.
const PRICES = pricesOf({ model: 'claude-opus-5-5' })!;
const usage = (
  inputTokens: number,
  cacheReadTokens: number,
  cacheCreationTokens: number,
  outputTokens: number,
) => {
  const counted = { inputTokens, cacheReadTokens, cacheCreationTokens, outputTokens };
  return { ...counted, costUsd: costOf(PRICES, counted) };
};

function budget(maxCostUsd: number | undefined, prices: Prices | null = PRICES) {
  const reported: Usage[] = [];
  const task = {
    maxCostUsd,
    get costUsd() {
      const costs = reported.map(({ costUsd }) => costUsd ?? null);
      return costs.includes(null) ? null : costs.reduce<number>((sum, cost) => sum + cost!, 0);
    },
    usage: (each: Usage) => void reported.push(each),
  } as unknown as AgentTask;
  return { budget: new Budget(task, prices ?? undefined), reported };
}

/** A conversation of so many tokens, as they are estimated. */
const tokens = (count: number) => 'x'.repeat(count * 3.5);

test.each<[string, object, (number | null)[]]>([
  ['counts', { input_tokens: 9, output_tokens: 2, cache_read_input_tokens: null }, [9, 2, 0.000076]],
  ['nothing', {}, [0, 0, null]],
  ['one of two', { input_tokens: 9 }, [9, 0, null]],
  ['texts', { input_tokens: '9', output_tokens: '2' }, [0, 0, null]],
  ['a part of a token', { input_tokens: 1.5, output_tokens: 2 }, [0, 2, null]],
  ['less than none', { input_tokens: -9, output_tokens: 2 }, [0, 2, null]],
  ['more than can be', { input_tokens: 1e308, output_tokens: 2 }, [0, 2, null]],
])('what an API says of tokens: %s', (_, said, [input, output, cost]) => {
  const { inputTokens, outputTokens, costUsd } = usageOf(said as Parameters<typeof usageOf>[0], PRICES);
  expect([inputTokens, outputTokens]).toEqual([input, output]);
  if (cost === null) expect(costUsd).toBeNull();
  else expect(costUsd).toBeCloseTo(cost!, 10);
});

test('the first request pays for its own tokens; if it does not fit, nobody tries the site', () => {
  // 4,000 x $5, in millionths.
  expect(() => budget(0.0201).budget.check(tokens(4_000))).not.toThrow();
  expect(() => budget(0.0199).budget.check(tokens(4_000))).toThrow(AgentApiError);
});

test('later requests read from the cache what is known, and are guessed to answer as long as the longest', () => {
  const { budget: spent, reported } = budget(0.12);
  spent.check(tokens(4_000));
  spent.report(usage(0, 0, 10_000, 1_000));
  expect(reported[0]!.costUsd).toBeCloseTo(0.07);
  // 10,000 x $0.20 + 1,000 x $5 + 1,000 x $20 = $0.027: fits below 0.12; 6,000 fresh tokens more do not.
  expect(() => spent.check(tokens(5_000))).not.toThrow();
  expect(() => spent.check(tokens(12_000))).toThrow(
    /^\$0\.0700 of \$0\.12 are spent, and the next turn would cost about \$0\.0570$/,
  );
});

test('what no cache holds is paid in full again', () => {
  const { budget: spent } = budget(0.12);
  spent.check(tokens(4_000));
  spent.report(usage(10_000, 0, 0, 1_000));
  // 10,000 x $4 + 1,000 x $5 + 1,000 x $20 = $0.065, beside the $0.06 that are spent.
  expect(() => spent.check(tokens(5_000))).toThrow(/the next turn would cost about \$0\.0650$/);
});

test('after a trim the whole conversation is written anew', () => {
  const { budget: spent } = budget(0.12);
  spent.check(tokens(20_000));
  spent.report(usage(0, 0, 10_000, 1_000));
  // 9,000 x $5 + 1,000 x $20.
  expect(() => spent.check(tokens(9_000))).toThrow(/would cost about \$0\.0650$/);
});

test.each([
  ['no cap', budget(undefined)],
  ['no price', budget(0.000001, null)],
])('with %s nothing is refused', (_, { budget: free }) => {
  expect(() => free.check(tokens(1_000_000))).not.toThrow();
});
