// Finds where a failed trial parted from passing ones. Trials are compared by paths, actions and controls alone.
import type { Place } from '../../data/action';
import { compareText, groupBy, sumOf } from '../../data/collections';
import type { Diagnosis, Parting, PassingTrials, Way, WayAction } from '../../data/diagnosis';
import type { TrialResult } from '../../data/verdict';
import { instead, shared } from './places';
import { FAILED, type Facts, type GradedTrial, UNTOLD } from './way';

/** Most passing trials to compare a trial with: a spec has at most 25, unless `--repeat-each` asks for more. */
const MOST_TRIALS = 50;

/** Of an earlier run, only the way is known. */
export interface PassingTrial {
  project?: string;
  trial?: Pick<TrialResult, 'index'>;
  facts: Pick<Facts, 'way'>;
}

type Lost = Pick<GradedTrial, 'trial' | 'facts'>;

/** A parting, and the parts of its text. */
export interface FoundParting {
  parting: Diagnosis['partings'][number];
  lead: string;
  /** What passing trials did, and what the failed one did. */
  said: string;
  own: string;
  /** Where passing trials had the control that they used next, if the trial ended on that page. */
  sought?: Place | undefined;
}

/** `after turn 6: passing trials clicked button "Pay", this one ended` @param one the failed trial, or several */
export const partingText = (
  { lead, said, own }: Pick<FoundParting, 'lead' | 'said' | 'own'>,
  when: string,
  one: string,
) => `${lead}${when}: ${said}, ${one} ${own}`;

/** The ways of passing trials, the most frequent first: the first trial that took each, and how many did. */
function distinctWays(trials: readonly PassingTrial[]) {
  const distinct = groupBy(trials, ({ facts: { way } }) => idOf(numbered(way.actions), way.end));
  const ways = [...distinct].map(([id, [trial, ...others]]) => {
    const { way } = trial.facts;
    const keys = numbered(way.actions);
    const at = new Map(keys.map((key, index) => [key, index]));
    return { id, trial, way, count: others.length + 1, keys, at };
  });
  return ways.sort((a, b) => b.count - a.count || a.keys.length - b.keys.length || compareText(a.id, b.id));
}

type DistinctWay = ReturnType<typeof distinctWays>[number];

/** What passing trials have in common. Made once for all trials that are compared with them. */
export class PassingWays {
  private readonly ways: DistinctWay[];
  private readonly total: number;

  constructor(
    readonly who: PassingTrials,
    trials: readonly PassingTrial[],
  ) {
    const inOrder = trials.toSorted((a, b) => (a.trial?.index ?? 0) - (b.trial?.index ?? 0));
    this.ways = distinctWays(inOrder.slice(0, MOST_TRIALS));
    this.total = Math.min(trials.length, MOST_TRIALS);
  }

  /** The most frequent way; undefined without passing trials. */
  get usual(): Way | undefined {
    return this.ways[0]?.way;
  }

  /** @returns null if it took their way, or if too little is known. */
  partingOf(lost: Lost): FoundParting | null {
    const { way } = lost.facts;
    const nearest = this.nearest(numbered(way.actions));
    const known = (done: WayAction) => nearest?.way.actions.find(each => isSame(each, done)) ?? done;
    const keys = numbered(way.actions.map(known));
    if (!way.actions.length || !nearest || !comparable(way, nearest.way, keys, nearest)) return null;
    const place = placeOn(nearest, lost, keys);
    const far = furthest(place);
    const found = this.otherPage(far) ?? this.otherAction(far) ?? this.skipped(place);
    if (found || this.ways.some(({ id }) => id === idOf(keys, way.end))) return found;
    // The trial came back to their way by other actions: tell these.
    return this.otherAction(place) ?? this.extra(place);
  }

  private nearest(keys: readonly string[]): DistinctWay | undefined {
    const shared = ({ at }: DistinctWay) => sumOf(keys, key => Number(at.has(key)));
    return this.ways.toSorted((a, b) => shared(b) - shared(a))[0];
  }

