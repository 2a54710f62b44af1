// Which request of a failed trial is suspected, with passing trials to compare it with, and without.
import { describe, expect, test } from 'vitest';
import type { Parting, SentRequest } from '../../../../src/data/diagnosis';
import type { NetworkEvent } from '../../../../src/data/record';
import { requestsOf, suspectOf } from '../../../../src/verdicts/diagnosis/requests';
import { madeTurn } from '../../../support/records';

const event = (method: string, url: string, more: Partial<NetworkEvent> = {}): NetworkEvent => ({
  ...{ method, url, status: 200, resourceType: 'fetch', startedAtMs: 150, ...more },
});
const turns = [1, 2].map(number =>
  madeTurn({ number, url: 'http://shop/', startedAtMs: number * 100, durationMs: 9 }),
);
const HOME = event('GET', 'http://shop/', { resourceType: 'document', startedAtMs: 0 });
const told = (...events: NetworkEvent[]) =>
  requestsOf({ network: { events: [HOME, ...events], dropped: 0 }, turns, durationMs: 9_000 })
    .slice(1)
    .map(({ request, turn, status, failure, ms }) =>
      [turn, request, status ?? failure, ms]
        .filter(each => each !== undefined)
        .join(' ')
        .trimEnd(),
    );

const get = (path: string, more: Partial<NetworkEvent> = {}) => event('GET', `http://shop${path}`, more);
const LATER = { startedAtMs: 250 };

test.each<[string, NetworkEvent[], string[]]>([
  ['its turn, without the query', [event('POST', 'http://shop/api/cart?x=1')], ['1 POST /api/cart 200']],
  ['numbers alike', [get('/a/12'), get('/a/13')], ['1 GET /a/* 200']],
  ['in the second turn', [get('/a', { startedAtMs: 200 })], ['2 GET /a 200']],
  ['of another host', [event('GET', 'http://api/a')], ['1 GET api/a 200']],
  ['no pictures', [get('/a', { resourceType: 'image', status: 500 })], []],
  ['nothing that the guard refused', [get('/a', { status: null, answeredBy: 'guard' })], []],
  ['a failure', [get('/a', { status: null, failure: 'net::ERR_FAILED' })], ['1 GET /a net::ERR_FAILED']],
  [
    'no failure of what was broken off',
    [get('/a', { status: null, failure: 'net::ERR_ABORTED' })],
    ['1 GET /a'],
  ],
  ['the script of a worker', [get('/w.js', { status: 404, resourceType: 'other' })], ['1 GET /w.js 404']],
  ['the last answer', [get('/a', { status: 500 }), get('/a', LATER)], ['2 GET /a 200']],
  [
    'how long an answer took, when it was far longer, too',
    [
      get('/a', { answeredAfterMs: 200 }),
      get('/a', { answeredAfterMs: 900, ...LATER }),
      get('/b', { answeredAfterMs: 200 }),
      get('/b', { answeredAfterMs: 3_200, ...LATER }),
    ],
    ['1 GET /a 200 200', '2 GET /b 200 3200'],
  ],
  [
    'how long one without an answer was waited for',
    [event('POST', 'http://shop/a', { status: null, startedAtMs: 200 })],
    ['2 POST /a  8800'],
  ],
  [
    'a failure, although the page was left at the next try',
    [get('/a', { status: 500 }), get('/a', { status: null })],
    ['1 GET /a 500'],
  ],
])('what is kept of the requests: %s', (_name, events, expected) => {
  expect(told(...events)).toEqual(expected);
});

/** `2 POST /api/cart 500 80`; without a status it failed, or (`-`) was broken off; `-` with a time: not answered yet. */
const sent = (text: string): SentRequest => {
  const [turn, method, path, end, ms] = text.split(' ');
  const status = Number(end) || null;
  return {
    turn: Number(turn),
    request: `${method} ${path}`,
    status,
    failure: !status && end !== '-' ? end! : null,
    ...(ms && { ms: Number(ms) }),
  };
};
const facts = (requests: string[], actions = 3) => ({
  requests: requests.map(sent),
  way: {
    actions: Array.from({ length: actions }, (_, index) => ({
      turn: index + 1,
      path: '/',
      did: 'x',
      key: `${index}`,
    })),
    end: '/',
  },
});
const parting = (kind: Parting['kind'], turn: number, did: string | null = null): Parting => ({
  ...{ kind, from: 'trials', turn, text: 'x' },
  expected: { turn, did: null, path: null },
  actual: { turn, did, path: null },
});
const suspect = (lost: string[], passing: string[][], at?: Parting, actions?: number) =>
  suspectOf(
    { facts: facts(lost, actions), trial: { index: 0, turns: 5 } },
    passing.map(each => facts(each)),
    at,
  )?.text ?? null;

