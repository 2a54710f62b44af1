import { expect, test } from 'vitest';
import { defineAgent } from '../../src/agents/agent';
import { checkTaskproofOptions } from '../../src/playwright/options';
import { checkReporterOptions } from '../../src/report/write';

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
  [{ origin: 'http://localhost:3000/' }],
  [{ origin: '' }],
  [{ secrets: { PASSWORD: 'x' } }],
  [{ judge: { name: 'mine', judge: async () => ({ passed: true, reason: '' }) } }],
])('%j is accepted', options => {
  expect(() => checkTaskproofOptions({ agent, ...options }, 'project "p"')).not.toThrow();
});

test.each([[undefined], [{}], [{ maxCostUsd: 1 }]])('%j names the agents to choose from', options => {
  expect(() => checkTaskproofOptions(options, 'project "p"')).toThrow(
    /^project "p": no agent is configured[\s\S]*lexical\(\)[\s\S]*claude\([\s\S]*command\(/,
  );
});

test('stepTimeoutMs is read as turnTimeoutMs', () => {
  expect(checkTaskproofOptions({ agent, stepTimeoutMs: 5 }, 'p')).toMatchObject({ turnTimeoutMs: 5 });
  expect(checkTaskproofOptions({ agent, stepTimeoutMs: 5, turnTimeoutMs: 6 }, 'p')).toMatchObject({
    turnTimeoutMs: 6,
  });
});

test.each([
  [{ agnet: agent }, /agnet: unknown option; known are agent, judge/],
  [{ agent: () => undefined }, /agent: must be an agent/],
  [{ agent: 'claude' }, /agent: must be an agent/],
  [{ agent: { name: '', run: async () => undefined } }, /agent: needs a `name`/],
  [{ judge: {} }, /judge: must be a judge/],
  [{ maxCostUsd: 0 }, /maxCostUsd/],
  [{ maxCostUsd: Number.NaN }, /maxCostUsd/],
  [{ turnTimeoutMs: 1.5 }, /turnTimeoutMs/],
  [{ origin: 'https://x.test/path' }, /origin: must be an origin/],
  [{ origin: 'x.test' }, /origin: must be an origin/],
  [{ secrets: { 'A B': 'x' } }, /secrets/],
  [
    { secrets: { GONE: undefined, LOST: undefined } },
    /secrets: GONE, LOST have no value\. Set the environment/,
  ],
  [{ one: 1, two: 2 }, /one: unknown option[\s\S]*two: unknown option/],
])('%j is refused', (options, message) => {
  expect(() => checkTaskproofOptions({ agent, ...options }, 'project "p"')).toThrow(message);
  expect(() => checkTaskproofOptions({ agent, ...options }, 'project "p"')).toThrow(
    /^project "p": use\.taskproof/,
  );
});

test('the reporter refuses what it does not know, and takes what Playwright adds', () => {
  expect(checkReporterOptions({ configDir: '/x', _mode: 'test', onlyFailures: false })).toEqual({
    outputFile: 'taskproof-results.json',
  });
  expect(() => checkReporterOptions({ outptFile: 'x' })).toThrow(
    /outptFile: unknown option; known are outputFile/,
  );
  expect(() => checkReporterOptions({ summary: 3 })).toThrow(/summary/);
});

test.each([
  [undefined, /`name` must be a non-empty string/],
  [{ name: 'x' }, /agent "x" needs `run`/],
])('defineAgent(%j) says what is missing', (given, message) => {
  expect(() => defineAgent(given as never)).toThrow(message);
});
