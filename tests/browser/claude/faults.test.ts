// Faults of the API in a trial. Which are asked about again, and how often: tests/unit/agents/model/send.test.ts.
import { describe, expect, it } from 'vitest';
import { harness, html } from '../../support/claude-harness';
import { type ClaudeSetup, playClaude } from '../../support/claude-play';
import {
  type Answer,
  brokenCall,
  call,
  done,
  reply,
  type Script,
  status,
  think,
} from '../../support/messages-api';

const pages = harness({ '/': html('<h1>Hello</h1>') });
const KEY = 'sk-secret-key-of-this-test';

async function play(script: Script, { options, ...setup }: ClaudeSetup = {}) {
  return playClaude(await pages.samePage(), script, {
    ...{ wantsAnswer: true, options: { maxRetries: 1, ...options } },
    ...{ ...setup, api: { apiKey: KEY, ...setup.api } },
  });
}

const invalid = (message: string) => status(400, 'invalid_request_error', { message });

describe('faults that pass', () => {
  it('are asked about again, and the trial goes on', async () => {
    const cut: Answer = { fault: 'truncate', reply: reply(call('read_page')) };
    const { outcome, task, requests } = await play([cut, reply(call('read_page')), done()]);
    expect(await outcome).toEqual({ answer: 'Done.' });
    expect(requests).toHaveLength(3);
    expect(requests[1]!.body).toEqual(requests[0]!.body);
    expect(task.turns).toHaveLength(2);
  });

  it('wait as long as retry-after says', async () => {
    const before = performance.now();
    const { outcome } = await play([
      status(429, 'rate_limit_error', { headers: { 'retry-after': '1' } }),
      done(),
    ]);
    await outcome;
    expect(performance.now() - before).toBeGreaterThan(1000);
  });

  it('of an overload are waited out, however often it is asked about', async () => {
    const script: Script = ({ index }) => (index < 4 ? status(529, 'overloaded_error') : done());
    const { outcome, requests } = await play(script, { options: { maxRetries: 0 } });
    await outcome;
    expect(requests).toHaveLength(5);
  });

  it('of an answer that can not be used are paid, and it is asked for again only if that can be', async () => {
    const broken = { ...reply(brokenCall('left_click', '{"target": nonsense}')), outputTokens: 2_000 };
    const capped = await play(() => broken, { options: { maxRetries: 9 }, maxCostUsd: 0.09 });
    // It never acted: the site is not to blame.
    const message = expect.stringMatching(/made no valid tool call\. \$0\.0\d+ of \$0\.09 are spent/);
    await expect(capped.outcome).rejects.toMatchObject({ name: 'AgentApiError', message });
    expect(capped.requests).toHaveLength(1);
    expect(capped.task.costUsd).toBeGreaterThan(0.04);
  });
});

describe('faults that stay end as errors of the API, with what to do', () => {
  const haiku = 'claude-haiku-4-5';
  const odd = 'tools.0.browser_toolset_20260801.configs: Input should be a valid dictionary';
  it.each<[string, Script, ClaudeSetup, message: string]>([
    [
      'a failure',
      () => status(500, 'api_error', { headers: { 'retry-after': '0.01' } }),
      {},
      'the API failed (500)',
    ],
    [
      'a wrong key, with its variable',
      [done()],
      { options: { apiKey: 'sk-wrong-key' } },
      'refuses the key (401). Check ANTHROPIC_API_KEY, or claude({ apiKey })',
    ],
    [
      'a model that there is not',
      [done()],
      { options: { model: 'claude-none' }, api: { models: ['claude-opus-5-5'] } },
      'there is no model "claude-none" for this key (404)',
    ],
    [
      'a model without the browser tool, with what to set instead',
      [done()],
      { options: { model: haiku }, api: { withoutBrowserTool: [haiku] } },
      `claude: the model "${haiku}" does not support the browser tool. Set another model, claude({ model: 'claude-opus-5-5' }), or another tool, claude({ tools: 'computer' }), or use aiSdk(), which needs none of the vendor's tools.`,
    ],
    [
      'a request that is refused for another reason than the tool, though it names it',
      [invalid(odd)],
      {},
      `the API refuses the request (400). The provider said: ${odd}`,
    ],
  ])('%s', async (_, script, setup, message) => {
    const { outcome, task } = await play(script, setup);
    const error = { name: 'AgentApiError', message: expect.stringContaining(message) };
    await expect(outcome).rejects.toMatchObject(error);
    expect(task.turns).toHaveLength(0);
  });

  it('a conversation is changed for two reasons, one after the other, and for each once', async () => {
    const tooLong = invalid('prompt is too long: 210000 tokens');
    const foreign = invalid('Invalid `signature` in `thinking` block');
    const looks = ['a', 'b'].map(thought => reply(think(thought), call('screenshot')));
    const { outcome, requests } = await play([...looks, tooLong, foreign, done()]);
    expect(await outcome).toEqual({ answer: 'Done.' });
    const kept = requests.map(({ body }) =>
      ['image', 'thinking'].map(type => JSON.stringify(body).split(`"type":"${type}"`).length - 1),
    );
    expect(kept.slice(2)).toEqual([
      [2, 2],
      [1, 1],
      [1, 0],
    ]);
    const twice = await play([...looks, tooLong, tooLong, done()]);
    await expect(twice.outcome).rejects.toThrow(/prompt is too long/);
  });

  it('the key is in no error, also where the API echoes it', async () => {
    const { outcome } = await play(() => invalid(`your key ${KEY} is odd`));
    const error = (await outcome.catch((reason: Error) => reason)) as Error;
    expect(error.message).toContain('your key [key] is odd');
    expect(`${error.stack}${JSON.stringify(error)}`).not.toContain(KEY);
    expect(error.cause).toBeUndefined();
  });
});
