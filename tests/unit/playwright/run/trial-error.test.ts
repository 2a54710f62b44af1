import { expect, test, vi } from 'vitest';
import type { TrialRecord } from '../../../../src/data/record';
import { stopOf, trialError } from '../../../../src/playwright/run/trial-error';
import { madeRecord } from '../../../support/records';

const page = (url: string, how = 'navigation') => ({ url, how });

test.each([
  [[], ''],
  // What frames load is not the agent's way.
  [[page('https://ads.test/', 'page_escape'), page('https://push.test/sw.js', 'service_worker')], ''],
  [
    [page('https://pay.test/a'), page('https://pay.test/b', 'redirect')],
    ' It was kept from pay.test: if the goal needs that, add it to allowedDomains.',
  ],
  [
    ['a', 'b', 'c', 'd'].map(name => page(`https://${name}.test/`, 'popup')),
    ' It was kept from a.test, b.test, c.test and 1 more: if the goal needs that, add it to allowedDomains.',
  ],
])('the pages that an agent was kept from are told: %j', (refusals, told) => {
  const record = { ...madeRecord({ finalUrl: 'http://shop.test/cart', turns: [] }), refusals };
  expect(stopOf(record)).toBe(`The agent stopped on http://shop.test/cart before its first turn.${told}`);
});

const broken = { title: 'second', type: 'dom' as const, passed: false, reason: 'broken' };
const held = { ...broken, title: 'first', passed: true, reason: null };

test.each<[Partial<TrialRecord>, string]>([
  [{ status: 'completed' }, 'assertions[1]'],
  [{ status: 'error', errorKind: 'site_unreachable' }, 'entryUrl'],
  [{ status: 'error', errorKind: 'internal' }, 'goal'],
  [{ status: 'max_steps' }, 'maxSteps'],
  [{ status: 'gave_up' }, 'goal'],
])('an error points to the line that was not met: %j', (ended, path) => {
  const record = { ...madeRecord({}), assertions: [held, broken], ...ended };
  const locate = vi.fn(() => ({ file: 'task.yaml', line: 1, column: 1 }));
  trialError(record, { what: 'lost', where: null }, locate);
  expect(locate).toHaveBeenCalledWith(path);
});

test('an assertion that could not be checked has its own line, though the record lacks those before it', () => {
  const unread = { ...broken, line: 9 };
  const record = {
    ...madeRecord({}),
    ...{ assertions: [unread], status: 'error' as const, errorKind: 'setup' as const },
  };
  const error = trialError(record, { what: 'lost', where: null }, () => ({
    ...{ file: 'package.json', line: 1, column: 3 },
  }));
  expect(error.stack).toContain('package.json:9:1');
});
