import type { TotalUsage } from '../../agents/agent';
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
  /** US dollars left of the spec's cap; undefined where there is none. */
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
  /** Name of the screenshot that shows it; null where something else does, or nothing. */
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
  /** Rejects where no judgement could be had: the trial is then `error: judge`. */
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
