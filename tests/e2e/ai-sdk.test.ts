// aiSdk() in real runs: the real `ai` with the providers of OpenAI and Anthropic, against servers of our own that play the
// models.
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, inject, onTestFinished, test } from 'vitest';
import { startSite as startShop } from '../../example-tasks/site/server.mjs';
import { holding, leftBehind } from '../support/left-behind';
import {
  callTool,
  done,
  playExamples,
  reply,
  type Script,
  say,
  startMessagesApi,
} from '../support/messages-api';
import { flat, type OpenAiApiOptions, startOpenAiApi } from '../support/openai-api';
import { config, makeSuite, PLAIN, spec, startSite } from './suite';

const KEY = 'sk-a-key-that-must-not-be-seen-anywhere';
const CARD = '4000-1234-1234-1234';

async function openAi(options: OpenAiApiOptions) {
  const api = await startOpenAiApi({ apiKey: KEY, ...options });
  onTestFinished(() => api.close());
  return api;
}

const IMPORTS = `
import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { aiSdk } from '@taskproof/playwright';
const pricing = { input: 2, output: 10, cacheRead: 0.2 };`;

// tests/browser/claude/examples.test.ts plays all of them with claude(): the tools here are a part of its own, with flat
// inputs.
test('example tasks pass, whichever API the provider speaks', async () => {
  const shop = await startShop({ port: 0 });
  onTestFinished(() => shop.close());
  const script = flat(playExamples);
  const messages = await startMessagesApi({ script, apiKey: KEY, joinsMessages: true });
  onTestFinished(() => messages.close());
  const api = await openAi({ script });
  const project = (name: string, model: string, grep: string) => `{
    name: '${name}', testDir: '.', ...repeats('tasks/*.yaml'), repeatEach: 1, grep: ${grep},
    use: { taskproof: { agent: aiSdk({ model: ${model}, pricing, maxRetries: 0 }), origin: '${shop.url}' } },
  }`;
  const some = '/find-boston|order-snake|empty-basket/';
  const more = `${some.slice(0, -1)}|subscribe-newsletter|report-broken|set-reminder/`;
  const suite = makeSuite({
    'playwright.config.ts': config({
      imports: `${IMPORTS}
const openai = createOpenAI({ baseURL: '${api.url}' });
const anthropic = createAnthropic({ baseURL: '${messages.url}/v1' });`,
      reporters: PLAIN,
      projects: `[${project('responses', "openai('gpt-test')", more)}, ${project('chat', "openai.chat('gpt-test')", some)}, ${project('messages', "anthropic('claude-opus-5-5')", some)}]`,
      extra: 'expect: { timeout: 10_000 },',
    }),
    'tasks.spec.ts': `import { taskproofTests } from '@taskproof/playwright'; taskproofTests('tasks/*.yaml');`,
  });
  cpSync(resolve(__dirname, '../../example-tasks/tasks'), join(suite.folder, 'tasks'), { recursive: true });
  const run = await suite.playwright(['test', '--repeat-each=1'], {
    OPENAI_API_KEY: KEY,
    ANTHROPIC_API_KEY: KEY,
  });
  expect(run.exitCode, run.output).toBe(0);
  const { verdicts } = run.results();
  expect(verdicts.map(({ project }) => project).sort()).toEqual(
    [...Array(3).fill('chat'), ...Array(3).fill('messages'), ...Array(6).fill('responses')].sort(),
  );
  for (const verdict of verdicts) {
    expect(verdict, verdict.spec).toMatchObject({ agent: 'aiSdk', verdict: 'passed' });
    expect(verdict.costUsd, verdict.spec).toBeGreaterThan(0);
    expect(verdict.recording, verdict.spec).toBeTruthy();
  }
  expect([...api.requests, ...messages.requests].filter(({ problem }) => problem)).toEqual([]);
  expect(holding(leftBehind(suite.folder, run.output), KEY)).toEqual([]);
});

const PAGE = `<label>Card <input id="card"></label><button onclick="done.hidden=false;done.textContent=card.value">Go</button><p id="done" hidden>Done</p>`;

