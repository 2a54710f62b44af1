import { z } from 'zod';
import type { Action, Healing, TotalUsage } from '../agents/agent';
import type { NetworkEvent } from '../browser/session/network';
import type { Judgement } from '../grading/judge';
import type { Assertion, PassPolicy } from '../spec';
import { recordedActionSchema } from './action';
import { type FindingKind, findingKinds } from './finding';

export type { TotalUsage } from '../agents/agent';
export type { FindingKind } from './finding';

export const RECORD_SCHEMA_VERSION = '1';
/** Characters. A record may come from another machine. */
const MAX_RECORD_LENGTH = 200_000_000;
/** The hidden attachment with the record: the HTML report does not show names that begin with `_`. */
export const RECORD_ATTACHMENT = '_taskproof';

/** The hidden attachment with the note on one `agent.run` in a hand-written test. */
export const AGENT_ATTACHMENT = '_taskproof-agent';

/** Begins the `endReason` of an agent that gave up. */
export const GAVE_UP = 'the agent gave up: ';

export const trialStatuses = [
  'completed',
  'max_steps',
  'budget_exceeded',
  'timed_out',
  'gave_up',
  'error',
] as const;
export const errorKinds = [
  'site_unreachable',
  'agent_api',
  'browser',
  'judge',
  'setup',
  'interrupted',
  'internal',
] as const;
export type TrialStatus = (typeof trialStatuses)[number];
export type ErrorKind = (typeof errorKinds)[number];

/** One turn of an agent in the record. */
export interface TurnRecord {
  /** 1 for the first turn. */
  number: number;
  title: string;
  actions: Action[];
  narration: string;
  outcome: 'ok' | 'error';
  error?: string;
  /** What happened besides the agent's own actions: tabs, dialogs, downloads, refused navigations. */
  notices: string[];
  /** The address of the active tab after the turn. */
  url: string;
  usage: TotalUsage;
  /** Milliseconds since the trial began. */
  startedAtMs: number;
  durationMs: number;
  /** Name of the attachment with the turn's screenshot. */
  screenshot: string | null;
}

export interface AssertionResult {
  /** The assertion as a sentence: `url matches "**\/trial**"`. */
  title: string;
  type: Assertion['type'];
  description?: string;
  passed: boolean;
  /** Why it does not hold; null if it does. */
  reason: string | null;
  /** 1-based, in the spec's file. */
  line?: number;
}

/** A thing on a page that is in an agent's way. */
export interface Finding {
  kind: FindingKind;
  /** As Playwright writes it: `locator('.icon-cart')`. */
  locator: string;
  /** One line: `button without a name`. */
  text: string;
  /** Whether it is at a control of the last turns, or one that the agent looked for. */
  relevant: boolean;
  /** Name of the attachment with a picture of it. */
  screenshot?: string;
}

/** What was found in the agent's way on the page where a failed trial ended. */
export interface Examination {
  /** Of the page's address, without query and fragment. */
  path: string;
  /** Relevant ones first. */
  findings: Finding[];
  /** How many findings are not relevant, whether or not they are among `findings`. */
  others: number;
  /** Why it is not complete. */
  incomplete?: string;
}

/** A judge's judgement, with the judge's name. */
export interface JudgeResult extends Judgement {
  name?: string;
  model?: string;
}

/** The JSON evidence of one trial. */
export interface TrialRecord {
  schemaVersion: typeof RECORD_SCHEMA_VERSION;
  specId: string;
  /** SHA-256, hexadecimal, of the parsed spec. */
  specHash: string;
  /** Relative to the run's root folder, with forward slashes. */
  specFile: string;
  agent: string;
  model: string | null;
  /** Whether it was played from a recording, and so does not measure an agent. */
  replayed: boolean;
  /** Set if another agent took over because the recording no longer fit the page: its first turn, the reason, and the recording's file, relative to the config's folder, with forward slashes. */
  healed?: Healing & { turn: number };
  /** Playwright's repeatEachIndex: 0 for the first trial. */
  repeatIndex: number;
  retry: number;
  seed: number;
  /** The value of `{{unique}}`, if the spec uses it. `TASKPROOF_RUN_ID=<runId>` brings it back. */
  unique?: string;
  runId?: string;
  policy: PassPolicy;
  status: TrialStatus;
  errorKind: ErrorKind | null;
  /** One line: why the agent stopped early; null if it ended its own turn. */
  endReason?: string | null;
  outcome: 'passed' | 'failed' | 'error';
  /** One line: why the trial did not pass, and where the agent was; null if it passed. */
  reason: string | null;
  turns: TurnRecord[];
  /** What was done in them, without what failed or only looked; and how much of that by tools of the pages. */
  actions?: number;
  pageToolCalls?: number;
  network: { events: NetworkEvent[]; dropped: number };
  /** `protocol`: the domain guard can't be bypassed. `route`: a bypass is reported as escaped. */
  guard: 'protocol' | 'route';
  /** Top-level navigations that the domain guard refused. */
  refusals: { url: string; how: string }[];
  assertions: AssertionResult[];
  judge: JudgeResult | null;
  usage: TotalUsage;
  costUsd: number | null;
  finalUrl: string | null;
  /** Null if the trial did not fail, or if the page could not be examined. */
  examination: Examination | null;
  /** ISO 8601. */
  startedAt: string;
  durationMs: number;
}

