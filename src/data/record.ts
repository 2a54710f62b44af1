// The record of one trial: what its worker hands to the reporter, through the runner and through blobs.
import { z } from 'zod';
import { beginning, oneLine, parsedJson } from '../text/line';
import { findingKinds, placeSchema, type RecordedAction, recordedActionSchema } from './action';
import { costSchema, usageSchema, waitTimesSchema } from './usage';

export const RECORD_SCHEMA_VERSION = '1';
/** In characters. A record may come from another machine. */
const MAX_RECORD_LENGTH = 200_000_000;
/** The hidden attachment with the record: the HTML report does not show names that begin with `_`. */
export const RECORD_ATTACHMENT = '_taskproof';

/** Characters of a request's URL; the rest is cut off. */
export const MAX_RECORDED_URL = 500;

/** Characters of an answer in the record. The whole answer is graded. */
export const MAX_RECORDED_ANSWER = 4_000;

/** What an agent says at its end: a text or, if a JSON Schema asks for it, another value of JSON. */
export type Answer = string | number | boolean | object;

const single = z.union([z.string(), z.number(), z.boolean()]);
export const answerSchema: z.ZodType<Answer> = z.union([single, z.looseObject({}), z.array(z.unknown())]);

/** An answer as people and models read it. */
export const answerText = (answer: Answer) => (typeof answer === 'string' ? answer : JSON.stringify(answer));

/** An answer as the record keeps it: if it is too long, as a text without its end. */
export function recordedAnswer(answer: Answer): Answer {
  const text = answerText(answer);
  return text.length > MAX_RECORDED_ANSWER ? beginning(text, MAX_RECORDED_ANSWER - 1) : answer;
}

/** Begins the `endReason` of an agent that gave up. */
export const GAVE_UP = 'the agent gave up: ';

const trialStatuses = ['completed', 'max_steps', 'budget_exceeded', 'timed_out', 'gave_up', 'error'] as const;
export const errorKinds = [
  'site_unreachable',
  'agent_api',
  'browser',
  'judge',
  'setup',
  'interrupted',
  'internal',
] as const;

// Written out, since agents make it by hand: an inferred type has no docstrings in the package's declarations.
/** One thing that an agent did in a turn. */
export interface Action {
  /** In words, as a person would say it: `click button "Sign in"`. */
  title: string;
  /** The control that it meant, in words: `field "Last name"`. Needed only if the action failed, or is not recorded. */
  control?: string;
  /** What went wrong, if the action failed. */
  error?: string;
  /** Viewport pixels (CSS) of a click or the end of a drag, to mark on the turn's screenshot. */
  point?: { x: number; y: number };
  /** Anything else to keep in the record. JSON only. */
  detail?: Record<string, unknown>;
  /**
   * What it did to the page, for `replay()`; empty if it only looked. If the action failed: what it did before that.
   * Without it, the trial can't be recorded. To note what a whole turn did, use `turn.record`.
   */
  recorded?: RecordedAction[];
}

export const actionSchema = z.object({
  title: z.string(),
  control: z.string().optional(),
  error: z.string().optional(),
  point: z.object({ x: z.number(), y: z.number() }).optional(),
  detail: z.record(z.string(), z.unknown()).optional(),
  recorded: z.array(recordedActionSchema).optional(),
}) satisfies z.ZodType<Action>;

const turnSchema = z.object({
  /** 1 for the first turn. */
  number: z.number().int().positive(),
  title: z.string(),
  actions: z.array(actionSchema),
  narration: z.string(),
  outcome: z.enum(['ok', 'error']),
  error: z.string().optional(),
  /** What happened besides the agent's own actions: tabs, dialogs, downloads, refused navigations. */
  notices: z.array(z.string()),
  /** Alerts, toasts and messages on the page after the turn, as far as they are new to the trial. */
  said: z.array(z.string()).optional(),
  /** The address of the active tab after the turn. */
  url: z.string(),
  usage: usageSchema,
  /** Milliseconds since the trial began. */
  startedAtMs: z.number().nonnegative(),
  durationMs: z.number().nonnegative(),
  /** Name of the attachment with the turn's screenshot. */
  screenshot: z.string().nullable(),
});

