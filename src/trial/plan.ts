import type { Agent } from '../agents/agent';
import type { Judge } from '../grading/judge';
import type { TaskSpec } from '../spec';
import type { SourceLocation } from './stage';

/** What a trial is to do: a spec's one, or a goal that a hand-written test gives to an agent. */
export interface TrialPlan {
  agent: Agent;
  /** Null in a hand-written test. */
  specId: string | null;
  /** SHA-256 of the parsed spec; null in a hand-written test. */
  specHash: string | null;
  /** Folder of the Playwright config, absolute. */
  configDir: string;
  goal: string;
  /** Opened before the agent starts; null where the page already stands where it should. */
  entryUrl: string | null;
  allowedDomains: readonly string[];
  maxSteps: number;
  /** US dollars. */
  maxCostUsd: number | undefined;
  /** Milliseconds; the trial may take maxSteps times this. */
  turnTimeoutMs: number;
  seed: number;
  secrets: Readonly<Record<string, string>>;
  /** Milliseconds for opening entryUrl; 30,000 where left out or 0. */
  navigationTimeoutMs?: number;
  /** Milliseconds that each assertion waits; Playwright's own setting where left out. */
  expectTimeoutMs?: number;
}

/** A spec and where it stands, for a trial that is graded. */
export interface GradedPlan extends TrialPlan {
  spec: TaskSpec;
  judge: Judge | undefined;
  /** Line and column of a path in the spec's file, such as `assertions[0]`. */
  locate(path: string): SourceLocation;
}

/** Milliseconds that the agent has, all its turns together. */
export function agentTimeMs(plan: Pick<TrialPlan, 'maxSteps' | 'turnTimeoutMs'>): number {
  return plan.maxSteps * plan.turnTimeoutMs;
}
