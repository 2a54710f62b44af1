// Whatever goes wrong is neither a pass nor a fail of the site.
import { expect, test } from 'vitest';
import { JudgeError, webJudge } from '../../../../src/grading/judge';
import { decision, json, playJudge, stageOf } from '../../../support/judge-model';
import { done, status } from '../../../support/messages-api';
import { judgedTrial, KEY, startApi } from './trials';

const NO_RETRY = { maxRetries: 0 };

async function failure(judging: Promise<unknown>): Promise<JudgeError> {
  const error = await judging.then(
    () => undefined,
    error => error,
  );
  expect(error).toBeInstanceOf(JudgeError);
  expect(error.message).not.toContain(KEY);
  return error;
}

type Decision = ReturnType<typeof decision>;
const withPoints = (of: Decision, more: object) => ({
  ...of,
  keyPoints: of.keyPoints.map(point => ({ ...point, ...more })),
});
const NOT_ALL_MET = /passed: must be true exactly where every key point is met/;

test.each<[name: string, answer: (right: Decision) => unknown, problem: RegExp]>([
  ['a verdict in words', right => ({ ...right, passed: 'yes' }), /passed: Invalid input/],
  ['no reason', right => ({ ...right, reason: ' ' }), /reason: Too small/],
  ['something else beside', right => ({ ...right, override: true }), /Unrecognized key/],
  [
    'a key point left out',
    right => ({ ...right, keyPoints: right.keyPoints.slice(1) }),
    /there are 2 key points: each number from 1 to 2/,
  ],
  ['a key point answered twice', right => withPoints(right, { number: 1 }), /exactly once/],
  ['no such screenshot', right => withPoints(right, { screenshot: 9 }), /there are screenshots 1 to \d/],
  ['a pass with a key point that is not met', right => withPoints(right, { met: false }), NOT_ALL_MET],
  ['a fail with all met', right => ({ ...right, passed: false }), NOT_ALL_MET],
])('%s is asked again once, and then an error', async (_, answer, problem) => {
  const api = await startApi(playJudge({ decision: request => json(answer(decision(request))) }));
  const judge = webJudge({ baseURL: api.url, apiKey: KEY });
  const error = await failure(judge.judge(judgedTrial()));
  expect(error.message).toMatch(/the answer to "decision" is malformed, even when asked again/);
  expect(error.message).toMatch(problem);
  const decisions = api.requests.filter(({ body }) => stageOf(body) === 'decision');
  expect(decisions).toHaveLength(2);
  expect(JSON.stringify(decisions[0]!.body)).not.toContain('was not valid');
  expect(JSON.stringify(decisions[1]!.body)).toContain('was not valid');
  expect(error.usage!.costUsd, 'what it cost is counted').toBeGreaterThan(0);
});

test.each([
  ['malformed', () => json(7), {}],
  ['broken off', () => ({ fault: 'truncate' }) as const, { maxRetries: 1 }],
])('an answer that is %s once is made up for by the next', async (_, first, options) => {
  let asked = 0;
  const script = playJudge({ decision: request => (asked++ ? json(decision(request)) : first()) });
  const api = await startApi(script);
  const judgement = await webJudge({ baseURL: api.url, apiKey: KEY, ...options }).judge(judgedTrial());
  expect(judgement.passed).toBe(true);
  expect(asked).toBe(2);
});

test.each([
  ['key points', () => json({ keyPoints: [] })],
  ['screenshot', () => json({ shows: 'x', score: 6 })],
  ['decision', () => done('It passed.')],
] as const)('a malformed answer at the stage "%s" is an error', async (stage, answer) => {
  const api = await startApi(playJudge({ [stage]: answer }));
  const error = await failure(webJudge({ baseURL: api.url, apiKey: KEY }).judge(judgedTrial()));
  expect(error.message).toContain(`the answer to "${stage}" is malformed`);
});

test('an answer that is cut off, and one that is refused', async () => {
  const cut = await startApi(
    playJudge({
      decision: request => ({ ...json(decision(request)), stopReason: 'max_tokens' }) as never,
    }),
  );
  const cutOff = await failure(webJudge({ baseURL: cut.url, apiKey: KEY }).judge(judgedTrial()));
  expect(cutOff.message).toContain('raise webJudge({ maxTokens })');
  const limits = cut.requests
    .filter(({ body }) => stageOf(body) === 'decision')
    .map(({ body }) => body.max_tokens);
  expect(limits, 'the second try has room for a thought that the first had not').toEqual([16_384, 32_768]);
  const refusing = await startApi(
    playJudge({ decision: () => ({ ...done('No.'), stopReason: 'refusal' }) as never }),
  );
  const refused = await failure(webJudge({ baseURL: refusing.url, apiKey: KEY }).judge(judgedTrial()));
  expect(refused.message).toContain('refuses to judge');
});

