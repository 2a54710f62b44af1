// A kept trial, graded again: what its evidence can tell, and what it can't.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { type NetworkEvent, recordedAnswer, type TrialRecord } from '../../../../src/data/record';
import { NO_USAGE } from '../../../../src/data/usage';
import { type Judge, JudgeError } from '../../../../src/grading/judge';
import { regrade } from '../../../../src/playwright/run/regrade';
import { loadFile } from '../../../../src/spec/load';
import { madeRecord } from '../../../support/records';
import { tempFolder } from '../../../support/temp-folder';

function loaded(assertions: string, rubric?: string) {
  const file = join(tempFolder(), 'buy.yaml');
  const judge = rubric ? `judge: ${rubric}\n` : '';
  writeFileSync(
    file,
    `specVersion: playwright/1\nid: buy\ngoal: Buy\nentryUrl: http://shop.test/\n${judge}assertions:\n${assertions}`,
  );
  return loadFile(file);
}

const event = (url: string): NetworkEvent => ({
  ...{ url, method: 'POST', status: 201, resourceType: 'fetch', startedAtMs: 1 },
});
const DOM = { title: '"h1" is visible', type: 'dom' as const, passed: true, reason: null };
const RECORD = madeRecord({
  ...{ finalUrl: 'http://shop.test/done', assertions: [DOM] },
  network: { events: [event('http://shop.test/api/orders')], dropped: 0 },
});
const POLICY = { k: 2, minPasses: 1 };
const MASK = (text: string) => text.replaceAll('violet', '<secret>PASSWORD</secret>');
const UNKNOWN = 'the kept record does not show whether ';

async function graded(
  record: TrialRecord,
  assertions: string,
  judging: { rubric?: string; judge?: Judge; maxCostUsd?: number; leftOfRunUsd?: number } = {},
) {
  const kept = { record, rubric: 'it is polite', pictures: new Map([['end.jpg', Buffer.from('x')]]) };
  const { rubric, judge, ...caps } = judging;
  return regrade(kept, {
    loaded: loaded(assertions, rubric),
    policy: POLICY,
    site: {},
    judge,
    mask: MASK,
    ...caps,
  });
}

const url = (pattern: string) => `  - { type: url, pattern: '${pattern}' }\n`;
const sent = (pattern: string) => `  - { type: network, urlPattern: '${pattern}', method: POST }\n`;
const dom = (selector: string) => `  - { type: dom, selector: ${selector}, state: visible }\n`;
const answer = (field: string) => `  - { type: answer, ${field} }\n`;
const TOLD = [{ title: 'the answer is "12"', type: 'answer' as const, passed: false, reason: 'no' }];
const said = (answer: TrialRecord['answer']) => ({ answer, assertions: TOLD });
const cut = { events: [event(`http://shop.test/${'a'.repeat(483)}`)], dropped: 0 };

test.each<[string, string, Partial<TrialRecord>, 'passed' | 'failed' | 'unknown']>([
  ['a URL that matches', url('**/done'), {}, 'passed'],
  ['a URL that does not', url('**/cart'), {}, 'failed'],
  ['a URL that was cut', url('**/done'), { finalUrl: 'http://shop.test/…' }, 'unknown'],
  ['a URL with a secret', url('**/done'), { finalUrl: 'http://shop.test/<secret>A</secret>' }, 'unknown'],
  ['a request that was sent', sent('**/orders'), {}, 'passed'],
  ['a request that was not', sent('**/carts'), {}, 'failed'],
  [
    'a request that may be among those left out',
    sent('**/carts'),
    { network: { events: [], dropped: 1 } },
    'unknown',
  ],
  ['a request whose URL may be cut', sent('**/carts'), { network: cut }, 'unknown'],
  ['a selector as before', dom('h1'), {}, 'passed'],
  [
    'a selector as before, which did not hold',
    dom('h1'),
    { assertions: [{ ...DOM, passed: false, reason: 'no h1' }] },
    'failed',
  ],
  ['an answer that is right', answer('text: lilies'), said('Four lilies'), 'passed'],
  ['an answer that is wrong', answer('number: 5'), said('Four lilies'), 'failed'],
  ['no answer', answer('number: 5'), said(undefined), 'failed'],
  ['an answer as before, which is wrong', answer('equals: "12"'), said('12'), 'failed'],
  ['an answer that was cut', answer('text: a'), said(recordedAnswer('a'.repeat(4_001))), 'unknown'],
  [
    'one that was cut, and was structured',
    answer('text: a'),
    said(recordedAnswer(['a'.repeat(4_000)])),
    'unknown',
  ],
  ['an answer with a secret', answer('equals: rose'), said('<secret>A</secret>'), 'unknown'],
  ['a structured answer that fits', answer('matches: { type: array }'), said([1]), 'passed'],
  ['one of a shape that the agent was not told', answer('matches: { type: array }'), said({}), 'unknown'],
  ['an answer that nobody asked for, and is right', answer('number: 4'), { answer: 'four' }, 'passed'],
  ['an answer that nobody asked for, and is not', answer('number: 4'), { answer: 'Done.' }, 'unknown'],
  ['another selector', dom('h2'), {}, 'unknown'],
  ['another selector, where something else is broken', dom('h2') + url('**/cart'), {}, 'failed'],
  ['another selector, where the agent gave up', dom('h2'), { status: 'gave_up', endReason: 'no' }, 'failed'],
])('%s', async (_, assertions, more, expected) => {
  const result = await graded({ ...RECORD, outcome: 'failed', ...more }, assertions);
  if (expected === 'unknown') return expect(result).toEqual({ unknown: expect.stringContaining(UNKNOWN) });
  expect(result).toMatchObject({ record: { outcome: expected, policy: POLICY } });
  expect(result).toMatchObject({ error: expected === 'failed' ? expect.any(Error) : null });
  expect(result).toMatchObject({ transcript: expect.stringContaining(`Outcome: ${expected}`) });
});

