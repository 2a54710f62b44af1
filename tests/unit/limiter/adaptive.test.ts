// The limiter against simulated APIs, in simulated time.
import { afterEach, expect, test, vi } from 'vitest';
import { AdaptiveLimiter } from '../../../src/limiter/adaptive';
import type { Answered } from '../../../src/limiter/rate-headers';

/** Time that passes only when nothing else is to be done. */
class SimulatedTime {
  constructor() {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  }
  now = () => performance.now();
  after = (ms: number, call: () => void) => void setTimeout(call, ms);
  /** @returns the seconds that passed until nothing was left to do */
  runToEnd(mostSeconds = 3_600): number {
    while (vi.getTimerCount()) {
      vi.advanceTimersToNextTimer();
      if (this.now() > mostSeconds * 1_000) throw new Error(`not done after ${mostSeconds} s`);
    }
    return this.now() / 1_000;
  }
}

afterEach(() => vi.useRealTimers());

type Api = (time: SimulatedTime) => { answer(): { how: Answered; afterMs: number } };

const LATENCY_MS = 1_500;
const MOST_REFUSED = 0.05;
const served = (more: Partial<Answered> = {}) => ({
  how: { as: 'served' as const, ...more },
  afterMs: LATENCY_MS,
});
const limited = (retryAfterMs?: number) => ({
  how: { as: 'limited' as const, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) },
  afterMs: 20,
});

/** So many requests a second on average, with a burst. */
const bucket =
  (perSecond: number, burst: number, { told = false } = {}): Api =>
  time => {
    let [tokens, at] = [burst, 0];
    return {
      answer() {
        tokens = Math.min(burst, tokens + ((time.now() - at) / 1_000) * perSecond);
        at = time.now();
        const ok = tokens >= 1;
        if (ok) tokens--;
        const resetMs = ((burst - tokens) / perSecond) * 1_000;
        const left = told
          ? { left: [{ of: 'requests' as const, limit: burst, remaining: Math.floor(tokens), resetMs }] }
          : {};
        if (ok) return served(left);
        return { how: { ...limited().how, ...left }, afterMs: 20 };
      },
    };
  };

/** So many requests in each window, which begins with its first request. */
const window =
  (most: number, seconds: number): Api =>
  time => {
    let [begin, count] = [Number.NEGATIVE_INFINITY, 0];
    return {
      answer() {
        if (time.now() >= begin + seconds * 1_000) [begin, count] = [time.now(), 0];
        if (count >= most) return limited(begin + seconds * 1_000 - time.now());
        count++;
        return served();
      },
    };
  };

/** So many requests in whatever window is looked at, as a gateway counts. */
const sliding =
  (most: number, seconds: number, { retryAfterMs = 0 } = {}): Api =>
  time => {
    const starts: number[] = [];
    return {
      answer() {
        while (starts.length && starts[0]! <= time.now() - seconds * 1_000) starts.shift();
        if (starts.length >= most) return limited(retryAfterMs || undefined);
        starts.push(time.now());
        return served();
      },
    };
  };

/** So many requests at once. */
const atOnce =
  (most: number): Api =>
  time => {
    let running = 0;
    return {
      answer() {
        if (running >= most) return limited();
        running++;
        time.after(LATENCY_MS, () => running--);
        return served();
      },
    };
  };