test.each([
  [401, 'authentication_error', /refuses the key \(401\). Check ANTHROPIC_API_KEY, or webJudge\(\{ apiKey/],
  [404, 'not_found_error', /there is no model "claude-sonnet-5-5" for .* \(404\). Check webJudge\(\{ model/],
  [500, 'api_error', /the API failed \(500\), asked once/],
])('status %i is an error that names the judge', async (code, type, message) => {
  const api = await startApi(playJudge({ screenshot: () => status(code, type, { message: `no, ${KEY}` }) }));
  const judge = webJudge({ baseURL: api.url, apiKey: KEY, ...NO_RETRY });
  const error = await failure(judge.judge(judgedTrial()));
  expect(error.message).toMatch(message);
  expect(error.message).not.toMatch(/\bclaude\(|^claude:/);
  expect(error.usage!.inputTokens, 'the key points were paid').toBeGreaterThan(0);
  expect(api.requests.some(({ body }) => stageOf(body) === 'decision')).toBe(false);
});

test('the signal ends the requests', async () => {
  const abort = new AbortController();
  const api = await startApi(
    playJudge({
      screenshot: () => {
        abort.abort(new DOMException('late', 'TimeoutError'));
        return { fault: 'slow', delayMs: 60_000 };
      },
    }),
  );
  const judge = webJudge({ baseURL: api.url, apiKey: KEY });
  const error = await failure(judge.judge(judgedTrial({ signal: abort.signal })));
  expect(error.message).toBe('late');
});

test('nothing is asked that the cap can not pay', async () => {
  const api = await startApi(playJudge());
  const judge = webJudge({ baseURL: api.url, apiKey: KEY });
  const none = await failure(judge.judge(judgedTrial({ budgetUsd: 0 })));
  expect(none.message).toMatch(/exceed the cost cap: of the \$0\.0000 that were left.*Raise maxCostUsd/);
  expect(api.requests).toHaveLength(0);

  const full = await judge.judge(judgedTrial());
  const budgetUsd = full.usage!.costUsd! * 0.7;
  const some = await failure(judge.judge(judgedTrial({ budgetUsd })));
  expect(some.message).toContain('exceed the cost cap');
  expect(some.usage!.costUsd).toBeGreaterThan(0);
  expect(some.usage!.costUsd, 'requests on their way are counted, too').toBeLessThanOrEqual(budgetUsd);

  const enough = await judge.judge(judgedTrial({ budgetUsd: full.usage!.costUsd! * 4 }));
  expect(enough.passed).toBe(true);
});

test('a request that breaks off is not sent again beyond the cap', async () => {
  const full = await startApi(playJudge());
  const { usage } = await webJudge({ baseURL: full.url, apiKey: KEY }).judge(judgedTrial());
  const dear = { ...json({}), usage: { input_tokens: 100_000, output_tokens: 1 } };
  const api = await startApi(playJudge({ decision: () => ({ fault: 'truncate', reply: dear }) as never }));
  const judge = webJudge({ baseURL: api.url, apiKey: KEY, maxRetries: 9 });
  const budgetUsd = usage!.costUsd! * 4 + 0.5;
  const error = await failure(judge.judge(judgedTrial({ budgetUsd })));
  expect(error.message).toContain('exceed the cost cap');
  // The last one is only known to be too dear when it is paid.
  expect(error.usage!.costUsd).toBeLessThan(budgetUsd + 0.3);
  const asked = api.requests.filter(({ body }) => stageOf(body) === 'decision').length;
  expect(asked).toBeGreaterThan(1);
  expect(asked).toBeLessThan(5);
});

test.each([{ budgetUsd: 1 }, { runIsCapped: true }])(
  'under the cap %o, an answer that is not counted is no judgement',
  async cap => {
    const uncounted = (body: object) => ({ ...body, usage: {} }) as never;
    const api = await startApi(playJudge({ decision: request => uncounted(json(decision(request))) }));
    const judge = webJudge({ baseURL: api.url, apiKey: KEY });
    expect((await failure(judge.judge(judgedTrial(cap)))).message).toMatch(
      /does not count tokens, so a cost cap/,
    );
    expect(await judge.judge(judgedTrial())).toMatchObject({ passed: true, usage: { costUsd: null } });
  },
);

test.each([{ budgetUsd: 1 }, { runIsCapped: true }])(
  'the cap %o can not be kept where the price is unknown',
  async cap => {
    const api = await startApi(playJudge());
    const options = { baseURL: api.url, apiKey: KEY, model: 'some-model' };
    const error = await failure(webJudge(options).judge(judgedTrial(cap)));
    expect(error.message).toMatch(
      /the price is unknown for the model "some-model".*webJudge\(\{ model, pricing/,
    );
    expect(api.requests).toHaveLength(0);
    const priced = webJudge({ ...options, pricing: { input: 1, output: 2 } });
    expect((await priced.judge(judgedTrial(cap))).usage!.costUsd).toBeGreaterThan(0);
  },
);
