import { z } from 'zod';
import { recordedActionSchema } from '../browser/page-action';

export const RECORD_SCHEMA_VERSION = '1';
/** The hidden attachment that carries the record: names that begin with `_` are not shown in the HTML report. */
export const RECORD_ATTACHMENT = '_taskproof';

export const trialStatuses = [
  'completed',
  'max_steps',
  'budget_exceeded',
  'timed_out',
  'gave_up',
  'error',
] as const;
export const errorKinds = ['site_unreachable', 'agent_api', 'browser', 'judge', 'internal'] as const;
export type TrialStatus = (typeof trialStatuses)[number];
export type ErrorKind = (typeof errorKinds)[number];

const cost = z.number().nonnegative().nullable();

export const usageSchema = z.object({
  inputTokens: z.number().nonnegative(),
  outputTokens: z.number().nonnegative(),
  cacheReadTokens: z.number().nonnegative(),
  cacheCreationTokens: z.number().nonnegative(),
  /** US dollars; null once a price was unknown. */
  costUsd: cost,
});

const actionSchema = z.object({
  title: z.string(),
  error: z.string().optional(),
  point: z.object({ x: z.number(), y: z.number() }).optional(),
  detail: z.record(z.string(), z.unknown()).optional(),
  /** What was done to the page; left out where nobody knows. */
  steps: z.array(recordedActionSchema).optional(),
});

const turnSchema = z.object({
  /** 1 for the first turn. */
  number: z.number().int().positive(),
  title: z.string(),
  actions: z.array(actionSchema),
  narration: z.string(),
  outcome: z.enum(['ok', 'error']),
  error: z.string().optional(),
  /** What happened beside the agent's own actions: tabs, dialogs, downloads, refused navigations. */
  notices: z.array(z.string()),
  /** Where the active tab stood after the turn. */
  url: z.string(),
  usage: usageSchema,
  /** Milliseconds since the trial began. */
  startedAtMs: z.number().nonnegative(),
  durationMs: z.number().nonnegative(),
  /** Name of the attachment with the turn's screenshot. */
  screenshot: z.string().nullable(),
});

const networkEventSchema = z.object({
  url: z.string(),
  method: z.string(),
  status: z.number().nullable(),
  resourceType: z.string(),
  failure: z.string().optional(),
  startedAtMs: z.number(),
});

const assertionResultSchema = z.object({
  /** The assertion as a sentence: `url matches "**\/trial**"`. */
  title: z.string(),
  type: z.enum(['url', 'dom', 'network']),
  description: z.string().optional(),
  passed: z.boolean(),
  /** Why it did not hold; null where it held. */
  reason: z.string().nullable(),
  /** 1-based, in the spec's file. */
  line: z.number().int().positive().optional(),
});

const keyPointSchema = z.object({
  text: z.string(),
  met: z.boolean(),
  /** What shows it, or what is missing. */
  evidence: z.string(),
  /** Name of the attachment that shows it; null where something else does, or nothing. */
  screenshot: z.string().nullable(),
});

/** What else a judge returns is kept as it is. */
export const judgeResultSchema = z.looseObject({
  passed: z.boolean(),
  reason: z.string(),
  name: z.string().optional(),
  model: z.string().optional(),
  usage: usageSchema.optional(),
  keyPoints: z.array(keyPointSchema).optional(),
});

export const trialRecordSchema = z.object({
  schemaVersion: z.literal(RECORD_SCHEMA_VERSION),
  specId: z.string(),
  /** SHA-256, hexadecimal, of the parsed spec. */
  specHash: z.string(),
  /** As the run's root folder sees it, with forward slashes. */
  specFile: z.string(),
  agent: z.string(),
  model: z.string().nullable(),
  /** Whether the trial was played from a recording: then it does not measure an agent. */
  replayed: z.boolean(),
  /** Where a recording no longer fitted the page and another agent played on. */
  healed: z
    .object({
      /** The first turn of the other agent. */
      turn: z.number().int().positive(),
      reason: z.string(),
      /** The recording's file, as the config's folder sees it, with forward slashes. */
      recording: z.string(),
    })
    .optional(),
  /** Playwright's repeatEachIndex: 0 for the first trial. */
  repeatIndex: z.number().int().nonnegative(),
  retry: z.number().int().nonnegative(),
  seed: z.number().int().nonnegative(),
  policy: z.object({ k: z.number().int().positive(), minPasses: z.number().int().positive() }),
  status: z.enum(trialStatuses),
  errorKind: z.enum(errorKinds).nullable(),
  outcome: z.enum(['passed', 'failed', 'error']),
  /** One line: why the trial did not pass, and where the agent was; null where it passed. */
  reason: z.string().nullable(),
  turns: z.array(turnSchema),
  network: z.object({ events: z.array(networkEventSchema), dropped: z.number().int().nonnegative() }),
  /** `protocol`: nothing gets past the domain guard. `route`: what gets past is reported as escaped. */
  guard: z.enum(['protocol', 'route']),
  /** Top-level navigations that the domain guard refused. */
  refusals: z.array(z.object({ url: z.string(), how: z.string() })),
  assertions: z.array(assertionResultSchema),
  judge: judgeResultSchema.nullable(),
  usage: usageSchema,
  costUsd: cost,
  finalUrl: z.string().nullable(),
  startedAt: z.iso.datetime(),
  durationMs: z.number().nonnegative(),
});

export type TrialRecord = z.infer<typeof trialRecordSchema>;
export type TurnRecord = z.infer<typeof turnSchema>;
export type AssertionResult = z.infer<typeof assertionResultSchema>;
export type JudgeResult = z.infer<typeof judgeResultSchema>;
export type TotalUsage = z.infer<typeof usageSchema>;

/**
 * Reads a record back from its attachment.
 *
 * @returns undefined where the text is not a record of this schema version: a foreign or cut attachment must not cost a run.
 */
export function readRecord(text: string): TrialRecord | undefined {
  try {
    return trialRecordSchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
