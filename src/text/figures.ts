// Figures in texts: counts, costs, durations, rates.

/** US dollars: `$1.20`, `$0.0042` below a cent, `unknown` for null. */
export function formatCost(usd: number | null): string {
  if (usd === null) return 'unknown';
  if (usd === 0) return '$0';
  return usd < 0.01 ? `$${Number(usd.toPrecision(2))}` : `$${usd.toFixed(2)}`;
}

/** Milliseconds: `850ms`, `12.3s`, `2m 05s`, `1h 02m`. */
export function formatDuration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)}ms`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${(Math.floor(ms / 100) / 10).toFixed(1)}s`;
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60)];
  const two = (n: number) => String(n).padStart(2, '0');
  return hours > 0 ? `${hours}h ${two(minutes)}m` : `${minutes}m ${two(seconds % 60)}s`;
}

/** A pass rate with its interval, 0 to 1 each: `80% (38-96%)`; `-` if nothing was graded. */
export function formatRate(rate: number | null, interval: readonly [number, number] | null = null): string {
  if (rate === null) return '-';
  const percent = (share: number) => Math.round(share * 100);
  const around = interval ? ` (${percent(interval[0])}-${percent(interval[1])}%)` : '';
  return `${percent(rate)}%${around}`;
}

export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
