// The results of a run as data, as in the results file: trials, the verdict on a spec in a project, projects side by side.
import { z } from 'zod';
import { diagnosisSchema, failureGroupSchema, waySchema } from './diagnosis';
import { policyFields, trialCount } from './plan';
import { answerSchema } from './record';
import { amount, costSchema, count, tokensSchema, waitTimesSchema } from './usage';

const share = z.number().min(0).max(1);
const rate = share.nullable();
const text = z.string();
const texts = z.array(text);
const flag = z.boolean().optional();

const trialSchema = z.object({
  index: count.describe("Playwright's repeatEachIndex: 0 for the first trial."),
  outcome: z
    .enum(['passed', 'failed', 'error', 'skipped'])
    .describe('`error` says nothing about the site; `skipped` did not run.'),
  status: text.describe(
    'completed, max_steps, budget_exceeded, timed_out, gave_up, error; skipped if it did not run.',
  ),
  errorKind: text
    .optional()
    .describe(
      'With an error: site_unreachable, agent_api, browser, judge, setup, interrupted, internal or uncalibrated.',
    ),
  reason: text.nullable().describe('Why the trial did not pass, in one line.'),
  answer: answerSchema.optional().describe('What the agent said at its end, at most 4,000 characters.'),
  turns: count.describe('Turns that the agent took.'),
  actions: count.optional().describe('What it did in them, without what failed or only looked.'),
  pageToolCalls: count.optional().describe('How many of these were calls of tools that pages offer.'),
  costUsd: costSchema.describe('US dollars; null where a price is unknown.'),
  usage: tokensSchema.optional().describe('Tokens; left out where the trial left no record.'),
  durationMs: amount.describe('Milliseconds.'),
  ...waitTimesSchema.partial().shape,
  finalUrl: text.nullable().describe('The address of the active tab at the end.'),
  screenshot: text.nullish().describe("Name of the attachment with the trial's last screenshot."),
  healed: z
    .object({
      turn: z.int().positive().describe("The other agent's first turn."),
      reason: text.describe('Why the recording did not fit.'),
      recording: text.describe("Its file, relative to the config's folder."),
    })
    .optional()
    .describe('Another agent took over because the recording no longer fit the page.'),
});

const subjectSchema = z.object({
  spec: text
    .min(1)
    .describe('The id of the spec; of an ordinary test the title, with describes and file if titles clash.'),
  titlePath: texts
    .min(1)
    .optional()
    .describe('Of an ordinary test with a pass policy: its file, describes and title.'),
  describe: text.optional().describe('Titles of the describes around the spec, joined by ` › `.'),
  project: text.describe('The Playwright project; empty if it has no name.'),
  agent: text.nullable().describe('Null if no trial ran.'),
  model: text.nullable().describe('Null for an agent without a model.'),
  replayed: z.boolean().describe('Whether it was played from a recording, and so measures no agent.'),
  specHash: text.optional().describe('SHA-256 of the parsed spec.'),
});
const countsSchema = z.object({
  verdict: z.enum(['passed', 'failed', 'inconclusive', 'undecided']).describe('The verdict on the trials.'),
  ...policyFields,
  passes: trialCount.describe('Trials that passed.'),
  failures: trialCount.describe('Trials that failed.'),
  errors: trialCount.describe('Trials that say nothing about the site.'),
  turns: amount.nullable().describe('Median turns of the graded trials.'),
  costUsd: costSchema.describe('Sum over the trials, US dollars; null where any is unknown.'),
});
const way = waySchema.optional().describe('A passing trial to compare later runs with, if there is one.');

/** What a baseline keeps of a verdict, and what it needs to be compared with others. */
export const countedRowSchema = z.object({
  ...subjectSchema.shape,
  ...countsSchema.shape,
  way,
  stoppedEarly: flag.describe('Its trials stopped early, once the verdict was settled.'),
});

const verdictSchema = z.object({
  ...countsSchema.shape,
  missing: trialCount.describe('Trials of the k that did not run, or are not in these reports.'),
  rate: rate.describe('passes / (passes + failures), to four digits; null if none was graded.'),
  interval: z
    .tuple([share, share])
    .nullable()
    .describe(
      "Wilson's 95% interval of the rate, with earlyStop that of curtailed sampling; null if none was graded, for replays, and if trials before the stop are missing.",
    ),
  actions: count.optional().describe('Of all its trials.'),
  pageToolCalls: count.optional().describe('Of all its trials; left out where there is none.'),
  healed: count.optional().describe('Trials in which another agent took over from a recording.'),
  reason: text.nullable().describe('Why the verdict is not "passed", in one line.'),
  // Loose, as the rows are.
  trials: z.array(trialSchema.loose()).describe('By index. Empty in a baseline.'),
});

