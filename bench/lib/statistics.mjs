// Medians with their spread. Noise of a machine that does other things too makes single runs worthless.

/** @param {readonly number[]} values */
export const median = values => quantile(values, 0.5);

/**
 * @param {readonly number[]} values
 * @param {number} share 0 to 1
 */
export function quantile(values, share) {
  const sorted = [...values].sort((a, b) => a - b);
  if (sorted.length === 0) return Number.NaN;
  const place = (sorted.length - 1) * share;
  const low = sorted[Math.floor(place)] ?? Number.NaN;
  const high = sorted[Math.ceil(place)] ?? Number.NaN;
  return low + (high - low) * (place - Math.floor(place));
}

/**
 * The median and the quartiles around it.
 *
 * @param {readonly number[]} values
 */
export function spread(values) {
  return {
    value: median(values),
    low: quantile(values, 0.25),
    high: quantile(values, 0.75),
    runs: values.length,
  };
}

/**
 * Ratios of what was measured side by side, round by round: what disturbs a round disturbs both of its sides.
 *
 * @param {readonly number[]} ours
 * @param {readonly number[]} theirs
 */
export function ratios(ours, theirs) {
  return spread(ours.map((value, round) => value / (theirs[round] ?? Number.NaN)));
}
