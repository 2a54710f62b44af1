// Finds the request of a failed trial that was answered differently than in passing ones, or not at all. It is the first suspect,
// whatever the page shows.
import type { Parting, SentRequest, SuspectRequest } from '../../data/diagnosis';
import type { NetworkEvent, TrialRecord } from '../../data/record';
import type { TrialResult } from '../../data/verdict';
import { hostOf } from '../../spec/url';
import { oneLine } from '../../text/line';
import { comparablePath } from './paths';
import type { Facts } from './way';

/** `other` are the scripts of workers. */
const WATCHED = /^(document|fetch|xhr|script|other)$/;
const CHANGES = /^(POST|PUT|PATCH|DELETE) /;
const MAX_REQUESTS = 300;
const MAX_LENGTH = 90;
/** Without a passing trial, a failed GET is only a suspect in the last turns. */
const LAST_TURNS = 2;
/** Far slower: so much longer, and so many times as long. A busy machine alone does not do that. */
const SLOWER_MS = 3_000;
const SLOWER = 5;

type Sender = Pick<Facts, 'requests' | 'way'>;

export function requestsOf(record: Pick<TrialRecord, 'network' | 'turns' | 'durationMs'>): SentRequest[] {
  const { network, turns, durationMs } = record;
  const pages = network.events.filter(event => event.resourceType === 'document' && event.status !== null);
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
    const ms = waitedFor(event, durationMs);
    const isSame = known?.status === status && known?.failure === failure;
    const saysMore = !isSame && (status !== null || failure !== null);
    if (known && !saysMore && !isFarSlower(ms, [known])) continue;
    const turn = turns.findLast(each => each.startedAtMs <= startedAtMs)?.number ?? 0;
    if (known || sent.size < MAX_REQUESTS)
      sent.set(request, { request, turn, status, failure, ...(ms !== undefined && { ms }) });
  }
  return [...sent.values()];
}

function waitedFor({ status, failure, startedAtMs, answeredAfterMs }: NetworkEvent, durationMs: number) {
  const isOpen = status === null && failure === undefined;
  return isOpen ? durationMs - startedAtMs : answeredAfterMs;
}

/** Null if it was aborted, as when the page is left. */
function failureIn({ status, failure }: NetworkEvent): string | null {
  return status !== null || failure === undefined || /abort|cancel/i.test(failure)
    ? null
    : oneLine(failure, 60);
}

/** @param parting where the trial parted from passing ones: later answers may differ because of that */
export function suspectOf(
  { facts, trial }: { facts: Sender; trial: Pick<TrialResult, 'index' | 'turns'> },
  passing: readonly Sender[],
  parting?: Parting,
): SuspectRequest | null {
  const usual = passing.map(({ requests }) => new Map(requests.map(each => [each.request, each])));
  const answersTo = (request: string) => usual.flatMap(each => each.get(request) ?? []);
  // Then the requests of that turn came before the parting.
  const isBefore =
    parting && (/^(page|ended)$/.test(parting.kind) || parting.actual.did?.startsWith('failed'));
  const end = parting ? parting.turn - (isBefore ? 0 : 1) : Number.POSITIVE_INFINITY;
  const isOwn = (request: string) => request.split(' ')[1]!.startsWith('/');
  const isSuspect = (sent: SentRequest): boolean => {
    const { request, turn } = sent;
    const others = answersTo(request);
    if (others.some(each => each.status === sent.status && each.failure === sent.failure)) return false;
    if (others.length && others.every(isAnswered))
      return isBroken(sent)
        ? turn <= (parting?.turn ?? end) || CHANGES.test(request)
        : isRefused(sent) && turn <= end;
    // The page on which the trial began.
    if (sent === facts.requests[0] && turn === 0 && isRefused(sent)) return true;
    return isBroken(sent) && isOwn(request) && (CHANGES.test(request) || turn > trial.turns - LAST_TURNS);
  };
  const isLate = (sent: SentRequest): boolean => {
    const { request, turn, ms } = sent;
    const others = answersTo(request);
    const isRead = sent.status !== null || !CHANGES.test(request);
    if (isBroken(sent) || !isOwn(request) || (isRead && !others.length)) return false;
    return isFarSlower(ms, others) && others.every(isAnswered) && turn <= (parting?.turn ?? end);
  };
  const changes = ({ request }: SentRequest) => Number(CHANGES.test(request));
  const inOrder = facts.requests.toSorted((a, b) => a.turn - b.turn || changes(b) - changes(a));
  const wrong = inOrder.find(isSuspect);
  const sent = wrong ?? inOrder.find(isLate) ?? missing(facts, passing, parting);
  if (!sent) return null;
  const { request, turn, status, failure } = sent;
  const expected = answersTo(request)[0]?.status ?? null;
  const isSlow = sent !== wrong && status !== null;
  const usually = isSlow || expected === null ? '' : ` (${expected} in passing trials)`;
  const text = `${request} ${outcomeOf(sent)}${isSlow ? ' far later than in passing trials' : usually}`;
  return { index: trial.index, turn, request, status, failure, expected, text };
}

/** Without the time, so that trials with the same cause have the same text. */
function outcomeOf({ status, failure, ms }: SentRequest): string {
  if (status !== null) return `answered ${status}`;
  if (failure !== null) return `failed (${failure})`;
  return ms === undefined ? 'was not sent' : 'was never answered';
}

function isFarSlower(ms = 0, others: readonly SentRequest[]): boolean {
  // Records of earlier versions have no `ms`.
  const longest = Math.max(0, ...others.map(each => each.ms ?? Number.POSITIVE_INFINITY));
  return ms >= longest + SLOWER_MS && ms >= longest * SLOWER;
}

const isBroken = ({ status, failure }: SentRequest) => failure !== null || (status !== null && status >= 500);
const isRefused = ({ status }: SentRequest) => status !== null && status >= 400;
const isAnswered = ({ status }: SentRequest) => status !== null && status < 400;

/** What each passing trial had sent by the place of parting, and this one never did. */
function missing(lost: Sender, [first, ...others]: readonly Sender[], parting?: Parting) {
  // Too little is known of what it did.
  if (!first || (!parting && lost.way.actions.length < first.way.actions.length)) return undefined;
  const end = parting ? parting.expected.turn - (parting.kind === 'page' ? 0 : 1) : Number.POSITIVE_INFINITY;
  const sentBy = ({ requests }: Sender, wanted: SentRequest) =>
    requests.some(({ request }) => request === wanted.request);
  const found = first.requests.find(
    each =>
      CHANGES.test(each.request) &&
      isAnswered(each) &&
      each.turn <= end &&
      !sentBy(lost, each) &&
      others.every(other => sentBy(other, each)),
  );
  return found && { ...found, status: null, failure: null, ms: undefined };
}
