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

/** A JPEG as far as its size is looked at. */
function picture(width: number, height: number): JsonObject {
  const frame = [0xff, 0xc0, 0, 17, 8, height >> 8, height & 255, width >> 8, width & 255, 3];
  const data = Buffer.from([0xff, 0xd8, ...frame, 0, 0, 0, 0, 0, 0]).toString('base64');
  return { type: 'image', source: { type: 'base64', media_type: 'image/jpeg', data } };
}

/** A conversation whose last result has this state. */
const withState = (member: string, state: JsonObject) => [
  user(say('a')),
  assistant({ ...call(member), id: 'a' }),
  user(answer('a', { content: [{ type: 'browser_state', ...state }] })),
];
const tab = { tab_id: 't', title: '', url: '', active: true };

describe('the rules', () => {
  it('of more than 20 images none may be larger than 2,000 pixels', async () => {
    const image = picture(2400, 720);
    const { send } = await start({ script: [done()] });
    await send({ messages: [user(...Array(20).fill(image))] });
    await expect(send({ messages: [user(...Array(21).fill(image))] })).rejects.toThrow(
      /many-image requests: 2000 pixels/,
    );
  });

  it.each<[string, number, number, boolean]>([
    ['claude-opus-5-5', 2560, 1440, true],
    ['claude-opus-5-5', 2604, 100, false],
    ['claude-opus-5-5', 2560, 1600, false],
    ['claude-haiku-4-5', 1456, 819, true],
    ['claude-haiku-4-5', 1920, 1080, false],
  ])('%s is shown a screenshot of %i x %i by a toolset: %s', async (model, width, height, taken) => {
    const { send } = await start({ script: () => done() });
    const messages = [
      user(say('a')),
      assistant({ ...call('screenshot'), id: 'a' }),
      user(answer('a', { content: [picture(width, height)] })),
    ];
    const sent = send({ model, messages, tools });
    await (taken
      ? expect(sent).resolves.toBeTruthy()
      : expect(sent).rejects.toThrow(/of the browser toolset is larger/));
    // Elsewhere it is shrunk.
    await send({ model, messages: [user(picture(width, height))] });
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
    [
      'a system message that is not behind a user message',
      {
        messages: [
          user(say('a')),
          assistant(say('b')),
          { role: 'system', content: [say('c')] },
          user(say('d')),
        ],
      },
      /a system message stands behind a user message/,
    ],
    [
      'a call in a system message',
      { messages: [user(say('a')), { role: 'system', content: [call('wait')] }] },
      /messages\.1\.content\.0: text alone/,
    ],
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
    ...(
      [
        [
          'a field of browser_state that there is not',
          { tabs: [{ ...tab, loading: false }] },
          /tabs\.loading: Extra/,
        ],
        ['a title with a line break', { tabs: [{ ...tab, title: 'a\nb' }] }, /tabs\.title: too long/],
        ['a long address', { tabs: [{ ...tab, url: 'u'.repeat(4097) }] }, /tabs\.url: too long/],
        ['an empty id of a tab', { tabs: [{ ...tab, tab_id: '' }] }, /tabs\.tab_id: too long/],
        [
          'a field of a change that its type has not',
          { tabs: [tab], state_changes: [{ type: 'tab_opened', tab_id: 't', url: 'u' }] },
          /tab_opened\.url: Extra/,
        ],
        [
          'a download without its address',
          { tabs: [tab], state_changes: [{ type: 'download_started', download_id: 'd' }] },
          /download_started\.url: Field required/,
        ],
        [
          'two changes of one download',
          {
            tabs: [tab],
            state_changes: ['download_started', 'download_completed'].map(type => ({
              type,
              download_id: 'd',
              url: 'u',
            })),
          },
          /two state_changes of one download/,
        ],
      ] satisfies [string, JsonObject, RegExp][]
    ).map(([name, state, message]): [string, JsonObject, RegExp] => [
      name,
      { messages: withState('list_tabs', state) },
      message,
    ]),
    [
      'a new tab that is not the active one',
      {
        messages: withState('new_tab', {
          tabs: [tab, { ...tab, tab_id: 'u', active: false }],
          state_changes: [{ type: 'tab_opened', tab_id: 'u' }],
        }),
      },
      /exactly one tab_opened, of the active tab/,
    ],
    [
      'a toolset twice',
      { messages: [user(say('a'))], tools: [...tools, ...tools] },
      /a second browser toolset/,
    ],
    [
      'a tool with the name of a toolset',
      {
        messages: [user(say('a'))],
        tools: [...tools, { name: 'browser', input_schema: { type: 'object' } }],
      },
      /browser is a toolset/,
    ],
    [
      'an option of a member that there is not',
      { messages: [user(say('a'))], tools: [{ ...tools[0]!, configs: { zoom: { strict: true } } }] },
      /configs\.zoom\.strict: Extra inputs/,
    ],
    [
      'a member as the tool to use',
      { messages: [user(say('a'))], tool_choice: { type: 'tool', name: 'screenshot' } },
      /screenshot is no tool of this request/,
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
    ...[{ minimum: 1 }, { minItems: 2 }, { maxLength: 9 }, { format: 'regex' }].map(
      (keyword): [string, JsonObject, RegExp] => [
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
      ],
    ),
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
    ...(
      [
        ...['claude-opus-5-5', 'claude-sonnet-5-5', 'claude-fable-5-1', 'claude-mythos-5-2'].map(model => [
          model,
          { tool_choice: { type: 'any' } },
          /and .{0,2}"any.{0,2}" are not supported/,
        ]),
        ['claude-opus-4-7', { temperature: 0 }, /temperature, top_p and top_k/],
        [
          'claude-sonnet-5',
          { thinking: { type: 'enabled', budget_tokens: 1024 } },
          /thinking\.type\.enabled/,
        ],
        ['claude-haiku-4-5', { thinking: { type: 'adaptive' } }, /thinking\.type\.adaptive/],
        ['claude-opus-5-5', { thinking: { type: 'disabled' } }, /thinking\.type\.disabled/],
      ] as [string, JsonObject, RegExp][]
    ).map(([model, more, message]): [string, JsonObject, RegExp] => [
      `${JSON.stringify(more)} with ${model}`,
      { model, messages: [user(say('a'))], ...more },
      message,
    ]),
  ])('refuses %s', async (_, body, message) => {
    const { send } = await start({ script: [done()] });
    await expect(send({ tools, ...body })).rejects.toThrow(message);
  });

  it.each<[string, JsonObject]>([
    ['claude-haiku-5-5', { tool_choice: { type: 'any' } }],
    ['claude-haiku-5-5', { thinking: { type: 'disabled' } }],
    ['claude-opus-4-5', { temperature: 0 }],
    ['claude-opus-4-5', { thinking: { type: 'enabled', budget_tokens: 1024 } }],
    ['claude-sonnet-5', { temperature: 1, thinking: { type: 'adaptive' } }],
  ])('%s takes %j', async (model, more) => {
    const { send } = await start({ script: [done()] });
    await expect(send({ model, messages: [user(say('a'))], tools, ...more })).resolves.toBeTruthy();
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

  it.each([
    ['claude-haiku-5-5', 512],
    ['claude-opus-5', 512],
    ['claude-fable-5-2', 512],
    ['claude-opus-4-8', 1024],
    ['claude-sonnet-5', 1024],
    ['claude-opus-4-7', 2048],
    ['claude-opus-4-6', 4096],
    ['claude-haiku-4-5', 4096],
  ])('%s caches no less than %i tokens', async (model, least) => {
    const { send } = await start({ script: () => done() });
    const written = async (tokens: number) => {
      const text = { ...say('x'.repeat(Math.floor(tokens * 3.5))), cache_control: { type: 'ephemeral' } };
      return (await send({ model, messages: [user(text)] })).usage.cache_creation_input_tokens;
    };
    expect(await written(least)).toBeGreaterThanOrEqual(least);
    expect(await written(least - 40)).toBe(0);
  });

  it('finds an earlier entry on 20 blocks, the breakpoint itself included', async () => {
    const { send } = await start({ script: () => done() });
    const first = say('x'.repeat(7000));
    const marked = (block: JsonObject) => ({ ...block, cache_control: { type: 'ephemeral' } });
    const read = async (more: number) => {
      const rest = Array.from({ length: more }, (_, n) => say(`${n} of ${more}`));
      const blocks = [first, ...rest.slice(0, -1), marked(rest.at(-1)!)];
      return (await send({ messages: [user(...blocks)] })).usage.cache_read_input_tokens;
    };
    await send({ messages: [user(marked(first))] });
    expect(await read(20)).toBe(0);
    expect(await read(19)).toBeGreaterThan(1900);
  });

  it('reads images by their headers and counts them by their area', () => {
    expect(imageInfo(Buffer.from(PNG, 'base64'))).toEqual({ mediaType: 'image/png', width: 1, height: 1 });
    expect(imageTokens({ width: 1280, height: 720 })).toBe(46 * 26);
    expect(imageTokens({ width: 1920, height: 1080 })).toBe(2691);
    expect(imageTokens({ width: 3840, height: 2160 })).toBe(4784);
  });
});