/** Each worker plays trials, one request after another, until all are played. */
function play(api: Api, { workers = 8, requests = 1_000, limiters = 1, gone = [0, 0] } = {}) {
  const time = new SimulatedTime();
  const server = api(time);
  const each = Array.from({ length: limiters }, () => new AdaptiveLimiter());
  const counts = { served: 0, refused: 0, unreachable: 0, ofLimiter: each.map(() => 0) };
  let left = requests;
  const request = (limiter: number) =>
    each[limiter]!.ask(admission => {
      const isGone = time.now() >= gone[0]! * 1_000 && time.now() < gone[1]! * 1_000;
      const { how, afterMs } = isGone ? { how: { as: 'unreachable' as const }, afterMs: 5 } : server.answer();
      time.after(afterMs, () => {
        admission.answered(how);
        if (how.as === 'served') {
          counts.served++;
          counts.ofLimiter[limiter]!++;
          if (left-- > 0) request(limiter);
          return;
        }
        if (how.as === 'unreachable') counts.unreachable++;
        else counts.refused++;
        request(limiter);
      });
    });
  for (let worker = 0; worker < workers; worker++) {
    left--;
    request(worker % limiters);
  }
  const seconds = time.runToEnd();
  return { ...counts, seconds, perSecond: counts.served / seconds, traffic: each.map(one => one.traffic) };
}

const APIS: [string, Api, number][] = [
  ['5 a second, 5 at once', bucket(5, 5), 5],
  ['60 a minute, a burst of 60, told in headers', bucket(1, 60, { told: true }), 1],
  ['60 in each minute', window(60, 60), 1],
  ['6 at once', atOnce(6), 4],
];

test.each(APIS)('%s: nearly all of the limit is used, and few requests are refused', (_, api, limit) => {
  for (const workers of [8, 32]) {
    const { perSecond, served, refused } = play(api, { workers });
    const demand = Math.min(limit, workers / (LATENCY_MS / 1_000));
    expect.soft(perSecond / demand, `${workers} workers: share of the limit`).toBeGreaterThan(0.9);
    expect.soft(refused / served, `${workers} workers: refused`).toBeLessThan(MOST_REFUSED);
  }
});

test.each<[string, Api, number]>([
  ['300 in any minute', sliding(300, 60), 0.075],
  ['5 in any second, refused for 10 s', sliding(5, 1, { retryAfterMs: 10_000 }), MOST_REFUSED],
])('%s: a limit that was underrated at first is found', (_, api, mostRefused) => {
  const perSecond = 5;
  const found = play(api, { workers: 64, requests: Math.ceil(perSecond * 800) });
  expect.soft(found.perSecond / perSecond, 'share of the limit').toBeGreaterThan(0.65);
  expect.soft(found.refused / found.served, 'refused').toBeLessThan(mostRefused);
});

test('two limiters that share a limit, as shards with one key do, settle at half of it each', () => {
  for (const api of [bucket(5, 5), window(60, 60), atOnce(8)]) {
    const { perSecond, served, refused, ofLimiter } = play(api, {
      workers: 32,
      limiters: 2,
      requests: 2_000,
    });
    const { perSecond: alone } = play(api, { workers: 32, requests: 2_000 });
    expect.soft(perSecond / alone).toBeGreaterThan(0.9);
    expect.soft(refused / served).toBeLessThan(0.1);
    expect.soft(Math.min(...ofLimiter) / Math.max(...ofLimiter)).toBeGreaterThan(0.5);
  }
});

test('without a limit, as many requests run as there are workers', () => {
  const { seconds, traffic } = play(() => ({ answer: served }), { workers: 32, requests: 640 });
  // Twenty answers one after another, and the growth from four requests at once.
  expect(seconds).toBeLessThan(1.25 * 20 * (LATENCY_MS / 1_000));
  expect(traffic[0]).toMatchObject({ served: 640, refused: 0, limitPerMinute: null });
});

test.each([1, 4, 8])(
  'after three refusals behind its first answer, %s workers soon are as fast as without a limit',
  workers => {
    const strays: Api = () => {
      let asked = 0;
      return { answer: () => (++asked > 1 && asked < 5 ? limited() : { ...served(), afterMs: 100 }) };
    };
    // Each waits for seconds, not for minutes.
    expect(play(strays, { workers, requests: 24 }).seconds).toBeLessThan(20);
  },
);