/** A schema for each field. */
type Fields<Type> = { [Name in keyof Type]-?: z.ZodType<Type[Name]> };

const cost = z.number().nonnegative().nullable();

const usageSchema = z.object({
  inputTokens: z.number().nonnegative(),
  outputTokens: z.number().nonnegative(),
  cacheReadTokens: z.number().nonnegative(),
  cacheCreationTokens: z.number().nonnegative(),
  costUsd: cost,
} satisfies Fields<TotalUsage>);

const actionSchema = z.object({
  title: z.string(),
  error: z.string().optional(),
  point: z.object({ x: z.number(), y: z.number() }).optional(),
  detail: z.record(z.string(), z.unknown()).optional(),
  recorded: z.array(recordedActionSchema).optional(),
} satisfies Fields<Action>);

const turnSchema = z.object({
  number: z.number().int().positive(),
  title: z.string(),
  actions: z.array(actionSchema),
  narration: z.string(),
  outcome: z.enum(['ok', 'error']),
  error: z.string().optional(),
  notices: z.array(z.string()),
  url: z.string(),
  usage: usageSchema,
  startedAtMs: z.number().nonnegative(),
  durationMs: z.number().nonnegative(),
  screenshot: z.string().nullable(),
} satisfies Fields<TurnRecord>);

const networkEventSchema = z.object({
  url: z.string(),
  method: z.string(),
  status: z.number().nullable(),
  resourceType: z.string(),
  failure: z.string().optional(),
  keptByWorker: z.literal(true).optional(),
  startedAtMs: z.number(),
} satisfies Fields<NetworkEvent>);

const assertionResultSchema = z.object({
  title: z.string(),
  type: z.enum(['url', 'dom', 'network']),
  description: z.string().optional(),
  passed: z.boolean(),
  reason: z.string().nullable(),
  line: z.number().int().positive().optional(),
} satisfies Fields<AssertionResult>);

const findingSchema = z.object({
  kind: z.enum(findingKinds),
  locator: z.string(),
  text: z.string(),
  relevant: z.boolean(),
  screenshot: z.string().optional(),
} satisfies Fields<Finding>);

const examinationSchema = z.object({
  path: z.string(),
  findings: z.array(findingSchema),
  others: z.number().int().nonnegative(),
  incomplete: z.string().optional(),
} satisfies Fields<Examination>);

const keyPointSchema = z.object({
  text: z.string(),
  met: z.boolean(),
  evidence: z.string(),
  screenshot: z.string().nullable(),
});

/** Keeps the other fields that a judge returns. */
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
  specHash: z.string(),
  specFile: z.string(),
  agent: z.string(),
  model: z.string().nullable(),
  replayed: z.boolean(),
  healed: z
    .object({
      turn: z.number().int().positive(),
      reason: z.string(),
      recording: z.string(),
    })
    .optional(),
  repeatIndex: z.number().int().nonnegative(),
  retry: z.number().int().nonnegative(),
  seed: z.number().int().nonnegative(),
  unique: z
    .string()
    .regex(/^[a-z][a-z0-9]+$/)
    .optional(),
  runId: z.string().optional(),
  policy: z.object({ k: z.number().int().positive(), minPasses: z.number().int().positive() }),
  status: z.enum(trialStatuses),
  errorKind: z.enum(errorKinds).nullable(),
  endReason: z.string().nullish(),
  outcome: z.enum(['passed', 'failed', 'error']),
  reason: z.string().nullable(),
  turns: z.array(turnSchema),
  actions: z.int().nonnegative().optional(),
  pageToolCalls: z.int().nonnegative().optional(),
  network: z.object({ events: z.array(networkEventSchema), dropped: z.number().int().nonnegative() }),
  guard: z.enum(['protocol', 'route']),
  refusals: z.array(z.object({ url: z.string(), how: z.string() })),
  assertions: z.array(assertionResultSchema),
  judge: judgeResultSchema.nullable(),
  usage: usageSchema,
  costUsd: cost,
  finalUrl: z.string().nullable(),
  // Missing in records of earlier versions.
  examination: examinationSchema.nullable().default(null),
  startedAt: z.iso.datetime(),
  durationMs: z.number().nonnegative(),
} satisfies Fields<TrialRecord>);

/**
 * Reads a record from its attachment.
 *
 * @returns undefined if the text is not a record of this schema version: a foreign or cut attachment must not break the run.
 */
export function readRecord(text: string): TrialRecord | undefined {
  return read(trialRecordSchema, text);
}

function read<Type>(schema: z.ZodType<Type>, text: string): Type | undefined {
  if (text.length > MAX_RECORD_LENGTH) return undefined;
  try {
    return schema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

const agentNoteSchema = z.object({
  agent: z.string(),
  model: z.string().nullable(),
  turns: z.int().nonnegative(),
  usage: usageSchema,
});

/** What one `agent.run` in a hand-written test took. */
export type AgentNote = z.infer<typeof agentNoteSchema>;

/** Undefined if the text is not a note. */
export function readAgentNote(text: string): AgentNote | undefined {
  return read(agentNoteSchema, text);
}