const OK = ['2 POST /cart 201'];
const TIMED = ['2 POST /cart 201 150'];
const SLOW_TIMED = ['2 POST /cart 201 3000'];
const SLOW = 'POST /cart answered 201 far later than in passing trials';
const BROKEN = 'POST /cart answered 500 (201 in passing trials)';
const UNSENT = 'POST /cart was not sent (201 in passing trials)';
const REFUSED = 'POST /cart answered 422 (201 in passing trials)';
describe('the suspect, beside passing trials', () => {
  test.each<[string, string[], string[][], Parting | undefined, string | null]>([
    ['the same answers', OK, [OK], undefined, null],
    ['a server error', ['2 POST /cart 500'], [OK], undefined, BROKEN],
    ['a failure of a passing trial, too', ['2 POST /cart 500'], [OK, ['2 POST /cart 500']], undefined, null],
    [
      'a refusal before they parted',
      ['2 GET /a 404'],
      [['2 GET /a 200']],
      parting('action', 3),
      'GET /a answered 404 (200 in passing trials)',
    ],
    [
      'a refusal beside an action that failed',
      ['2 POST /cart 422'],
      [OK],
      parting('action', 2, 'failed at: click "Pay"'),
      REFUSED,
    ],
    ['a refusal after another action', ['2 POST /cart 422'], [OK], parting('action', 2), null],
    ['a refusal of the same action', ['2 POST /cart 422'], [OK], parting('page', 2), REFUSED],
    ['a page missed later', ['4 GET /a 500'], [['2 GET /a 200']], parting('action', 2), null],
    [
      'no answer',
      ['2 POST /cart net::ERR_FAILED'],
      [OK],
      undefined,
      'POST /cart failed (net::ERR_FAILED) (201 in passing trials)',
    ],
    ['the earliest', ['3 GET /b 500', '2 POST /cart 500'], [['3 GET /b 200', ...OK]], undefined, BROKEN],
    ['never sent', [], [OK], undefined, UNSENT],
    ['never sent before they parted', [], [OK], parting('action', 3), UNSENT],
    ['never sent since they parted', [], [OK], parting('action', 2), null],
    ['not sent by each passing trial', [], [OK, []], undefined, null],
    ['a read that was not needed', [], [['2 GET /a 200']], undefined, null],
    ['broken off', ['2 POST /cart -'], [OK], undefined, null],
    ['far slower', ['2 POST /cart 201 3200'], [TIMED], undefined, SLOW],
    ['slower, not far', ['2 POST /cart 201 4900'], [['2 POST /cart 201 1000']], undefined, null],
    ['slower, but not long', ['2 POST /cart 201 2900'], [['2 POST /cart 201 10']], undefined, null],
    ['once as slow in a passing trial', ['2 POST /cart 201 3200'], [TIMED, SLOW_TIMED], undefined, null],
    ['a time that is not known', ['2 POST /cart 201 3200'], [TIMED, OK], undefined, null],
    ['far slower since they parted', ['3 POST /cart 201 3200'], [TIMED], parting('action', 2), null],
    ['far slower, of another host', ['2 POST ads/x 201 3200'], [['2 POST ads/x 201 10']], undefined, null],
    [
      'far slower, beside an error',
      ['2 POST /cart 500', '1 GET /a 200 9000'],
      [['1 GET /a 200 9', ...OK]],
      undefined,
      BROKEN,
    ],
    [
      'not answered yet',
      ['2 POST /cart - 8000'],
      [TIMED],
      undefined,
      'POST /cart was never answered (201 in passing trials)',
    ],
    ['just sent', ['2 POST /cart - 800'], [TIMED], undefined, null],
    ['a stream', ['2 GET /events - 8000'], [['2 GET /events - 7000', ...OK]], parting('action', 1), null],
  ])('%s', (_name, lost, passing, at, expected) => {
    expect(suspect(lost, passing, at)).toBe(expected);
  });

  test('is none that was not sent if the trial did less', () => {
    expect(suspect([], [OK], undefined, 2)).toBeNull();
  });
});

test.each<[string, string[], string | null]>([
  ['what changes data', ['1 POST /cart 503'], 'POST /cart answered 503'],
  ['a refusal is an answer', ['1 POST /cart 422'], null],
  ['what is read in the last turns', ['4 GET /a 500'], 'GET /a answered 500'],
  ['what was read long before', ['3 GET /a 500'], null],
  ['what is not of the site', ['5 POST ads/a 500'], null],
  ['what changes data and was never answered', ['1 POST /cart - 8000'], 'POST /cart was never answered'],
  ['what was just sent', ['5 POST /cart - 800'], null],
  ['what is read and was never answered', ['5 GET /events - 8000'], null],
  ['the page on which it began', ['0 GET /gone 404', '1 POST /cart 201'], 'GET /gone answered 404'],
  ['what the first page asks for', ['0 GET / 200', '0 GET /me 401'], null],
  ['what took long', ['5 POST /cart 201 8000'], null],
])('without a passing trial: %s', (_name, lost, expected) => {
  expect(suspect(lost, [])).toBe(expected);
});
