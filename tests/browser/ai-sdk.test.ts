// aiSdk() with the real `ai` and real providers, against servers of the tests' own.
import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type AiSdkOptions, aiSdk } from '../../src/agents/ai-sdk';
import { agentTask, type TaskSetup } from '../support/agent-task';
import { harness, html } from '../support/claude-harness';
import {
  type Answer,
  brokenCall,
  callTool,
  type Json,
  type JsonObject,
  reply,
  type Script,
  say,
  startMessagesApi,
  status,
  textsOf,
  think,
} from '../support/messages-api';
import { type OpenAiApiOptions, startOpenAiApi } from '../support/openai-api';
import { serve } from '../support/serve';

const pages = harness({
  '/': html(
    '<h1>Shop</h1><button onclick="done.hidden=false">Go</button><p id="done" role="status" hidden>Sent</p><input aria-label="Name"><input type="password" aria-label="PIN"><button onclick="who.textContent=document.querySelector(\'input\').value">Show</button><p id="who" role="status"></p>',
  ),
  '/tall': html(
    '<p>Top</p><div style="height:3000px"></div><button onclick="this.textContent=\'Pressed\'">Deep</button>',
  ),
  '/drawing': html(
    '<canvas width="300" height="200" onclick="document.title=event.offsetX+\',\'+event.offsetY"></canvas>',
  ),
  '/tabs': html('<a href="/" target="_blank">Open</a>'),
  '/long': html(
    `<ul>${Array.from({ length: 300 }, (_, at) => `<li>Line ${at} of a long text</li>`).join('')}</ul>`,
  ),
});

type Setup = TaskSetup & {
  path?: string;
  /** On the page that all these tests have, for a task that does nothing to it. */
  looksOnly?: boolean;
  via?: 'chat' | 'responses';
  api?: Partial<OpenAiApiOptions>;
  agent?: Partial<AiSdkOptions>;
};

/** Plays a script, by Chat Completions if nothing else is said. */
async function play(script: Script, { via = 'chat', api: given, agent, ...setup }: Setup = {}) {
  const { path = '/', looksOnly } = setup;
  const api = await startOpenAiApi({ script, ...given });
  onTestFinished(() => api.close());
  const page = await (looksOnly ? pages.samePage() : pages.openPage(path));
  const task = agentTask(page, setup);
  const model = createOpenAI({ baseURL: api.url, apiKey: api.apiKey })[via]('gpt-test');
  const running = aiSdk({ model, maxRetries: 0, ...agent }).run(task);
  const ended = await running.then(
    result => ({ result, error: undefined }),
    (error: Error) => ({ result: undefined, error }),
  );
  const last = () => api.requests.at(-1)!.body;
  /** All text that the last request told the model. */
  const sent = () => textsIn(last().messages);
  /** The tools that the last request offered. */
  const offered = () => JSON.stringify(last().tools);
  return { ...ended, task, page, api, sent, offered };
}

/** Plays with a model of the test's own. */
async function playWith(model: object, options: Partial<AiSdkOptions> = {}) {
  const task = agentTask(await pages.samePage());
  return aiSdk({ model: model as never, maxRetries: 0, ...options }).run(task);
}
const fakeModel = (provider: string, more: object) => ({
  ...{ specificationVersion: 'v3', provider, modelId: provider, supportedUrls: {} },
  ...more,
});

function textsIn(messages: Json | undefined): string {
  return (messages as JsonObject[])
    .filter(({ role }) => role !== 'system')
    .flatMap(({ content }) => textsOf(content))
    .join('\n');
}

const finish = reply(callTool('finish', { result: 'Sent.' }));
const clickGo: Script = ({ turn, ref }) =>
  turn === 0 ? reply(say('The button.'), callTool('left_click', { ref: ref('Go') })) : finish;

