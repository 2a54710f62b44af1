// The server that plays Claude: a rule that it does not hold is one that the agent may break unseen.
import Anthropic from '@anthropic-ai/sdk';
import type { MessageCreateParamsNonStreaming } from '@anthropic-ai/sdk/resources/beta/messages/messages';
import { expect, onTestFinished, test } from 'vitest';
import {
  call,
  done,
  type JsonObject,
  type MessagesApiOptions,
  reply,
  say,
  startMessagesApi,
  think,
} from '../../support/messages-api';
import { imageInfo, imageTokens } from '../../support/messages-api/tokens';

const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

async function start(script: MessagesApiOptions['script'], now?: () => number) {
  const api = await startMessagesApi({ script, ...(now && { now }) });
  onTestFinished(() => api.close());
  const client = new Anthropic({ apiKey: api.apiKey, baseURL: api.url, maxRetries: 0 });
  // Requests that break the rules do not fit the SDK's types.
  const params = (body: JsonObject) =>
    ({ model: 'm', max_tokens: 10, ...body }) as unknown as MessageCreateParamsNonStreaming;
  return {
    send: (body: JsonObject) => client.beta.messages.create(params(body)),
    stream: (body: JsonObject) => client.beta.messages.stream(params(body)).finalMessage(),
  };
}

const user = (...content: JsonObject[]) => ({ role: 'user', content });
const assistant = (...content: JsonObject[]) => ({ role: 'assistant', content });
const tools = [{ type: 'browser_toolset_20260801' }];
const marked = (block: JsonObject) => ({ ...block, cache_control: { type: 'ephemeral' } });
const image = (media_type: string, data: string) => ({
  type: 'image',
  source: { type: 'base64', media_type, data },
});
const answer = (more: JsonObject = {}): JsonObject => ({
  ...{ type: 'tool_result', tool_use_id: 'a', toolset_name: 'browser', content: [say('ok')] },
  ...more,
});
/** A call of this member, and what is behind it. */
const called = (member: string, ...content: JsonObject[]) => ({
  messages: [user(say('a')), assistant({ ...call(member), id: 'a' }), user(...content)],
});
const tab = { tab_id: 't', title: '', url: '', active: true };
const withState = (member: string, state: JsonObject) =>
  called(member, answer({ content: [{ type: 'browser_state', ...state }] }));

/** A JPEG as far as its size is looked at. */
function picture(width: number, height: number): JsonObject {
  const frame = [0xff, 0xc0, 0, 17, 8, height >> 8, height & 255, width >> 8, width & 255, 3];
  return image('image/jpeg', Buffer.from([0xff, 0xd8, ...frame, 0, 0, 0, 0, 0, 0]).toString('base64'));
}

const hello = { messages: [user(say('a'))] };
const structured = (keyword: JsonObject) => ({
  ...hello,
  output_config: {
    format: {
      type: 'json_schema',
      schema: { type: 'object', additionalProperties: false, properties: { a: keyword } },
    },
  },
});

test.each<[string, JsonObject, RegExp]>([
  ['two messages of one role', { messages: [user(say('a')), user(say('b'))] }, /roles must alternate/],
  [
    'a call without an answer',
    { messages: [user(say('a')), assistant(call('wait'))] },
    /without tool_result/,
  ],
  ['toolset_name not echoed', called('wait', answer({ toolset_name: null })), /must echo toolset_name/],
  ['two active tabs', withState('list_tabs', { tabs: [tab, { ...tab, tab_id: 'u' }] }), /exactly one tab/],
  ['five cache marks', { messages: [user(...Array(5).fill(marked(say('a'))))] }, /maximum of 4 blocks/],
  [
    'an image under a wrong name',
    { messages: [user(image('image/jpeg', PNG))] },
    /image\/png, not image\/jpeg/,
  ],
  ['many large images', { messages: [user(...Array(21).fill(picture(2400, 720)))] }, /many-image requests/],
  [
    'a screenshot that is larger than its model looks at',
    { model: 'claude-haiku-4-5', ...called('screenshot', answer({ content: [picture(1920, 1080)] })) },
    /of the browser toolset is larger/,
  ],
  ['a bound in a structured output', structured({ minimum: 1 }), /'minimum' of 1 is not supported/],
  [
    'a forced tool',
    { model: 'claude-opus-5-5', ...hello, tool_choice: { type: 'any' } },
    /not supported for/,
  ],
])('refuses %s', async (_, body, message) => {
  const { send } = await start([done()]);
  await expect(send({ tools, ...body })).rejects.toThrow(message);
});

