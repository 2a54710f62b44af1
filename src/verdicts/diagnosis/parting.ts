// Where a failed trial left the way of passing ones: by path, action and control, whatever else the trials did. Each trial is
// compared with a bounded number of ways, so the time is linear in the number of trials.

import { compareText, groupBy, sumOf } from '../../data/collections';
import type { Parting, PassingTrials, Way, WayAction } from '../../data/verdict';

/** Most ways to compare a trial with: those that most passing trials took. */
const MOST_WAYS = 20;

/** A passing trial: what it did, and its index if it is of this run. */
export interface PassingTrial {
  project?: string;
  index?: number;
  way: Way;
}

/** A failed trial and how it ended. */
export interface LostTrial {
  status: string;
  way: Way;
}

interface DistinctWay {
  id: string;
  trial: PassingTrial;
  count: number;
  keys: string[];
  at: Map<string, number>;
}

/** What passing trials have in common. Made once for all trials that are compared with them. */
export class PassingWays {
  private readonly ways: DistinctWay[];
  /** How many trials did each action, and where they were after it. */
  private readonly counts = new Map<string, number>();
  private readonly arrivals = new Map<string, number>();
  private readonly total: number;
  private readonly known = new Map<string, Parting | null>();
  /** The ways that passing trials took. */
  private readonly taken: ReadonlySet<string>;

  constructor(
    readonly who: PassingTrials,
    trials: readonly PassingTrial[],
  ) {
    const distinct = groupBy(trials, ({ way }) => idOf(numbered(way.actions), way.end));
    const ways = [...distinct].map(([id, same]) => {
      const trial = same.reduce((first, other) => (isBefore(other, first) ? other : first));
      const keys = numbered(trial.way.actions);
      for (const [index, key] of keys.entries()) {
        add(this.counts, key, same.length);
        add(this.arrivals, arrivalOf(key, pathAfter(trial.way, index)), same.length);
      }
      return { id, trial, count: same.length, keys, at: new Map(keys.map((key, index) => [key, index])) };
    });
    this.total = trials.length;
    this.taken = new Set(distinct.keys());
    this.ways = ways
      .sort((a, b) => b.count - a.count || a.keys.length - b.keys.length || compareText(a.id, b.id))
      .slice(0, MOST_WAYS);
  }

  /** The most frequent way; undefined without passing trials. */
  get usual(): Way | undefined {
    return this.ways[0]?.trial.way;
  }

  /** @returns null if it took their way, or if too little is known. */
  partingOf(trial: LostTrial): Parting | null {
    const keys = numbered(trial.way.actions);
    const id = JSON.stringify([keys, trial.way.actions.map(({ turn }) => turn), trial.way.end, trial.status]);
    const known = this.known.get(id);
    if (known !== undefined) return known;
    const found = this.find(trial, keys);
    this.known.set(id, found);
    return found;
  }

  private find(trial: LostTrial, keys: readonly string[]): Parting | null {
    const { way } = trial;
    const nearest = this.nearest(keys);
    if (!way.actions.length || !nearest || !comparable(way, nearest.trial.way, keys, nearest)) return null;
    const last = keys.findLastIndex(key => nearest.at.has(key));
    const at = last < 0 ? -1 : nearest.at.get(keys[last]!)!;
    const place: Place = { ...trial, actions: way.actions, keys, done: new Set(keys), nearest, last, at };
    const far = furthest(place);
    const found = this.otherPage(far) ?? this.otherAction(far) ?? this.skipped(place);
    if (found || this.taken.has(idOf(keys, way.end))) return found;
    // Another way led to the same page.
    return this.otherAction(place) ?? this.extra(place);
  }

  /** The way that has most actions in common with the trial. */
  private nearest(keys: readonly string[]): DistinctWay | undefined {
    let best: DistinctWay | undefined;
    let most = -1;
    for (const way of this.ways) {
      const shared = keys.filter(key => way.at.has(key)).length;
      if (shared > most) [best, most] = [way, shared];
    }
    return best;
  }

