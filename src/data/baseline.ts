// The baseline file: the counts of the last runs. Each run is one line, so that Git can merge two branches that both saved.
import { z } from 'zod';
import { compareText } from './collections';
import { byRowName, CAN_PASS, keyOf } from './plan';
import {
  checked,
  checkResults,
  RESULTS_SCHEMA_VERSION,
  type Results,
  ResultsFileError,
  readJson,
  refuseDoubles,
} from './results';
import { countedRowSchema, type ResultRow, type VerdictRow } from './verdict';

const BASELINE_SCHEMA_VERSION = '2';
export const SAVE_ONE = 'Save one with `taskproof baseline save` after a run on the main branch.';

/** How many runs a baseline keeps. */
export const DEFAULT_RUNS = 10;
export const MOST_RUNS = 1_000;
/** After as many times the runs that are kept, of other projects, a project that has not run was renamed or removed. */
const MOST_OTHERS = 10;

const verdicts = z.array(countedRowSchema.refine(...CAN_PASS));

const baselineSchema = z.object({
  schemaVersion: z.literal(BASELINE_SCHEMA_VERSION),
  runs: z
    .record(z.iso.datetime(), z.object({ partial: z.boolean().default(false), verdicts }))
    .refine(runs => Object.keys(runs).length <= MOST_RUNS, `has more than ${MOST_RUNS} runs`),
});

export interface HistoryRun {
  /** ISO time; identifies the run. */
  startedAt: string;
  /** Some specs or trials of its projects did not run. That does not mean that they were removed. */
  partial: boolean;
  verdicts: readonly VerdictRow[];
}

/** What a baseline keeps of a run: counts that can be pooled, without the trials. A run that is resumed or regraded stays one run. */
export function historyRun(results: Results): HistoryRun {
  const { startedAt, trialsSince = startedAt, complete, filtered, verdicts } = results;
  const rows = verdicts.filter(row => row.passes + row.failures + row.errors > 0).map(countedRow);
  return {
    startedAt: trialsSince,
    partial: !complete || filtered === true,
    verdicts: rows.sort(byRowName),
  };
}

/** Keeps the newest runs of each spec. If two began at the same time, the later in the list wins. */
export function baselineText(runs: readonly HistoryRun[], keep: number): string {
  const lines = withLastWays(newest(runs, keep)).map(({ startedAt, partial, verdicts }) => {
    // Parsed, so that the same run is the same line on every machine.
    const rows = verdicts.map(row => countedRowSchema.parse(row));
    return `${JSON.stringify(startedAt)}: ${JSON.stringify({ ...(partial ? { partial } : {}), verdicts: rows })}`;
  });
  return `{\n"schemaVersion": "${BASELINE_SCHEMA_VERSION}",\n"runs": {\n${lines.join(',\n')}\n}\n}\n`;
}

/**
 * The last `keep` runs of each spec, the oldest first. Runs of some specs or projects push out no counts of the others. Specs that a
 * newer whole run of their project lacks were removed.
 */
export function newest(runs: readonly HistoryRun[], keep: number): HistoryRun[] {
  const byStart = new Map(runs.map(run => [new Date(run.startedAt).toISOString(), run]));
  const newestFirst = [...byStart].sort(([a], [b]) => compareText(b, a));
  // How many newer runs there are: whole ones of a project, and others that have a spec.
  const [whole, partial] = [new Map<string, number>(), new Map<string, number>()];
  const seen = new Set<string>();
  let all = 0;
  const isKept = (row: VerdictRow) => {
    const age = (whole.get(row.project) ?? 0) + (partial.get(keyOf(row)) ?? 0);
    return age < keep && all < MOST_OTHERS * keep && (seen.has(keyOf(row)) || !whole.has(row.project));
  };
  const kept = newestFirst.flatMap(([startedAt, run]) => {
    const verdicts = run.verdicts.filter(isKept);
    const counts = run.partial ? partial : whole;
    for (const name of new Set(run.verdicts.map(row => (run.partial ? keyOf(row) : row.project))))
      counts.set(name, (counts.get(name) ?? 0) + 1);
    if (!run.partial) all++;
    for (const row of verdicts) seen.add(keyOf(row));
    return verdicts.length ? { ...run, startedAt, verdicts } : [];
  });
  return kept.slice(0, MOST_RUNS).reverse();
}

/** Keeps only the last way of each spec: one passing trial is enough to compare with. */
function withLastWays(oldestFirst: readonly HistoryRun[]): HistoryRun[] {
  const told = oldestFirst.flatMap(run => run.verdicts.flatMap(row => (row.way ? [{ row, run }] : [])));
  const last = new Map(told.map(({ row, run }) => [keyOf(row), run]));
  const withoutWay = ({ way, ...row }: VerdictRow) => row;
  return oldestFirst.map(run => ({
    ...run,
    verdicts: run.verdicts.map(row => (last.get(keyOf(row)) === run ? row : withoutWay(row))),
  }));
}

/**
 * A verdict's row with the counts of all trials that ran, which may be pooled and tested also if they stopped early: the share of passes
 * among all trials of many runs tends to the true rate (Wald 1944, "On cumulative sums of random variables", Annals of Mathematical
 * Statistics 15, 283-296), and Fisher's test keeps its level (tests/unit/verdicts/verdict.test.ts enumerates it).
 */
export function countedRow(row: ResultRow): VerdictRow {
  const stopped = row.earlyStop ? { stoppedEarly: true } : {};
  const { verdict, diagnosis, reason } = row;
  // The diagnosis is of failures only, not of errors and missing trials.
  const why = (verdict === 'failed' && diagnosis?.headline) || reason;
  return { ...countedRowSchema.parse(row), reason: why, ...stopped };
}

/** A results file, or a baseline of 0.1, is read as a baseline of one run. @throws ResultsFileError if it is none of these, or broken */
export function readHistory(text: string, filename: string): HistoryRun[] {
  const json = readJson(text, filename);
  const version = (json as { schemaVersion?: unknown } | null)?.schemaVersion;
  if (version === undefined || version === RESULTS_SCHEMA_VERSION)
    return [historyRun(checkResults(json, filename))];
  if (version !== BASELINE_SCHEMA_VERSION)
    throw new ResultsFileError(
      filename,
      `schemaVersion is ${JSON.stringify(version)}; this version of @taskproof/playwright reads baselines of "${RESULTS_SCHEMA_VERSION}" and "${BASELINE_SCHEMA_VERSION}". Update the package, or save the baseline again.`,
    );
  const { runs } = checked(baselineSchema, json, filename, 'the baseline is');
  return Object.entries(runs).map(([startedAt, { partial, verdicts }]) => {
    refuseDoubles(verdicts, filename);
    return { startedAt, partial, verdicts: verdicts.map(row => ({ ...row, reason: null })) };
  });
}
