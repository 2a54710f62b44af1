// Writes the results of a run: the results file, the summary, the comparison with a baseline.
import { existsSync } from 'node:fs';
import { appendFile, readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { z } from 'zod';
import { byRowName } from '../data/plan';
import {
  DEFAULT_RESULTS_FILE,
  RESULTS_SCHEMA_VERSION,
  type Results,
  ResultsFileError,
} from '../data/results';
import { sumOfCosts, sumOfTokens, sumOfWaits } from '../data/usage';
import type { ResultRow } from '../data/verdict';
import { checkOptions, type OptionSchemas } from '../options';
import { jsonText, resultsIn } from '../playwright/run/earlier-results';
import { checkRun } from '../playwright/run/settings';
import { writeText } from '../text/file';
import { print, useColour } from '../text/print';
import { compareProjects } from '../verdicts/compare';
import { rateOfStopped } from '../verdicts/verdict';
import type { Diagnosed } from './diagnose';
import { diffDocument } from './render/diff';
import { renderSummary } from './render/run';
import { terminalWriter } from './render/terminal-writer';
import type { SpecRun } from './spec-run';

/** Options of the reporter; paths are relative to the Playwright config's folder. */
export interface ReporterOptions {
  /** The results file. Default: `taskproof-results.json`. */
  outputFile: string;
  /** A Markdown file for the summary. `$GITHUB_STEP_SUMMARY` gets it by itself. Default: none. */
  summary?: string;
  /** A saved baseline to compare the run with. Default: none. */
  baseline?: string;
}

const optionsSchema = z.strictObject({
  outputFile: z.string().min(1).default(DEFAULT_RESULTS_FILE),
  summary: z.string().min(1).optional(),
  baseline: z.string().min(1).optional(),
} satisfies OptionSchemas<ReporterOptions>);

/** What Playwright 1.65 adds to every reporter's options, besides keys that begin with `_`. */
const ADDED = new Set(['configDir', 'onlyFailures']);

export function checkReporterOptions(given: unknown): ReporterOptions {
  const all = Object.entries((given ?? {}) as object);
  const own = all.filter(([key]) => !ADDED.has(key) && !key.startsWith('_'));
  return checkOptions('@taskproof/playwright/reporter', optionsSchema, Object.fromEntries(own));
}

/** What the results say of the run itself. `lacking`: why trials are missing whose specs may have no row. */
type AboutRun = Pick<Results, 'startedAt' | 'durationMs' | 'status'> &
  Partial<Results> & { lacking: string[] };

export function resultsOf(
  runs: readonly SpecRun[],
  { lacking, ...about }: AboutRun,
  { findings, failures }: Diagnosed = { findings: [], failures: [] },
): Results {
  const { shard, status } = about;
  const verdicts = runs.map(run => rowOf(run, shard)).sort(byRowName);
  const hasSeveral = new Set(verdicts.map(({ project }) => project)).size > 1;
  // A shard has only a part of the trials; merging the reports compares them all.
  const comparison = hasSeveral && !shard ? compareProjects(verdicts) : undefined;
  const causes = new Set([...runs.flatMap(({ missingBecause }) => missingBecause ?? []), ...lacking]);
  if (shard && !causes.size && verdicts.some(lacksTrials)) causes.add('trials are missing');
  return {
    schemaVersion: RESULTS_SCHEMA_VERSION,
    ...about,
    costUsd: sumOfCosts(verdicts.map(row => row.costUsd)),
    usage: sumOfTokens(verdicts.map(row => row.usage)),
    ...sumOfWaits(verdicts),
    complete:
      !shard &&
      !causes.size &&
      status !== 'interrupted' &&
      // A verdict can be settled although trials of an unmerged shard are missing.
      verdicts.every(row => row.verdict !== 'undecided' && row.trials.length >= row.k),
    incompleteBecause: [...causes].join('; ') || undefined,
    verdicts,
    findings: findings.length ? [...findings] : undefined,
    comparison: comparison && { ...comparison, ...(failures.length && { failures }) },
  };
}

/** Whether trials are missing, beyond those in other shards. */
const lacksTrials = ({ verdict, missing = 0, inOtherShards = 0 }: ResultRow) =>
  verdict === 'undecided' && missing > inOtherShards;

function rowOf(run: SpecRun, shard: string | undefined): ResultRow {
  const { subject, planned, verdict, way, diagnosis } = run;
  const { recording, problem } = run.pick;
  const { replayed, earlyStop } = planned;
  const here = [...run.tests].filter(({ repeatEachIndex }) => repeatEachIndex < planned.policy.k).length;
  const inOtherShards = shard ? planned.policy.k - here : 0;
  return {
    ...run.row,
    agent: subject?.agent ?? null,
    model: subject?.model ?? null,
    file: subject?.specFile ?? planned.file,
    specHash: run.specHash,
    ...verdict,
    inOtherShards: inOtherShards > 0 ? inOtherShards : undefined,
    ...(planned.titlePath && !subject ? { turns: null } : {}),
    // An interval needs independent trials, and all of them: replays are not, and early stop leaves some out.
    ...(replayed || earlyStop ? { interval: null } : {}),
    earlyStop: earlyStop || undefined,
    ...(earlyStop && !replayed ? rateOfStopped(verdict) : {}),
    assertions: checkRun()?.purpose === 'probe' ? (subject?.assertions ?? []) : undefined,
    usage: sumOfTokens(verdict.trials.map(({ usage }) => usage)),
    ...sumOfWaits(verdict.trials),
    recording,
    notRecorded: problem,
    diagnosis,
    way,
  };
}

/** Only warns of files that it can't read or write. @param listed how often the run lists the reporter @returns where the results are */
export async function writeResults(results: Results, options: ReporterOptions, folder: string, listed = 1) {
  const path = resolve(folder, options.outputFile);
  const isWritten = await attempt('write the results to', path, async file => {
    const other = resultsIn(file);
    const isOwn = !other || other.supersededAt === results.startedAt;
    // If a later run has marked the file, it has yet to write its own results.
    const mark = isOwn || !other.supersededAt ? {} : { supersededAt: other.supersededAt };
    writeText(file, jsonText({ ...results, ...mark }));
    if (isOwn) return;
    const began = other.supersededAt ?? other.startedAt;
    const who =
      listed > 1 ? 'the reporter is listed twice, and each' : `another run, which began at ${began},`;
    throw new Error(`${who} writes this file, too. Give each its own \`outputFile\`.`);
  });
  if (options.summary !== undefined)
    await attempt('write the summary to', resolve(folder, options.summary), async file =>
      writeText(file, renderSummary(results)),
    );
  const stepSummary = process.env.GITHUB_STEP_SUMMARY;
  // A shard's part of the table would be mistaken for the verdict. The job that merges the reports writes all of it.
  if (stepSummary && !results.shard)
    await attempt('write the summary to', stepSummary, file =>
      appendFile(file, `${renderSummary(results)}\n`),
    );
  if (options.baseline !== undefined && !results.shard)
    await attempt('read', resolve(folder, options.baseline), async file => {
      const { readHistory, SAVE_ONE } = await import('../data/baseline.js');
      if (!existsSync(file)) throw new Error(`it does not exist. ${SAVE_ONE}`);
      const { diffWithBaseline } = await import('../verdicts/history.js');
      const diff = diffWithBaseline(readHistory(await readFile(file, 'utf8'), file), results);
      const to = terminalWriter({ colour: useColour(process.stdout) });
      print(process.stdout, `\n${diffDocument(diff)(to)}`);
    });
  return isWritten ? path : undefined;
}

/** @param what the file is for, in words */
async function attempt(what: string, file: string, action: (file: string) => Promise<void>) {
  try {
    await action(file);
    return true;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    // The message of a ResultsFileError begins with the file.
    const where = error instanceof ResultsFileError ? '' : `${file}: `;
    print(process.stderr, `taskproof: ${code ? `can't ${what} ` : ''}${where}${message}`);
    return false;
  }
}
