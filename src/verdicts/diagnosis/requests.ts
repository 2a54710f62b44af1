// The requests of a failed trial that were answered otherwise than in passing ones, or not at all: the first suspects, whatever the
// page shows.

import type { Parting, SuspectRequest } from '../../data/diagnosis';
import type { NetworkEvent, TrialRecord } from '../../data/record';
import type { TrialResult } from '../../data/verdict';
import { hostOf } from '../../spec/url';
import { oneLine } from '../../text/line';
import { comparablePath } from './paths';
import type { Facts } from './way';

const WATCHED = /^(document|fetch|xhr|script)$/;
const CHANGES = /^(POST|PUT|PATCH|DELETE) /;
const MAX_REQUESTS = 300;
const MAX_LENGTH = 90;
/** Without a passing trial, a failed GET is only a suspect in the last turns. */
const LAST_TURNS = 2;

/** All requests of a trial with one method and path. */
export interface SentRequest {
  /** `POST /api/cart`, with its host if that is not the site's own. */
  request: string;
  /** The turn in which this began; 0 before the first. */
  turn: number;
  /** How the last one ended: both null if it was broken off, or not answered yet. */
  status: number | null;
  failure: string | null;
}

export function requestsOf({ network, turns }: Pick<TrialRecord, 'network' | 'turns'>): SentRequest[] {
  const pages = network.events.filter(
    ({ resourceType, status }) => resourceType === 'document' && status !== null,
  );
  const own = new Set(pages.map(({ url }) => hostOf(url)));
  const sent = new Map<string, SentRequest>();
  for (const event of network.events) {
    const { url, method, status, answeredBy, startedAtMs } = event;
    const path = comparablePath(url);
    // What the guard refused is not the site's failure.
    if (!WATCHED.test(event.resourceType) || answeredBy || path === null) continue;
    const host = own.has(hostOf(url)) ? '' : (hostOf(url) ?? '');
    const request = oneLine(`${method} ${host}${path}`, MAX_LENGTH);
    const failure = failureIn(event);
    const known = sent.get(request);
    const isSame = known?.status === status && known?.failure === failure;
    if (isSame || (known && status === null && failure === null)) continue;
    const turn = turns.findLast(each => each.startedAtMs <= startedAtMs)?.number ?? 0;
    if (known || sent.size < MAX_REQUESTS) sent.set(request, { request, turn, status, failure });
  }
  return [...sent.values()];
}

/** A page that is left breaks its requests off. */
function failureIn({ status, failure }: NetworkEvent): string | null {
  return status !== null || failure === undefined || /abort|cancel/i.test(failure)
    ? null
    : oneLine(failure, 60);
}

/**
 * @param passing the requests of each passing trial
 * @param parting where the trial left their way: what was answered otherwise later may be an effect of that
 */
export function suspectOf(
  { facts, trial }: { facts: Pick<Facts, 'requests' | 'way'>; trial: Pick<TrialResult, 'index' | 'turns'> },
  passing: readonly Pick<Facts, 'requests' | 'way'>[],
  parting?: Parting,
): SuspectRequest | null {
  const usual = passing.map(({ requests }) => new Map(requests.map(each => [each.request, each])));
  const answersTo = (request: string) => usual.flatMap(each => each.get(request) ?? []);
  const isEffect = parting?.kind === 'page' || parting?.kind === 'ended';
  const end = parting ? parting.turn - (isEffect ? 0 : 1) : Number.POSITIVE_INFINITY;
  const isSuspect = (sent: SentRequest): boolean => {
    const { request, turn } = sent;
    const others = answersTo(request);
    if (others.some(each => each.status === sent.status && each.failure === sent.failure)) return false;
    if (others.length && others.every(isAnswered))
      return isBroken(sent)
        ? turn <= (parting?.turn ?? end) || CHANGES.test(request)
        : isRefused(sent) && turn <= end;
    const isOwn = request.split(' ')[1]!.startsWith('/');
    return isBroken(sent) && isOwn && (CHANGES.test(request) || turn > trial.turns - LAST_TURNS);
  };
  const [found] = facts.requests
    .filter(isSuspect)
    .sort((a, b) => a.turn - b.turn || Number(CHANGES.test(b.request)) - Number(CHANGES.test(a.request)));
  const sent = found ?? missing(facts, passing, parting);
  if (!sent) return null;
  const { request, turn, status, failure } = sent;
  const expected = answersTo(request)[0]?.status ?? null;
  const outcome =
    status !== null ? `answered ${status}` : failure !== null ? `failed (${failure})` : 'was not sent';
  const usually = expected === null ? '' : ` (${expected} in passing trials)`;
  const text = `${request} ${outcome}${usually}`;
  return { index: trial.index, turn, request, status, failure, expected, text };
}

const isBroken = ({ status, failure }: SentRequest) => failure !== null || (status !== null && status >= 500);
const isRefused = ({ status }: SentRequest) => status !== null && status >= 400;
const isAnswered = ({ status }: SentRequest) => status !== null && status < 400;

/** What each passing trial had sent by the place of parting, and this one never did. */
function missing(
  { requests, way }: Pick<Facts, 'requests' | 'way'>,
  [first, ...others]: readonly Pick<Facts, 'requests' | 'way'>[],
  parting: Parting | undefined,
): SentRequest | undefined {
  // Too little is known of what it did.
  if (!first || (!parting && way.actions.length < first.way.actions.length)) return undefined;
  const end = parting ? parting.expected.turn - (parting.kind === 'page' ? 0 : 1) : Number.POSITIVE_INFINITY;
  const sentBy = (each: Pick<Facts, 'requests'>, wanted: SentRequest) =>
    each.requests.some(({ request }) => request === wanted.request);
  const found = first.requests.find(
    each =>
      CHANGES.test(each.request) &&
      isAnswered(each) &&
      each.turn <= end &&
      !sentBy({ requests }, each) &&
      others.every(other => sentBy(other, each)),
  );
  return found && { ...found, status: null, failure: null };
}
