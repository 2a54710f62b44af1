import type { TestCase, TestRun } from '@playwright/test/reporter';
import { expect, test } from 'vitest';
import { requirePlaywright, whatMoved } from '../../../src/playwright/inside/version';

test.each(['1.64.0', '1.65.1', '1.100.0', '2.0.0', '1.66.0-alpha-2026'])('Playwright %s will do', version => {
  expect(() => requirePlaywright(version)).not.toThrow();
});

test.each(['1.63.9', '1.9.0', '0.99.0'])(
  'Playwright %s is too old, which is said in one sentence',
  version => {
    expect(() => requirePlaywright(version)).toThrow(
      `taskproof: @taskproof/playwright requires Playwright 1.64 or newer, but ${version} is installed.`,
    );
  },
);

const today = {
  _tags: [],
  _testType: {},
  _appendTestResult: () => undefined,
  parent: { _use: [], type: 'file', parent: { type: 'project', _fullProject: {} } },
  location: { file: '/suite/tasks.spec.ts', line: 1, column: 1 },
};
const exclude = () => undefined;

test.each([
  [today, { exclude }, undefined],
  [today, {}, /one by one/],
  [{ ...today, parent: { ...today.parent, _use: undefined } }, { exclude }, undefined],
  [{ ...today, parent: {} }, { exclude }, /reported late/],
  [
    {
      parent: {},
      location: { file: '/suite/node_modules/@taskproof/playwright/dist/playwright/declare.js' },
    },
    {},
    /one by one; verdicts .* tags; runs .* resumed; tests .* workers .* do; wrong .* late; specs seem .* Update @taskproof/,
  ],
])('what moved: %#', (declared, testRun, said) => {
  const moved = whatMoved(declared as unknown as TestCase, testRun as Partial<TestRun>, '1.99.0');
  if (said) expect(moved).toMatch(said);
  else expect(moved).toBeUndefined();
});

test('of the installed version all is in its place', () => {
  expect(() => requirePlaywright()).not.toThrow();
});
