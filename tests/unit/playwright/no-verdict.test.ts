// Without our reporter, what a user asked of a verdict is not kept. That is said, once.
import { expect, test, vi } from 'vitest';
import type { Judge } from '../../../src/grading/judge';
import { warnOfNoVerdict } from '../../../src/playwright/fixtures';

test('a run without our reporter says what it does not check', () => {
  const printed = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  const once = { k: 1, minPasses: 1 };
  const judge: Judge = { name: 'mine', judge: async () => ({ passed: true, reason: '' }) };
  warnOfNoVerdict('"cart"', once, judge);
  expect(printed).not.toHaveBeenCalled();
  warnOfNoVerdict('"cart"', once, { ...judge, minAgreement: 0.9 });
  warnOfNoVerdict('"cart"', { k: 3, minPasses: 2 });
  expect(printed).toHaveBeenCalledOnce();
  expect(printed.mock.lastCall![0]).toContain('"cart" has a judge with minAgreement, but the reporter');
});
