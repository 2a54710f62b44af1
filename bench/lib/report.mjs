// The results of the benches: rows with a value, its spread and its target, as a table and as JSON.
import { writeFileSync } from 'node:fs';
import os from 'node:os';

/**
 * @typedef {object} Row
 * @property {string} name
 * @property {number | null} value null if it could not be measured: `note` says why
 * @property {string} unit `x` for ratios
 * @property {number} [low] lower quartile
 * @property {number} [high] upper quartile
 * @property {number} [runs]
 * @property {{ atMost?: number, atLeast?: number }} [target]
 * @property {string} [note]
 */

/** @typedef {{ bench: string, title: string, rows: Row[], details?: unknown, load: { before: number[], after: number[] }, seconds: number }} Section */

/** @param {Row} row */
export function meets({ value, target }) {
  if (!target || value === null) return undefined;
  return value <= (target.atMost ?? Number.POSITIVE_INFINITY) && value >= (target.atLeast ?? 0);
}

/** @param {number} value */
function short(value) {
  const size = Math.abs(value);
  if (size >= 1000) return Math.round(value).toLocaleString('en');
  return size >= 100 ? value.toFixed(0) : size >= 10 ? value.toFixed(1) : value.toFixed(2);
}

/** @param {Row} row */
export function cells(row) {
  const { name, value, unit, low, high, runs, target, note } = row;
  const verdict = meets(row);
  const aim = target && (target.atMost !== undefined ? `≤ ${target.atMost}` : `≥ ${target.atLeast}`);
  return [
    name,
    value === null ? '–' : `${short(value)} ${unit}`,
    low === undefined || high === undefined || value === null ? '' : `${short(low)}..${short(high)}`,
    runs === undefined ? '' : String(runs),
    aim ? `${aim} ${verdict === undefined ? '' : verdict ? 'met' : 'MISSED'}`.trim() : '',
    note ?? '',
  ];
}

const HEAD = ['', 'median', 'quartiles', 'runs', 'target', 'note'];

/** @param {Section} section */
export function table({ bench, title, rows }) {
  const lines = [HEAD, ...rows.map(cells)];
  const widths = HEAD.map((_, column) => Math.max(...lines.map(line => line[column]?.length ?? 0)));
  const text = lines.map(line =>
    line
      .map((cell, column) =>
        column === 0 || column === 5 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join('  ')
      .trimEnd(),
  );
  return `\n${bench}: ${title}\n${text.map(line => `  ${line}`).join('\n')}\n`;
}

/**
 * @param {string} file
 * @param {Section[]} sections
 * @param {Record<string, string>} versions
 */
export function write(file, sections, versions) {
  const [cpu] = os.cpus();
  const machine = {
    cpus: os.cpus().length,
    cpu: cpu?.model,
    platform: `${os.platform()} ${os.arch()}`,
    node: process.version,
  };
  writeFileSync(
    file,
    `${JSON.stringify({ takenAt: new Date().toISOString(), machine, versions, sections }, null, 2)}\n`,
  );
}

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
 * Ratios of two sides, round by round, since a disturbance affects both sides of a round.
 *
 * @param {readonly number[]} ours
 * @param {readonly number[]} theirs
 */
export function ratios(ours, theirs) {
  return spread(ours.map((value, round) => value / (theirs[round] ?? Number.NaN)));
}

/**
 * A results file as tables in Markdown.
 *
 * @param {any} results
 */
export function markdown({ takenAt, machine, versions, sections }) {
  const loads = sections.flatMap((/** @type {any} */ { load }) => [load.before[0], load.after[0]]);
  const span = [Math.min(...loads), Math.max(...loads)].map(load => load.toFixed(1)).join(' to ');
  const named = Object.entries(versions).map(([name, version]) => `${name} ${version}`);
  const { cpus, cpu, platform, node } = machine;
  const lines = [
    `Taken on ${takenAt.slice(0, 10)}: ${cpus} cores (${cpu}), ${platform}, Node ${node}, load average ${span}.${named.length ? ` ${named.join(', ')}.` : ''}`,
  ];
  for (const { bench, title, rows } of sections) {
    lines.push(`\n**${bench}**: ${title}\n\n| | median | quartiles | target | |\n|---|---|---|---|---|`);
    for (const row of rows) {
      const [name, value, quartiles, , target, note] = cells(row);
      const escaped = [name, value, quartiles, target, note].map(cell => String(cell).replaceAll('|', '\\|'));
      lines.push(`| ${escaped.join(' | ')} |`);
    }
  }
  return lines.join('\n');
}
