import { expect, test } from 'vitest';
import { version } from '../../../package.json';
import { suite } from './suite';

test('--version is that of the package', async () => {
  expect(await suite().taskproof(['--version'])).toEqual({ code: 0, out: version, err: '' });
});

test('--help lists the commands', async () => {
  const { code, out } = await suite().taskproof(['--help']);
  expect(code).toBe(0);
  for (const name of ['init', 'validate', 'schema', 'baseline', 'diff']) expect(out).toContain(`  ${name} `);
});

test.each([
  'init',
  'validate',
  'schema',
  'baseline save',
  'diff',
  'confirm',
  'probe',
  'record',
  'trend',
  'aa',
  'judge label',
  'judge check',
])('%s --help shows examples', async command => {
  const { code, out } = await suite().taskproof([...command.split(' '), '--help']);
  expect(code).toBe(0);
  expect(out).toContain(`Usage: taskproof ${command} `);
  expect(out).toContain('Options:');
  expect(out).toContain(`Examples:\n  taskproof ${command}`);
});

test.each<[string[], number, string]>([
  [['validat'], 1, 'Did you mean validate?'],
  [['schema', '--result'], 1, 'Did you mean --results?'],
  [['schema', 'extra'], 1, 'too many arguments'],
  [['judge', 'label'], 2, 'There is nothing to label: no trial that a judge has graded is kept in'],
  [['judge', 'check'], 2, 'taskproof-labels.json. Add some: npx taskproof judge label'],
  [['confirm', '--config=x'], 2, 'Arguments for Playwright stand after --, which PowerShell needs in quotes'],
  [['confirm', '--nothing', '--', '-x'], 2, 'Run it with --help to see its usage.'],
  [['diff'], 2, 'taskproof-baseline.json does not exist'],
  [['diff', 'a', 'b', '--json', '--markdown'], 2, 'cannot be used with'],
])('%j is refused', async (args, code, message) => {
  const result = await suite().taskproof(args);
  expect(result.code).toBe(code);
  expect(result.err).toContain(message);
});

test('labels are beside the config, also if --config names its folder', async () => {
  const files = { 'e2e/playwright.config.ts': '' };
  const { err } = await suite(files).taskproof(['judge', 'check', '--', '--config=e2e']);
  expect(err.replaceAll('\\', '/')).toContain('e2e/taskproof-labels.json');
});
