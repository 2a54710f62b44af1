// The results file, taskproof-results.json: the results of a run for programs.
import { z } from 'zod';
import { problemsIn } from '../spec/errors';
import { parsedJson } from '../text/line';
import { groupBy } from './collections';
import { sharedFindingSchema } from './diagnosis';
import { CAN_PASS, keyOf, specName } from './plan';
import { amount, costSchema, count, tokensSchema, waitTimesSchema } from './usage';
import { comparisonSchema, type RowSubject, rowSchema } from './verdict';

export const RESULTS_SCHEMA_VERSION = '1';
export const DEFAULT_RESULTS_FILE = 'taskproof-results.json';
export const DEFAULT_BASELINE_FILE = 'taskproof-baseline.json';

const flag = z.boolean().optional();

export const apiTrafficSchema = z.looseObject({
  model: z.string(),
  served: count.describe('Requests that got an answer.'),
  refused: count.describe('Requests that were refused because of a limit (429) or an overload (529).'),
  waitedMs: count.describe('Milliseconds that requests waited for their start, all together.'),
  perMinute: count.describe('Most requests that started within a minute.'),
  limitPerMinute: amount
    .nullable()
    .describe(
      'Requests a minute that the API allows, as it says or as the run found out; null if no limit was met.',
    ),
});

const judgeAgreementSchema = z.object({
  judge: z.string(),
  model: z.string().nullable(),
  labels: count.describe('Labels of present rubrics that `taskproof judge check` asked it about.'),
  agreed: count.describe('How many of these it agrees with.'),
  minAgreement: z.number().optional().describe('The share that it has to agree with, if one is set.'),
});

export type JudgeAgreement = z.infer<typeof judgeAgreementSchema>;
export type ApiTraffic = z.infer<typeof apiTrafficSchema>;

const resultsSchema = z
  .looseObject({
    schemaVersion: z.literal(RESULTS_SCHEMA_VERSION).describe('Changes if the meaning of a field changes.'),
    startedAt: z.iso.datetime().describe('When the run began.'),
    trialsSince: z.iso
      .datetime()
      .optional()
      .describe(
        'When its first trials began: of a resumed, regraded or merged run. Baselines know it by this.',
      ),
    durationMs: amount.describe('Milliseconds.'),
    status: z.enum(['passed', 'failed', 'interrupted']).describe('Of the run, ordinary tests included.'),
    costUsd: costSchema.optional().describe('Sum over the verdicts, US dollars; null if any is unknown.'),
    usage: tokensSchema.optional().describe('Tokens of all trials that have a record.'),
    ...waitTimesSchema.partial().shape,
    complete: z
      .boolean()
      .describe('False for a shard, and if trials are missing that a verdict needs or specs do not parse.'),
    shard: z.string().optional().describe('`1/2` for the first of two shards; left out in a whole run.'),
    incompleteBecause: z.string().optional().describe('Why trials are missing, if the run knows it.'),
    filtered: flag.describe('True if the command line selected only some tests, such as with `--grep`.'),
    projectsSelected: flag.describe('True if the command line selected projects with `--project`.'),
    supersededAt: z
      .string()
      .optional()
      .describe('When a later run began that has not written its results: these are of an earlier run.'),
    api: z
      .array(apiTrafficSchema)
      .optional()
      .describe(
        'Requests to each model; in merged reports requests and waits of all shards, and the rates of the busiest.',
      ),
    judges: z.array(judgeAgreementSchema).optional().describe('Those that graded trials of this run.'),
    verdicts: z
      .array(rowSchema.refine(...CAN_PASS))
      .describe('One for each spec and project; replays have their own.'),
    findings: z
      .array(sharedFindingSchema)
      .optional()
      .describe('Findings that failed trials of several specs met, the most frequent first.'),
    comparison: comparisonSchema.optional().describe('Not in a shard, nor if no two projects share a spec.'),
  })
  .describe('Results of a Taskproof run');

