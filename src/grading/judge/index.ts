// Judges: what each must do, and the one that reads a trial with a Claude model. Imported by configs: what needs the SDK
// is loaded when a trial is judged.
import { z } from 'zod';
import type { TotalUsage } from '../../agents/agent';
import { type ModelOptions, modelSchemas, requireKey } from '../../agents/claude/options';
import { checkOptions, type OptionSchemas } from '../../options';
import type { TaskSpec } from '../../spec';

/** What a judge may look at: the trial as its record tells it, and the pictures. Values of secrets are masked in all text. */
export interface JudgedTrial {
  spec: TaskSpec;
  rubric: string;
  turns: readonly {
    number: number;
    actions: readonly { title: string; error?: string }[];
    narration: string;
    url: string;
  }[];
  /** In order; the last one shows the final state. `turn` is null for that. JPEG. */
  screenshots: readonly { name: string; turn: number | null; image: Buffer }[];
  finalUrl: string;
  /** Visible text of the final page, cut at 20,000 characters. */
  finalText: string;
  assertions: readonly { title: string; passed: boolean }[];
  /** US dollars left of the spec's cap; undefined if there is none. */
  budgetUsd: number | undefined;
  /** Aborted when the judge's time is up, or the test ends. */
  signal: AbortSignal;
}

/** One thing that the rubric asks for, and whether the trial shows it. */
export interface KeyPoint {
  text: string;
  met: boolean;
  /** What shows it, or what is missing. */
  evidence: string;
  /** Name of the screenshot that shows it; null if something else does, or nothing. */
  screenshot: string | null;
}

export interface Judgement {
  passed: boolean;
  /** One line. */
  reason: string;
  usage?: TotalUsage;
  /** Shown in the report, each as a step, and in the transcript. */
  keyPoints?: readonly KeyPoint[];
  /** Kept in the record as they are: votes, prompt version ... JSON only. */
  [detail: string]: unknown;
}

/** Grades what no selector can show. It can turn a pass into a fail, never the reverse. */
export interface Judge {
  readonly name: string;
  readonly model?: string;
  /** Called once per worker before the first trial's page opens; throw to say what is missing. */
  preflight?(): void | Promise<void>;
  /** Rejects if no judgement could be had: the trial is then `error: judge`. */
  judge(trial: JudgedTrial): Promise<Judgement>;
}

/** Thrown by a judge that has spent tokens and has no judgement to show for them: they are counted all the same. */
export class JudgeError extends Error {
  override name = 'JudgeError';
  constructor(
    message: string,
    readonly usage?: TotalUsage,
  ) {
    super(message);
  }
}

export interface WebJudgeOptions extends ModelOptions {
  /** The model's name; better not the agent's, since a model is lenient with itself. Default: `claude-sonnet-5-5`. */
  model?: string;
  /** Decisions made, an odd number up to 9: the majority counts, and no more are made than it needs. Default: 1. */
  votes?: number;
  /** The most screenshots that a decision looks at, 2 to 20, first and last state included. Default: 6. */
  screenshots?: number;
  /** Tokens of the longest answer, thinking included; one that is cut off is asked for again with twice as many. Default: 16,384. */
  maxTokens?: number;
  /** Milliseconds that an answer may stay silent; pings count as life. Default: 120,000. */
  requestTimeoutMs?: number;
}

const optionsSchema = z.strictObject({
  model: z.string().min(1).default('claude-sonnet-5-5'),
  ...modelSchemas,
  votes: z
    .int()
    .min(1)
    .max(9)
    .refine(votes => votes % 2 === 1, 'must be odd, so that there is a majority')
    .default(1),
  screenshots: z.int().min(2, 'must be at least 2: the first and the last state').max(20).default(6),
  maxTokens: z.int().min(256).default(16_384),
  requestTimeoutMs: z.int().min(1).default(120_000),
} satisfies OptionSchemas<WebJudgeOptions>);

export type WebJudgeSettings = z.output<typeof optionsSchema>;

/**
 * A judge after the WebJudge method of Online-Mind2Web (arXiv 2504.01382): key points from goal and rubric, a score for
 * each screenshot, then a decision from all evidence.
 *
 * @throws OptionsError naming each option that is wrong or unknown.
 */
export function webJudge(options: WebJudgeOptions = {}): Judge {
  // Held by the closures below and by no property: a judge in a config may be printed or serialised.
  const settings = checkOptions('webJudge()', optionsSchema, options);
  return {
    name: 'webJudge',
    model: settings.model,
    preflight: () => requireKey(settings, 'webJudge'),
    async judge(trial) {
      const { judgeWeb } = await import('./web-judge.js');
      return judgeWeb(trial, settings);
    },
  };
}