  /** After the same action the trial was on another page, and never got to that of the passing trials. */
  private otherPage(place: At): FoundParting | null {
    const { way, last, nearest, at } = place;
    const { actions } = way;
    const passing = nearest.way;
    const [expected, actual] = [pathAfter(passing, at), pathAfter(way, last)];
    if (expected === null || actual === null || expected === actual) return null;
    if (way.end === expected || actions.some((action, index) => index > last && action.path === expected))
      return null;
    const done = actions[last];
    const key = nearest.keys[at];
    const count = this.countOf(other =>
      key === undefined
        ? other.way.actions[0]?.path === expected
        : other.at.has(key) && pathAfter(other.way, other.at.get(key)!) === expected,
    );
    if (count * 2 <= this.total) return null;
    const did = done?.did ?? null;
    const sides = [
      { turn: passing.actions[at]?.turn ?? 1, did, path: expected },
      { turn: done?.turn ?? 1, did, path: actual },
    ] as const;
    if (!done) return this.found('page', place, sides, [count, `began on ${expected}`], `on ${actual}`);
    const came = actual === done.path ? `stayed on ${actual}` : `came to ${actual}`;
    return this.found('page', place, sides, [count, `${did} and came to ${expected}`], came);
  }

  /** Most passing trials then did something that the trial never did. */
  private otherAction(place: At): FoundParting | null {
    const { trial, facts, way, done, last, nearest, at } = place;
    const { actions } = way;
    const next = nearest.keys.findIndex(
      (key, index) => index > at && !done.has(key) && this.didCount(key) * 2 > this.total,
    );
    const action = actions[last + 1];
    const wanted = nearest.way.actions[next];
    if (!wanted) return action ? this.wentOn(place, action) : null;
    const count = this.didCount(nearest.keys[next]!);
    // An action that is known only in the agent's own words has other words in each trial.
    if (!isTold(wanted) && count < this.total) return null;
    const sought = placeSought(wanted, place);
    const there = sought ? instead(sought, facts.controls) : '';
    const again = action?.key === actions[last]?.key && action?.path === actions[last]?.path ? ' again' : '';
    const own = (action ? action.did + again : (ENDS[trial.status] ?? 'ended')) + there;
    const sides = [wanted, action ?? endOf(way)] as const;
    return { ...this.found(action ? 'action' : 'ended', place, sides, [count, wanted.did], own), sought };
  }

  /** It came to the end of the passing way, but left out something that each passing trial did. */
  private skipped(place: At): FoundParting | null {
    const { way, keys, done, nearest } = place;
    const missed = nearest.keys.findIndex(key => !done.has(key) && this.didCount(key) === this.total);
    const wanted = nearest.way.actions[missed];
    const next = way.actions[keys.findIndex(key => (nearest.at.get(key) ?? -1) > missed)];
    if (!wanted || !next) return null;
    return this.found('skipped', place, [wanted, next], [this.total, wanted.did], 'never did');
  }

  /** It did all that passing trials did, and on the way something that none of them did, or not as often. */
  private extra(place: At): FoundParting | null {
    const { way, keys, done, nearest, last } = place;
    if (!nearest.keys.every(key => done.has(key))) return null;
    const own = keys.findIndex(
      (key, index) => index < last && isTold(way.actions[index]!) && !this.didCount(key),
    );
    const action = way.actions[own];
    if (!action) return null;
    const next = keys.slice(own).find(key => nearest.at.has(key))!;
    const { turn, path } = nearest.way.actions[nearest.at.get(next)!]!;
    const again = this.didCount(numbered([action])[0]!) ? ' again' : '';
    const said = [this.total, `never ${action.did}${again}`] as const;
    return this.found('extra', place, [{ turn, did: null, path }, action], said, 'did');
  }

