// A run that the command line started: what it changes in the options and the seeds of its trials.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import {
  CHECK_RUN,
  type CheckRun,
  checkedOptions,
  closeLedger,
  enter,
  lostTrials,
  needlessReason,
  openLedger,
  seedOffset,
  spentUsd,
  wantedOf,
} from '../../../src/playwright/ledger';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'check-run-'));
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

function begin(check: Omit<CheckRun, 'outputFile'>): void {
  const file = join(folder, 'check.json');
  writeFileSync(file, JSON.stringify({ ...check, outputFile: 'results.json' }));
  vi.stubEnv(CHECK_RUN, file);
}

const options = { agent: { name: 'mine', run: async () => {} }, judge: {}, earlyStop: true, record: true };

test("a suite's own run is left as it is", () => {
  expect(checkedOptions(options)).toBe(options);
  expect(seedOffset()).toBe(0);
});

test('a confirmation plays other trials than the run before, all of them, and records none', () => {
  const wanted = { project: 'p', spec: 'cart', enough: 3, trials: 15, trialUsd: 0 };
  begin({ purpose: 'confirm', wanted: [wanted] });
  expect(seedOffset()).toBeGreaterThan(25);
  expect(checkedOptions(options)).toEqual({ ...options, earlyStop: false, record: false });
  expect(wantedOf('p', 'cart')).toEqual(wanted);
  expect(wantedOf('p', 'docs')).toBeUndefined();
});

test('a probe asks neither agent nor judge', async () => {
  begin({ purpose: 'probe' });
  const { agent, judge } = checkedOptions(options) as typeof options;
  expect(agent).not.toBe(options.agent);
  await expect(agent.run()).resolves.toBeUndefined();
  expect(judge).toBeUndefined();
});

test("a trial's cost is reserved until it ends: no trial starts that may pass the cap", () => {
  const wanted = { project: 'p', spec: 'cart', enough: 2, trials: 15, trialUsd: 0.1 };
  begin({ purpose: 'confirm', wanted: [wanted], maxCostUsd: 0.25 });
  openLedger({ judged: true });
  onTestFinished(closeLedger);
  const tooMuch = 'another trial could cost more than the $0.25 of --max-cost';
  expect([0, 1, 2].map(index => needlessReason(wanted, index))).toEqual([undefined, undefined, tooMuch]);
  expect(needlessReason({ ...wanted, spec: 'docs' }, 0)).toBe(tooMuch);
  // What only runs is neither spent nor lost.
  expect([spentUsd(), lostTrials('p', 'cart')]).toEqual([0, 0]);
  enter('p', 'cart', { index: 0, outcome: 'failed', costUsd: 0.02 });
  expect([spentUsd(), lostTrials('p', 'cart')]).toEqual([0.02, 1]);
  expect(needlessReason(wanted, 2)).toBeUndefined();
  // A trial that has ended reserves nothing more.
  expect(needlessReason({ ...wanted, trialUsd: 0 }, 0)).toBeUndefined();
  expect(spentUsd()).toBe(0.02);
  enter('p', 'cart', { index: 1, outcome: 'failed', costUsd: 0 });
  expect(needlessReason(wanted, 2)).toBe('the answer is clear: regressed');
});
