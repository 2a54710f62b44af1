// Which tab a program's client makes the active one: tests/browser/cdp-endpoint.test.ts has real clients.
import { resolve } from 'node:path';
import type { Page } from '@playwright/test';
import { expect, test, vi } from 'vitest';
import type { SessionTask } from '../../../../src/agents/agent';
import { runProgram } from '../../../../src/agents/command/run';

const [judged, admitted] = ['judged', 'admitted'].map(name => ({ name }) as unknown as Page);

/** Its client brings both pages to the front. */
vi.mock('../../../../src/browser/cdp/endpoint', () => ({
  async openCdpEndpoint(_: Page, { onFront }: { onFront(page: Page): void }) {
    for (const page of [judged!, admitted!]) onFront(page);
    return { url: '', targetId: '', hold() {}, release() {}, async close() {} };
  },
}));

test('a page that a client brings to the front becomes the active tab, except one that the guard has not admitted', async () => {
  const activated: Page[] = [];
  const task = {
    session: { has: (page: Page) => page !== judged, dialogs: {} },
    activate: (page: Page) => void activated.push(page),
    signal: new AbortController().signal,
    ...{ timeLeftMs: 60_000, configDir: resolve('.'), allowedDomains: [], secrets: {} },
    mask: (text: string) => text,
  } as unknown as SessionTask;
  const args = ['-e', `console.log('{"type":"end"}')`];
  await runProgram(task, { command: process.execPath, args, env: {}, cwd: '.' });
  expect(activated).toEqual([admitted]);
});
