// Whether the errors of a run reach the terminal by a reporter of Playwright, or have to be printed.
import type { FullConfig } from '@playwright/test/reporter';
import { expect, test } from 'vitest';
import { printsErrors } from '../../../../src/playwright/inside/command-line';

const OURS = '/suite/node_modules/@taskproof/playwright/dist/reporter.js';

test.each<[string, FullConfig['reporter'], boolean, boolean]>([
  ['list', [['list'], [OURS]], true, true],
  ['html alone, beside which Playwright adds one', [['html'], [OURS]], true, false],
  [
    'json and junit in files',
    [
      ['json', { outputFile: 'a.json' }],
      ['junit', { outputFile: 'a.xml' }],
    ],
    true,
    false,
  ],
  ['json in the terminal', [['json'], [OURS]], false, false],
  ['one that is not known', [['./my-reporter.ts'], [OURS]], false, false],
])('%s', (_, reporter, inRun, inMerge) => {
  expect(printsErrors({ reporter }, false, [])).toBe(inRun);
  expect(printsErrors({ reporter }, true, [])).toBe(inMerge);
});

test('the command line names them instead', () => {
  expect(printsErrors({ reporter: [['json']] }, false, ['--reporter=dot,html'])).toBe(true);
});
