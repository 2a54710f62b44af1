import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import {
  closeLedger,
  enter,
  isJudged,
  openLedger,
  readLedger,
  reserve,
  runId,
  spend,
} from '../../../../src/playwright/run/ledger';

beforeEach(() => openLedger({ judged: true }));
afterEach(() => {
  closeLedger();
  vi.unstubAllEnvs();
});

const end = (index: number, outcome: 'passed' | 'failed' | 'error', costUsd: number | null = 0) =>
  enter('p', 'spec', { index, outcome, costUsd });
const NOTHING = { ended: [], spentUsd: 0, committedUsd: 0 };

test('trials that ended count once each, and specs and projects are kept apart', () => {
  end(0, 'failed');
  end(0, 'failed');
  end(3, 'passed');
  expect(
    readLedger('p', 'spec')
      .ended.map(({ index }) => index)
      .sort(),
  ).toEqual([0, 3]);
  expect(readLedger('q', 'spec').ended).toEqual([]);
  expect(readLedger('p', 'other').ended).toEqual([]);
});

test('costs add up over the run, as far as they are known', () => {
  end(0, 'passed', 0.25);
  end(1, 'error', null);
  enter('q', 'other', { index: 0, outcome: 'failed', costUsd: 0.5 });
  expect(readLedger('p', 'spec')).toMatchObject({ spentUsd: 0.75, committedUsd: 0.75 });
});

test("a trial's cost is reserved until it ends, or is given back", () => {
  reserve('p', 'spec', 0, 0.1);
  const giveBack = reserve('p', 'spec', 1, 0.1);
  // What only runs is neither spent nor lost.
  expect(readLedger('p', 'spec')).toEqual({ ended: [], spentUsd: 0, committedUsd: 0.2 });
  end(0, 'failed', 0.02);
  giveBack();
  expect(readLedger('p', 'spec')).toMatchObject({ spentUsd: 0.02, committedUsd: 0.02 });
  // A trial that has ended reserves nothing more, and loses nothing.
  reserve('p', 'spec', 0, 5)();
  expect(readLedger('p', 'spec')).toMatchObject({ ended: [{ outcome: 'failed' }], committedUsd: 0.02 });
});

test('what a running trial spends counts at once, and if its worker dies', () => {
  reserve('p', 'spec', 0, 0.5);
  spend('p', 'spec', 0, 0.2);
  spend('p', 'spec', 0, 0.1);
  expect(readLedger('p', 'spec')).toEqual({ ended: [], spentUsd: expect.closeTo(0.3), committedUsd: 0.5 });
  spend('p', 'spec', 0, 0.4);
  expect(readLedger('p', 'spec')).toMatchObject({
    spentUsd: expect.closeTo(0.7),
    committedUsd: expect.closeTo(0.7),
  });
  // Nothing more is known of the trial.
  end(0, 'error', null);
  expect(readLedger('p', 'spec')).toMatchObject({
    ended: [{ outcome: 'error' }],
    spentUsd: expect.closeTo(0.7),
  });
  // Nor does a second record.
  end(0, 'error', null);
  expect(readLedger('p', 'spec')).toMatchObject({ spentUsd: expect.closeTo(0.7) });
  // Its record knows better.
  end(0, 'failed', 0.8);
  expect(readLedger('p', 'spec')).toMatchObject({ spentUsd: 0.8, committedUsd: 0.8 });
  // An answer that was broken off with the trial is counted a moment later.
  spend('p', 'spec', 0, 0.1);
  expect(readLedger('p', 'spec')).toMatchObject({
    ended: [{ outcome: 'failed' }],
    spentUsd: expect.closeTo(0.9),
  });
});

test('what was only reserved has not been spent, if nothing is known of the end', () => {
  reserve('p', 'spec', 0, 0.5);
  end(0, 'error', null);
  expect(readLedger('p', 'spec')).toMatchObject({ spentUsd: 0, committedUsd: 0 });
});

test('a new run begins empty, and a closed ledger leaves nothing behind and tells nothing', () => {
  end(0, 'failed', 1);
  const folder = process.env.TASKPROOF_LEDGER!;
  openLedger({ judged: false });
  expect(existsSync(folder)).toBe(false);
  expect(isJudged()).toBe(false);
  expect(readLedger('p', 'spec')).toEqual(NOTHING);
  closeLedger();
  end(0, 'failed');
  expect(readLedger('p', 'spec')).toEqual(NOTHING);
});

test('the ledger of a run that started this one stays', () => {
  const outer = mkdtempSync(join(tmpdir(), 'taskproof-1-'));
  process.env.TASKPROOF_LEDGER = outer;
  openLedger({ judged: true });
  closeLedger();
  expect(existsSync(outer)).toBe(true);
  rmSync(outer, { recursive: true });
});

test.each(['../../evil', 'a/b', 'x'.repeat(65)])('a TASKPROOF_RUN_ID that no run has is refused: %s', id => {
  vi.stubEnv('TASKPROOF_RUN_ID', id);
  expect(runId).toThrow(/TASKPROOF_RUN_ID is ".*": set it to the `runId` of a record/);
  vi.stubEnv('TASKPROOF_RUN_ID', 'aB3_-x');
  expect(runId()).toBe('aB3_-x');
});