describe('a task', () => {
  it('is shown the page, acts on it, is told what changed and ends', async () => {
    const { result, error, task, api, sent } = await play(clickGo, { goal: 'Press Go.' });
    expect(error).toBeUndefined();
    expect(result).toEqual({ answer: 'Sent.' });
    expect(task.turns.map(({ title }) => title)).toEqual(['click button "Go"', 'finish: Sent.']);
    expect(task.turns.map(({ narration }) => narration)).toEqual([['The button.'], ['Sent.']]);
    expect(task.turns[0]!.actions[0]!.recorded).toMatchObject([{ do: 'click' }]);
    expect(api.requests.map(({ problem }) => problem)).toEqual([undefined, undefined]);
    const first = textsIn(api.requests[0]!.body.messages);
    expect(first).toContain('Press Go.');
    expect(first).toContain('tab_1: "Test page"');
    expect(first).toMatch(/button "Go" \[ref_\d+\]/);
    expect(sent()).toMatch(/^Done\.\n(?:.*\n)*.*Sent/m);
  });

  it('is priced by the given prices, what the cache held apart', async () => {
    const pricing = { input: 2, output: 10, cacheRead: 0.2 };
    const { task } = await play(clickGo, { via: 'responses', maxCostUsd: 1, agent: { pricing } });
    const [first] = task.turns[0]!.usage;
    const { inputTokens, outputTokens, cacheReadTokens, costUsd } = first!;
    expect(Math.abs(cacheReadTokens! - inputTokens!)).toBeLessThanOrEqual(1);
    expect(inputTokens).toBeGreaterThan(500);
    const price = inputTokens! * 2 + cacheReadTokens! * 0.2 + outputTokens! * 10;
    expect(costUsd).toBeCloseTo(price / 1e6, 10);
  });

  it('ends with words, too, once something was done', async () => {
    const script: Script = request =>
      request.turn < 1 ? clickGo(request as never) : reply(say('It is sent.'));
    const { result, error, task } = await play(script as Script);
    expect([result, error]).toEqual([{ answer: 'It is sent.' }, undefined]);
    expect(task.turns.map(({ title }) => title)).toEqual(['click button "Go"', 'finish: It is sent.']);
  });

  it('ends with a structured value where one is wanted, null in it too', async () => {
    const colour = { type: ['string', 'null'] };
    const wantsAnswer = { type: 'object', properties: { colour }, required: ['colour'] };
    const ended = await play([reply(callTool('answer', { colour: null }))], { wantsAnswer });
    expect(ended.result).toEqual({ answer: { colour: null } });
    expect(ended.offered()).not.toContain('"finish"');
    const list = { type: 'array', items: { type: 'string' } };
    const listed = await play([reply(callTool('answer', { value: ['red'] }))], { wantsAnswer: list });
    expect(listed.result).toEqual({ answer: ['red'] });
  });

  it('stops with the trial, in the middle of a request', async () => {
    let asked: () => void = () => undefined;
    const inFlight = new Promise<void>(resolve => (asked = resolve));
    const api = await startOpenAiApi({
      script: () => {
        asked();
        return { fault: 'slow', delayMs: 60_000 };
      },
    });
    onTestFinished(() => api.close());
    const task = agentTask(await pages.openPage('/'));
    const model = createOpenAI({ baseURL: api.url, apiKey: api.apiKey }).chat('gpt-test');
    const running = aiSdk({ model }).run(task);
    await inFlight;
    task.abort(new Error('time is up'));
    await expect(running).rejects.toThrow('time is up');
  });
});

