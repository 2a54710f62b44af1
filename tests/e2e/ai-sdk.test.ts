// aiSdk() in real runs: the real `ai` with the providers of OpenAI and Anthropic, against servers of our own that play the
// models.
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest';
import { startSite as startShop } from '../../example-tasks/site/server.mjs';
import type { Results } from '../../src/data/results';
import { holding, leftBehind } from '../support/left-behind';
import {
  callTool,
  done,
  playExamples,
  reply,
  type Script,
  say,
  startMessagesApi,
  status,
} from '../support/messages-api';
import { flat, startOpenAiApi } from '../support/openai-api';
import { config, makeSuite, type Run, type Suite, spec, startSite } from './suite';

const KEY = 'sk-a-key-that-must-not-be-seen-anywhere';
const CARD = '4000-1234-1234-1234';

/** The imports of a file of tests whose agent plays with this provider's model. */
const played = (
  model: string,
  tasks: string,
  { agent = '', options = '', extra = '' } = {},
) => `import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { aiSdk, expect, passPolicy, taskproofTests, test } from '@taskproof/playwright';
const pricing = { input: 2, output: 10, cacheRead: 0.2 };
const openai = createOpenAI({ baseURL: process.env.OPENAI_URL });
const anthropic = createAnthropic({ baseURL: process.env.ANTHROPIC_URL });
test.use({ taskproof: { agent: aiSdk({ model: ${model}, maxRetries: 0, ${agent} }), ${options} } });
${extra}
taskproofTests('${tasks}');`;

const PAGE = `<label>Card <input id="card"></label><button onclick="done.hidden=false;done.textContent=card.value">Go</button><p id="done" hidden>Done</p>`;

/** What the model called `talks` does, and so on. */
const byModel: Script = ({ body, turn, ref }) => {
  if (body.model === 'talks') return reply(say('I would click on Go.'));
  if (body.model === 'locked') return status(401, 'error', { message: `Bad key: ${KEY}` });
  if (turn > 0)
    return body.model === 'typist' ? done('It is sent.') : reply(callTool('wait', { duration: 0 }));
  return reply(
    callTool('form_input', { ref: ref('Card'), value: '<secret>CARD</secret>' }),
    callTool('left_click', { ref: ref('button "Go"') }),
  );
};

