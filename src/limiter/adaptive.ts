// Decides how many requests to one model run at once, and how fast they start. Nobody has to know the API's limits. The number of
// requests grows while answers come in, like TCP's slow start. When the API refuses one, the rate goes a little below the rate that was
// served. From there it grows evenly, and after a while ever faster, like TCP's CUBIC (RFC 9438).
import type { Answered, Left } from './rate-headers';

/** Requests at a time until the first answer. */
const FIRST_SLOTS = 4;
/** The share of the served rate that is kept after a refusal. */
const CUT = 0.95;
/** Growth per second, as a share of the served rate. */
const GROWTH = 0.004;
/** Seconds of even growth. */
const EVEN_S = 20;
/** Seconds of faster growth after which the rate has doubled. */
const DOUBLED_S = 40;
/** Requests of a minute that tell a rate. If there are fewer, it grows faster by their share: two early refusals say little. */
const TELLING = 10;
/** Requests per second, to keep a limit of 3 per minute, too. */
const LEAST_RATE = 0.05;
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 10_000;
/** The served rate is measured over this time and over a minute, since some limits are per minute. */
const RECENT_MS = 10_000;
const MINUTE_MS = 60_000;

/** What is known of an API when a request starts. */
export interface Known {
  /** Whether it has served a request in this run. */
  served: boolean;
  /** Milliseconds for which no request has got an answer; 0 if the newest one did. */
  goneMs: number;
}

/** A request that may be sent. Call `answered` once when it is over; without an argument if nothing can be learned from it. */
export interface Admission extends Known {
  answered(how?: Answered): void;
}

type Waiting = { since: number; admit(admission: Admission): void };

interface Request {
  startedAt: number;
  /** Whether the API refused it (429 or 529). */
  refused?: boolean;
}

/** A limit that the API reported. It fills up again as time goes by. */
interface Bucket {
  left: number;
  limit: number;
  perMs: number;
  at: number;
}

export class AdaptiveLimiter {
  private slots = FIRST_SLOTS;
  private readonly running = new Set<Request>();
  private readonly queue = new Set<Waiting>();
  /** Requests per second before the last refusal; infinite until the first one. */
  private servedRate = Number.POSITIVE_INFINITY;
  /** How many times as fast as usual the rate grows. */
  private haste = 1;
  private beganAt = performance.now();
  private cutAt = this.beganAt;
  private nextStart = 0;
  private pausedUntil = 0;
  /** Milliseconds for which the API asked to wait when it last refused. */
  private retryAfterMs = 0;
  private failures = 0;
  private answeredAt = Number.NEGATIVE_INFINITY;
  private goneSince: number | undefined;
  private readonly buckets = new Map<Left['of'], Bucket>();
  /** A running mean. */
  private tokensOfRequest = 0;
  /** Requests of the last minute. */
  private readonly started: Request[] = [];
  private readonly seen = { served: 0, refused: 0, waitedMs: 0, perMinute: 0 };
  private wake: NodeJS.Timeout | undefined;
  private most = Number.POSITIVE_INFINITY;

  /** Limits the requests at once. If two projects share a key, the lower number holds. */
  atMost(most: number): void {
    this.most = Math.min(this.most, most);
    this.slots = Math.min(this.slots, this.most);
  }

  /** @param admit called when the request may be sent. @returns a function that withdraws it */
  ask(admit: (admission: Admission) => void): () => void {
    const waiting = { since: performance.now(), admit };
    this.queue.add(waiting);
    this.startAll();
    return () => void this.queue.delete(waiting);
  }

  /** What was seen so far, for the results file. */
  get traffic() {
    const told = this.buckets.get('requests');
    const found = Number.isFinite(this.servedRate) ? this.servedRate * 60 : null;
    // Without a refusal, the rate may have grown beyond what was found.
    const isBeyond = found !== null && found < this.startedIn(MINUTE_MS, performance.now()).count;
    const limit = told ? told.perMs * MINUTE_MS : isBeyond ? null : found;
    return { ...this.seen, limitPerMinute: limit === null ? null : Math.round(limit) };
  }

  private startAll(): void {
    clearTimeout(this.wake);
    const now = performance.now();
    for (const waiting of this.queue) {
      if (this.running.size >= Math.floor(this.slots)) return;
      const at = Math.max(this.pausedUntil, this.nextStart, this.whenLeft(now));
      if (at > now) {
        this.wake = setTimeout(() => this.startAll(), at - now);
        return;
      }
      this.queue.delete(waiting);
      this.start(waiting, now);
    }
  }

  private start({ since, admit }: Waiting, now: number): void {
    const request: Request = { startedAt: now };
    this.running.add(request);
    this.seen.waitedMs += now - since;
    this.nextStart = Math.max(this.nextStart, now) + 1_000 / this.rate(now);
    for (const [of, bucket] of this.buckets) bucket.left -= of === 'requests' ? 1 : this.tokensOfRequest;
    this.started.push(request);
    while (this.started[0]!.startedAt <= now - MINUTE_MS) this.started.shift();
    this.seen.perMinute = Math.max(this.seen.perMinute, this.started.length);
    const answered = (how?: Answered) => {
      if (!this.running.has(request)) return;
      if (how) this.learn(how, request);
      this.running.delete(request);
      this.startAll();
    };
    const goneMs = this.goneSince === undefined ? 0 : now - this.goneSince;
    admit({ answered, served: this.seen.served > 0, goneMs });
  }

