// Where the generated tests seem to live, and what the runner's own filters make of them.
import { execFileSync } from 'node:child_process';
import { beforeAll, describe, expect, test } from 'vitest';
import { config, makeSuite, type Run, type Suite, spec, startSite } from './suite';

const TYPES = [
  { name: 'TypeScript, CommonJS', pkg: { type: 'commonjs' } },
  { name: 'TypeScript, ES modules', pkg: { type: 'module' } },
];

const TEST_FILE = `// The call stands on line 5.
import { taskproofTests } from '@taskproof/playwright';
interface Unused { a: string }

taskproofTests('tasks/*.yaml', { tags: ['agents'] });
`;

async function makeTagged(type: string) {
  const site = await startSite({
    '/': '<button onclick="done.hidden=false">Go</button><p id="done" hidden>Done</p>',
  });
  const url = `${site.url}/`;
  return makeSuite({
    'package.json': JSON.stringify({ type }),
    'playwright.config.ts': config({
      taskproof: '{ agent: lexical() }',
      reporters: `[['list'], ['@taskproof/playwright/reporter']]`,
    }),
    'tasks/one.yaml': spec({ id: 'one', url, extra: 'tags: [smoke]', k: 2 }),
    'tasks/two.yaml': spec({ id: 'two', url, extra: 'tags: [docs]' }),
    'agents.spec.ts': TEST_FILE,
    'other.spec.ts': `import { test } from '@playwright/test'; test('other', () => {});`,
  });
}

/** The specs that a listing selects, a line for each trial. */
function listed(output: string): string[] {
  return [...output.matchAll(/agents\.spec\.ts:5:\d+ › (\w+)/g)].map(([, id]) => id!);
}

// What is selected is the same in a listing as in a run, and tags and titles are the same in every kind of module.
const FILTERS = [
  { type: 'commonjs', args: ['--grep', '@smoke'], trials: ['one', 'one'] },
  { type: 'commonjs', args: ['--grep', '@agents'], trials: ['one', 'one', 'two'] },
  { type: 'module', args: ['agents.spec.ts:5'], trials: ['one', 'one', 'two'] },
];

const suites = new Map<string, Suite>();
/** By their filters; before there are results of a run. */
const listings = new Map<string, Run>();
beforeAll(async () => {
  for (const { pkg } of TYPES) suites.set(pkg.type, await makeTagged(pkg.type));
  for (const { type, args } of FILTERS)
    listings.set(args.join(), await suiteOf(type).playwright(['test', '--list', ...args]));
  for (const suite of suites.values()) expect(suite.exists('taskproof-results.json')).toBe(false);
});
const suiteOf = (type: string) => suites.get(type)!;

describe.each(TYPES)('$name', ({ pkg }) => {
  test('--list shows the caller’s line, k tests a spec, and judges nothing', () => {
    const { args } = FILTERS.findLast(({ type }) => type === pkg.type)!;
    const { exitCode, output } = listings.get(args.join())!;
    expect(exitCode, output).toBe(0);
    expect(listed(output).sort()).toEqual(['one', 'one', 'two']);
    expect(output).not.toContain('undecided');
  });

  test('--only-changed after an edit of a YAML file selects its test file', async () => {
    const suite = await makeTagged(pkg.type);
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=x', '-c', 'user.email=x@example.com', ...args], {
        cwd: suite.folder,
      });
    git('init', '-q');
    suite.write({ '.gitignore': 'test-results\nnode_modules\n*.json\nplaywright-report\n' });
    git('add', '.');
    git('commit', '-qm', 'all');
    const unchanged = await suite.playwright(['test', '--list', '--only-changed']);
    expect(unchanged.output).toContain('Total: 0 tests');
    suite.write({ 'tasks/one.yaml': `${suite.read('tasks/one.yaml')}# edited\n` });
    const changed = await suite.playwright(['test', '--list', '--only-changed']);
    expect(listed(changed.output)).toContain('one');
    expect(changed.output).not.toContain('other');
  });

  test('a line of the test file selects what runs and is judged', async () => {
    const run = await suiteOf(pkg.type).playwright(['test', 'agents.spec.ts:5', '--grep=@docs']);
    expect(run.exitCode, run.output).toBe(0);
    expect(run.results().verdicts).toMatchObject([{ spec: 'two', verdict: 'passed' }]);
  });
});

test.each(FILTERS)('$args selects $trials', ({ args, trials }) => {
  const { exitCode, output } = listings.get(args.join())!;
  expect(exitCode, output).toBe(0);
  expect(listed(output).sort()).toEqual(trials);
  expect(output).not.toContain('other.spec.ts');
});

test('a run in which no spec is selected is no run of ours', async () => {
  const suite = suiteOf('commonjs');
  suite.remove('taskproof-results.json');
  const run = await suite.playwright(['test', '--grep-invert', '@taskproof']);
  expect(run.exitCode, run.output).toBe(0);
  expect(run.output).toContain('1 passed');
  expect(suite.exists('taskproof-results.json')).toBe(false);
});

test('--repeat-each=N: the policy is N, and the output says so', async () => {
  const suite = suiteOf('commonjs');
  const run = await suite.playwright(['test', '--repeat-each=3', '--grep', '@taskproof']);
  expect(run.exitCode, run.output).toBe(0);
  expect(run.results().verdicts).toMatchObject([
    { spec: 'one', k: 3, minPasses: 2, passes: 3 },
    { spec: 'two', k: 3, minPasses: 1, passes: 3 },
  ]);
  expect(run.output).toContain('--repeat-each=3 overrides k');
});

describe('without our reporter', () => {
  let run: Run;
  beforeAll(async () => {
    run = await suiteOf('commonjs').playwright(['test', '--reporter=list', '--grep', '@taskproof']);
  });

  test('the body skips the repeats beyond k', () => {
    expect(run.exitCode, run.output).toBe(0);
    expect(run.output).toContain('3 passed');
    expect(run.output).toContain('1 skipped');
  });

  test('a run is told that it has no verdict', () => {
    // Each repeat has a worker of its own.
    expect(run.output.split('No verdict will be computed')).toHaveLength(2);
    expect(run.output).toContain(
      'No verdict will be computed: "one" needs 2 of 2 trials to pass, but the reporter "@taskproof/playwright/reporter" is not used',
    );
  });
});

test('--retries are no trials', async () => {
  const suite = suiteOf('commonjs');
  suite.write({ 'tasks/two.yaml': suite.read('tasks/two.yaml').replace('#done', '#never') });
  const run = await suite.playwright(['test', '--retries=2', '--grep', 'two']);
  expect(run.exitCode, run.output).toBe(1);
  expect(run.output).not.toContain('retry #1');
  expect(run.results().verdicts[0]).toMatchObject({ passes: 0, failures: 1, verdict: 'failed' });
});
