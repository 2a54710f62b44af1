import { existsSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  closeLedger,
  enter,
  isJudged,
  openLedger,
  settledReason,
  spentUsd,
} from '../../../src/playwright/ledger';

beforeEach(() => openLedger({ judged: true }));
afterEach(() => closeLedger());

const policy = { k: 5, minPasses: 4 };
const end = (index: number, outcome: 'passed' | 'failed' | 'error', costUsd: number | null = 0) =>
  enter('p', 'spec', { index, outcome, costUsd });

test('a verdict is settled by the trials that ended, each counted once', () => {
  end(0, 'failed');
  end(0, 'failed');
  expect(settledReason('p', 'spec', policy)).toBeUndefined();
  end(3, 'failed');
  expect(settledReason('p', 'spec', policy)).toBe(
    'early stop: the verdict is settled (failed, 0 of 2 passed, needs 4 of 5)',
  );
});

test.each([
  { outcomes: ['passed', 'passed', 'passed'], settled: false },
  { outcomes: ['passed', 'passed', 'passed', 'passed'], settled: true },
  { outcomes: ['failed', 'passed', 'passed', 'passed'], settled: false },
  { outcomes: ['error', 'error'], settled: true },
] as const)('$outcomes: settled $settled', ({ outcomes, settled }) => {
  for (const [index, outcome] of outcomes.entries()) end(index, outcome);
  expect(settledReason('p', 'spec', policy) !== undefined).toBe(settled);
});

test('specs and projects are kept apart', () => {
  for (const index of [0, 1]) end(index, 'failed');
  expect(settledReason('q', 'spec', policy)).toBeUndefined();
  expect(settledReason('p', 'other', policy)).toBeUndefined();
});

test('costs add up over the run, as far as they are known', () => {
  end(0, 'passed', 0.25);
  end(1, 'error', null);
  enter('q', 'other', { index: 0, outcome: 'failed', costUsd: 0.5 });
  expect(spentUsd()).toBe(0.75);
});

test('where each trial stands for itself nothing is settled, and costs still add up', () => {
  openLedger({ judged: false });
  for (const index of [0, 1]) end(index, 'failed', 0.25);
  expect(isJudged()).toBe(false);
  expect(settledReason('p', 'spec', policy)).toBeUndefined();
  expect(spentUsd()).toBe(0.5);
});

test('a new run begins empty, and a closed ledger leaves nothing behind and tells nothing', () => {
  for (const index of [0, 1]) end(index, 'failed');
  const folder = process.env.TASKPROOF_LEDGER!;
  openLedger({ judged: true });
  expect(existsSync(folder)).toBe(false);
  expect(settledReason('p', 'spec', policy)).toBeUndefined();
  closeLedger();
  end(0, 'failed');
  expect(settledReason('p', 'spec', policy)).toBeUndefined();
  expect(spentUsd()).toBe(0);
});
