// Which tab a program's client makes the active one (tests/browser/cdp-endpoint.test.ts has real clients), and what it waits for.
import { resolve } from 'node:path';
import type { Page } from '@playwright/test';
import { expect, test, vi } from 'vitest';
import { AgentApiError, type SessionTask } from '../../../../src/agents/agent';
import { runProgram } from '../../../../src/agents/command/run';

const [judged, admitted] = ['judged', 'admitted'].map(name => ({ name }) as unknown as Page);

/** Its client brings both pages to the front. */
vi.mock('../../../../src/browser/cdp/endpoint', () => ({
  async openCdpEndpoint(_: Page, { onFront }: { onFront(page: Page): void }) {
    for (const page of [judged!, admitted!]) onFront(page);
    return { url: '', targetId: '', hold() {}, release() {}, async close() {} };
  },
}));

const run = (task: object, lines: string) => {
  const whole = {
    session: { has: (page: Page) => page !== judged, dialogs: {} },
    activate: () => undefined,
    signal: new AbortController().signal,
    ...{ timeLeftMs: 60_000, configDir: resolve('.'), allowedDomains: [], secrets: {} },
    computedSecrets: [],
    mask: (text: string) => text,
    ...task,
  } as unknown as SessionTask;
  return runProgram(whole, { command: process.execPath, args: ['-e', lines], env: {}, cwd: '.' });
};

test('a page that a client brings to the front becomes the active tab, except one that the guard has not admitted', async () => {
  const activated: Page[] = [];
  await run({ activate: (page: Page) => void activated.push(page) }, `console.log('{"type":"end"}')`);
  expect(activated).toEqual([admitted]);
});

test('what a program waits for ends with its next wait, with waiting_end and with the program', async () => {
  const waits: string[] = [];
  const waiting = async (promise: Promise<unknown>, kind: string) => {
    waits.push(kind);
    await promise;
    waits.push(`${kind} is over`);
  };
  const lines = ['waiting', 'waiting","for":"limit', 'waiting_end', 'waiting', 'end'];
  await run({ waiting }, lines.map(type => `console.log('{"type":"${type}"}');`).join(''));
  expect(waits.filter(wait => !wait.endsWith('over'))).toEqual(['model', 'limit', 'model']);
  expect(waits.filter(wait => wait.endsWith('over'))).toEqual(
    ['model', 'limit', 'model'].map(kind => `${kind} is over`),
  );
});

test('a program whose model never answers is ended', async () => {
  const waiting = () => Promise.reject(new AgentApiError('no answer'));
  const ended = run({ waiting }, `console.log('{"type":"waiting"}'); setInterval(() => {}, 1000)`);
  await expect(ended).rejects.toThrow(new AgentApiError('no answer'));
});