  private wentOn(place: At, action: WayAction): FoundParting | null {
    const { keys, way } = place.nearest;
    // Passing trials may have seen what this action did not find, but what an agent sees is not recorded.
    if (isFailed(action)) return null;
    if (place.at < 0 || place.at !== keys.length - 1) return null;
    const count = this.countOf(other => other.keys.at(-1) === keys[place.at]);
    if (count * 2 <= this.total) return null;
    return this.found('went_on', place, [endOf(way), action], [count, 'had ended'], action.did);
  }

  /** @param own what this trial did, while `count` passing trials did `what` */
  private found(
    kind: Parting['kind'],
    { trial: { index }, nearest }: At,
    [expected, actual]: readonly [Side, Side],
    [count, what]: readonly [number, string],
    own: string,
  ): FoundParting {
    const lead = LEADS[kind] ?? '';
    const side = ({ turn, did, path }: Side) => ({ turn, did, path });
    const { trial, project } = nearest.trial;
    const passing = trial && { trial: trial.index, project };
    const said = `${this.subject(count)} ${what}`;
    const text = partingText({ lead, said, own }, `turn ${actual.turn}`, 'this one');
    const sides = { expected: { ...side(expected), ...passing }, actual: side(actual) };
    const { from } = this.who;
    return { parting: { kind, from, turn: actual.turn, text, ...sides, index }, lead, said, own };
  }

  private countOf(holds: (way: DistinctWay) => boolean): number {
    return sumOf(this.ways.filter(holds), ({ count }) => count);
  }

  private didCount(key: string): number {
    return this.countOf(({ at }) => at.has(key));
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

/** `last` is the failed trial's last action on the nearest passing way, `at` the same place there; -1 if there is none. */
function placeOn(nearest: DistinctWay, { trial, facts }: Lost, keys: readonly string[]) {
  const last = keys.findLastIndex(key => nearest.at.has(key));
  const at = last < 0 ? -1 : nearest.at.get(keys[last]!)!;
  return { trial, facts, way: facts.way, keys, done: new Set(keys), nearest, last, at };
}

type At = ReturnType<typeof placeOn>;

/** Where a passing trial had the control of its next action, on the page where the trial ended. */
const placeSought = ({ path, place }: WayAction, { way, last }: At): Place | undefined =>
  place && way.end === path && way.actions.slice(last + 1).every(isFailed) ? place : undefined;

/** In the same words and at the same place. The locators may differ. */
const isSame = (one: WayAction, other: WayAction) =>
  one.path === other.path &&
  one.did === other.did &&
  !!(one.place && other.place && shared(one.place, other.place));

const LEADS: Partial<Record<Parting['kind'], string>> = { ended: 'after ', skipped: 'before ' };

type Side = Pick<Parting['expected'], 'turn' | 'did' | 'path'>;

export const ENDS: Record<string, string> = {
  gave_up: 'gave up',
  max_steps: 'had no turns left',
  budget_exceeded: 'reached its cost cap',
  timed_out: 'ran out of time',
};

const endOf = ({ actions, end }: Way): Side => ({ turn: actions.at(-1)!.turn, did: null, path: end });

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
    const count = (times.get(action) ?? 0) + 1;
    times.set(action, count);
    return `${action}${count}`;
  });
}

const idOf = (keys: readonly string[], end: string | null) => JSON.stringify([keys, end]);
/** A trial that reached a later page of the passing way by another action is back on the way. */
function furthest(place: At): At {
  const { actions, end } = place.nearest.way;
  const pages = [...actions.map(({ path }) => path), end];
  let found = place;
  for (let index = place.last + 1; index <= place.way.actions.length; index++) {
    const page = place.way.actions[index]?.path ?? place.way.end;
    const there = page === null ? -1 : pages.indexOf(page);
    if (there - 1 > found.at) found = { ...found, last: index - 1, at: there - 1 };
  }
  return found;
}

/** The path after an action; for -1 before the first. */
function pathAfter({ actions, end }: Way, index: number): string | null {
  return actions[index + 1]?.path ?? end;
}
