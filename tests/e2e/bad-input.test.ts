// What a user may get wrong: each gets one clear message that says what to do.
import { beforeAll, describe, expect, test } from 'vitest';
import { config, makeSuite, type Run, spec, startSite, TASKS_TEST } from './suite';

const good = spec({ id: 'good', url: 'http://127.0.0.1:9/' });

const POLICY = `import { test } from '@playwright/test';\nimport { passPolicy } from '@taskproof/playwright';\n`;

interface Row {
  name: string;
  files: Record<string, string>;
  says: RegExp[];
}

const rows: Row[] = [
  {
    name: 'options with a typo',
    files: {
      'playwright.config.ts': config({ taskproof: '{ agnet: lexical(), turnTimeoutMs: -1 } as never' }),
      'tasks/good.yaml': good,
    },
    says: [/project "agents"/, /agnet: unknown option; known are agent/, /turnTimeoutMs: /],
  },
  {
    name: 'a reporter option with a typo',
    files: {
      'playwright.config.ts': config({
        reporters: `[['list'], ['@taskproof/playwright/reporter', { output: 'x.json' }]]`,
      }),
      'tasks/good.yaml': good,
    },
    says: [/output: unknown option; known are outputFile/],
  },
  {
    name: 'a k above repeatEach, of a spec and of a test, and a policy in a serial describe',
    files: {
      'playwright.config.ts': config({
        projects: `[
          { name: 'agents', repeatEach: 2, testMatch: 'tasks.spec.ts' },
          { name: 'tests', repeatEach: 2, testMatch: 'tests.spec.ts' },
        ]`,
      }),
      'tasks/good.yaml': spec({ id: 'good', url: 'http://127.0.0.1:9/', k: 3 }),
      'tests.spec.ts': `${POLICY}test('x', passPolicy({ k: 3, minPasses: 3 }), () => {});
test.describe.serial('s', () => { test('y', passPolicy({ k: 2, minPasses: 1 }), () => {}); });`,
    },
    says: [
      /spec "good" needs k: 3, but project "agents" runs each test 2 times/,
      /repeats\('/,
      /repeatEach: 3/,
      /test "x" needs k: 3, but project "tests" runs each test 2 times\. Add `\.\.\.repeats\(\{ atLeast: 3 \}\)`/,
      /test "y" \(.*\) has a pass policy in a serial describe/,
    ],
  },
  {
    name: 'secrets without a value, in two projects',
    files: {
      'playwright.config.ts': config({
        taskproof: '{ secrets: { SHOP_PASSWORD: process.env.NOT_SET } }',
        projects: `[
          { name: 'one', grep: /login/ },
          { name: 'two', grep: /admin/, use: { taskproof: { secrets: { PIN: undefined, CODE: undefined } } } },
        ]`,
      }),
      'tasks/login.yaml': spec({
        id: 'login',
        url: 'http://127.0.0.1:9/',
        goal: 'Log in with SHOP_PASSWORD',
      }),
      'tasks/admin.yaml': spec({ id: 'admin', url: 'http://127.0.0.1:9/', goal: 'Enter PIN and CODE' }),
    },
    says: [
      /project "one": use\.taskproof\.secrets: SHOP_PASSWORD has no value, but the goal of login needs it\. Set the environment variables that the values come from\./,
      /project "two": use\.taskproof\.secrets: PIN, CODE have no value, but the goal of admin needs them\./,
      /^(?![\s\S]*at .*dist)/,
    ],
  },
];

/** What was said, without the lines of code that Playwright shows beside it: these have the words of the input. */
function said(output: string): string {
  return output.replace(/^ *>? *\d* \|.*$/gm, '');
}

const SPECS_OF = (globs: string) =>
  `import { taskproofTests } from '@taskproof/playwright';\ntaskproofTests(${globs});`;

describe('while tests are collected', () => {
  let run: Run;

  // One run of several test files: Playwright shows what is wrong in each.
  beforeAll(async () => {
    const suite = makeSuite({
      'playwright.config.ts': config({ projects: `[{ name: 'agents' }]` }),
      'matchless.spec.ts': SPECS_OF(`'nowhere/*.yaml'`),
      'twice.spec.ts': SPECS_OF(`'same/*.yaml'`),
      'same/one.yaml': good,
      'same/two.yaml': good,
      'typeless.spec.ts': SPECS_OF('42 as never'),
      'policy.spec.ts': `${POLICY}test('x', passPolicy({ k: 2, minPasses: 3 }), () => {});`,
    });
    run = await suite.playwright(['test']);
  });

  test.each([
    { name: 'no spec matches', says: [/nowhere\/\*\.yaml/, /matchless\.spec\.ts/] },
    {
      name: 'two files with one id',
      says: [/2 files have the id "good"/, /same\/one\.yaml/, /same\/two\.yaml/],
    },
    { name: 'a glob that is not a string', says: [/a glob for task specs must be .* got .*number/] },
    { name: 'a policy that can not be met', says: [/passPolicy\(\): minPasses: must not be above k/] },
  ])('$name', ({ says }) => {
    expect(run.exitCode, run.output).toBe(1);
    for (const pattern of says) expect(said(run.output)).toMatch(pattern);
    expect(run.output, 'no test ran').not.toMatch(/\d+ passed/);
  });
});

test.each(rows)('$name', async ({ files, says }) => {
  const suite = makeSuite({ 'playwright.config.ts': config(), 'tasks.spec.ts': TASKS_TEST, ...files });
  const run = await suite.playwright(['test']);
  expect(run.exitCode, run.output).toBe(1);
  for (const pattern of says) expect(said(run.output)).toMatch(pattern);
  expect(run.output, 'no test ran').not.toMatch(/\d+ passed/);
});

test('an entryUrl that nothing listens on', async () => {
  const site = await startSite({});
  await site.close();
  const suite = makeSuite({
    'playwright.config.ts': config(),
    'tasks.spec.ts': TASKS_TEST,
    'tasks/gone.yaml': spec({ id: 'gone', url: `${site.url}/start`, k: 1 }),
  });
  const run = await suite.playwright(['test']);
  expect(run.exitCode, run.output).toBe(1);
  const [verdict] = run.results().verdicts;
  expect(verdict).toMatchObject({ verdict: 'inconclusive', errors: 1, failures: 0 });
  expect(verdict!.trials[0]).toMatchObject({ outcome: 'error', errorKind: 'site_unreachable' });
  expect(verdict!.reason).toContain(`${site.url}/start`);
  expect(said(run.output)).toContain('gone.yaml');
});