describe('calls', () => {
  it('go to all kinds of things', async () => {
    const script: Script = ({ turn, ref }) =>
      [
        () =>
          reply(
            callTool('form_input', { ref: ref('Name'), value: 'Mira' }),
            callTool('hover', { ref: ref('button "Go'), x: null, y: null }),
            callTool('left_click', { ref: ref('button "Show') }),
          ),
        () => reply(callTool('find', { query: 'Go button' }), callTool('get_page_text')),
        () => reply(callTool('read_page', { filter: 'all', ref: null })),
        () => finish,
      ][turn]!();
    const { error, task, page } = await play(script);
    expect(error).toBeUndefined();
    expect(await page.locator('#who').textContent()).toBe('Mira');
    expect(task.turns.flatMap(({ actions }) => actions.filter(each => each.error))).toEqual([]);
    expect(task.turns[1]!.title).toBe('look for "Go button", then read the page\'s text');
  });

  it('scroll, and reach what is outside of the viewport', async () => {
    const script: Script = ({ turn, ref }) =>
      [
        () => reply(callTool('scroll', { direction: 'down', amount: 5 })),
        () => reply(callTool('read_page', { filter: 'all' })),
        () => reply(callTool('left_click', { ref: ref('Deep') })),
        () => finish,
      ][turn]!();
    const { error, page, api } = await play(script, { path: '/tall' });
    expect(error).toBeUndefined();
    expect(textsIn(api.requests[1]!.body.messages)).toContain('px above');
    expect(await page.locator('button').textContent()).toBe('Pressed');
  });

  it('lead to new tabs, which are listed once', async () => {
    const script: Script = ({ turn, ref }) =>
      [
        () => reply(callTool('left_click', { ref: ref('Open') })),
        () => reply(callTool('left_click', { ref: ref('button "Go') })),
        () => reply(callTool('switch_tab', { tab_id: 'tab_1' })),
        () => finish,
      ][turn]!();
    const { error, api, sent } = await play(script, { path: '/tabs' });
    expect(error).toBeUndefined();
    expect(textsIn(api.requests[1]!.body.messages)).toMatch(/tab_2: .* \(active\)/);
    expect(sent().match(/Open tabs:/g)).toHaveLength(3);
  });

  it.each<[string, JsonObject, RegExp]>([
    [
      'of a tool that is not there',
      callTool('fly', {}),
      /^Error: There is no tool "fly" here\. Tools: navigate/m,
    ],
    [
      'without what is needed',
      callTool('left_click', {}),
      /Invalid input for left_click\..*either ref, or x and y/,
    ],
    ['with the wrong thing', callTool('navigate', { url: 7 }), /Invalid input for navigate\..*url/],
    ['that are no JSON', brokenCall('left_click', '{"ref": "ref'), /left_click are not a JSON object/],
    ['of a reference that never was', callTool('left_click', { ref: 'ref_999' }), /ref_999/],
    ['to a closed host', callTool('navigate', { url: 'http://example.com/' }), /example\.com/],
  ])('%s are answered with the reason, and nothing after them runs', async (_, bad, words) => {
    const script: Script = ({ turn, ref }) =>
      turn === 0 ? reply(bad, callTool('left_click', { ref: ref('Go') })) : finish;
    const { error, task, page, sent } = await play(script);
    expect(error).toBeUndefined();
    expect(sent()).toMatch(words);
    expect(sent()).toContain('Not executed: an earlier action');
    expect(task.turns[0]!.actions[0]!.error).toBeTruthy();
    expect(await page.locator('#done').isHidden()).toBe(true);
  });

  it('type secrets that no request holds', async () => {
    const script: Script = ({ turn, ref }) =>
      turn === 0
        ? reply(
            callTool('form_input', { ref: ref('Name'), value: '<secret>CARD</secret>' }),
            callTool('left_click', { ref: ref('Show') }),
          )
        : finish;
    const { error, page, task, api } = await play(script, { secrets: { CARD: '4000123412341234' } });
    expect(error).toBeUndefined();
    expect(await page.locator('#who').textContent()).toBe('4000123412341234');
    expect(JSON.stringify(api.requests)).not.toContain('4000123412341234');
    expect(JSON.stringify(api.requests.at(-1)!.body)).toContain('<secret>CARD</secret>');
    expect(JSON.stringify(task.turns.map(({ title }) => title))).not.toContain('4000123412341234');
  });
});

describe('pictures', () => {
  const looking: Script = ({ turn, text }) =>
    [
      () => reply(callTool('screenshot')),
      () => (/could not be shown/.test(text) ? finish : reply(callTool('left_click', { x: 50, y: 60 }))),
      () => finish,
    ][turn]!();

  it('are sent behind the results, and clicked on', async () => {
    const { error, page, api } = await play(looking, { path: '/drawing' });
    expect(error).toBeUndefined();
    expect(await page.title()).toBe('50,60');
    const messages = api.requests[1]!.body.messages as JsonObject[];
    expect(messages.slice(-2).map(({ role }) => role)).toEqual(['tool', 'user']);
    expect(JSON.stringify(messages.at(-1))).toContain('data:image/jpeg;base64,');
  });

  it('are left out for a model that refuses them', async () => {
    const { error, api, sent, offered } = await play(looking, {
      path: '/drawing',
      api: { takesPictures: false },
    });
    expect(error).toBeUndefined();
    expect(api.requests.map(({ status }) => status)).toEqual([200, 400, 200]);
    expect(sent()).toContain('The picture could not be shown to you');
    expect(offered()).not.toMatch(/screenshot|"x":/);
    expect(JSON.stringify(api.requests.at(-1)!.body)).not.toMatch(/image_url|Take a screenshot/);
  });
});

