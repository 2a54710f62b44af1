// The interface of a judge, and the judges that ask a model. Configs import this file, so the SDK is loaded when a trial is judged.

import { z } from 'zod';
import type { AgentTask } from '../../agents/agent';
import { type AiSdkOptions, aiSdkSchemas, modelName } from '../../agents/ai-sdk';
import { loadSdk } from '../../agents/ai-sdk/load';
import { type ModelOptions, modelSchemas, oneSource, requireCredentials } from '../../agents/claude';
import type { Answer, Judgement } from '../../data/record';
import type { TotalUsage } from '../../data/usage';
import { checkOptions, type OptionSchemas } from '../../options';
import type { TaskSpec } from '../../spec';

/** The evidence for a judge: the trial as in its record, and pictures. Secrets are masked in all texts. */
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
  /** Visible text of the final page, at most 20,000 characters. */
  finalText: string;
  /** What the agent said at its end, at most 4,000 characters; left out if it said nothing. */
  answer?: Answer | undefined;
  assertions: readonly { title: string; passed: boolean }[];
  /** US dollars left of the trial's cost cap; undefined if there is none. */
  budgetUsd: number | undefined;
  /** Whether `maxRunCostUsd` is set: costs have to be known. */
  runIsCapped?: boolean | undefined;
  /** The option `maxRequests`; undefined if it is not set. */
  maxRequests?: number | undefined;
  /** Aborted when the judge's time is up or the test ends. */
  signal: AbortSignal;
  /** Waits for a model, as `waiting` of an agent's task does: meanwhile the judge's time stands still. */
  waiting: AgentTask['waiting'];
}

/** Grades what no selector can check. It can turn a pass into a failure, never the reverse. */
export interface Judge {
  readonly name: string;
  readonly model?: string;
  /** The share of labels, 0 to 1, that it has to agree with before its judgements count. Default: none. */
  readonly minAgreement?: number | undefined;
  /** Called once per worker before the first trial's page opens. Throw an error that says what is missing. */
  preflight?(): void | Promise<void>;
  /** Reject if there is no judgement: the trial is then `error: judge`. */
  judge(trial: JudgedTrial): Promise<Judgement>;
}

/** Thrown by a judge that has spent tokens without a judgement. They still count. */
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
  /** The model's name. Better not the agent's own, since models are lenient with themselves. Default: `claude-sonnet-5-5`. */
  model?: string;
  /** Decisions, odd, up to 9: the majority counts, and no more are made than it needs. Default: 1. */
  votes?: number;
  /** Most screenshots per decision, 2 to 20, including the first and the last state. Default: 6. */
  screenshots?: number;
  /** Tokens of the longest answer, thinking included; twice as many after one that was cut off. Default: 16,384. */
  maxTokens?: number;
  /** Milliseconds without any data before a request fails, or ten times as long with only pings; an API that has answered in this run may be unreachable for as long. Default: 120,000. */
  requestTimeoutMs?: number;
  /** The share of your labels, 0 to 1, that it has to agree with (`taskproof judge check`): until then verdicts that rest on it are inconclusive. Default: none. */
  minAgreement?: number;
}

/** `model`, `pricing`, `maxRetries` and `providerOptions` are as those of `aiSdk()`, the others as those of `webJudge()`. */
export interface AiJudgeOptions
  extends Pick<AiSdkOptions, 'model' | 'pricing' | 'maxRetries' | 'providerOptions'>,
    Pick<WebJudgeOptions, 'votes' | 'screenshots' | 'maxTokens' | 'requestTimeoutMs' | 'minAgreement'> {}

const judgingSchemas = {
  votes: z
    .int()
    .min(1)
    .max(9)
    .refine(votes => votes % 2 === 1, 'must be odd, so that there is a majority')
    .default(1),
  screenshots: z.int().min(2, 'must be at least 2: the first and the last state').max(20).default(6),
  maxTokens: z.int().min(256).default(16_384),
  requestTimeoutMs: z.int().min(1).default(120_000),
  minAgreement: z.number().min(0).max(1).optional(),
};

const webSchema = z.strictObject({
  model: z.string().min(1).default('claude-sonnet-5-5'),
  ...modelSchemas,
  ...judgingSchemas,
} satisfies OptionSchemas<WebJudgeOptions>);

const aiSchema = z.strictObject({
  ...aiSdkSchemas,
  ...judgingSchemas,
} satisfies OptionSchemas<AiJudgeOptions>);

export type WebJudgeSettings = z.output<typeof webSchema>;
export type AiJudgeSettings = z.output<typeof aiSchema>;

/**
 * A judge after the WebJudge method of Online-Mind2Web (arXiv 2504.01382): key points from goal and rubric, a score for each
 * screenshot, then a decision on all evidence.
 *
 * @throws OptionsError that names every wrong or unknown option.
 */
export function webJudge(options: WebJudgeOptions = {}): Judge {
  // Not in a property: a judge in a config may be printed or serialised, and its options may have a key.
  const settings = checkOptions('webJudge()', webSchema.superRefine(oneSource), options);
  return {
    name: 'webJudge',
    model: settings.model,
    minAgreement: settings.minAgreement,
    preflight: () => requireCredentials(settings, 'webJudge'),
    async judge(trial) {
      const { judgeByClaude } = await import('./ask-claude.js');
      return judgeByClaude(trial, settings);
    },
  };
}

/**
 * The judge of `webJudge()`, with any model of the AI SDK: better one of another vendor than the agent's. Its `preflight` throws
 * if the npm package `ai` is missing.
 *
 * @throws OptionsError that names every wrong or unknown option.
 */
export function aiJudge(options: AiJudgeOptions): Judge {
  const settings = checkOptions('aiJudge()', aiSchema, options);
  return {
    name: 'aiJudge',
    model: modelName(settings.model),
    minAgreement: settings.minAgreement,
    async preflight() {
      await loadSdk('aiJudge');
    },
    async judge(trial) {
      const { judgeByAiSdk } = await import('./ask-ai-sdk.js');
      return judgeByAiSdk(trial, settings);
    },
  };
}
