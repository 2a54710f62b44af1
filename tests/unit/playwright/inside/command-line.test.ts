import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import {
  isFiltered,
  isInteractive,
  isListing,
  isMerging,
  isTestCommand,
  repeatEachOverride,
  selectsProjects,
} from '../../../../src/playwright/inside/command-line';

const argv = (...args: string[]) => ['node', 'playwright', 'test', ...args];
afterEach(() => vi.unstubAllEnvs());

describe('--repeat-each', () => {
  test.each([
    [[], undefined],
    [['--repeat-each=3'], 3],
    [['--repeat-each', '7'], 7],
    [['--repeat-each=2', '--repeat-each=5'], 5],
    [['--repeat-each=nonsense'], undefined],
    [['-u', '--repeat-each=3'], 3],
    [['--only-changed', '--repeat-each=3'], 3],
    [['--debug', '--repeat-each=3'], 3],
    [['--shuffle', '--repeat-each', '3'], 3],
    [['--update-snapshots', 'changed', '--repeat-each', '3'], 3],
  ])('%j is %s', (args, repeats) => {
    vi.stubEnv('TASKPROOF_REPEAT_EACH', '9');
    expect(repeatEachOverride(argv(...args))).toBe(repeats);
  });

  test('a run that a test starts has its own', () => {
    repeatEachOverride(argv('--repeat-each=4'));
    vi.stubEnv('TEST_WORKER_INDEX', '0');
    const { send } = process;
    onTestFinished(() => void Object.assign(process, { send }));
    // Only a worker has a channel to the main process.
    Object.assign(process, { send: undefined });
    expect(repeatEachOverride(argv())).toBeUndefined();
  });

  test('a worker, which has no such command line, inherits it', () => {
    repeatEachOverride(argv('--repeat-each=4'));
    vi.stubEnv('TEST_WORKER_INDEX', '0');
    expect(repeatEachOverride(['node', 'workerProcessEntry.js'])).toBe(4);
  });
});

test.each([
  [['--list'], true, false],
  [['--ui'], false, true],
  [['--ui-port=0'], false, true],
  [['--ui-host=127.0.0.1'], false, true],
  [['--debug'], false, true],
  [['--debug=cli'], false, true],
  [['-u', '--list'], true, false],
  [['-u', '--debug', '--list'], true, true],
  [['--grep', 'ui'], false, false],
  [['--grep', '--list'], false, false],
  [['--project', 'test-server'], false, false],
  [['test-server', 'merge-reports'], false, false],
])('%j: listing %s, interactive %s', (args, listing, interactive) => {
  expect(isListing(argv(...args))).toBe(listing);
  expect(isInteractive(argv(...args))).toBe(interactive);
  expect(isMerging(argv(...args))).toBe(false);
});

test.each<[string, boolean]>([
  ['', false],
  ['--project=opus --workers 2', false],
  ['--project opus sonnet', false],
  ['-c other.config.ts --reporter line --shard 1/2 --repeat-each 5', false],
  ['--add-reporter github', false],
  ['--grep cart', true],
  ['-G cart', true],
  ['-g cart', true],
  ['--grep-invert=cart', true],
  ['--last-failed', true],
  ['-u --last-failed', true],
  ['--shuffle -g cart', true],
  ['-u all', false],
  ['-u', false],
  ['--only-changed', true],
  ['tasks.spec.ts:3', true],
  ['--workers 2 tasks.spec.ts', true],
])('playwright test %s: a part of the suite is %s', (line, expected) => {
  const given = argv(...line.split(' ').filter(Boolean));
  expect(isFiltered(given)).toBe(expected);
  expect(selectsProjects(given)).toBe(line.includes('--project'));
});

test.each(['test-server', 'run-test-mcp-server'])('%s is interactive, whatever else it is given', command => {
  expect(isInteractive(['node', 'cli.js', command, '-c', 'test/playwright.config.ts'])).toBe(true);
});

test('merge-reports filters nothing by its own arguments', () => {
  expect(isFiltered(['node', 'cli.js', 'merge-reports', '--config=merge.config.ts', 'blobs'])).toBe(false);
});

test.each([
  ['/app/node_modules/.bin/playwright', 'test', true],
  ['/app/node_modules/@playwright/test/cli.js', 'test', true],
  ['C:\\app\\node_modules\\playwright\\cli.js', 'test', true],
  ['/app/node_modules/.bin/playwright', 'merge-reports', false],
  ['/app/node_modules/.bin/mocha', 'test', false],
  ['/playwright/node_modules/ava/cli.js', 'test', false],
])('the config is only read in `playwright test`: %s %s', (file, command, expected) => {
  vi.stubEnv('TEST_WORKER_INDEX', undefined);
  expect(isTestCommand(['node', file, command])).toBe(expected);
  vi.stubEnv('TEST_WORKER_INDEX', '0');
  expect(isTestCommand(['node', file, command])).toBe(false);
});