describe('what the provider does', () => {
  const refused = (code: number, message: string, headers = {}) =>
    status(code, 'error', { message, headers });
  const pricing = { input: 1, output: 1 };
  const KEPT_OUT = 'Incorrect API key provided: Bearer sk-test-key-of-the-tests';
  const refusal: Answer = { content: [say('I can not help with that.')], stopReason: 'refusal' };
  const failures: Record<string, [Script, words: RegExp, setup?: Setup]> = {
    'a key that is refused': [
      [refused(401, KEPT_OUT)],
      /the API refuses the key \(401\).*The provider said: Incorrect API key provided: Bearer \[key\]$/,
    ],
    'no such model': [[refused(404, 'No.')], /there is no model "gpt-test" for this key \(404\)/],
    'a model without tools': [
      [],
      /the model "gpt-test" does not support tools \(400\).*does not support tools/,
      { api: { takesTools: false } },
    ],
    'another refusal': [[refused(400, 'Odd.')], /refuses the request \(400\)\. The provider said: Odd\./],
    'a used-up quota': [
      [refused(429, 'You exceeded your current quota')],
      /the account has no credit \(429\).*You exceeded/,
    ],
    'a failure': [[refused(500, 'Oops')], /the API failed \(500\).*Oops/],
    'a connection that ends': [
      [{ fault: 'drop' }],
      /the API at http:\/\/127\.0\.0\.1:\d+\S* can't be reached/,
    ],
    'what is no JSON': [[{ fault: 'truncate' }], /the answer can't be read, asked once: .*Bad gateway/],
    silence: [
      [{ fault: 'slow', delayMs: 30_000 }],
      /no answer within 0\.05 s/,
      { agent: { requestTimeoutMs: 50 } },
    ],
    'a refusal of the model': [[refusal], /refuses to do this task \(content-filter\): I can not help/],
    'no count of tokens under a cap': [
      clickGo,
      /does not count tokens/,
      { maxCostUsd: 1, api: { counts: false }, agent: { pricing } },
    ],
    'no price under a cap': [
      clickGo,
      /the price is unknown for the model "gpt-test", so a cost cap/,
      { maxCostUsd: 1 },
    ],
  };
  it.each(Object.entries(failures))('%s is an error of the API', async (_, [script, words, setup]) => {
    const { error } = await play(script, { looksOnly: script !== clickGo, ...setup });
    expect(error?.name, String(error?.stack)).toBe('AgentApiError');
    expect(error?.message).toMatch(/^aiSdk: /);
    expect(error?.message).toMatch(words);
    expect(error?.message).not.toContain('sk-test-key-of-the-tests');
  });

  it('a provider that does not listen to its signal ends with requestTimeoutMs, too', async () => {
    const model = fakeModel('deaf', { doGenerate: () => new Promise(() => undefined) });
    await expect(playWith(model, { requestTimeoutMs: 50 })).rejects.toThrow(/no answer within 0\.05 s/);
  });

  it('a key in a header of any name is masked', async () => {
    const model = fakeModel('corp', {
      config: { headers: () => ({ 'x-corp': 'corp-gw-KdXoA-ok1', 'content-type': 'application/json' }) },
      async doGenerate() {
        throw new Error('the gateway takes no corp-gw-KdXoA-ok1, and no application/json');
      },
    });
    await expect(playWith(model)).rejects.toThrow(/the gateway takes no \[key\], and no application\/json/);
  });

  it('an empty answer that ended by itself is an error of the API, not the end of the agent', async () => {
    let asked = 0;
    const model = fakeModel('busy', {
      async doGenerate() {
        const finishReason = { unified: 'other', raw: 'model_overloaded' };
        const usage = { inputTokens: { total: 9 }, outputTokens: { total: 1 } };
        return { content: [], finishReason: ++asked && finishReason, usage, warnings: [] };
      },
    });
    await expect(playWith(model, { maxRetries: 1 })).rejects.toThrow(
      /the answer can't be read, asked 2 times: it is empty, and ended with "model_overloaded"/,
    );
    expect(asked).toBe(2);
  });

  it('a limit, an overload and a lost API are waited out, once it has served', async () => {
    const limit = refused(429, 'Slow down', { 'retry-after-ms': '1' });
    const faults: Answer[] = [limit, refused(529, 'Busy'), refused(503, 'Away'), { fault: 'drop' }];
    const script: Script = request =>
      request.index === 0 ? clickGo(request) : (faults[request.index - 1] ?? finish);
    const { error, task, api } = await play(script, { agent: { maxRetries: 0 } });
    expect(error).toBeUndefined();
    expect(api.requests).toHaveLength(6);
    expect(task.turns).toHaveLength(2);
  });

  it('an answer that breaks off is asked for again', async () => {
    let asked = 0;
    const { url, close } = await serve((_, response) => {
      asked++;
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': 1_000 });
      response.write('{"id": "half', () => response.destroy());
    });
    onTestFinished(close);
    const model = createOpenAI({ baseURL: url, apiKey: 'sk-test-key-of-the-tests' }).chat('gpt-test');
    await expect(playWith(model, { maxRetries: 1 })).rejects.toThrow(
      /the answer can't be read, asked 2 times: /,
    );
    expect(asked).toBe(2);
  });

  it('a conversation that is too long is shortened', async () => {
    const script: Script = ({ index }) =>
      [
        () => reply(callTool('read_page', { filter: 'all' })),
        () => reply(callTool('read_page', { filter: 'all' })),
        () => refused(400, 'This model has a maximum context length of 8192 tokens.'),
        () => finish,
      ][index]!();
    const { error, api } = await play(script, { path: '/long' });
    expect(error).toBeUndefined();
    const lengths = api.requests.map(({ body }) => JSON.stringify(body).length);
    expect(lengths[3]).toBeLessThan(lengths[2]! * 0.7);
    expect(JSON.stringify(api.requests[3]!.body)).toContain('(An earlier reading was here.');
  });
});

describe('a model of Anthropic', () => {
  async function playAnthropic(script: Script, name: string, options: Partial<AiSdkOptions>) {
    const api = await startMessagesApi({ script, joinsMessages: true });
    onTestFinished(() => api.close());
    const task = agentTask(await pages.openPage('/'));
    const model = createAnthropic({ baseURL: `${api.url}/v1`, apiKey: api.apiKey })(name);
    await aiSdk({ model, ...options }).run(task);
    expect(api.requests.flatMap(({ problem }) => problem ?? [])).toEqual([]);
    return { task, bodies: api.requests.map(({ body }) => body) };
  }

  it('is read from its cache', async () => {
    const pricing = { input: 4, output: 20 };
    const { task, bodies } = await playAnthropic(clickGo, 'claude-opus-5-5', { pricing });
    expect(task.turns[0]!.usage[0]!.cacheCreationTokens).toBeGreaterThan(500);
    expect(task.turns[1]!.usage[0]!.cacheReadTokens).toBeGreaterThan(500);
    const marks = JSON.stringify(bodies.map(({ messages }) => messages!)).match(/cache_control/g);
    expect(marks).toHaveLength(3);
  });

  it('is not sent its thoughts again that no words followed', async () => {
    const script: Script = request =>
      request.index === 0
        ? { content: [think('Where to begin?')], stopReason: 'max_tokens' }
        : (clickGo as (each: typeof request) => Answer)(request);
    const thinking = { type: 'enabled', budgetTokens: 1024 };
    const options = { providerOptions: { anthropic: { thinking } } };
    const { task, bodies } = await playAnthropic(script, 'claude-sonnet-4-5', options);
    expect(bodies).toHaveLength(3);
    expect(task.turns[0]).toMatchObject({ narration: ['Where to begin?'] });
    expect(JSON.stringify(bodies.at(-1)!)).not.toContain('Where to begin?');
  });
});