/** Loose: a later version may add fields, and saving a baseline must keep them. */
export const rowSchema = z.looseObject({
  ...subjectSchema.shape,
  file: text.optional().describe("The spec's file, relative to the run's root folder."),
  ...verdictSchema.shape,
  missing: verdictSchema.shape.missing.optional(),
  inOtherShards: count.optional().describe('How many of the missing trials are in other shards.'),
  earlyStop: flag.describe(
    'Trials stop once the verdict is settled. Rate and interval are of those up to there; the rate is unbiased, and can lie outside of the interval if all or one must pass.',
  ),
  usage: tokensSchema.optional().describe('Tokens of all its trials that left a record.'),
  ...waitTimesSchema.partial().shape,
  diagnosis: diagnosisSchema.optional().describe('Left out if no trial failed.'),
  way,
  recording: z
    .looseObject({ recordingVersion: text })
    .optional()
    .describe('Its shortest passing trial, for `taskproof record`. Left out in a baseline.'),
  notRecorded: text.optional().describe('Why none of the passing trials can be recorded.'),
});

export const comparedCellSchema = z.object({
  project: text,
  ...countsSchema.omit({ minPasses: true }).shape,
  rate,
});

const comparedProjectSchema = z.object({
  project: text,
  agent: text.nullable(),
  model: text.nullable(),
  specs: count,
  specsPassed: count,
  passes: count.describe('Trials of all its specs in the comparison; the same for failures and errors.'),
  failures: count,
  errors: count,
  rate: rate.describe('passes / (passes + failures), to four digits.'),
  earlyStop: flag.describe(
    'A spec of any project stops early: rate is the mean of the rates of its specs, and there is no passAll.',
  ),
  actions: count
    .optional()
    .describe('Of all trials; left out, as what follows, where no project called a page tool.'),
  pageToolCalls: count.optional(),
  costUsd: costSchema,
  passAll: z
    .object({ k: z.int().min(1), value: share })
    .nullish()
    .describe(
      'pass^k: the chance that k trials of a spec all pass, unbiased, the mean over the specs, with the same k in all projects; null without trials.',
    ),
  costPerPassUsd: costSchema.optional().describe('costUsd / passes; null if unknown or none passed.'),
});

const comparedPairSchema = z.object({
  projects: z.tuple([text, text]),
  specs: count.describe('Specs that both have trials of.'),
  difference: z.number().describe('Mean over the specs of the first pass rate minus the second.'),
  interval: z
    .tuple([z.number(), z.number()])
    .nullable()
    .describe('95% interval of the difference, clustered by spec; null for a single spec.'),
  p: share.describe('The chance of a difference this large in either direction if both were equal.'),
  level: share.optional().describe('What p may be at most: 0.05, divided by the number of pairs.'),
  differ: z
    .boolean()
    .describe('p is at most 0.05, corrected for the number of pairs, and the interval does not include 0.'),
});

export const comparisonSchema = z
  .object({
    projects: z.array(comparedProjectSchema).describe('Totals of each project, by name.'),
    pairs: z.array(comparedPairSchema).optional().describe('Every two projects, by name.'),
    specs: z
      .array(z.object({ spec: text.min(1), cells: z.array(comparedCellSchema) }))
      .describe(
        'By name: the id after the titles of its describes (`phone › cart`), with a cell for each project that has it.',
      ),
    differ: texts.describe('Specs that one project passed and another failed.'),
    ratesDiffer: texts.describe('Specs with the same settled verdict, but other pass rates.'),
    unclear: texts.describe('Specs with an open verdict while the settled ones agree.'),
    failures: z
      .array(z.object({ spec: text, groups: z.array(failureGroupSchema) }))
      .optional()
      .describe('Specs that failed in several projects: their failed trials in groups, over the projects.'),
  })
  .describe('The specs that at least two projects have, side by side, without replays.');

export type TrialResult = z.infer<typeof trialSchema>;
export type Outcome = TrialResult['outcome'];

export type ResultRow = z.infer<typeof rowSchema>;
export type RowSubject = z.infer<typeof subjectSchema>;
export type Verdict = z.infer<typeof verdictSchema>;
export type VerdictName = Verdict['verdict'];
/** k trials, of which at least minPasses must pass: 1 <= minPasses <= k. */
export type Policy = Pick<Verdict, 'k' | 'minPasses'>;
export type Graded = Pick<Verdict, 'passes' | 'failures'>;
/** What a row needs to be compared with others. */
export type VerdictRow = z.infer<typeof countedRowSchema> &
  Pick<Verdict, 'reason' | 'actions' | 'pageToolCalls'> & {
    /** The number of runs that were counted, if more than one. */
    runs?: number;
    /** Of a pooled baseline: US dollars of a trial on average, in the dearest run that has passes; null if a price is unknown. */
    trialUsd?: number | null;
  };

export type Comparison = z.infer<typeof comparisonSchema>;
export type ComparedPair = z.infer<typeof comparedPairSchema>;
export type ComparisonCell = z.infer<typeof comparedCellSchema>;
export type ComparisonTotals = z.infer<typeof comparedProjectSchema>;
