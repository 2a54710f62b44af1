// Where the generated tests seem to live, what the runner's own filters make of them, and which site they open.
import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { config, makeSuite, PAGE, spec, startSite } from './suite';

const TEST_FILE = `// The call stands on line 5.
import { taskproofTests } from '@taskproof/playwright';
interface Unused { a: string }

taskproofTests('tasks/*.yaml', { tags: ['agents'] });
`;

async function makeTagged(type: string) {
  const site = await startSite({ '/': PAGE });
  // There is no such host: `origin` is another.
  const url = 'https://shop.example.test/';
  return makeSuite({
    'package.json': JSON.stringify({ type }),
    'playwright.config.ts': config({ taskproof: `{ origin: 'baseURL' }` }).replace(
      'use: {',
      `use: { baseURL: '${site.url}/app/',`,
    ),
    'tasks/one.yaml': spec({ id: 'one', url, extra: 'tags: [smoke]', k: 2 }),
    'tasks/two.yaml': spec({ id: 'two', url, extra: 'tags: [docs]' }),
    'agents.spec.ts': TEST_FILE,
    'other.spec.ts': `import { test } from '@playwright/test'; test('other', () => {});`,
  });
}

/** The specs of the trials that are told at the line of the call. */
const listed = (output: string) =>
  [...output.matchAll(/agents\.spec\.ts:5:\d+ › (\w+)/g)].map(([, id]) => id!).sort();

test.each(['commonjs', 'module'])(
  'in a suite of type %s: --only-changed after an edit of a spec lists its test file, at the line of the call',
  async type => {
    const suite = await makeTagged(type);
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=x', '-c', 'user.email=x@example.com', ...args], {
        cwd: suite.folder,
      });
    git('init', '-q');
    suite.write({ '.gitignore': 'test-results\nnode_modules\n*.json\nplaywright-report\n' });
    git('add', '.');
    git('commit', '-qm', 'all');
    suite.write({ 'tasks/one.yaml': `${suite.read('tasks/one.yaml')}# edited\n` });
    const { exitCode, output } = await suite.playwright(['test', '--list', '--only-changed']);
    expect(exitCode, output).toBe(0);
    expect(listed(output)).toEqual(['one', 'one', 'two']);
    expect(output).not.toMatch(/other|undecided/);
    expect(suite.exists('taskproof-results.json')).toBe(false);
  },
);

test('without our reporter a line of the test file and the tags of spec and call select, repeats beyond k are skipped, the site is that of the baseURL, and no verdict is announced once', async () => {
  const suite = await makeTagged('commonjs');
  const selected = ['agents.spec.ts:5', '--grep=@(smoke|docs) @agents'];
  const run = await suite.playwright(['test', '--reporter=list', ...selected]);
  expect(listed(run.output)).toEqual(['one', 'one', 'two', 'two']);
  expect(run.exitCode, run.output).toBe(0);
  expect(run.output).toMatch(/1 skipped\n.*3 passed/);
  // Each repeat has a worker of its own.
  expect(run.output.split('No verdict will be computed')).toHaveLength(2);
  expect(run.output).toContain(
    'No verdict will be computed: "one" needs 2 of 2 trials to pass, but the reporter "@taskproof/playwright/reporter" is not used',
  );
});
