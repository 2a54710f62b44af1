// How long the assertions of a trial wait, and when the site is asked whether it is still there.
import { expect, test } from 'vitest';
import type { AssertionResult, NetworkEvent } from '../../../src/data/record';
import { checkAssertions, whySiteIsGone } from '../../../src/trial/grade';

const URL = { type: 'url', pattern: '**/done' };
const SENT = { type: 'network', urlPattern: '**/sent' };
const NEVER = { type: 'network', urlPattern: '**/never' };
/** Fails without waiting. */
const WRONG = { type: 'answer', text: 'Sunday' };

/** @param looks how often the address is read before it is the last one, and the request is there */
async function grade(assertions: object[], looks: number, gaveUp?: boolean) {
  let read = 0;
  const events: Partial<NetworkEvent>[] = [];
  const url = () => {
    if (++read <= looks) return 'http://127.0.0.1/busy';
    events.push({ url: 'http://127.0.0.1/sent', status: 200 });
    return 'http://127.0.0.1/done';
  };
  const nothing = {
    count: async () => 0,
    filter: () => nothing,
    first: () => nothing,
  };
  // What comes to hold is waited for on a busy machine, too.
  const expectTimeoutMs = assertions.includes(NEVER) ? 300 : 60_000;
  const page = { url, isClosed: () => false, locator: () => nothing };
  const trial = {
    plan: { spec: { assertions }, expectTimeoutMs, locate: () => ({ line: 1 }) },
    session: { onAdmitted: (check: (on: unknown) => unknown) => check(page) },
    opened: { network: { events } },
    output: { step: async (_: string, body: () => unknown) => body() },
    mask: (text: string) => text,
  };
  const results: AssertionResult[] = [];
  await checkAssertions(trial as never, results, gaveUp);
  return { passed: results.map(({ passed }) => passed), read };
}

test.each<[string, object[], looks: number, { passed: boolean[]; read: number }]>([
  ['each waits as long as all before it hold', [URL, SENT, URL], 2, { passed: [true, true, true], read: 5 }],
  [
    'after one has waited in vain, the others look once',
    [NEVER, URL],
    9,
    { passed: [false, false], read: 1 },
  ],
  ['and pass if they hold then', [NEVER, URL, SENT], 0, { passed: [false, true, true], read: 2 }],
  [
    'one that fails at once takes no time from the others',
    [WRONG, URL],
    2,
    { passed: [false, true], read: 3 },
  ],
])('%s', async (_, assertions, looks, expected) => {
  expect(await grade(assertions, looks)).toEqual(expected);
});

test('none waits if the agent gave up', async () => {
  expect(await grade([URL, URL], 1, true)).toEqual({ passed: [false, true], read: 2 });
});

test.each<[string, object, boolean[]]>([
  ['a guess', { guesses: true }, [true, true, false]],
  ['nothing, in an ordinary trial', {}, [false, false, false]],
])('an answer that is asked for by the page or the goal is passed by %s', async (_, more, expected) => {
  const asked = ['Sunday', '11-17', 'Monday'].map(text => ({ type: 'answer', text }));
  const page = {
    isClosed: () => false,
    locator: () => ({ first: () => ({ innerText: async () => 'Shop\nOpen 11-17\n' }) }),
  };
  const plan = { spec: { assertions: asked }, goal: 'When on Sunday?', locate: () => undefined, ...more };
  const trial = {
    ...{ plan, answer: null, mask: (text: string) => text },
    session: { onAdmitted: (check: (on: unknown) => unknown) => check(page) },
    opened: { network: { events: [] } },
    output: { step: async (_: string, body: () => unknown) => body() },
  };
  const results: AssertionResult[] = [];
  await checkAssertions(trial as never, results);
  expect(results.map(({ passed }) => passed)).toEqual(expected);
});

test.each<[string, string | null]>([
  ['net::ERR_CONNECTION_REFUSED', 'no answer'],
  ['net::ERR_ABORTED', null],
  ['net::ERR_BLOCKED_BY_CLIENT', null],
  // A page that floods the browser can do that by itself, and a site that is asked then may answer too late.
  ['net::ERR_INSUFFICIENT_RESOURCES', null],
])('of a site that does not answer: it may be gone after %s', async (failure, expected) => {
  const get = () => Promise.reject(new Error('apiRequestContext.get: no answer\nCall log'));
  const trial = {
    plan: { entryUrl: 'http://127.0.0.1/shop' },
    session: { context: { request: { get } } },
    opened: { network: { events: [{ url: 'http://127.0.0.1/api', status: null, failure }] } },
  };
  expect(await whySiteIsGone(trial as never)).toBe(expected);
});