export type Results = z.infer<typeof resultsSchema>;

/** The JSON Schema (draft 2020-12) of the results file. */
export function resultsJsonSchema(): Record<string, unknown> {
  return z.toJSONSchema(resultsSchema, { io: 'input' });
}

/** A file that is not a results file, or not one that this version can read. */
export class ResultsFileError extends Error {
  override name = 'ResultsFileError';
  constructor(filename: string, problem: string) {
    super(`${filename}: ${problem}`);
  }
}

/** The last run has not written its results: these must not be taken for its own. */
export class StaleResultsError extends ResultsFileError {
  override name = 'StaleResultsError';
}

/** @throws ResultsFileError if it is not JSON, not a results file, of another schema version, or broken; StaleResultsError. */
export function readResults(text: string, filename: string): Results {
  return checkResults(readJson(text, filename), filename);
}

/** Parses JSON, also if Git has merged lines of both sides, an entry each, so that a comma is missing or one too many. */
export function readJson(text: string, filename: string): unknown {
  const json = text.replace(/^\uFEFF/, '');
  try {
    return JSON.parse(json);
  } catch (error) {
    const repaired = json.replace(/\}\s*\n(?=["{])/g, '},\n').replace(/\},(?=\s*\n[\]}])/g, '}');
    const value = parsedJson(repaired);
    if (value !== undefined) return value;
    const hint = /^<{7} /m.test(json)
      ? '. It has a Git conflict: of a baseline, keep the runs of both sides, one per line; else one side.'
      : '';
    throw new ResultsFileError(filename, `not JSON: ${(error as Error).message}${hint}`);
  }
}

/** As `readResults`, for parsed JSON. */
export function checkResults(json: unknown, filename: string): Results {
  const { schemaVersion, runs } = (json ?? {}) as { schemaVersion?: unknown; runs?: unknown };
  const refuse = (reason: string) => new ResultsFileError(filename, reason);
  if (runs !== undefined)
    throw refuse(`a baseline, not the results of a run. Pass a ${DEFAULT_RESULTS_FILE}.`);
  if (schemaVersion === undefined)
    throw refuse(
      `not a Taskproof results file: it has no \`schemaVersion\`. Pass a ${DEFAULT_RESULTS_FILE} or a saved baseline.`,
    );
  if (schemaVersion !== RESULTS_SCHEMA_VERSION)
    throw refuse(
      `schemaVersion is ${JSON.stringify(schemaVersion)}; this version of @taskproof/playwright reads "${RESULTS_SCHEMA_VERSION}". Run the tests again with this version, or update the package.`,
    );
  const data = checked(resultsSchema, json, filename, 'the results file is');
  const { startedAt, supersededAt } = data;
  if (supersededAt !== undefined)
    throw new StaleResultsError(
      filename,
      `the results of an earlier run (${startedAt}): the run that began at ${supersededAt} has not written its own. If it was interrupted, continue it: npx taskproof resume. Else look at its output, and run the tests again.`,
    );
  refuseDoubles(data.verdicts, filename);
  return data;
}

/** @param what begins the message of the error: `the labels are` */
export function checked<T>(schema: z.ZodType<T>, json: unknown, filename: string, what: string): T {
  const { success, data, error } = schema.safeParse(json);
  if (success) return data;
  const problems = problemsIn(error, 'the file');
  const more = problems.length > 5 ? [`and ${problems.length - 5} more`] : [];
  const lines = [`${what} not valid:`, ...problems.slice(0, 5), ...more];
  throw new ResultsFileError(filename, lines.join('\n  '));
}

// In a diff, one of two rows with the same key would hide the other.
export function refuseDoubles(verdicts: readonly RowSubject[], filename: string): void {
  for (const [row, ...others] of groupBy(verdicts, keyOf).values())
    if (others.length)
      throw new ResultsFileError(
        filename,
        `spec "${specName(row)}" is listed twice in project "${row.project}". Run the tests or merge-reports again.`,
      );
}
