import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestCase } from '@playwright/test/reporter';
import { expect, test } from 'vitest';
import { cliFiles } from '../../../agent-programs/mcp/programs.mjs';
import { isChecked, requirePlaywright, whatMoved } from '../../../src/playwright/inside/version';
import { tempFolder } from '../../support/temp-folder';

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
test.each<[object, RegExp | undefined]>([
  [today, undefined],
  [{ ...today, parent: { ...today.parent, _use: undefined } }, undefined],
  [{ ...today, parent: {} }, /reported late/],
  [
    {
      parent: {},
      location: { file: '/suite/node_modules/@taskproof/playwright/dist/playwright/declare.js' },
    },
    /, verdicts .* tags; runs .* resumed; tests .* workers .* do; wrong .* late; specs seem .* Update @taskproof/,
  ],
])('what moved: %#', (declared, said) => {
  const moved = whatMoved(declared as TestCase, '1.99.0');
  if (said) expect(moved).toMatch(said);
  else expect(moved).toBeUndefined();
});

test('of the installed version all is in its place', () => {
  expect(() => requirePlaywright()).not.toThrow();
  expect(() => cliFiles()).not.toThrow();
});

test.each(['1.64.1', '1.99.0'])('Playwright %s without what --cli needs is named', version => {
  const folder = tempFolder();
  for (const name of ['playwright', 'playwright-core']) {
    mkdirSync(join(folder, 'node_modules', name), { recursive: true });
    writeFileSync(join(folder, 'node_modules', name, 'package.json'), JSON.stringify({ name, version }));
  }
  expect(() => cliFiles(join(folder, 'cli.js'))).toThrow(`--cli does not work with Playwright ${version}`);
});

test.each([
  ['1.64.1', true],
  ['1.65.0', true],
  ['1.65.12', true],
  ['1.66.0', false],
  ['1.66.0-alpha-2026', false],
  ['1.100.0', false],
  ['2.0.0', false],
])('Playwright %s: what could change unnoticed is checked: %s', (version, known) => {
  expect(isChecked(version)).toBe(known);
});