/** The model's name says what it is like. */
const byModel: Script = ({ body, turn, ref }) => {
  if (body.model === 'talks') return reply(say('I would click on Go.'));
  if (body.model === 'locked')
    return { fault: 'status', status: 401, type: 'error', message: `Bad key: ${KEY}` };
  if (turn > 0)
    return body.model === 'typist' ? done('It is sent.') : reply(callTool('wait', { duration: 0 }));
  return reply(
    callTool('form_input', { ref: ref('Card'), value: '<secret>CARD</secret>' }),
    callTool('left_click', { ref: ref('button "Go"') }),
  );
};

test('faults, caps and secrets: each is told as what it is, and no key and no secret is left anywhere', async () => {
  const api = await openAi({ script: byModel });
  const site = await startSite({ '/': PAGE });
  const project = (name: string, options = '', taskproof = '') => `{
    name: '${name}', testDir: '.', ...repeats('tasks/*.yaml'),
    use: { taskproof: { agent: aiSdk({ model: openai('${name}'), maxRetries: 0, ${options} }), secrets: { CARD: '${CARD}' }, ${taskproof} } },
  }`;
  const suite = makeSuite({
    'playwright.config.ts': config({
      imports: `${IMPORTS}\nconst openai = createOpenAI({ baseURL: '${api.url}' });`,
      reporters: PLAIN,
      projects: `[${[
        project('typist', 'pricing', 'maxCostUsd: 1'),
        project('spender', 'pricing', 'maxCostUsd: 0.012'),
        project('unpriced', '', 'maxCostUsd: 1'),
        project('talks'),
        project('locked'),
      ].join()}]`,
    }),
    'tasks/go.yaml': spec({
      id: 'go',
      url: `${site.url}/`,
      goal: 'Enter <secret>CARD</secret> and click "Go"',
    }),
    'tasks.spec.ts': `import { taskproofTests } from '@taskproof/playwright'; taskproofTests('tasks/*.yaml');`,
  });
  const run = await suite.playwright(['test'], { OPENAI_API_KEY: KEY });
  expect(run.exitCode, run.output).toBe(1);
  const trialOf = (name: string) => {
    const verdict = run.results().verdicts.find(({ project }) => project === name)!;
    return { verdict: verdict.verdict, ...verdict.trials[0]! };
  };
  expect(trialOf('typist')).toMatchObject({ verdict: 'passed', status: 'completed', turns: 2 });
  expect(trialOf('typist').costUsd).toBeGreaterThan(0);
  expect(trialOf('spender')).toMatchObject({ verdict: 'failed', status: 'budget_exceeded' });
  expect(trialOf('spender').costUsd).toBeLessThanOrEqual(0.012);
  const inconclusive = { verdict: 'inconclusive', status: 'error', errorKind: 'agent_api' };
  expect(trialOf('unpriced')).toMatchObject({
    ...inconclusive,
    reason: expect.stringContaining('the price is unknown for the model "unpriced"'),
  });
  expect(trialOf('talks')).toMatchObject({
    ...inconclusive,
    costUsd: null,
    reason: expect.stringContaining('called no tool, even when asked to'),
  });
  expect(trialOf('locked')).toMatchObject({
    ...inconclusive,
    reason: expect.stringContaining('The provider said: Bad key: [key]'),
  });
  const left = leftBehind(suite.folder, run.output);
  expect(holding(left, KEY)).toEqual([]);
  // The config itself holds the secret.
  expect(holding(left, CARD).filter(name => !name.includes('playwright.config.ts'))).toEqual([]);
  expect(JSON.stringify(api.requests)).not.toContain(CARD);
});

test('without the package, the preflight says what to install', async () => {
  const installed = join(inject('installed'), 'node_modules');
  const folder = mkdtempSync(join(tmpdir(), 'taskproof-without-ai-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const link = (name: string) => {
    const to = join(folder, 'node_modules', name);
    mkdirSync(dirname(to), { recursive: true });
    symlinkSync(join(installed, name), to, 'junction');
  };
  for (const name of ['@playwright/test', 'tinyglobby']) link(name);
  const own = join(folder, 'node_modules/@taskproof/playwright');
  cpSync(join(installed, '@taskproof/playwright'), own, { recursive: true });
  const script = `require('@taskproof/playwright').aiSdk({ model: 'openai/gpt-5.5' }).preflight().catch(error => console.log(error.message))`;
  const { stdout } = await promisify(execFile)(process.execPath, ['-e', script], { cwd: folder });
  expect(stdout.trim()).toBe(
    'aiSdk: the npm package "ai" is not installed. Add it: npm install --save-dev ai',
  );
});
