// A run that the command line started: what it changes in the options and the seeds of its trials.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import {
  CHECK_RUN,
  type CheckRun,
  optionsInRun,
  runSettings,
  seedOffset,
} from '../../../../src/playwright/run/settings';
import { tempFolder } from '../../../support/temp-folder';

afterEach(() => void vi.unstubAllEnvs());

function begin(check: Omit<CheckRun, 'outputFile'>): void {
  const file = join(tempFolder(), 'check.json');
  writeFileSync(file, JSON.stringify({ ...check, outputFile: 'results.json' }));
  vi.stubEnv(CHECK_RUN, file);
}

const options = { agent: { name: 'mine', run: async () => {} }, judge: {}, earlyStop: true, record: true };

test("a suite's own run is left as it is", () => {
  expect(optionsInRun(options)).toBe(options);
  expect(seedOffset()).toBe(0);
});

test('a confirmation plays other trials than the run before, all of them, and records none', () => {
  const wanted = { project: 'p', spec: 'cart', enough: 3, trials: 15, trialUsd: 0 };
  begin({ purpose: 'confirm', wanted: [wanted] });
  expect(seedOffset()).toBeGreaterThan(25);
  expect(optionsInRun(options)).toEqual({ ...options, earlyStop: false, record: false });
  expect(runSettings()).toMatchObject({ purpose: 'confirm', wanted: [wanted], judged: false });
});

test('a probe asks neither agent nor judge', async () => {
  begin({ purpose: 'probe' });
  const { agent, judge } = optionsInRun(options) as typeof options;
  expect(agent).not.toBe(options.agent);
  await expect(agent.run()).resolves.toBeUndefined();
  expect(judge).toBeUndefined();
});