test('the limit that refusals told is shown, unless the run has gone beyond it', () => {
  const [found] = play(window(60, 60), { workers: 8, requests: 300 }).traffic;
  expect(found!.limitPerMinute! / 60).toBeGreaterThan(0.8);
  const beyond: Api = () => {
    let asked = 0;
    return { answer: () => (++asked > 1 && asked < 5 ? limited() : { ...served(), afterMs: 10 }) };
  };
  const [strays] = play(beyond, { workers: 8, requests: 500 }).traffic;
  expect(strays).toMatchObject({ refused: 3, limitPerMinute: null });
});

test('an API that is away for a minute is asked now and then, by one request at a time', () => {
  const { served, unreachable, seconds } = play(bucket(5, 5), { gone: [30, 90] });
  expect(served).toBe(1_000);
  expect(unreachable).toBeLessThan(25);
  // 200 s of requests, the minute, and the pause that it ended in.
  expect(seconds).toBeLessThan(200 * 1.1 + 60 + 10);
});

test('maxRequests caps what runs at once', () => {
  const time = new SimulatedTime();
  const limiter = new AdaptiveLimiter();
  limiter.atMost(2);
  let [running, most] = [0, 0];
  for (let request = 0; request < 50; request++)
    limiter.ask(admission => {
      most = Math.max(most, ++running);
      time.after(100, () => {
        running--;
        admission.answered({ as: 'served' });
      });
    });
  expect(time.runToEnd()).toBeCloseTo(2.5);
  expect(most).toBe(2);
});

test('requests start in the order in which they were asked, and one that is withdrawn never does', () => {
  const time = new SimulatedTime();
  const limiter = new AdaptiveLimiter();
  limiter.atMost(1);
  const started: string[] = [];
  const ask = (name: string) =>
    limiter.ask(admission => {
      started.push(name);
      // The worker of "b" dies: what it asked for is never answered.
      time.after(100, () => admission.answered(name === 'b' ? undefined : { as: 'served' }));
    });
  ask('a');
  ask('b');
  const withdraw = ask('c');
  ask('d');
  withdraw();
  time.runToEnd();
  expect(started).toEqual(['a', 'b', 'd']);
});

test('after an answer with retry-after, nothing starts until then, and then not all at once', () => {
  const time = new SimulatedTime();
  const limiter = new AdaptiveLimiter();
  const starts: number[] = [];
  let isFirst = true;
  for (let request = 0; request < 40; request++)
    limiter.ask(admission => {
      starts.push(time.now());
      const how = isFirst ? { as: 'limited' as const, retryAfterMs: 45_000 } : { as: 'served' as const };
      isFirst = false;
      time.after(how.as === 'limited' ? 10 : LATENCY_MS, () => admission.answered(how));
    });
  time.runToEnd();
  const later = starts.filter(at => at > 10);
  expect(Math.min(...later)).toBeGreaterThanOrEqual(45_010);
  expect(later.filter(at => at < 46_010).length).toBeLessThanOrEqual(6);
});

test('what headers say is left of the tokens is kept', () => {
  const time = new SimulatedTime();
  const limiter = new AdaptiveLimiter();
  // 60,000 tokens a minute, 5,000 a request: 12 requests a minute, of which the first minute has as many again.
  let [left, at] = [60_000, 0];
  let refused = 0;
  for (let request = 0; request < 60; request++)
    limiter.ask(admission => {
      left = Math.min(60_000, left + (time.now() - at));
      at = time.now();
      const isServed = left >= 5_000;
      if (isServed) left -= 5_000;
      else refused++;
      const told = [{ of: 'tokens' as const, limit: 60_000, remaining: left, resetMs: 60_000 - left }];
      const how = { as: isServed ? ('served' as const) : ('limited' as const), left: told, tokens: 5_000 };
      time.after(LATENCY_MS, () => admission.answered(how));
    });
  const seconds = time.runToEnd();
  expect(refused).toBe(0);
  expect(seconds).toBeLessThan(1.1 * 240);
});
