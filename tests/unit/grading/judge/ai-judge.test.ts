// aiJudge() against servers that play OpenAI's and Anthropic's APIs: the stages, prompts and rules of webJudge().
import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { expect, onTestFinished, test } from 'vitest';
import { aiJudge } from '../../../../src/grading/judge';
import { DECIDE, PROMPT_VERSION } from '../../../../src/grading/judge/prompts';
import { playJudge } from '../../../support/judge-model';
import { reply, type Script, say } from '../../../support/messages-api';
import { type OpenAiApiOptions, startOpenAiApi } from '../../../support/openai-api';
import { judgedTrial, KEY, shots, startApi } from './trials';

const PRICING = { input: 2, output: 10 };

async function startOpenAi(script: Script, options: Partial<OpenAiApiOptions> = {}) {
  const api = await startOpenAiApi({ ...options, script });
  onTestFinished(() => api.close());
  return { ...api, openai: createOpenAI({ baseURL: api.url, apiKey: api.apiKey }) };
}

test.each(['chat', 'responses'] as const)('it judges by the %s API', async kind => {
  const { openai, requests } = await startOpenAi(playJudge());
  const judge = aiJudge({ model: openai[kind]('gpt-judge'), pricing: PRICING, votes: 3, screenshots: 2 });
  expect(judge).toMatchObject({ name: 'aiJudge', model: 'gpt-judge' });
  const judgement = await judge.judge(judgedTrial({ screenshots: shots(3) }));
  expect(judgement).toMatchObject({
    passed: true,
    reason: 'All is there. (2 of 2 votes)',
    promptVersion: PROMPT_VERSION,
    keyPoints: [{ met: true, screenshot: 'end.jpg' }, { met: true }],
  });
  // Key points, four pictures, and as many votes as a majority of three needs.
  expect(requests).toHaveLength(7);
  const { outputTokens, costUsd, ...input } = judgement.usage!;
  const read = input.inputTokens + input.cacheReadTokens + input.cacheCreationTokens;
  expect(costUsd).toBeCloseTo((read * 2 + outputTokens * 10) / 1e6, 8);
  expect(read).toBeGreaterThan(1000);
  const last = JSON.stringify(requests.at(-1)!.body);
  expect(last).toContain(JSON.stringify(DECIDE).slice(1, -1));
  expect(last).toContain('json_schema');
  // These are refused in schemas, and checked by ourselves.
  expect(last).not.toMatch(/"(?:maxLength|minLength|maximum)\\*":/);
});

test('to a model of Anthropic, it marks what is sent again', async () => {
  const api = await startApi(playJudge());
  const anthropic = createAnthropic({ baseURL: `${api.url}/v1`, apiKey: KEY });
  const judge = aiJudge({ model: anthropic('claude-sonnet-5-5'), pricing: PRICING });
  expect(await judge.judge(judgedTrial())).toMatchObject({ passed: true });
  expect(JSON.stringify(api.requests[0]!.body.messages)).toContain('"cache_control":{"type":"ephemeral"}');
});

const answers = (...texts: string[]): Script => {
  let asked = 0;
  return playJudge({ 'key points': () => reply(say(texts[asked++] ?? texts.at(-1)!)) });
};
const POINTS = '{"keyPoints":["It was sent once"]}';

test('an answer in a block of code is read; a malformed one is asked for once more, and paid', async () => {
  const { openai, requests } = await startOpenAi(answers(`\`\`\`json\n${POINTS}\n\`\`\``));
  const judge = () => aiJudge({ model: openai('gpt'), pricing: PRICING });
  const plain = await judge().judge(judgedTrial({ screenshots: [] }));
  expect(requests).toHaveLength(2);
  const malformed = await startOpenAi(answers('Sure!', POINTS));
  const mending = aiJudge({ model: malformed.openai('gpt'), pricing: PRICING });
  const mended = await mending.judge(judgedTrial({ screenshots: [] }));
  expect(malformed.requests).toHaveLength(3);
  expect(JSON.stringify(malformed.requests[1]!.body)).toContain('not valid (it is not JSON)');
  expect(mended.usage!.inputTokens).toBeGreaterThan(plain.usage!.inputTokens * 1.3);
  const never = await startOpenAi(answers('Sure!'));
  await expect(aiJudge({ model: never.openai('gpt') }).judge(judgedTrial())).rejects.toMatchObject({
    name: 'JudgeError',
    message: 'the answer to "key points" is malformed, even when asked again: it is not JSON',
    usage: { inputTokens: expect.any(Number), costUsd: null },
  });
  expect(never.requests).toHaveLength(2);
});

test('a refused key is told without it', async () => {
  const { url } = await startOpenAi(playJudge());
  const openai = createOpenAI({ baseURL: url, apiKey: 'the-wrong-key-of-this-test' });
  const failed = aiJudge({ model: openai('gpt') }).judge(judgedTrial());
  await expect(failed).rejects.toThrow(
    /^the API refuses the key \(401\)\. Check the provider's apiKey.*\[key\]/,
  );
});

test('the cap holds, and needs prices and counts', async () => {
  const { openai, requests } = await startOpenAi(playJudge());
  const capped = judgedTrial({ budgetUsd: 0.001 });
  await expect(aiJudge({ model: openai('gpt') }).judge(capped)).rejects.toThrow(
    /price is unknown for the model "gpt".*aiJudge\(\{ model, pricing/,
  );
  await expect(aiJudge({ model: openai('gpt'), pricing: PRICING }).judge(capped)).rejects.toThrow(
    /would exceed the cost cap: .*aiJudge\(\{ model \}\)/,
  );
  expect(requests).toEqual([]);
  const uncounted = await startOpenAi(playJudge(), { counts: false });
  const judge = aiJudge({ model: uncounted.openai.chat('gpt'), pricing: PRICING });
  await expect(judge.judge(judgedTrial({ budgetUsd: 1 }))).rejects.toThrow(/does not count tokens/);
  expect(uncounted.requests).toHaveLength(1);
});

test.each([
  [{}, /^aiJudge\(\): model: must be a model of the AI SDK/],
  [{ model: 'openai/gpt', votes: 2 }, /votes: must be odd/],
  [{ model: 'openai/gpt', effort: 'low' }, /effort: unknown option/],
])('%j is refused, and named', (options, message) => {
  expect(() => aiJudge(options as never)).toThrow(message);
});
