// From an instruction's target to the thing on the page.

import type { Driver } from './driver';
import { type Clue, Explorer } from './explore';
import { ENOUGH, type Match, peers } from './match';
import { scopeMeter } from './scope';
import type { Target } from './targets';
import type { Candidate } from './view';

/** What has been learnt while working through a goal. */
export interface Memory {
  /** The goal says that things are inside others: only an exact label will do until all is open. */
  looksInside: boolean;
  /** What was found, chosen or opened last, in the goal's words. */
  subject: string;
  /** Elements that were given a value. */
  filled: Set<string>;
  lastField: Candidate | undefined;
  /** Instructions that are done, and those that are still to come. */
  done: number;
  remaining: number;
}

/** Orders what matches best: by position, by the last subject, or as ranked. */
export function pick(driver: Driver, ranked: readonly Match[], target: Target, memory: Memory): Candidate[] {
  const group = peers(ranked);
  if (target.ordinal !== undefined) {
    const one = target.ordinal < 0 ? group.at(target.ordinal) : group[target.ordinal - 1];
    return one ? [one] : [];
  }
  const best = ranked
    .filter(({ score }) => score >= (ranked[0]?.score ?? 0) * 0.85)
    .map(({ candidate }) => candidate);
  if (group.length < 2 || memory.subject === '' || target.readings[0]?.scope !== '') return best;
  const meter = scopeMeter(best, memory.subject);
  const near = (candidate: Candidate) => (group.includes(candidate) ? 1 : 0) + meter(candidate);
  return [...best].sort((a, b) => near(b) - near(a) || driver.tie(b) - driver.tie(a));
}

export function clueFor(target: Target, memory: Memory): Clue {
  const first = target.readings.at(-1);
  return {
    words: target.readings[0]?.text || target.phrase,
    scope: first?.scope ?? '',
    subject: memory.subject,
    inside: memory.looksInside,
  };
}

/**
 * Looks with `find` at the page as it is, then as it comes, then at what can be opened or followed.
 * `strict` is false for the last look: what is merely similar will do then.
 */
export async function seek<T>(
  driver: Driver,
  clue: Clue,
  memory: Memory,
  find: (strict: boolean) => T | undefined,
): Promise<T | undefined> {
  const strictly = () => find(clue.inside);
  let hit = strictly();
  const explorer = new Explorer(driver);
  for (let waits = 0; hit === undefined && waits < 3 && (waits === 0 || driver.view.busy); waits++) {
    if (!(await driver.wait())) break;
    hit = strictly();
  }
  while (hit === undefined && (await explorer.step(clue, memory.remaining))) {
    hit = strictly();
    if (hit === undefined && driver.view.busy && (await driver.wait())) hit = strictly();
  }
  if (hit !== undefined) return hit;
  await explorer.home();
  return clue.inside ? find(false) : undefined;
}

/** The candidates for a target, the likeliest first; undefined where nothing is likely enough. */
export function matches(
  driver: Driver,
  target: Target,
  memory: Memory,
  strict: boolean,
  among?: readonly Candidate[],
): Candidate[] | undefined {
  const all = driver.rank(target, among);
  const ranked =
    strict && target.exact
      ? all.filter(({ candidate }) =>
          target.readings.some(({ text }) => text === candidate.name || text === candidate.title),
        )
      : all;
  if (!ranked[0] || ranked[0].score < ENOUGH) return undefined;
  const picked = pick(driver, ranked, target, memory);
  return picked.length > 0 ? picked : undefined;
}
