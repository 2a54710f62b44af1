// How many there must be.
import type { Count } from '../spec';

/** @returns `min` and `max`, without which there must be at least one */
export function boundsOf(count: Count = { min: 1 }): { min: number; max: number } {
  if (typeof count === 'number') return { min: count, max: count };
  return { min: count.min ?? 0, max: count.max ?? Number.POSITIVE_INFINITY };
}

/** `2`, `at least 2`, `2 to 4` */
export function countInWords(count: Count): string {
  const { min, max } = boundsOf(count);
  if (min === max) return String(min);
  if (max === Number.POSITIVE_INFINITY) return `at least ${min}`;
  return min ? `${min} to ${max}` : `at most ${max}`;
}

/** `once`, `2 to 4 times` */
export function timesInWords(count: Count): string {
  const words = countInWords(count);
  return words === '1' ? 'once' : `${words} times`;
}
