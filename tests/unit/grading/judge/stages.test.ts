// The stages with the real SDK, against a server of ours in the model's place.
import { expect, test, vi } from 'vitest';
import { webJudge } from '../../../../src/grading/judge';
import { decision, json, playJudge, stageOf } from '../../../support/judge-model';
import type { JsonObject } from '../../../support/messages-api/tokens';
import { jpeg, judgedTrial, KEY, shots, startApi } from './trials';

type Api = Awaited<ReturnType<typeof startApi>>;

const stages = (api: Api) => api.requests.map(({ body }) => stageOf(body));
const judgeAt = (api: Api, options = {}) => webJudge({ baseURL: api.url, apiKey: KEY, ...options });

function textOf({ messages }: JsonObject): string {
  const [{ content }] = messages as unknown as [{ content: JsonObject[] }];
  return content.map(block => (block.type === 'text' ? block.text : `[${block.type}]`)).join('\n');
}

test('key points, then each picture, then the decision; the record says what each came to', async () => {
  const api = await startApi(
    playJudge({
      screenshot: ({ text }) =>
        json(text.includes('turn 2') ? { shows: 'An advert.', score: 1 } : { shows: 'The form.', score: 4 }),
    }),
  );
  const judgement = await judgeAt(api).judge(judgedTrial());
  expect(stages(api)).toEqual(['key points', ...Array(4).fill('screenshot'), 'decision']);
  expect(judgement).toMatchObject({
    passed: true,
    reason: 'All is there.',
    promptVersion: '1',
    keyPoints: [
      { text: 'The message says that the pot broke', met: true, screenshot: 'end.jpg' },
      { text: 'It was sent once', met: true, screenshot: 'end.jpg', evidence: 'The page shows it.' },
    ],
    screenshots: [
      { name: 'turn-1.jpg', turn: 1, score: 4, shows: 'The form.', kept: true },
      { name: 'turn-2.jpg', turn: 2, score: 1, shows: 'An advert.', kept: false },
      { name: 'turn-3.jpg', turn: 3, score: 4, kept: true },
      { name: 'end.jpg', turn: null, score: 4, kept: true },
    ],
    votes: [{ passed: true }],
  });
  const last = textOf(api.requests.at(-1)!.body);
  expect(last.match(/\[image\]/g)).toHaveLength(3);
  for (const part of [
    'Write to support about the broken pot',
    'The message says that the pot broke, and it was sent once.',
    '1. The message says that the pot broke',
    '- did: click button 2',
    '- the agent said: The message is sent.',
    'Screenshot 2 of 3, after turn 3:',
    'Screenshot 3 of 3, the state at the end:',
    'The form.',
    'http://127.0.0.1:4173/support?sent',
    'Thank you. Your message was sent.',
    'held: "#sent" is visible',
  ])
    expect(last).toContain(part);
});

test('answers are structured without a forced tool, in a schema that takes nothing else', async () => {
  const api = await startApi(playJudge());
  await judgeAt(api, { effort: 'low' }).judge(judgedTrial());
  for (const { body } of api.requests) {
    expect(body).not.toHaveProperty('tools');
    expect(body).not.toHaveProperty('tool_choice');
    expect(body.output_config).toMatchObject({
      effort: 'low',
      format: { type: 'json_schema', schema: { type: 'object', additionalProperties: false } },
    });
  }
});

test('tokens and dollars of all requests are in the record', async () => {
  const api = await startApi(playJudge());
  const { usage } = await judgeAt(api).judge(judgedTrial());
  const sum = (
    key: 'input_tokens' | 'output_tokens' | 'cache_creation_input_tokens' | 'cache_read_input_tokens',
  ) => api.requests.reduce((total, request) => total + request.usage![key], 0);
  const millionths =
    sum('input_tokens') * 2 +
    sum('output_tokens') * 10 +
    sum('cache_read_input_tokens') * 0.1 +
    sum('cache_creation_input_tokens') * 2.5;
  expect(usage).toMatchObject({ inputTokens: sum('input_tokens'), outputTokens: sum('output_tokens') });
  expect(usage!.costUsd).toBeCloseTo(millionths / 1e6, 9);
  const unpriced = await judgeAt(api, { model: 'some-model' }).judge(judgedTrial());
  expect(unpriced.usage!.costUsd).toBeNull();
});

