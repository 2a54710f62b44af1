import type { Page, TestInfo } from '@playwright/test';
import { describe, expect, test } from 'vitest';
import { defineAgent } from '../../../../src/agents/agent';
import { RunsOfTest } from '../../../../src/playwright/agent-runner';
import { originOf, type ReadyOptions, readyOptions } from '../../../../src/playwright/run/options';
import { checkedSecrets, missingSecrets } from '../../../../src/playwright/run/secrets';
import { checkReporterOptions } from '../../../../src/report/write';

const agent = defineAgent({ name: 'mine', run: async () => undefined });

test.each([
  [{}],
  [
    {
      maxCostUsd: 1,
      maxRunCostUsd: 20,
      turnTimeoutMs: 1000,
      origin: 'https://x.test:8443',
      earlyStop: true,
    },
  ],
  [{ origin: '' }],
  [{ origin: 'http://127.1:4571' }],
  [{ origin: 'baseURL' }],
  [{ secrets: { PASSWORD: 'x' } }],
  [{ secrets: { CODE: () => '1', MAIL: async () => '2' } }],
  [{ judge: { name: 'mine', judge: async () => ({ passed: true, reason: '' }) } }],
])('%j is accepted', options => {
  expect(() => readyOptions({ agent, ...options }, 'project "p"')).not.toThrow();
});

