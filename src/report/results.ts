// The results file, taskproof-results.json: what a run came to, for programs. A baseline has the same shape.
import { z } from 'zod';
import type { Verdict } from '../verdicts/verdict';

export const RESULTS_SCHEMA_VERSION = '1';
export const DEFAULT_RESULTS_FILE = 'taskproof-results.json';
export const DEFAULT_BASELINE_FILE = 'taskproof-baseline.json';

const count = z.int().nonnegative();
const cost = z.number().nonnegative().nullable();
const share = z.number().min(0).max(1);
const verdictName = z.enum(['passed', 'failed', 'inconclusive', 'undecided']);

const usageSchema = z.object({
  inputTokens: count,
  outputTokens: count,
  cacheReadTokens: count,
  cacheCreationTokens: count,
});
/** Tokens of one or several trials. */
export type TokenUsage = z.infer<typeof usageSchema>;

// Loose objects for what a baseline keeps: a later version may add fields, and saving must not drop them.
const trialSchema = z.looseObject({
  index: count.describe("Playwright's repeatEachIndex: 0 for the first trial."),
  outcome: z
    .enum(['passed', 'failed', 'error', 'skipped'])
    .describe('`error` says nothing about the site; `skipped` did not run.'),
  status: z
    .string()
    .describe(
      'completed, max_steps, budget_exceeded, timed_out, gave_up, error; skipped where it did not run.',
    ),
  errorKind: z
    .string()
    .optional()
    .describe('With an error: site_unreachable, agent_api, browser, judge or internal.'),
  reason: z.string().nullable().describe('Why the trial did not pass, in one line.'),
  turns: count.describe('Turns that the agent took.'),
  costUsd: cost.describe('US dollars; null where a price is unknown.'),
  usage: usageSchema.optional().describe('Tokens; left out where the trial left no record.'),
  durationMs: z.number().nonnegative().describe('Milliseconds.'),
  finalUrl: z.string().nullable().describe('Where the active tab stood at the end.'),
  screenshot: z.string().nullish().describe("Name of the attachment with the trial's last screenshot."),
  healed: z
    .object({
      turn: z.int().positive().describe("The other agent's first turn."),
      reason: z.string().describe('Why the recording did not fit.'),
      recording: z.string().describe("Its file, as the config's folder sees it."),
    })
    .optional()
    .describe('Where a recording no longer fitted the page and another agent played on.'),
});

const verdictSchema = z.looseObject({
  spec: z.string().min(1).describe('The id of the task spec.'),
  project: z.string().describe('The Playwright project; empty where it has no name.'),
  agent: z.string().nullable().describe('Null where no trial ran.'),
  model: z.string().nullable().describe('Null for an agent without a model.'),
  replayed: z.boolean().describe('Played from a recording: then it does not measure an agent.'),
  file: z.string().optional().describe("The spec's file, as the run's root folder sees it."),
  specHash: z.string().optional().describe('SHA-256 of the parsed spec.'),
  verdict: verdictName.describe('What the trials come to.'),
  k: z.int().min(1).describe('Trials that were wanted.'),
  minPasses: z.int().min(1).describe('Passes that were needed.'),
  passes: count.describe('Trials that passed.'),
  failures: count.describe('Trials that failed.'),
  errors: count.describe('Trials that say nothing about the site.'),
  missing: count.optional().describe('Trials of the k that did not run or are not here.'),
  rate: share
    .nullable()
    .describe('passes / (passes + failures), to four digits; null where none was graded.'),
  interval: z
    .tuple([share, share])
    .nullable()
    .describe('Wilson 95% interval of the rate; null where none was graded, and for replays.'),
  turns: z.number().nonnegative().nullable().describe('Median turns of the graded trials.'),
  costUsd: cost.describe('Sum over the trials, US dollars; null where any is unknown.'),
  usage: usageSchema.optional().describe('Tokens of all its trials that left a record.'),
  healed: count
    .optional()
    .describe('Trials in which another agent took over from a recording; left out where there is none.'),
  reason: z.string().nullable().describe('Why the verdict is not "passed", in one line.'),
  recording: z
    .looseObject({ recordingVersion: z.string() })
    .optional()
    .describe('Its shortest trial that passed, for `taskproof record`. Left out in a baseline.'),
  notRecorded: z
    .string()
    .optional()
    .describe('Why trials that passed can not be recorded, where that is so of all of them.'),
  trials: z.array(trialSchema).describe('By index. Empty in a baseline.'),
});

const comparedCellSchema = z.object({
  project: z.string(),
  verdict: verdictName,
  k: z.int().min(1),
  passes: count,
  failures: count,
  errors: count,
  rate: share.nullable(),
  turns: z.number().nonnegative().nullable().describe('Median turns of the graded trials.'),
  costUsd: cost,
});

const comparedProjectSchema = z.object({
  project: z.string(),
  agent: z.string().nullable(),
  model: z.string().nullable(),
  specs: count,
  specsPassed: count,
  passes: count.describe('Trials of all its specs here; failures and errors likewise.'),
  failures: count,
  errors: count,
  rate: share.nullable().describe('passes / (passes + failures), to four digits.'),
  costUsd: cost,
});