  /** Requests per second that may start now. */
  private rate(now: number): number {
    // A refusal that costs more time is risked less often: the best interval grows with the square root of the cost.
    const pace = this.haste / Math.sqrt(Math.max(1, this.retryAfterMs / 1_000));
    const seconds = ((now - this.cutAt) / 1_000) * pace;
    const grown = GROWTH * seconds + Math.max(0, (seconds - EVEN_S) / DOUBLED_S) ** 3;
    return Math.max(LEAST_RATE, this.servedRate * (CUT + grown));
  }

  private learn({ as, retryAfterMs = 0, left = [], tokens }: Answered, request: Request): void {
    const now = performance.now();
    for (const each of left) this.fill(each, request.startedAt);
    if (tokens) this.tokensOfRequest += (tokens - this.tokensOfRequest) / Math.min(10, this.seen.served + 1);
    const isGone = as === 'unreachable';
    this.goneSince = isGone ? (this.goneSince ?? Math.max(this.answeredAt, request.startedAt)) : undefined;
    if (!isGone) this.answeredAt = now;
    if (as === 'served') this.grow(now);
    else this.refuse(as, retryAfterMs, request, now);
  }

  private refuse(as: Answered['as'], retryAfterMs: number, request: Request, now: number): void {
    request.refused = as !== 'unreachable';
    if (request.refused) this.seen.refused++;
    // Before the first answer, there is no rate that could be lowered.
    const knowsNoRate = !this.seen.served && this.running.size === 1;
    const how = as === 'limited' && knowsNoRate ? 'overloaded' : as;
    this.shrink(how, request.startedAt, now);
    this.pause(how, retryAfterMs, now);
  }

  private grow(now: number): void {
    this.seen.served++;
    if (this.failures) this.beginAnew(now);
    // While fewer requests run than could, answers say nothing about the limit.
    const isFull = this.queue.size > 0 || this.running.size >= Math.floor(this.slots);
    if (isFull) this.slots = Math.min(this.most, this.slots + 1);
  }

  private shrink(as: Answered['as'], startedAt: number, now: number): void {
    // A request from before the last cut says nothing about the rate since.
    if (startedAt < this.cutAt) return;
    if (as === 'limited') this.cutRate(now);
    else this.slots = as === 'overloaded' ? Math.max(1, this.slots / 2) : 1;
    if (as === 'overloaded') this.cutAt = now;
  }

  /** Pauses as long as the API asks. If it does not say: not after a limit, which has lowered the rate; else ever longer. */
  private pause(as: Answered['as'], retryAfterMs: number, now: number): void {
    const grown = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 1.5 ** this.failures);
    if (as === 'limited') this.retryAfterMs = retryAfterMs;
    else if (now >= this.pausedUntil) this.failures++;
    const pauseMs = retryAfterMs || (as === 'limited' ? 0 : grown);
    this.pausedUntil = Math.max(this.pausedUntil, now + pauseMs);
  }

  /** Starts as carefully as at first, after the API was gone. */
  private beginAnew(now: number): void {
    this.failures = 0;
    this.slots = Math.min(FIRST_SLOTS, this.most);
    this.beganAt = now;
    this.cutAt = now;
  }

  private cutRate(now: number): void {
    const [recent, minute] = [this.startedIn(RECENT_MS, now), this.startedIn(MINUTE_MS, now)];
    // The requests that still run are not too many.
    this.slots = Math.max(1, this.running.size - 1);
    this.servedRate = Math.max(LEAST_RATE, Math.min(this.rate(now), Math.max(recent.rate, minute.rate)));
    this.haste = Math.max(1, TELLING / Math.max(1, minute.count));
    this.cutAt = now;
    this.nextStart = Math.max(this.nextStart, now + 1_000 / this.rate(now));
  }

  /** Started requests, and their rate per second, without those that were refused. */
  private startedIn(ms: number, now: number) {
    const since = Math.max(this.beganAt, now - ms);
    const recent = this.started.filter(({ startedAt, refused }) => startedAt >= since && !refused);
    const { length: count } = recent;
    return { count, rate: count / Math.max(1, (now - since) / 1_000) };
  }

  /** Takes over a reported limit, as it was when the request began. */
  private fill({ of, remaining, limit = remaining, resetMs }: Left, startedAt: number): void {
    if (resetMs === 0) return;
    const later = this.started.filter(request => request.startedAt > startedAt).length;
    const left = remaining - (of === 'requests' ? later : later * this.tokensOfRequest);
    const known = this.buckets.get(of);
    const isNearer = !known || known.at < startedAt || left < known.left;
    if (isNearer) this.buckets.set(of, { left, limit, perMs: (limit - remaining) / resetMs, at: startedAt });
  }

  /** When the reported limits have room for one more request. */
  private whenLeft(now: number): number {
    let at = now;
    for (const [of, bucket] of this.buckets) {
      bucket.left = Math.min(bucket.limit, bucket.left + (now - bucket.at) * bucket.perMs);
      bucket.at = now;
      const needs = Math.min(bucket.limit, of === 'requests' ? 1 : this.tokensOfRequest);
      // A limit that does not say when it fills up is reported again with the next answer.
      if (bucket.left < needs && bucket.perMs > 0)
        at = Math.max(at, now + (needs - bucket.left) / bucket.perMs);
    }
    return at;
  }
}