const networkEventSchema = z.object({
  /** Absolute; `data:` URLs without their content, very long ones cut. */
  url: z.string(),
  /** Upper case. */
  method: z.string(),
  /** HTTP status; null if there is no response. */
  status: z.number().nullable(),
  /** Playwright's `request.resourceType()`: `document`, `fetch`, `xhr`, `ping`, `image` ... */
  resourceType: z.string(),
  /** The browser's reason if the request failed: `net::ERR_ABORTED` ... With a status: the body was cut. */
  failure: z.string().optional(),
  /** A service worker may have answered it, so that it may not have left the browser. The worker's own requests are separate events. */
  keptByWorker: z.literal(true).optional(),
  /** It reached no server: refused, answered by a `command()` program over DevTools, or redirected to https by the browser. */
  answeredBy: z.enum(['guard', 'program', 'browser']).optional(),
  /** Milliseconds since the log began. */
  startedAtMs: z.number(),
  /** Milliseconds until its answer began. Left out if there is none. */
  answeredAfterMs: z.number().optional(),
});

const assertionResultSchema = z.object({
  /** The assertion as a sentence: `url matches "**\/trial**"`. */
  title: z.string(),
  /** `check`: code of the suite that graded the trial. */
  type: z.enum(['url', 'dom', 'network', 'answer', 'download', 'check']),
  /** Of a `network` assertion. */
  method: z.string().optional(),
  description: z.string().optional(),
  passed: z.boolean(),
  /** Why it does not hold; null if it does. */
  reason: z.string().nullable(),
  /** 1-based, in the spec's file. */
  line: z.number().int().positive().optional(),
});

const findingSchema = z.object({
  kind: z.enum(findingKinds),
  /** As Playwright writes it: `locator('.icon-cart')`. */
  locator: z.string(),
  /** One line: `button without a name`. */
  text: z.string(),
  /** Whether it is at a control of the last turns, or one that the agent looked for. */
  relevant: z.boolean(),
  /** Where it is, if it is a control of the main document without a name. */
  place: placeSchema.optional(),
  /** Name of the attachment with a picture of it. */
  screenshot: z.string().optional(),
});

const examinationSchema = z.object({
  /** Of the page's address, without query and fragment. */
  path: z.string(),
  /** Relevant ones first. */
  findings: z.array(findingSchema),
  /** How many findings are not relevant, whether or not they are among `findings`. */
  others: z.number().int().nonnegative(),
  /** The controls that are shown, up to 300. */
  controls: z.array(placeSchema).optional(),
  /** Alerts, toasts and messages on the page, in its words. */
  said: z.array(z.string()).optional(),
  /** Why it is not complete. */
  incomplete: z.string().optional(),
});

const keyPointSchema = z.object({
  text: z.string(),
  met: z.boolean(),
  /** What shows it, or what is missing. */
  evidence: z.string(),
  /** Name of the screenshot that shows it; null if none does. */
  screenshot: z.string().nullable(),
});

/** Other fields are kept in the record: votes, prompt version ... JSON only. */
const judgementSchema = z.looseObject({
  passed: z.boolean(),
  /** One line. */
  reason: z.string(),
  usage: usageSchema.optional(),
  /** Shown in the report as steps, and in the transcript. */
  keyPoints: z.array(keyPointSchema).readonly().optional(),
});

export const judgeResultSchema = z.looseObject({
  ...judgementSchema.shape,
  name: z.string().optional(),
  model: z.string().optional(),
  /** The share of labels that the judge has to agree with before its judgements count. */
  minAgreement: z.number().optional(),
});

const healingSchema = z.object({
  /** One sentence: `action 4: button "Place order" not found on /checkout`. */
  reason: z.string(),
  /** The recording's file: absolute, in a record relative to the config's folder, with forward slashes. If the trial passes, a new one is written beside it for review. */
  recording: z.string(),
});

