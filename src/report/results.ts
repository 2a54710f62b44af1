// The results file, taskproof-results.json: what a run came to, for programs.
import { z } from 'zod';
import { problemsIn } from '../spec/explain';
import { keyOf } from '../verdicts/diff';
import { comparisonSchema, cost, rowSchema, sharedFindingSchema, usageSchema } from '../verdicts/shapes';
import { specName } from '../verdicts/verdict';

export const RESULTS_SCHEMA_VERSION = '1';
export const DEFAULT_RESULTS_FILE = 'taskproof-results.json';
export const DEFAULT_BASELINE_FILE = 'taskproof-baseline.json';

export const resultsSchema = z
  .looseObject({
    schemaVersion: z.literal(RESULTS_SCHEMA_VERSION).describe('Another one means other fields.'),
    startedAt: z.iso.datetime().describe('When the run began.'),
    durationMs: z.number().nonnegative().describe('Milliseconds.'),
    status: z.enum(['passed', 'failed', 'interrupted']).describe("The run's, ordinary tests included."),
    costUsd: cost.optional().describe('Sum over the verdicts, US dollars; null where any is unknown.'),
    usage: usageSchema.optional().describe('Tokens of all trials that left a record.'),
    complete: z
      .boolean()
      .describe('False for a shard, and for a run in which trials are missing or a spec does not parse.'),
    incompleteBecause: z
      .string()
      .optional()
      .describe('Why trials are missing; left out for a complete run, and where the run can not know.'),
    filtered: z
      .boolean()
      .optional()
      .describe('True if the command line chose a part of the tests, such as `--grep`; else left out.'),
    verdicts: z.array(rowSchema.loose()).describe('One for each spec and project; replayed ones apart.'),
    findings: z
      .array(sharedFindingSchema)
      .optional()
      .describe(
        'What failed trials of several specs met, that which cost most first; left out where there is none.',
      ),
    comparison: comparisonSchema
      .optional()
      .describe('Left out where no two projects share a spec, and in a shard.'),
  })
  .describe('Results of a Taskproof run');

export type Results = z.infer<typeof resultsSchema>;
/** One verdict as the results file keeps it. */
export type ResultRow = Results['verdicts'][number];

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
 * Reads a results file.
 *
 * @param text its content
 * @param filename shown in errors
 * @throws ResultsFileError if it is not JSON, not a results file, of another schema version, or broken.
 */
export function readResults(text: string, filename: string): Results {
  let json: { schemaVersion?: unknown; runs?: unknown } | null;
  try {
    json = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    throw new ResultsFileError(filename, `not JSON: ${(error as Error).message}`);
  }
  const version = json?.schemaVersion;
  if (json?.runs !== undefined)
    throw new ResultsFileError(
      filename,
      `a baseline, not the results of a run. Pass a ${DEFAULT_RESULTS_FILE}.`,
    );
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
  if (!result.success)
    throw new ResultsFileError(filename, `the results file is ${describeIssues(result.error)}`);
  refuseDoubles(result.data.verdicts, filename);
  return result.data;
}

/** The first of what is wrong, a line each. */
export function describeIssues(error: z.ZodError): string {
  const shown = problemsIn(error, 'the file').slice(0, 5);
  const rest = error.issues.length - shown.length;
  return `not valid:\n  ${shown.join('\n  ')}${rest > 0 ? `\n  and ${rest} more` : ''}`;
}

// Two rows of one key would let one hide the other in a diff.
export function refuseDoubles(
  verdicts: readonly Pick<ResultRow, 'spec' | 'titlePath' | 'project' | 'replayed'>[],
  filename: string,
): void {
  const seen = new Set<string>();
  for (const row of verdicts) {
    const key = keyOf(row);
    if (seen.has(key))
      throw new ResultsFileError(
        filename,
        `spec "${specName(row)}" is listed twice in project "${row.project}". Write the file again with a run or with merge-reports.`,
      );
    seen.add(key);
  }
}