  /** After the same action the trial was on another page, and never got to that of the passing trials. */
  private otherPage({ way, actions, last, nearest, at }: Place): Parting | null {
    const passing = nearest.trial.way;
    const [expected, actual] = [pathAfter(passing, at), pathAfter(way, last)];
    if (expected === null || actual === null || expected === actual) return null;
    if (way.end === expected || actions.some((action, index) => index > last && action.path === expected))
      return null;
    const done = actions[last];
    const count = done
      ? (this.arrivals.get(arrivalOf(nearest.keys[at]!, expected)) ?? 0)
      : this.countOf(({ trial }) => trial.way.actions[0]?.path === expected);
    if (count * 2 <= this.total) return null;
    const [who, own] = [this.subject(count), done?.turn ?? 1];
    const came = actual === done?.path ? `stayed on ${actual}` : `came to ${actual}`;
    const text = done
      ? `turn ${own}: ${who} ${done.did} and came to ${expected}, this one ${came}`
      : `turn ${own}: ${who} began on ${expected}, this one on ${actual}`;
    const did = done?.did ?? null;
    const turn = passing.actions[at]?.turn ?? 1;
    return this.parting('page', text, nearest, [
      { turn, did, path: expected },
      { turn: own, did, path: actual },
    ]);
  }

  /** Most passing trials then did something that the trial never did. */
  private otherAction({ way, status, actions, done, last, nearest, at }: Place): Parting | null {
    const next = nearest.keys.findIndex(
      (key, index) => index > at && !done.has(key) && this.counts.get(key)! * 2 > this.total,
    );
    const action = actions[last + 1];
    const wanted = nearest.trial.way.actions[next];
    if (!wanted) return action ? this.wentOn(action, nearest, at) : null;
    const count = this.counts.get(nearest.keys[next]!)!;
    // An agent describes its own actions in other words in each trial.
    if (!isTold(wanted) && count < this.total) return null;
    const who = this.subject(count);
    if (action) {
      const again = actions[last]?.key === action.key && actions[last]?.path === action.path ? ' again' : '';
      const text = `turn ${action.turn}: ${who} ${wanted.did}, this one ${action.did}${again}`;
      return this.parting('action', text, nearest, [wanted, action]);
    }
    const turn = actions.at(-1)!.turn;
    const text = `after turn ${turn}: ${who} ${wanted.did}, this one ${ENDS[status] ?? 'ended'}`;
    return this.parting('ended', text, nearest, [wanted, { turn, did: null, path: way.end }]);
  }

  /** It came to the end of the passing way, but left out something that each passing trial did. */
  private skipped({ actions, keys, done, nearest }: Place): Parting | null {
    const missed = nearest.keys.findIndex(key => !done.has(key) && this.counts.get(key) === this.total);
    const wanted = nearest.trial.way.actions[missed];
    const next = actions[keys.findIndex(key => (nearest.at.get(key) ?? -1) > missed)];
    if (!wanted || !next) return null;
    const text = `before turn ${next.turn}: ${this.subject(this.total)} ${wanted.did}, this one never did`;
    return this.parting('skipped', text, nearest, [wanted, next]);
  }

  /** It did all that passing trials did, and on the way something that none of them did, or not as often. */
  private extra({ actions, keys, done, nearest, last }: Place): Parting | null {
    if (!nearest.keys.every(key => done.has(key))) return null;
    const own = keys.findIndex(
      (key, index) => index < last && isTold(actions[index]!) && !this.counts.has(key),
    );
    const action = actions[own];
    if (!action) return null;
    const next = keys.slice(own).find(key => nearest.at.has(key))!;
    const { turn, path } = nearest.trial.way.actions[nearest.at.get(next)!]!;
    const again = this.counts.has(numbered([action])[0]!) ? ' again' : '';
    const text = `turn ${action.turn}: ${this.subject(this.total)} never ${action.did}${again}, this one did`;
    return this.parting('extra', text, nearest, [{ turn, did: null, path }, action]);
  }

  private wentOn(action: WayAction, nearest: DistinctWay, at: number): Parting | null {
    const { keys, trial } = nearest;
    if (at < 0 || at !== keys.length - 1) return null;
    const count = this.countOf(other => other.keys.at(-1) === keys[at]);
    if (count * 2 <= this.total) return null;
    const text = `turn ${action.turn}: ${this.subject(count)} had ended, this one ${action.did}`;
    const { turn } = trial.way.actions.at(-1)!;
    return this.parting('went_on', text, nearest, [{ turn, did: null, path: trial.way.end }, action]);
  }

