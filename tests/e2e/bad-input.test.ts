// What a user gets wrong is said before any test runs, as one clear message. The rules have their cases in tests/unit.
import { expect, test } from 'vitest';
import { config, makeSuite, spec } from './suite';

const good = spec({ id: 'good', url: 'http://127.0.0.1:9/' });

/** What was said, without the lines of code that Playwright shows beside it: these have the words of the input. */
const said = (output: string) => output.replace(/^ *>? *\d* \|.*$/gm, '');

test('while tests are collected, each file says what is wrong with it', async () => {
  const calls = (args: string) =>
    `import { taskproofTests } from '@taskproof/playwright';\ntaskproofTests(${args});`;
  const run = await makeSuite({
    'playwright.config.ts': config({ projects: `[{ name: 'agents' }]` }),
    'matchless.spec.ts': calls(`'nowhere/*.yaml'`),
    'twice.spec.ts': calls(`'same/*.yaml'`),
    'same/one.yaml': good,
    'same/two.yaml': good,
    'typeless.spec.ts': calls('42 as never'),
    'unknown.spec.ts': calls(`'same/one.yaml', { check: { goood: () => {} } } as any`),
    'whole.spec.ts': calls(`'same/one.yaml', { check: given => { given.page.url(); } } as any`),
    'missing.spec.ts': calls(`'same/one.yaml', { prepare: ({ dbb }) => {} } as any`),
    'policy.spec.ts': `import { test } from '@playwright/test';
import { passPolicy } from '@taskproof/playwright';
test('x', passPolicy({ k: 2, minPasses: 3 }), () => {});`,
  }).playwright(['test']);
  expect(run.exitCode, run.output).toBe(1);
  for (const pattern of [
    ...[/nowhere\/\*\.yaml/, /matchless\.spec\.ts/],
    ...[/2 files have the id "good"/, /same\/one\.yaml/, /same\/two\.yaml/],
    /a glob for task specs must be .* got .*number/,
    /passPolicy\(\): minPasses: must not be above k/,
    /check: no spec that matches "same\/one\.yaml" has the id "goood"\. Did you mean "good"\?/,
    /check: its first parameter is not a destructured object/,
    /Test has unknown parameter "dbb"/,
  ])
    expect(said(run.output)).toMatch(pattern);
  expect(run.output, 'no test ran').not.toMatch(/\d+ passed/);
});

test('a test that can not get its agent or a secret is an error of the set-up, told without the value of one', async () => {
  const run = await makeSuite({
    'playwright.config.ts': config({
      projects: `[{ name: 'agents', ...repeats({ atLeast: 1 }) }]`,
    }).replace('agent: lexical(), ', ''),
    'needy.yaml': spec({
      ...{ id: 'needy', url: 'http://127.0.0.1:9/', goal: 'Enter <secret>GONE</secret>' },
      assertions: "  - { type: network, urlPattern: '**', body: { pin: '<secret>LOST</secret>' } }",
    }).replace("'0.1'", 'playwright/1'),
    'chat.spec.ts': `import { passPolicy, taskproofTests, test as base } from '@taskproof/playwright';
const agent = { name: 'mine', preflight() { throw new Error('no access with ' + process.env.VALUE); }, async run() {} };
// Only the worker knows it.
const test = base.extend({ taskproof: async ({}, use) => use({ agent, secrets: { PW: process.env.VALUE } }) });
const wrong = base.extend({ taskproof: async ({}, use) => use({ secrets: { PIN: 4711 } }) });
const lost = base.extend({ taskproof: async ({}, use) => use({ agent, secrets: { GONE: process.env.GONE, LOST: '' } }) });
taskproofTests('needy.yaml', { test: lost });
for (const [title, given] of [['nobody helps', base], ['the assistant helps', test], ['a number', wrong]] as const)
  given(title, passPolicy({ k: 1, minPasses: 1 }), async ({ agent }) => {
    await agent.run('Help');
  });`,
  }).playwright(['test'], { VALUE: 'hunter2secret' });
  expect(run.exitCode, run.output).toBe(1);
  const inconclusive = { verdict: 'inconclusive', failures: 0, errors: 1 };
  expect(run.results().verdicts).toMatchObject([
    {
      ...{ spec: 'a number', ...inconclusive },
      trials: [
        { errorKind: 'setup', reason: expect.stringContaining('secrets.PIN: must be a string, a function') },
      ],
    },
    {
      ...{ spec: 'needy', ...inconclusive },
      trials: [
        { errorKind: 'setup', reason: expect.stringContaining('GONE, LOST have no value, but "needy"') },
      ],
    },
    {
      ...{ spec: 'nobody helps', ...inconclusive },
      trials: [{ errorKind: 'setup', reason: expect.stringContaining('no agent is configured') }],
    },
    {
      ...{ spec: 'the assistant helps', ...inconclusive },
      trials: [{ errorKind: 'setup', reason: 'no access with <secret>PW</secret>' }],
    },
  ]);
  expect(said(run.output)).toContain('4 trials with error: setup');
  expect(run.output).not.toMatch(/hunter2secret|4711(?!\s*\})/);
});