const comparisonSchema = z
  .object({
    projects: z.array(comparedProjectSchema).describe('Totals of each project, by name.'),
    specs: z
      .array(z.object({ spec: z.string().min(1), cells: z.array(comparedCellSchema) }))
      .describe('By id; a cell for each project that has the spec.'),
    differ: z.array(z.string()).describe('Specs that one project passed and another failed.'),
    ratesDiffer: z.array(z.string()).describe('Specs with one settled verdict, but other pass rates.'),
    unclear: z.array(z.string()).describe('Specs with an open verdict beside settled ones that agree.'),
  })
  .describe('The specs that at least two projects have, side by side; replayed verdicts are left out.');

export const resultsSchema = z
  .looseObject({
    schemaVersion: z.literal(RESULTS_SCHEMA_VERSION).describe('Another one means other fields.'),
    startedAt: z.iso.datetime().describe('When the run began.'),
    durationMs: z.number().nonnegative().describe('Milliseconds.'),
    status: z.enum(['passed', 'failed', 'interrupted']).describe("The run's, ordinary tests included."),
    costUsd: cost.optional().describe('Sum over the verdicts, US dollars; null where any is unknown.'),
    usage: usageSchema.optional().describe('Tokens of all trials that left a record.'),
    complete: z.boolean().describe('False for a shard and for a run in which trials are missing.'),
    verdicts: z.array(verdictSchema).describe('One for each spec and project; replayed ones apart.'),
    comparison: comparisonSchema
      .optional()
      .describe('Left out where no two projects share a spec, and in a shard.'),
  })
  .describe('Results of a Taskproof run');

export type Results = z.infer<typeof resultsSchema>;
/** One verdict as the results file keeps it: the verdict and what it is about. */
export type ResultRow = Results['verdicts'][number];
/** What a verdict is about. */
export type RowSubject = Pick<
  ResultRow,
  'spec' | 'project' | 'agent' | 'model' | 'replayed' | 'file' | 'specHash'
>;

/** A row of the results file. */
export function resultRow(subject: RowSubject, verdict: Verdict): ResultRow {
  return { ...subject, ...verdict, trials: verdict.trials.map(trial => ({ ...trial })) };
}

/** The JSON Schema (draft 2020-12) of the results file. */
export function resultsJsonSchema(): Record<string, unknown> {
  return z.toJSONSchema(resultsSchema, { io: 'input' });
}

/** A file that is not a results file, or not one that this version reads. */
export class ResultsFileError extends Error {
  override name = 'ResultsFileError';
  constructor(
    readonly filename: string,
    problem: string,
  ) {
    super(`${filename}: ${problem}`);
  }
}

/**
 * Reads a results file or a baseline.
 *
 * @param text its content
 * @param filename shown in errors
 * @throws ResultsFileError where it is not JSON, not a results file, of another schema version, or broken.
 */
export function readResults(text: string, filename: string): Results {
  const json = parseJson(text, filename);
  const version = versionOf(json);
  if (version === undefined)
    throw new ResultsFileError(
      filename,
      `not a Taskproof results file: it has no \`schemaVersion\`. Pass a ${DEFAULT_RESULTS_FILE} or a saved baseline.`,
    );
  if (version !== RESULTS_SCHEMA_VERSION)
    throw new ResultsFileError(
      filename,
      `schemaVersion is ${JSON.stringify(version)}; this version of @taskproof/playwright reads "${RESULTS_SCHEMA_VERSION}". Write the file again with the version that reads it here, or update the package.`,
    );
  const result = resultsSchema.safeParse(json);
  if (!result.success) throw new ResultsFileError(filename, describeIssues(result.error));
  refuseDoubles(result.data, filename);
  return result.data;
}

function parseJson(text: string, filename: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    throw new ResultsFileError(filename, `not JSON: ${(error as Error).message}`);
  }
}

function versionOf(json: unknown): unknown {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) return undefined;
  return (json as { schemaVersion?: unknown }).schemaVersion;
}

function describeIssues(error: z.ZodError): string {
  const shown = error.issues
    .slice(0, 5)
    .map(issue => `${z.core.toDotPath(issue.path) || 'the file'}: ${issue.message}`);
  const rest = error.issues.length - shown.length;
  return `not a valid results file:\n  ${shown.join('\n  ')}${rest > 0 ? `\n  and ${rest} more` : ''}`;
}

// Two rows of one key would let one hide the other in a diff.
function refuseDoubles(results: Results, filename: string): void {
  const seen = new Set<string>();
  for (const { spec, project, replayed } of results.verdicts) {
    const key = JSON.stringify([spec, project, replayed]);
    if (seen.has(key))
      throw new ResultsFileError(
        filename,
        `spec "${spec}" is listed twice in project "${project}". Write the file again with a run or with merge-reports.`,
      );
    seen.add(key);
  }
}
