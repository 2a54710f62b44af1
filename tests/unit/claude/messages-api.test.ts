import Anthropic from '@anthropic-ai/sdk';
import type { MessageCreateParamsNonStreaming } from '@anthropic-ai/sdk/resources/beta/messages/messages';
import { afterEach, describe, expect, it } from 'vitest';
import {
  call,
  done,
  type JsonObject,
  type MessagesApi,
  type MessagesApiOptions,
  reply,
  say,
  startMessagesApi,
  think,
} from '../../support/messages-api';
import { RULES } from '../../support/messages-api/rules';
import { imageInfo, imageTokens } from '../../support/messages-api/tokens';

const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const running: MessagesApi[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map(api => api.close()));
});

async function start(options: MessagesApiOptions) {
  const api = await startMessagesApi(options);
  running.push(api);
  const client = new Anthropic({ apiKey: api.apiKey, baseURL: api.url, maxRetries: 0 });
  // Requests that break the rules do not fit the SDK's types.
  const send = (body: JsonObject) =>
    client.beta.messages.create({
      model: 'm',
      max_tokens: 10,
      ...body,
    } as unknown as MessageCreateParamsNonStreaming);
  return { api, client, send };
}

const user = (...content: JsonObject[]) => ({ role: 'user', content });
const assistant = (...content: JsonObject[]) => ({ role: 'assistant', content });
const tools = [{ type: 'browser_toolset_20260801' }];
const answer = (id: string, more: JsonObject = {}): JsonObject => ({
  type: 'tool_result',
  tool_use_id: id,
  toolset_name: 'browser',
  content: [{ type: 'text', text: 'ok' }],
  ...more,
});

describe('the rules', () => {
  it.each(Object.entries(RULES))('%s has a source', (_, { says, source }) => {
    expect(says.length).toBeGreaterThan(10);
    expect(source).toMatch(/^(https:\/\/platform\.claude\.com\/docs\/|@anthropic-ai\/sdk: )/);
  });

  it('of more than 20 images none may be larger than 2,000 pixels', async () => {
    const frame = [0xff, 0xc0, 0, 17, 8, 720 >> 8, 720 & 255, 2400 >> 8, 2400 & 255, 3];
    const data = Buffer.from([0xff, 0xd8, ...frame, 0, 0, 0, 0, 0, 0]).toString('base64');
    const image = { type: 'image', source: { type: 'base64', media_type: 'image/jpeg', data } };
    const { send } = await start({ script: [done()] });
    await send({ messages: [user(...Array(20).fill(image))] });
    await expect(send({ messages: [user(...Array(21).fill(image))] })).rejects.toThrow(/exceed 2000 pixels/);
  });
});