  private parting(
    kind: Parting['kind'],
    text: string,
    { trial: { index, project } }: DistinctWay,
    [expected, actual]: readonly [Side, Side],
  ): Parting {
    const side = ({ turn, did, path }: Side) => ({ turn, did, path });
    const trial = index === undefined ? {} : { trial: index, ...(project === undefined ? {} : { project }) };
    const [one, other] = [{ ...side(expected), ...trial }, side(actual)];
    return { kind, from: this.who.from, turn: actual.turn, text, expected: one, actual: other };
  }

  private countOf(holds: (way: DistinctWay) => boolean): number {
    return sumOf(this.ways.filter(holds), ({ count }) => count);
  }

  /** `passing trials`, `2 of 3 passing trials of "opus"`, `the recording` */
  private subject(count: number): string {
    const { from, project } = this.who;
    if (from === 'recording') return 'the recording';
    if (from === 'baseline') return 'the last passing trial';
    const of = project === undefined ? '' : ` of "${project}"`;
    if (this.total === 1) return `the passing trial${of}`;
    return `${count < this.total ? `${count} of ${this.total} ` : ''}passing trials${of}`;
  }
}

/** A failed trial beside the passing way that is nearest to it. */
interface Place extends LostTrial {
  actions: Way['actions'];
  keys: readonly string[];
  done: ReadonlySet<string>;
  nearest: DistinctWay;
  /** The last action of the trial that is on the passing way; -1 if there is none. */
  last: number;
  /** The same place on the passing way. */
  at: number;
}

interface Side {
  turn: number;
  did: string | null;
  path: string | null;
}

const ENDS: Record<string, string> = {
  gave_up: 'gave up',
  max_steps: 'had no turns left',
  budget_exceeded: 'reached its cost cap',
  timed_out: 'ran out of time',
};

/** The prefix of the key of a failed action, and of one that is only known in the agent's own words. */
export const FAILED = 'failed ';
export const UNTOLD = 'said ';
const isFailed = ({ key }: WayAction) => key.startsWith(FAILED);
const isTold = ({ key }: WayAction) => !key.startsWith(UNTOLD);

/** Actions in an agent's own words have nothing in common with recorded ones, whatever pages they are on. */
function comparable(lost: Way, passing: Way, keys: readonly string[], { at }: DistinctWay): boolean {
  const told = (way: Way) => way.actions.some(action => isTold(action) && !isFailed(action));
  return told(lost) === told(passing) || lost.actions.every(isFailed) || keys.some(key => at.has(key));
}

/** Numbers repeated actions: doing the same again is another action. */
function numbered(actions: readonly WayAction[]): string[] {
  const times = new Map<string, number>();
  return actions.map(({ path, key }) => {
    const action = JSON.stringify([path, key]);
    return `${action}${add(times, action)}`;
  });
}

function add(counts: Map<string, number>, key: string, more = 1): number {
  const count = (counts.get(key) ?? 0) + more;
  counts.set(key, count);
  return count;
}

const idOf = (keys: readonly string[], end: string | null) => JSON.stringify([keys, end]);
const arrivalOf = (key: string, path: string | null) => `${key} ${path}`;

/** A trial that reached a later page of the passing way by another action is back on the way. */
function furthest(place: Place): Place {
  const { actions, end } = place.nearest.trial.way;
  const first = new Map<string | null, number>([[end, actions.length]]);
  for (const [index, { path }] of [...actions.entries()].reverse()) first.set(path, index);
  let found = place;
  for (let index = place.last + 1; index <= place.actions.length; index++) {
    const page = place.actions[index]?.path ?? place.way.end;
    const there = page === null ? 0 : (first.get(page) ?? 0);
    if (there - 1 > found.at) found = { ...found, last: index - 1, at: there - 1 };
  }
  return found;
}

/** The path after an action; for -1 before the first. */
function pathAfter({ actions, end }: Way, index: number): string | null {
  return actions[index + 1]?.path ?? end;
}

const isBefore = (one: PassingTrial, other: PassingTrial) =>
  (compareText(one.project ?? '', other.project ?? '') || (one.index ?? 0) - (other.index ?? 0)) < 0;