test('takes what the rules allow', async () => {
  const { send } = await start(() => done());
  for (const body of [
    { messages: [user(...Array(20).fill(picture(2400, 720)))] },
    { model: 'claude-opus-5-5', ...called('screenshot', answer({ content: [picture(2560, 1440)] })) },
    { model: 'claude-haiku-5-5', ...hello, tool_choice: { type: 'any' }, thinking: { type: 'adaptive' } },
    structured({ format: 'date' }),
  ])
    await expect(send({ tools, ...body })).resolves.toBeTruthy();
});

test('answers by the script, as JSON and as a stream, with the same message', async () => {
  const played = reply(think('hm'), say('hello there'), { ...call('screenshot'), id: 'toolu_x' });
  const { send, stream } = await start([played, played]);
  const json = await send({ ...hello, tools });
  const streamed = await stream({ ...hello, tools });
  expect(streamed.content).toEqual(json.content);
  expect(json.stop_reason).toBe('tool_use');
  expect(json.content[2]).toMatchObject({ name: 'screenshot', toolset_name: 'browser' });
  expect(streamed.usage.input_tokens).toBe(json.usage.input_tokens);
});

test('takes thinking back only unchanged and after the same conversation', async () => {
  const { send } = await start(() => reply(think('a thought'), say('text')));
  const first = await send({ messages: [user(say('hi'))] });
  const [thought, said] = first.content as unknown as [JsonObject, JsonObject];
  const go = (opening: string, ...blocks: JsonObject[]) =>
    send({ messages: [user(say(opening)), assistant(...blocks), user(say('go on'))] });
  await expect(go('hi', thought, said)).resolves.toBeTruthy();
  await expect(go('hello', thought, said)).rejects.toThrow(/bound to a different conversation/);
  await expect(go('hi', { ...thought, thinking: 'another' }, said)).rejects.toThrow(/signature/);
  await expect(go('hello', said)).resolves.toBeTruthy();
});

test('counts a cached prefix once it is long enough, for five minutes, looking back 20 blocks', async () => {
  let time = 0;
  const { send } = await start(
    () => done(),
    () => time,
  );
  const text = 'x'.repeat(7000);
  const long = marked(say(text));
  const usage = async (...content: JsonObject[]) => (await send({ messages: [user(...content)] })).usage;
  const first = await usage(long, say('a'));
  expect(first.cache_creation_input_tokens).toBeGreaterThan(1900);
  expect(first.cache_read_input_tokens).toBe(0);
  const second = await usage(long, say('b'));
  expect(second.cache_read_input_tokens).toBe(first.cache_creation_input_tokens);
  expect(second.cache_creation_input_tokens).toBe(0);
  expect((await usage({ ...long, text: `y${text}` }, say('b'))).cache_read_input_tokens).toBe(0);
  const behind = (count: number) => Array.from({ length: count }, (_, n) => say(`${n} of ${count}`));
  expect((await usage(say(text), ...behind(19), marked(say('20')))).cache_read_input_tokens).toBe(0);
  expect((await usage(say(text), ...behind(18), marked(say('19')))).cache_read_input_tokens).toBeGreaterThan(
    0,
  );
  time += 5 * 60_000 + 1;
  expect((await usage(long, say('c'))).cache_read_input_tokens).toBe(0);
  expect((await usage(marked(say('short')))).cache_creation_input_tokens).toBe(0);
});

test('reads images by their headers and counts them by their area', () => {
  expect(imageInfo(Buffer.from(PNG, 'base64'))).toEqual({ mediaType: 'image/png', width: 1, height: 1 });
  expect(imageTokens({ width: 1280, height: 720 })).toBe(46 * 26);
  expect(imageTokens({ width: 3840, height: 2160 })).toBe(4784);
});