describe('the Messages API server', () => {
  it('answers by the script, as JSON and as a stream, with the same message', async () => {
    const script = [0, 1].map(() =>
      reply(think('hm'), say('hello there'), { ...call('screenshot'), id: 'toolu_x' }),
    );
    const { client, send } = await start({ script });
    const json = await send({ messages: [user(say('hi'))], tools });
    const streamed = await client.beta.messages
      .stream({
        model: 'm',
        max_tokens: 10,
        messages: [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }],
        tools: [{ type: 'browser_toolset_20260801' }],
      })
      .finalMessage();
    expect(streamed.content).toEqual(json.content);
    expect(json.stop_reason).toBe('tool_use');
    expect(json.content[2]).toMatchObject({ name: 'screenshot', toolset_name: 'browser' });
    expect(streamed.usage.input_tokens).toBe(json.usage.input_tokens);
  });

  it.each<[string, JsonObject, RegExp]>([
    ['two messages of one role', { messages: [user(say('a')), user(say('b'))] }, /roles must alternate/],
    [
      'text behind results',
      {
        messages: [user(say('a')), assistant({ ...call('wait'), id: 'a' }), user(answer('a'), say('Go on.'))],
        tools,
      },
      /put it into the last result/,
    ],
    ['an assistant message at the end', { messages: [user(say('a')), assistant(say('b'))] }, /prefill/],
    [
      'a field of browser_state that there is not',
      {
        messages: [
          user(say('a')),
          assistant({ ...call('list_tabs'), id: 'a' }),
          user(
            answer('a', {
              content: [
                {
                  type: 'browser_state',
                  tabs: [{ tab_id: 't', title: '', url: '', active: true, loading: false }],
                },
              ],
            }),
          ),
        ],
        tools,
      },
      /tabs\.loading: Extra or wrong input/,
    ],
    [
      'five breakpoints',
      {
        messages: [
          user(...Array.from({ length: 5 }, () => ({ ...say('a'), cache_control: { type: 'ephemeral' } }))),
        ],
      },
      /maximum of 4 blocks with cache_control/,
    ],
    ...[{ minimum: 1 }, { minItems: 2 }, { maxLength: 9 }].map((keyword): [string, JsonObject, RegExp] => [
      `${Object.keys(keyword)[0]} in a structured output`,
      {
        messages: [user(say('a'))],
        output_config: {
          format: {
            type: 'json_schema',
            schema: {
              type: 'object',
              additionalProperties: false,
              properties: { a: { type: 'array', ...keyword } },
            },
          },
        },
      },
      /is not supported/,
    ]),
    ['an empty text', { messages: [user(say(''))] }, /text must not be empty/],
    [
      'a call without an answer',
      { messages: [user(say('a')), assistant(call('wait'))] },
      /without tool_result/,
    ],
    [
      'an answer too late',
      { messages: [user(say('a')), assistant(call('wait')), user(say('b'))] },
      /needs one tool_result in the next message, found 0/,
    ],
    [
      'an answer given twice',
      { messages: [user(say('a')), assistant({ ...call('wait'), id: 'w' }), user(answer('w'), answer('w'))] },
      /found 2/,
    ],
    [
      'toolset_name not echoed',
      {
        messages: [
          user(say('a')),
          assistant({ ...call('wait'), id: 'w' }),
          user(answer('w', { toolset_name: null })),
        ],
      },
      /must echo toolset_name/,
    ],
    [
      'an answer after text',
      { messages: [user(say('a')), assistant({ ...call('wait'), id: 'w' }), user(say('x'), answer('w'))] },
      /must come before other content/,
    ],
    [
      'an image in an error',
      {
        messages: [
          user(say('a')),
          assistant({ ...call('wait'), id: 'w' }),
          user(
            answer('w', {
              is_error: true,
              content: [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } }],
            }),
          ),
        ],
      },
      /all content must be type/,
    ],
    [
      'text where a tab member answers',
      { messages: [user(say('a')), assistant({ ...call('list_tabs'), id: 'w' }), user(answer('w'))] },
      /answered by one browser_state alone/,
    ],
    [
      'an image under a wrong name',
      {
        messages: [user({ type: 'image', source: { type: 'base64', media_type: 'image/jpeg', data: PNG } })],
      },
      /the image is image\/png, not image\/jpeg/,
    ],
    [
      'five cache marks',
      {
        messages: [
          user(...[1, 2, 3, 4, 5].map(n => ({ ...say(`${n}`), cache_control: { type: 'ephemeral' } }))),
        ],
      },
      /A maximum of 4 blocks with cache_control/,
    ],
    ['an unknown field', { messages: [user(say('a'))], tool: [] }, /tool: Extra inputs/],
    [
      'forced tools on a 5.5 model',
      { model: 'claude-opus-5-5', messages: [user(say('a'))], tool_choice: { type: 'any' } },
      /forced tool use/,
    ],
  ])('refuses %s', async (_, body, message) => {
    const { send } = await start({ script: [done()] });
    await expect(send({ tools, ...body })).rejects.toThrow(message);
  });

  it('refuses a wrong key, a missing model and a model without the browser tool', async () => {
    const { api, send } = await start({ script: [], models: ['a', 'b'], withoutBrowserTool: ['b'] });
    const messages = [user(say('hi'))];
    await expect(send({ model: 'z', messages })).rejects.toMatchObject({ status: 404 });
    await expect(send({ model: 'b', messages, tools })).rejects.toThrow(/does not support tool types/);
    const stranger = new Anthropic({ apiKey: 'other', baseURL: api.url, maxRetries: 0 });
    const request = stranger.messages.create({
      model: 'a',
      max_tokens: 1,
      messages: [{ role: 'user', content: 'x' }],
    });
    await expect(request).rejects.toMatchObject({ status: 401 });
  });

  it('takes thinking back only unchanged and after the same conversation', async () => {
    const { send } = await start({ script: () => reply(think('a thought'), say('text')) });
    const first = await send({ messages: [user(say('hi'))] });
    const content = first.content as unknown as JsonObject[];
    const go = (opening: string, blocks: JsonObject[]) =>
      send({ messages: [user(say(opening)), assistant(...blocks), user(say('go on'))] });
    await expect(go('hi', content)).resolves.toBeTruthy();
    await expect(go('hello', content)).rejects.toThrow(/bound to a different conversation/);
    await expect(go('hi', [{ ...content[0]!, thinking: 'another' }, content[1]!])).rejects.toThrow(
      /signature/,
    );
    await expect(go('hello', [content[1]!])).resolves.toBeTruthy();
  });

  it('counts a cached prefix once it is long enough, for five minutes', async () => {
    let time = 0;
    const { send } = await start({ script: () => done(), now: () => time });
    const text = 'x'.repeat(7000);
    const long = { ...say(text), cache_control: { type: 'ephemeral' } };
    const usage = async (...content: JsonObject[]) => (await send({ messages: [user(...content)] })).usage;
    const first = await usage(long, say('a'));
    expect(first.cache_creation_input_tokens).toBeGreaterThan(1900);
    expect(first.cache_read_input_tokens).toBe(0);
    const second = await usage(long, say('b'));
    expect(second.cache_read_input_tokens).toBe(first.cache_creation_input_tokens);
    expect(second.cache_creation_input_tokens).toBe(0);
    const changed = await usage({ ...long, text: `y${text}` }, say('b'));
    expect(changed.cache_read_input_tokens).toBe(0);
    time += 5 * 60_000 + 1;
    expect((await usage(long, say('c'))).cache_read_input_tokens).toBe(0);
    const short = await usage({ ...say('short'), cache_control: { type: 'ephemeral' } });
    expect(short.cache_creation_input_tokens).toBe(0);
  });

  it('reads images by their headers and counts them by their area', () => {
    expect(imageInfo(Buffer.from(PNG, 'base64'))).toEqual({ mediaType: 'image/png', width: 1, height: 1 });
    expect(imageTokens({ width: 1280, height: 720 })).toBe(1229);
    expect(imageTokens({ width: 2560, height: 1440 })).toBeLessThan(1540);
  });
});