describe('a run with three APIs and with faults', () => {
  /** Three ways to speak to a model, each with a task that needs other tools. */
  const APIS = {
    responses: { model: "openai('gpt-responses')", task: 'order-snake-plant' },
    chat: { model: "openai.chat('gpt-chat')", task: 'report-broken-pot' },
    messages: { model: "anthropic('claude-opus-5-5')", task: 'set-reminder-day' },
  };
  /** Trials on a page of one's own, by the names of their models. Only the first passes. */
  const FAULTS = {
    typist: { agent: 'pricing', options: 'maxCostUsd: 1,' },
    spender: { agent: 'pricing', options: 'maxCostUsd: 0.012,' },
    unpriced: { options: 'maxRunCostUsd: 1,' },
    talks: {},
    locked: {},
  };
  let suite: Suite;
  let run: Run;
  let results: Results;
  let openAi: Awaited<ReturnType<typeof startOpenAiApi>>;
  let messages: Awaited<ReturnType<typeof startMessagesApi>>;

  // One project, of which each file has an agent of its own: one worker and one browser play them all. A failure that is expected
  // starts no new ones.
  beforeAll(async () => {
    const site = await startSite({ '/': PAGE });
    const shop = await startShop({ port: 0 });
    const examples = flat(playExamples) as Exclude<Script, unknown[]>;
    const script: Script = request =>
      String(request.body.model) in FAULTS ? byModel(request) : examples(request);
    openAi = await startOpenAiApi({ script, apiKey: KEY });
    messages = await startMessagesApi({ script: examples, apiKey: KEY, joinsMessages: true });
    suite = makeSuite({ 'playwright.config.ts': config({ extra: 'expect: { timeout: 10_000 },' }) });
    for (const [name, { model, task }] of Object.entries(APIS)) {
      const options = `origin: '${shop.url}',`;
      suite.write({
        [`1-${name}.spec.ts`]: played(model, `tasks/${task}.yaml`, { agent: 'pricing', options }),
      });
      cpSync(resolve(`example-tasks/tasks/${task}.yaml`), join(suite.folder, `tasks/${task}.yaml`));
    }
    for (const [name, { agent = '', options = '' }] of Object.entries<{ agent?: string; options?: string }>(
      FAULTS,
    ))
      suite.write({
        [`${name === 'typist' ? 2 : 3}-${name}.spec.ts`]: played(`openai('${name}')`, `faults/${name}.yaml`, {
          agent,
          options: `${options} secrets: { CARD: '${CARD}' }`,
          extra: name === 'typist' ? '' : 'test.beforeEach(() => test.fail());',
        }),
        [`faults/${name}.yaml`]: spec({
          id: name,
          url: `${site.url}/`,
          goal: 'Enter <secret>CARD</secret> and click "Go"',
        }),
      });
    suite.write({
      '4-asks.spec.ts': `${played("openai('talks')", 'faults/talks.yaml')}
test('asks', passPolicy({ k: 1, minPasses: 1 }), async ({ page, agent }) => {
  await page.goto('${site.url}/');
  const { answer } = await agent.run('Click "Go"');
  expect(answer).toBe('It is sent.');
});`.replace(/taskproofTests.'.*\n/, ''),
    });
    run = await suite.playwright(['test', '--repeat-each=1'], {
      OPENAI_API_KEY: KEY,
      OPENAI_URL: openAi.url,
      ANTHROPIC_API_KEY: KEY,
      ANTHROPIC_URL: `${messages.url}/v1`,
    });
    results = run.results();
    await Promise.all([shop.close(), openAi.close(), messages.close()]);
  });

  // tests/browser/claude/examples.test.ts plays all of them with claude(): the tools here are a part of its own, with flat
  // inputs.
  test('example tasks pass, whichever API the provider speaks', () => {
    for (const [name, { model, task }] of Object.entries(APIS)) {
      const verdict = results.verdicts.find(row => row.spec === task);
      expect(verdict, `${name}: ${task}\n${run.output}`).toMatchObject({
        agent: 'aiSdk',
        model: /'(.*)'/.exec(model)![1],
        verdict: 'passed',
      });
      expect(verdict!.costUsd, task).toBeGreaterThan(0);
      expect(verdict!.recording, task).toBeTruthy();
    }
    const paths = openAi.requests.map(({ body, path }) => `${body.model} ${path}`);
    expect(paths).toContain('gpt-responses /v1/responses');
    expect(paths).toContain('gpt-chat /v1/chat/completions');
    const logged = [...openAi.requests, ...messages.requests];
    expect(logged.filter(({ body, problem }) => problem && !(String(body.model) in FAULTS))).toEqual([]);
  });

  test('faults and caps: each is told as what it is', () => {
    expect(run.exitCode, run.output).toBe(1);
    const trialOf = (name: string) => {
      const verdict = results.verdicts.find(({ spec }) => spec === name)!;
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
    const idle = 'the agent never acted: the model "talks" made no valid tool call';
    expect(trialOf('talks')).toMatchObject({
      ...inconclusive,
      costUsd: null,
      reason: expect.stringContaining(idle),
    });
    // A test that its words don't pass.
    expect(trialOf('asks')).toMatchObject({ ...inconclusive, reason: expect.stringContaining(idle) });
    expect(trialOf('locked')).toMatchObject({
      ...inconclusive,
      reason: expect.stringContaining('The provider said: Bad key: [key]'),
    });
  });

  test('no key and no secret is left anywhere', () => {
    const left = leftBehind(suite.folder, run.output);
    expect(holding(left, KEY)).toEqual([]);
    // The files that set the secret hold it themselves.
    expect(holding(left, CARD).filter(name => !/^\d-\w+\.spec\.ts$/.test(name))).toEqual([]);
    expect(JSON.stringify(openAi.requests)).not.toContain(CARD);
  });
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
  for (const name of ['@playwright/test', 'tinyglobby', 'zod', 'entities', '@cfworker/json-schema'])
    link(name);
  const own = join(folder, 'node_modules/@taskproof/playwright');
  cpSync(join(installed, '@taskproof/playwright'), own, { recursive: true });
  const script = `require('@taskproof/playwright').aiSdk({ model: 'openai/gpt-5.5' }).preflight().catch(error => console.log(error.message))`;
  const { stdout } = await promisify(execFile)(process.execPath, ['-e', script], { cwd: folder });
  expect(stdout.trim()).toBe(
    'aiSdk: the npm package "ai" is not installed. Add it: npm install --save-dev ai',
  );
});