test.each([
  ['two, both of which are kept anyway', shots(1), 2],
  ['none', [], 0],
  [
    'pictures that the next one repeats',
    [1, 1, 1, 2].map((mark, index) => ({ name: `turn-${index}.jpg`, turn: index, image: jpeg(mark) })),
    2,
  ],
])('%s: nothing is scored', async (_, screenshots, images) => {
  const api = await startApi(playJudge());
  const judgement = await judgeAt(api).judge(judgedTrial({ screenshots }));
  expect(stages(api)).toEqual(['key points', 'decision']);
  expect(textOf(api.requests[1]!.body).match(/\[image\]/g) ?? []).toHaveLength(images);
  expect(judgement.screenshots).toHaveLength(images);
});

test('pictures are scored at once, four at most', async () => {
  let inFlight = 0;
  let most = 0;
  let open: () => void = () => undefined;
  const four = new Promise<void>(resolve => {
    open = resolve;
  });
  const api: Api = await startApi(
    playJudge({
      screenshot: async () => {
        most = Math.max(most, ++inFlight);
        // By the time that this is answered, a fifth would have arrived.
        if (inFlight === 4) void fetch(api.url).then(() => open());
        await four;
        inFlight--;
        return json({ shows: 'x', score: 1 });
      },
    }),
  );
  await judgeAt(api).judge(judgedTrial({ screenshots: shots(9) }));
  expect(most).toBe(4);
});

test.each([
  ['all agree', [true, true, true], 2, true, '2 of 2 votes'],
  ['one differs', [true, false, false], 3, false, '2 of 3 votes'],
  ['the last one decides', [false, true, true], 3, true, '2 of 3 votes'],
] as const)('votes, %s: as many are cast as a majority needs', async (_, cast, asked, passed, count) => {
  let vote = 0;
  const api = await startApi(
    playJudge({ decision: request => json(decision(request, cast[vote++], `vote ${vote}`)) }),
  );
  const judgement = await judgeAt(api, { votes: 3 }).judge(judgedTrial());
  expect(stages(api).filter(stage => stage === 'decision')).toHaveLength(asked);
  expect(judgement).toMatchObject({ passed, votes: cast.slice(0, asked).map(each => ({ passed: each })) });
  expect(judgement.reason).toMatch(
    new RegExp(`^vote ${(cast as readonly boolean[]).indexOf(passed) + 1} \\(${count}\\)$`),
  );
  expect(judgement.keyPoints!.every(({ met }) => met === passed)).toBe(true);
  // The votes after the first read the whole evidence from the cache.
  const [first, second] = api.requests.filter(({ body }) => stageOf(body) === 'decision');
  expect(second!.usage!.cache_read_input_tokens).toBe(
    first!.usage!.cache_creation_input_tokens + first!.usage!.cache_read_input_tokens,
  );
});

test('the k trials of a spec share their key points, and across workers their prefixes', async () => {
  const api = await startApi(playJudge());
  const trial = judgedTrial();
  await judgeAt(api).judge(trial);
  await judgeAt(api).judge(trial);
  expect(stages(api).filter(stage => stage === 'key points')).toHaveLength(1);

  vi.resetModules();
  const another = await import('../../../../src/grading/judge');
  const before = api.requests.length;
  await another.webJudge({ baseURL: api.url, apiKey: KEY }).judge({ ...trial, finalText: 'Another end.' });
  const later = api.requests.slice(before);
  expect(later.map(({ body }) => stageOf(body))).toEqual([
    'key points',
    ...Array(4).fill('screenshot'),
    'decision',
  ]);
  for (const request of later) expect(request.usage!.cache_read_input_tokens).toBeGreaterThan(1_000);
});

test('another rubric has key points of its own', async () => {
  const api = await startApi(playJudge());
  const trial = judgedTrial();
  await judgeAt(api).judge(trial);
  await judgeAt(api).judge({ ...trial, rubric: 'It was sent twice.' });
  expect(stages(api).filter(stage => stage === 'key points')).toHaveLength(2);
});
