// Which screenshots are looked at, and which of them are telling.
import type { JudgedTrial } from './judge';

/** The most that are scored: of a longer trial every so many. */
const MAX_SCORED = 30;
/** From this score on, a picture is telling. */
const TELLING = 3;

export type Screenshot = JudgedTrial['screenshots'][number];

export interface Seen {
  screenshot: Screenshot;
  /** 1 to 5; null where there was nothing to choose. */
  score: number | null;
  shows: string | null;
}

/** Leaves out a picture that the next one repeats, and thins a long row evenly; the first and the last stay. */
export function candidates(all: readonly Screenshot[]): Screenshot[] {
  const changed = all.filter(({ image }, index) => !all[index + 1]?.image.equals(image));
  if (changed.length <= MAX_SCORED) return changed;
  const step = (changed.length - 1) / (MAX_SCORED - 1);
  return Array.from({ length: MAX_SCORED }, (_, index) => changed[Math.round(index * step)]!);
}

/** @returns at most `limit`, in order: the first, the last, and the most telling between them. */
export function telling(seen: readonly Seen[], limit: number): Seen[] {
  const between = seen
    .slice(1, -1)
    .map((each, index) => ({ each, index }))
    .filter(({ each }) => (each.score ?? 0) >= TELLING)
    // Of equal ones the later: it is nearer to the outcome.
    .sort((a, b) => b.each.score! - a.each.score! || b.index - a.index)
    .slice(0, limit - 2);
  const kept = new Set([seen[0], seen.at(-1), ...between.map(({ each }) => each)]);
  return seen.filter(each => kept.has(each));
}
