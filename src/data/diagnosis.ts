// Why trials failed, as data: where they went, where they parted from passing ones, and what was in the way.
import { z } from 'zod';
import { placeSchema } from './action';
import { count } from './usage';

const text = z.string();
const texts = z.array(text);

const sentRequestSchema = z.object({
  request: text.describe(
    "`POST /api/cart`, with its host if that is not the site's own; `*` stands for numbers and the like.",
  ),
  turn: count.describe('The turn in which this began; 0 before the first.'),
  status: count.nullable().describe('The last answer; null if there is none.'),
  failure: text.nullable().describe("The browser's reason if it failed."),
  ms: z
    .number()
    .optional()
    .describe('Milliseconds until the answer began; if there is none, how long it was waited for.'),
});
const findingSchema = z.object({
  kind: text.describe(
    'no_name, same_name, no_label, no_role, covered, out_of_reach, disabled, picture_only or dialog_trap.',
  ),
  text: text.describe('`button without a name`.'),
  locator: text.describe("As Playwright writes it: `locator('.icon-cart')`."),
  path: text.describe('The page; `*` stands for numbers and the like.'),
});

/** What a trial did, as trials are compared. */
export const waySchema = z.object({
  actions: z.array(
    z.object({
      turn: count.describe('1 for the first.'),
      path: text.describe('The page; `*` stands for numbers and the like.'),
      did: text.describe('`clicked button "Pay"`.'),
      key: text.describe('The same for the same action on the same control.'),
      place: placeSchema.optional().describe('The control, and where it was.'),
    }),
  ),
  end: text.nullable().describe('The path where it ended.'),
  requests: z.array(sentRequestSchema).optional().describe('What it sent: one for each method and path.'),
  findings: z
    .array(findingSchema)
    .optional()
    .describe('What the page of the first passing trial had, and so is no cause.'),
});

const partingSideSchema = z.object({
  turn: count.describe('Of that trial; 1 for the first.'),
  did: text.nullable().describe('What it did; null if nothing.'),
  path: text.nullable().describe('The page; for `page`, the one it led to.'),
  project: text.optional().describe('Of the passing trial.'),
  trial: count.optional().describe('Index of the passing trial, if it is of this run.'),
  screenshot: text.optional().describe("Name of the attachment with the turn's picture."),
});
const partingSchema = z.object({
  kind: z
    .enum(['action', 'page', 'ended', 'went_on', 'skipped', 'extra'])
    .describe(
      '`action`: it did something else; `page`: the same action led to another page; `ended`: it did nothing more; `went_on`: passing trials had ended; `skipped`: it left something out; `extra`: it did something that no passing trial did, or did it more often.',
    ),
  from: z
    .enum(['trials', 'project', 'baseline', 'recording'])
    .describe(
      "The passing trials: of this run, of another project, the baseline's last one, or a recording.",
    ),
  turn: count.describe('Of the failed trial; 1 for the first.'),
  text: text.describe('`turn 6: passing trials clicked button "Pay", this one clicked link "Help"`.'),
  expected: partingSideSchema.describe('The passing trial.'),
  actual: partingSideSchema.describe('The failed one.'),
});

export const failureGroupSchema = z.object({
  trials: z.array(count).describe('Their indexes.'),
  projects: texts.optional().describe('The project of each trial, in groups over several projects.'),
  text: text.describe('`stuck on /checkout at field "Last name" (used all 25 turns)`.'),
  status: text.nullable().describe('This and the following: null if the trials differ in it.'),
  check: text.nullable().describe('The first broken check, as in the errors of the trials.'),
  path: text.nullable().describe('The page where they ended; `*` stands for numbers and the like.'),
  control: text.nullable().describe('The control that they last used or looked for.'),
  request: text.nullish().describe('The request that went wrong in all of them.'),
  said: text.nullish().describe("Why they gave up, in the agent's own words."),
});
const suspectRequestSchema = z.object({
  index: count.describe('Of the failed trial.'),
  turn: count.describe('The turn that sent it; 0 before the first. If it was not sent, of a passing trial.'),
  request: text.describe('`POST /api/cart`; `*` stands for numbers and the like.'),
  status: count.nullable().describe('Its answer; null if there is none.'),
  failure: text.nullable().describe("The browser's reason if it failed."),
  expected: count.nullable().describe('Its answer in a passing trial.'),
  text: text.describe('`POST /api/cart answered 500 (201 in passing trials)`.'),
});
const metFindingSchema = findingSchema.extend({ trials: count.describe('Failed trials that met it.') });
export const sharedFindingSchema = metFindingSchema.extend({
  specs: texts.describe('Their names, in order.'),
});

export const diagnosisSchema = z.object({
  headline: text.describe('The group that explains most failures, in one line.'),
  parted: text.nullable().describe('Where its trials left the way of passing ones; null if unknown.'),
  groups: z.array(failureGroupSchema).describe('The largest first.'),
  partings: z
    .array(partingSchema.extend({ index: count.describe('Of the failed trial.') }))
    .describe('For each failed trial, if known; compared with its own passing trials first.'),
  requests: z
    .array(suspectRequestSchema)
    .optional()
    .describe('For each failed trial: the first request that went wrong, if any.'),
  pageSaid: text
    .nullish()
    .describe('An alert or message on the page where the trials of that group ended, in its words.'),
  findings: z.array(metFindingSchema).describe('On the pages where they ended, at controls that they used.'),
  others: z
    .array(metFindingSchema)
    .default([])
    .describe('Elsewhere on these pages; shown nowhere else. At most 100 of a trial are kept.'),
});

export type Way = z.infer<typeof waySchema>;
/** All requests of a trial with one method and path. `status` and `failure` are null if the last was aborted or not answered yet. */
export type SentRequest = z.infer<typeof sentRequestSchema>;
export type FoundInTheWay = z.infer<typeof findingSchema>;
export type WayAction = Way['actions'][number];
/** Where a failed trial parted from passing ones. */
export type Parting = z.infer<typeof partingSchema>;
/** The passing trials that a failed one is compared with. */
export type PassingTrials = { from: Parting['from']; project?: string };
export type FailureGroup = z.infer<typeof failureGroupSchema>;
/** A request of a failed trial that was answered differently than in passing ones, or not at all. */
export type SuspectRequest = z.infer<typeof suspectRequestSchema>;
export type MetFinding = z.infer<typeof metFindingSchema>;
export type SharedFinding = z.infer<typeof sharedFindingSchema>;
export type Diagnosis = z.infer<typeof diagnosisSchema>;
