import { expect, it } from 'vitest';
import { lexical } from '../../../../src/agents/lexical';

it.each([
  [{ depth: 3 }, /lexical\(\): depth: unknown option. Known options: name, actionTimeoutMs/],
  [{ actionTimeoutMs: 5 }, /lexical\(\): actionTimeoutMs: /],
  [{ name: '' }, /lexical\(\): name: /],
])('refuses %j', (options, message) => {
  expect(() => lexical(options as never)).toThrow(message);
});

it('does not take over in the middle: what was done would be done again', async () => {
  const done = ['click button "Pay"', 'This no longer worked: action 2: link "Receipt" not found on /paid'];
  expect(await lexical().run({ pageToolsMode: 'off', done } as never)).toEqual({
    status: 'gave_up',
    reason: expect.stringMatching(
      /^lexical\(\) begins with the first clause, .* "Receipt" not found on \/paid$/,
    ),
  });
});
