// The first request of a task as each API gets it: the system prompt, the tools and the opening, byte for byte.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { afterAll, describe, expect, test } from 'vitest';
import type { SessionTask } from '../../../../src/agents/agent';
import { aiSdkSettings } from '../../../../src/agents/ai-sdk';
import { settingsOf as claudeSettings } from '../../../../src/agents/claude';
import type { PageToolsMode } from '../../../../src/browser/page-tools/page-tools';
import { shapeOf } from '../../../../src/spec/wanted-answer';

interface Setting {
  pageTools?: PageToolsMode;
  task?: Partial<SessionTask>;
}

/** A task on a page that does not answer: the opening then says so, and all else is as ever. */
function taskFor({ pageTools = false, task = {} }: Setting): SessionTask {
  const page = { url: () => 'https://shop.example.com/cart', isClosed: () => false } as Page;
  Object.assign(page, { title: async () => 'Cart', frames: () => [], viewportSize: () => null });
  const context = { pages: () => [page], on: () => undefined, off: () => undefined };
  const webmcp = { mode: pageTools, isSupported: async () => pageTools !== false, list: async () => [] };
  return {
    goal: 'Order the blue one.',
    entryUrl: page.url(),
    allowedDomains: ['shop.example.com', '*.pay.example.com'],
    wantsAnswer: false,
    maxSteps: 12,
    turnsLeft: 12,
    timeLeftMs: 60_000,
    costUsd: 0,
    secrets: {},
    done: [],
    configDir: import.meta.dirname,
    pageToolsMode: pageTools,
    webmcp,
    page,
    context,
    session: { page, context, dialogs: {}, numberOf: () => 0 },
    signal: new AbortController().signal,
    mask: (text: string) => text,
    takeNotices: () => [],
    waiting: (promise: Promise<unknown>) => promise,
    ...task,
  } as unknown as SessionTask;
}

const MORE: Setting = {
  pageTools: 'auto',
  task: { secrets: { SHOP_PASSWORD: 'x' }, done: ['click link "Shop"', 'click button "Add to cart"'] },
};

/** Nothing of what the schema checks reaches the model. */
const STRUCTURED = {
  task: {
    wantsAnswer: shapeOf({
      type: 'object',
      properties: {
        price: { type: 'number', minimum: 12.5, maximum: 12.5, description: 'In dollars.' },
        sku: { const: 'WD-40' },
        state: { enum: ['sold out', 'in stock'] },
      },
      required: ['price'],
    }),
  },
};
const LIST = { task: { wantsAnswer: shapeOf({ type: 'array', items: { type: 'string' } }) } };

async function sentToClaude(options: object, setting: Setting): Promise<object> {
  const { playWithClaude } = await import('../../../../src/agents/claude/loop');
  let sent: object = {};
  const stream = (request: object) => {
    sent = request;
    throw new Error('enough');
  };
  const client = { baseURL: 'https://api.example.com', beta: { messages: { stream } } };
  await playWithClaude(taskFor(setting), claudeSettings({ client: client as never, ...options })).catch(
    () => 0,
  );
  return sent;
}

async function sentToAiSdk(options: object, setting: Setting): Promise<object> {
  const { playWithAiSdk } = await import('../../../../src/agents/ai-sdk/loop');
  let sent: object = {};
  const never = { isInstance: () => false };
  const sdk = {
    tool: (tool: object) => tool,
    jsonSchema: (schema: object) => schema,
    generateText: async ({ abortSignal: _, model: __, ...request }: Record<string, unknown>) => {
      sent = request;
      throw new Error('enough');
    },
    APICallError: never,
    UnsupportedFunctionalityError: never,
  };
  const settings = aiSdkSettings({ model: 'maker/model', ...options });
  await playWithAiSdk(taskFor(setting), settings, sdk as never).catch(() => 0);
  return sent;
}

const folder = mkdtempSync(join(tmpdir(), 'taskproof-uploads-'));
writeFileSync(join(folder, 'invoice.pdf'), '');
afterAll(() => rmSync(folder, { recursive: true }));

const ALL_ON = {
  fileUpload: [folder],
  readConsole: true,
  readNetwork: true,
  javascriptExec: true,
  leftClickDrag: false,
  zoom: false,
};

describe('the first request', () => {
  test.each<[string, object, Setting]>([
    ['claude', {}, {}],
    ['claude-members', { members: ALL_ON, effort: 'low' }, MORE],
    ['claude-only-page-tools', { members: { readConsole: true } }, { pageTools: 'only' }],
    ['claude-answer', {}, { task: { wantsAnswer: true } }],
    ['claude-structured', {}, STRUCTURED],
    ['claude-computer', { tools: 'computer', model: 'claude-opus-4-8' }, { pageTools: 'auto' }],
  ])('%s', async (name, options, setting) => {
    await expectStored(name, await sentToClaude(options, setting));
  });

  test.each<[string, object, Setting]>([
    ['ai-sdk', {}, {}],
    ['ai-sdk-no-pictures', { pictures: false, providerOptions: { maker: { effort: 'low' } } }, MORE],
    ['ai-sdk-structured', {}, { ...LIST, pageTools: 'only' }],
    ['ai-sdk-only-page-tools', {}, { pageTools: 'only' }],
  ])('%s', async (name, options, setting) => {
    await expectStored(name, await sentToAiSdk(options, setting));
  });
});

async function expectStored(name: string, sent: object) {
  expect(sent).toHaveProperty('messages');
  const wanted =
    'Models are told something else. If that is meant: `npx vitest run --project unit tests/unit/agents/model/requests.test.ts -u`, and read the difference in git';
  const path = `../../../data/requests/${name}.json`;
  await expect(JSON.stringify(sent, null, 1), wanted).toMatchFileSnapshot(path);
}