export const trialRecordSchema = z.object({
  schemaVersion: z.literal(RECORD_SCHEMA_VERSION),
  specId: z.string(),
  /** SHA-256, hexadecimal, of the parsed spec. */
  specHash: z.string(),
  /** Relative to the run's root folder, with forward slashes. */
  specFile: z.string(),
  agent: z.string(),
  model: z.string().nullable(),
  /** Whether it was played from a recording, and so does not measure an agent. */
  replayed: z.boolean(),
  /** Set if another agent took over because the recording no longer fit the page: its first turn, and why. */
  healed: healingSchema.extend({ turn: z.number().int().positive() }).optional(),
  /** Playwright's repeatEachIndex: 0 for the first trial. */
  repeatIndex: z.number().int().nonnegative(),
  retry: z.number().int().nonnegative(),
  seed: z.number().int().nonnegative(),
  /** The value of `{{unique}}`, if the spec uses it. `TASKPROOF_RUN_ID=<runId>` brings it back. */
  unique: z
    .string()
    .regex(/^[a-z][a-z0-9]+$/)
    .optional(),
  runId: z.string().optional(),
  /** What the suite's `prepare` returned for placeholders. */
  data: z.record(z.string(), z.union([z.string(), z.number()])).optional(),
  policy: z.object({ k: z.number().int().positive(), minPasses: z.number().int().positive() }),
  status: z.enum(trialStatuses),
  errorKind: z.enum(errorKinds).nullable(),
  /** One line: why the agent stopped early; null if it ended its own turn. */
  endReason: z.string().nullish(),
  /** What the agent said at its end, at most 4,000 characters. Left out if it said nothing. */
  answer: answerSchema.optional(),
  /** Of a hand-written test: what keeps `replay()` from playing it. It uses the answer, or has several runs of agents. */
  notReplayable: z.enum(['answer', 'runs']).optional(),
  outcome: z.enum(['passed', 'failed', 'error']),
  /** One line: why the trial did not pass, and where the agent was; null if it passed. */
  reason: z.string().nullable(),
  turns: z.array(turnSchema),
  /** How many actions the turns had, without those that failed or only looked; and how many of these were calls of page tools. */
  actions: z.int().nonnegative().optional(),
  pageToolCalls: z.int().nonnegative().optional(),
  network: z.object({ events: z.array(networkEventSchema), dropped: z.number().int().nonnegative() }),
  /** `protocol`: the domain guard can't be bypassed. `route`: a bypass is reported as escaped. */
  guard: z.enum(['protocol', 'route']),
  /** Top-level navigations that the domain guard refused. */
  refusals: z.array(z.object({ url: z.string(), how: z.string() })),
  assertions: z.array(assertionResultSchema),
  judge: judgeResultSchema.nullable(),
  usage: usageSchema,
  costUsd: costSchema,
  finalUrl: z.string().nullable(),
  /** What a judge read of the final page. */
  finalText: z.string().optional(),
  /** Of failed trials, and the first that passed. Null if the page could not be examined. Records of earlier versions lack it. */
  examination: examinationSchema.nullable().default(null),
  /** Left out if the trial waited for no model. Records of earlier versions lack them. */
  ...waitTimesSchema.partial().shape,
  /** ISO 8601. */
  startedAt: z.iso.datetime(),
  durationMs: z.number().nonnegative(),
});

export type TrialStatus = (typeof trialStatuses)[number];
export type ErrorKind = (typeof errorKinds)[number];
/** One turn of an agent in the record. */
export interface TurnRecord extends z.infer<typeof turnSchema> {}
/** One request. A redirect chain is one event per hop, each with the status of that hop. */
export interface NetworkEvent extends z.infer<typeof networkEventSchema> {}
export interface AssertionResult extends z.infer<typeof assertionResultSchema> {}
/** A thing on a page that is in an agent's way. */
export interface Finding extends z.infer<typeof findingSchema> {}
/** What was found in the agent's way on the page where a failed trial ended, or on that of a passing trial. */
export interface Examination extends z.infer<typeof examinationSchema> {}
/** One thing that the rubric asks for, and whether the trial shows it. */
export interface KeyPoint extends z.infer<typeof keyPointSchema> {}
export interface Judgement extends z.infer<typeof judgementSchema> {}
/** A judge's judgement, with the judge's name. */
export interface JudgeResult extends z.infer<typeof judgeResultSchema> {}
/** Why a recording no longer fits the page. */
export interface Healing extends z.infer<typeof healingSchema> {}
/** The JSON evidence of one trial. */
export interface TrialRecord extends z.infer<typeof trialRecordSchema> {}

/** What the domain guard could not keep the agent from. */
export function escapeIn(refusals: TrialRecord['refusals']): string | undefined {
  const escaped = refusals.find(({ how }) => how === 'escaped');
  return escaped && `the agent got to ${escaped.url}, outside allowedDomains`;
}

/** Adds to a reason where the agent stopped. */
export const stoppedAt = (reason: string, where: string) =>
  oneLine(`${reason.replace(/\.$/, '')}; the agent stopped on ${where}`, 1_000);

/** Where the agent was at the end, in words. */
export function whereOf({ turns, finalUrl }: Pick<TrialRecord, 'turns' | 'finalUrl'>): string {
  const last = turns.at(-1);
  const after = last ? `after turn ${last.number} (${last.title})` : 'before its first turn';
  return `${oneLine(finalUrl ?? '', 300)} ${after}`;
}

/** Undefined if it is not a record of this schema version: an attachment that is cut off or not ours must not break the run. */
export function readRecord(text: string): TrialRecord | undefined {
  return text.length > MAX_RECORD_LENGTH ? undefined : trialRecordSchema.safeParse(parsedJson(text)).data;
}