test('code of the suite is not run again: its checks keep their results, its values are kept', async () => {
  const check = { title: 'check', type: 'check' as const, passed: false, reason: 'check: two orders' };
  const finalUrl = 'http://shop.test/ada';
  const record = { ...RECORD, data: { user: 'ada' }, finalUrl };
  expect(await graded(record, url('**/{{user}}'))).toMatchObject({ record: { outcome: 'passed' } });
  const result = await graded({ ...record, assertions: [DOM, check] }, url('**/{{user}}'));
  expect(result).toMatchObject({
    record: { outcome: 'failed' },
    error: { message: expect.stringMatching(/^check: two orders/) },
  });
});

const EARLIER = { passed: true, reason: 'polite', name: 'mine' };
const JUDGED = { ...RECORD, judge: EARLIER, finalText: 'Thank you' };

test.each<[string, TrialRecord, string, string, number]>([
  ['the same rubric: not asked', JUDGED, 'it is polite', 'passed', 0],
  ['another rubric: asked again', JUDGED, 'it is rude', 'failed', 1],
  [
    'another judge: asked again',
    { ...JUDGED, judge: { ...EARLIER, name: 'other' } },
    'it is polite',
    'failed',
    1,
  ],
  ['none was asked: the page is not kept', RECORD, 'it is polite', 'unknown', 0],
])('a rubric. %s', async (_, record, rubric, expected, asked) => {
  const judging = vi.fn<Judge['judge']>(async () => ({ passed: false, reason: 'not at all' }));
  const result = await graded(record, dom('h1'), { rubric, judge: { name: 'mine', judge: judging } });
  expect(judging).toHaveBeenCalledTimes(asked);
  if (asked)
    expect(judging).toHaveBeenCalledWith(
      expect.objectContaining({
        rubric,
        finalText: 'Thank you',
        screenshots: [expect.objectContaining({ name: 'end.jpg' })],
      }),
    );
  expect('unknown' in result ? 'unknown' : result.record.outcome).toBe(expected);
});

test('a judgement that is kept costs nothing again, and counts as the judge says now', async () => {
  const usage = { ...NO_USAGE, inputTokens: 5, costUsd: 0.5 };
  const record = { ...JUDGED, judge: { ...EARLIER, usage }, usage, costUsd: 0.5 };
  const judge = { name: 'mine', minAgreement: 0.9, judge: vi.fn<Judge['judge']>() };
  expect(await graded(record, dom('h1'), { rubric: 'it is polite', judge })).toMatchObject({
    record: { costUsd: 0.5, usage: { inputTokens: 5 }, judge: { passed: true, minAgreement: 0.9 } },
  });
});

test.each([
  ['no cap', {}, undefined],
  ['what the trial left of its cap', { maxCostUsd: 0.75 }, 0.25],
  ['a trial that has spent all of it', { maxCostUsd: 0.1 }, 0],
  ['what is left of the run, if that is less', { maxCostUsd: 0.75, leftOfRunUsd: 0.125 }, 0.125],
])('a judge that is asked again may spend: %s', async (_, caps, budgetUsd) => {
  const judging = vi.fn<Judge['judge']>(async () => ({ passed: true, reason: '' }));
  const judge = { name: 'mine', judge: judging };
  await graded({ ...JUDGED, costUsd: 0.5 }, dom('h1'), { rubric: 'new', judge, ...caps });
  expect(judging.mock.lastCall![0]).toMatchObject({ budgetUsd });
});

test('a secret that a judge has read in a picture is masked in its words', async () => {
  const judge = { name: 'mine', judge: async () => ({ passed: false, reason: 'It says violet.' }) };
  const { record } = (await graded(JUDGED, dom('h1'), { rubric: 'new', judge })) as { record: TrialRecord };
  expect(record.judge!.reason).toBe('It says <secret>PASSWORD</secret>.');
});

test('a judge that fails is an error of the trial, and what it spent counts', async () => {
  const usage = { ...NO_USAGE, costUsd: 0.25 };
  const judge = (error: Error) => ({ name: 'mine', judge: async () => Promise.reject(error) });
  const asked = (error: Error) => graded(JUDGED, dom('h1'), { rubric: 'new', judge: judge(error) });
  const broken = { outcome: 'error', errorKind: 'judge', reason: 'judge "mine": no credit', judge: null };
  expect(await asked(new Error('no credit'))).toMatchObject({ record: { ...broken, costUsd: 0 } });
  expect(await asked(new JudgeError('no credit', usage))).toMatchObject({
    record: { ...broken, costUsd: 0.25 },
  });
  expect(await asked(new JudgeError('no credit'))).toMatchObject({ record: { ...broken, costUsd: null } });
});
