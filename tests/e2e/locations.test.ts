// Where the generated tests seem to live, and what the runner's own filters make of them.
import { execFileSync } from 'node:child_process';
import { beforeAll, describe, expect, test } from 'vitest';
import type { ResultRow } from '../../src/data/verdict';
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

const suites = new Map<string, Suite>();
const suiteOf = (type: string) => suites.get(type)!;
let unchanged: Run;
/** After an edit of a YAML file, with --only-changed; by the suite's type. */
const listings = new Map<string, Run>();
/** Of the spec `two`, chosen by line and tag, which `#never` loses; by the suite's type. */
const runs = new Map<string, { run: Run; verdicts: ResultRow[] }>();

beforeAll(async () => {
  const list = (suite: Suite) => suite.playwright(['test', '--list', '--only-changed']);
  for (const { pkg } of TYPES) {
    const suite = await makeTagged(pkg.type);
    suites.set(pkg.type, suite);
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=x', '-c', 'user.email=x@example.com', ...args], {
        cwd: suite.folder,
      });
    git('init', '-q');
    suite.write({ '.gitignore': 'test-results\nnode_modules\n*.json\nplaywright-report\n' });
    git('add', '.');
    git('commit', '-qm', 'all');
    if (pkg.type === 'commonjs') unchanged = await list(suite);
    suite.write({ 'tasks/one.yaml': `${suite.read('tasks/one.yaml')}# edited\n` });
    listings.set(pkg.type, await list(suite));
    expect(suite.exists('taskproof-results.json')).toBe(false);
  }
  const play = async (type: string, flag: string) => {
    const run = await suiteOf(type).playwright(['test', 'agents.spec.ts:5', '--grep=@docs', flag]);
    runs.set(type, { run, verdicts: run.results().verdicts });
  };
  await play('commonjs', '--repeat-each=2');
  const lost = suiteOf('module');
  lost.write({ 'tasks/two.yaml': lost.read('tasks/two.yaml').replace('#done', '#never') });
  await play('module', '--retries=2');
});

describe.each(TYPES)('$name', ({ pkg }) => {
  test('--list shows the caller’s line, k tests a spec, and judges nothing', () => {
    const { exitCode, output } = listings.get(pkg.type)!;
    expect(exitCode, output).toBe(0);
    expect(listed(output).sort()).toEqual(['one', 'one', 'two']);
    expect(output).not.toContain('undecided');
  });

  test('--only-changed after an edit of a YAML file selects its test file', () => {
    expect(listed(listings.get(pkg.type)!.output)).toContain('one');
    expect(listings.get(pkg.type)!.output).not.toContain('other');
  });

  test('a line of the test file and a tag select what runs and is judged', () => {
    const { run, verdicts } = runs.get(pkg.type)!;
    expect(
      verdicts.map(row => row.spec),
      run.output,
    ).toEqual(['two']);
    expect(run.output).not.toContain('other.spec.ts');
  });
});

test('--only-changed without an edit selects nothing', () => {
  expect(unchanged.output).toContain('Total: 0 tests');
});

test('a run in which no spec is selected is no run of ours', async () => {
  const suite = suiteOf('commonjs');
  suite.remove('taskproof-results.json');
  const run = await suite.playwright(['test', '--grep-invert', '@taskproof']);
  expect(run.exitCode, run.output).toBe(0);
  expect(run.output).toContain('1 passed');
  expect(suite.exists('taskproof-results.json')).toBe(false);
});

test('--repeat-each=N: the policy is N, and the output says so', () => {
  const { run, verdicts } = runs.get('commonjs')!;
  expect(run.exitCode, run.output).toBe(0);
  expect(verdicts).toMatchObject([{ spec: 'two', k: 2, minPasses: 1, passes: 2 }]);
  expect(run.output).toContain('--repeat-each=2 overrides k');
});

describe('without our reporter', () => {
  let run: Run;
  beforeAll(async () => {
    run = await suiteOf('commonjs').playwright(['test', '--reporter=list', '--grep', '@agents']);
  });

  test('a tag of the call selects all its specs', () => {
    expect(listed(run.output).sort()).toEqual(['one', 'one', 'two', 'two']);
    expect(run.output).not.toContain('other.spec.ts');
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

test('--retries are no trials', () => {
  const { run, verdicts } = runs.get('module')!;
  expect(run.exitCode, run.output).toBe(1);
  expect(run.output).not.toContain('retry #1');
  expect(verdicts[0]).toMatchObject({ passes: 0, failures: 1, verdict: 'failed' });
});