test.each([[undefined], [{}], [{ maxCostUsd: 1 }]])('%j names the agents to choose from', options => {
  expect(() => readyOptions(options, 'project "p"')).toThrow(
    /^project "p": no agent is configured[\s\S]*lexical\(\)[\s\S]*claude\([\s\S]*command\(/,
  );
});

test.each([
  [{ maxStep: 5 }, 'agent.run(): maxStep: unknown option. Known options: '],
  [{ maxSteps: '5' }, 'agent.run(): maxSteps: '],
])('agent.run(goal, %j) is refused before the page is used', async (options, message) => {
  const runner = new RunsOfTest({} as Page, { agent } as ReadyOptions, {} as TestInfo);
  await expect(runner.run('Go', options as never)).rejects.toThrow(message);
});

test.each([
  [agent, /is an agent\. Write `taskproof: \{ agent: \.\.\. \}`/],
  [{ agnet: agent }, /agnet: unknown option. Known options: agent, judge/],
  [{ agent: () => undefined }, /agent: must be an agent/],
  [{ agent: defineAgent({ name: 'x' } as never) }, /agent: must be an agent, with a function `run`/],
  [{ agent: defineAgent({ run: async () => undefined } as never) }, /agent: needs a `name`/],
  [{ agent: { name: '', run: async () => undefined } }, /agent: needs a `name`/],
  [{ judge: {} }, /judge: must be a judge/],
  [{ judge: { judge() {}, minAgreement: 7 } }, /judge: `minAgreement` must be from 0 to 1/],
  [{ maxCostUsd: 0 }, /maxCostUsd/],
  [{ maxCostUsd: Number.NaN }, /maxCostUsd: must be a number, not NaN/],
  [{ turnTimeoutMs: 1.5 }, /turnTimeoutMs/],
  [{ origin: 'https://x.test/path' }, /origin: must be 'baseURL' or an origin/],
  [{ agent: { ...agent, model: {} } }, /agent: `model` must be a text/],
  [{ origin: 'http://ada:pw@x.test' }, /origin: must be 'baseURL' or an origin/],
  [{ origin: 'x.test' }, /origin: must be 'baseURL' or an origin/],
  [{ secrets: { 'A B': 'x' } }, /secrets/],
  [{ secrets: { PIN: 1234 } }, /secrets\.PIN: must be a string, a function that returns one, or totp\(uri\)/],
  [{ one: 1, two: 2 }, /one: unknown option[\s\S]*two: unknown option/],
])('%j is refused', (options, message) => {
  expect(() => readyOptions({ agent, ...options }, 'project "p"')).toThrow(message);
  expect(() => readyOptions({ agent, ...options }, 'project "p"')).toThrow(/^project "p": use\.taskproof/);
});

test.each([{ PIN: 1234 }, new Map([['PW', 'x']]), 'PW', { 'A B': 'x' }])(
  'secrets that could not be masked are refused without an agent, too: %j',
  secrets => {
    expect(() => checkedSecrets({ secrets }, 'project "p"')).toThrow(
      /^project "p": use\.taskproof\.?.*secrets/,
    );
  },
);

describe('secrets without a value', () => {
  const options = readyOptions(
    { agent, secrets: { KNOWN: 'x', EMPTY: '', GONE: undefined, LOST: null } },
    'p',
  );

  test('are no error of the options, and not among those that have one', () => {
    expect(options).toMatchObject({
      secrets: { values: { KNOWN: 'x', EMPTY: '' } },
      missing: ['EMPTY', 'GONE', 'LOST'],
    });
  });

  test.each<[string[], string | undefined]>([
    [[], undefined],
    [['Sign in with KNOWN', 'The GONEST of LOST_ONES, gone'], undefined],
    [
      ['Type EMPTY'],
      'EMPTY has no value, but "s0" needs it. Set the environment variables that the values come from.',
    ],
    [
      ['Type <secret>GONE</secret>'],
      'GONE has no value, but "s0" needs it. Set the environment variables that the values come from.',
    ],
    [
      ['Look', 'GONE', 'LOST, "GONE"'],
      'GONE, LOST have no value, but "s1", "s2" need them. Set the environment variables that the values come from.',
    ],
  ])('goals %j: %s', (goals, said) => {
    const specs = goals.map((goal, index) => ({ id: `s${index}`, goal }));
    expect(missingSecrets(options, specs)).toBe(said && `use.taskproof.secrets: ${said}`);
  });

  test('bodies of assertions need theirs, too: without one, `never` would always hold', () => {
    const asked = (...secretsInBodies: string[]) =>
      missingSecrets(options, [{ id: 'a', goal: 'Look', secretsInBodies }]);
    expect(asked('KNOWN')).toBeUndefined();
    expect(asked('KNOWN', 'EMPTY')).toMatch(/: EMPTY has no value, but "a" needs it/);
    expect(asked('KNOWM')).toMatch(/ has no KNOWM, which "a" names. Did you mean KNOWN\?/);
  });

  test.each([
    ['KNOWM', 'Did you mean KNOWN?'],
    ['gone', 'Did you mean GONE?'],
    ['TOKEN', 'Add it.'],
  ])('one of a name that nobody knows is told: %s', (name, advice) => {
    expect(missingSecrets(options, [{ id: 'a', goal: `Type <secret>${name}</secret> and KNOWN.` }])).toBe(
      `use.taskproof.secrets has no ${name}, which "a" names. ${advice}`,
    );
  });
});

test.each([
  [undefined, 'http://base.test/app/', undefined],
  ['https://x.test', 'http://base.test/', 'https://x.test'],
  ['baseURL', 'http://base.test:8080/app/?a=1', 'http://base.test:8080'],
])('origin %j with the baseURL %j is %j', (origin, baseURL, expected) => {
  expect(originOf(readyOptions({ agent, origin }, 'p'), baseURL, 'p')).toBe(expected);
});

test.each([
  [
    undefined,
    /^project "p": use\.taskproof\.origin is 'baseURL', but there is no baseURL\. Set use\.baseURL/,
  ],
  ['/app', /baseURL is "\/app", not an http\(s\) URL/],
  ['about:blank', /not an http/],
  [
    'http://ada:violet@base.test/',
    /origin is 'baseURL', which has a user name or a password.*use\.httpCredentials/,
  ],
  ['http://ada@base.test/', /use\.httpCredentials/],
])("origin 'baseURL' with the baseURL %j is refused without a stack", (baseURL, message) => {
  const options = readyOptions({ agent, origin: 'baseURL' }, 'p');
  const refused = () => originOf(options, baseURL, 'project "p"');
  expect(refused).toThrow(message);
  expect(refused).toThrow(expect.objectContaining({ stack: expect.not.stringMatching(/\n\s+at /) }));
});

test('the reporter refuses what it does not know, and takes what Playwright adds', () => {
  expect(checkReporterOptions({ configDir: '/x', _mode: 'test', onlyFailures: false })).toEqual({
    outputFile: 'taskproof-results.json',
  });
  expect(() => checkReporterOptions({ outptFile: 'x' })).toThrow(
    /outptFile: unknown option. Known options: outputFile/,
  );
  expect(() => checkReporterOptions({ summary: 3 })).toThrow(/summary/);
});
