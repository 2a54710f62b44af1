import type { Agent } from '../agents/agent';
import type { OpenSession } from '../browser/open-session';
import { PageTools, type PageToolsMode } from '../browser/page-tools';
import type { Judge, JudgedTrial } from '../grading/judge';
import type { TaskSpec } from '../spec';
import { type Mask, secretMask } from './mask';

/** A place in a spec's file; line and column are 1-based. */
export interface SourceLocation {
  file: string;
  line: number;
  column: number;
}

export interface Attachment {
  body: Buffer | string;
  contentType: string;
}

/** Shows a running trial. In a suite it is Playwright's test; the trial only knows this interface. */
export interface TrialOutput {
  step<T>(
    title: string,
    body: (attach: TrialOutput['attach']) => Promise<T>,
    location?: SourceLocation,
  ): Promise<T>;
  attach(name: string, attachment: Attachment): Promise<void>;
}

/** What a trial does: that of a spec, or a goal in a hand-written test. */
export interface TrialPlan {
  agent: Agent;
  /** Null in a hand-written test. */
  specId: string | null;
  /** The id after the titles of its describes: `phone › cart`. Null in a hand-written test. */
  specName: string | null;
  /** SHA-256 of the parsed spec; null in a hand-written test. */
  specHash: string | null;
  /** Folder of the Playwright config, absolute. */
  configDir: string;
  goal: string;
  /** Opened before the agent starts; null if the page is already open. */
  entryUrl: string | null;
  allowedDomains: readonly string[];
  maxSteps: number;
  /** US dollars. */
  maxCostUsd: number | undefined;
  /** Milliseconds; the trial may take maxSteps times this. */
  turnTimeoutMs: number;
  seed: number;
  /** The value of `{{unique}}`, if the spec uses it. */
  unique?: string;
  secrets: Readonly<Record<string, string>>;
  /** `auto` if left out. */
  pageTools?: PageToolsMode | undefined;
  /** Milliseconds for opening entryUrl; 30,000 where left out or 0. */
  navigationTimeoutMs?: number;
  /** Milliseconds that each assertion waits. Default: Playwright's setting. */
  expectTimeoutMs?: number;
  /** Line and column of a path in the spec's file, such as `assertions[0]`; undefined in a hand-written test. */
  locate(path: string): SourceLocation | undefined;
}

/** The plan of a graded trial: with its spec and the places in its file. */
export interface GradedPlan extends TrialPlan {
  spec: TaskSpec;
  judge: Judge | undefined;
  locate(path: string): SourceLocation;
}

/** Shared by all parts of a running trial. */
export interface TrialContext<Plan extends TrialPlan = TrialPlan> extends Omit<OpenSession, 'close'> {
  plan: Plan;
  output: TrialOutput;
  mask: Mask;
  webmcp: PageTools;
  /** `performance.now()` when the trial began. */
  startedAt: number;
  /** Pictures for the judge. */
  pictures: JudgedTrial['screenshots'][number][];
}

/** @param opened the page's session, to be closed by the caller */
export function trialContext<Plan extends TrialPlan>(
  plan: Plan,
  { close: _, ...opened }: OpenSession,
  output: TrialOutput,
): TrialContext<Plan> {
  const mask = secretMask(plan.secrets);
  opened.session.mask = mask;
  const webmcp = new PageTools(opened.session, plan.allowedDomains, plan.pageTools);
  return { plan, ...opened, output, mask, webmcp, startedAt: performance.now(), pictures: [] };
}

/** Milliseconds for all turns of the agent. */
export function agentTimeMs(plan: Pick<TrialPlan, 'maxSteps' | 'turnTimeoutMs'>): number {
  return plan.maxSteps * plan.turnTimeoutMs;
}

/**
 * The same spec on another deployment: replaces the origin of entryUrl there, in URL globs that start with it and in the goal, and
 * allows the new host.
 *
 * @param origin scheme, host and port, such as `https://preview-42.example.com`
 */
export function atOrigin(spec: TaskSpec, origin: string | undefined): TaskSpec {
  if (origin === undefined) return spec;
  const entry = new URL(spec.entryUrl);
  const target = new URL(origin);
  const moved = (glob: string) => {
    const rest = glob.slice(entry.origin.length);
    // `https://example.com.evil.org/**` also starts with `https://example.com`.
    const sameOrigin = glob.startsWith(entry.origin) && (rest === '' || /^[/?#*]/.test(rest));
    return sameOrigin ? target.origin + rest : glob;
  };
  const host = target.hostname;
  // An agent that is told to open the old deployment would test that one.
  const goal = spec.goal.replace(/https?:\/\/[\w.-]*\w(?::\d+)?/g, address => moved(address));
  return {
    ...spec,
    goal,
    entryUrl: target.origin + entry.pathname + entry.search + entry.hash,
    allowedDomains: spec.allowedDomains.includes(host) ? spec.allowedDomains : [...spec.allowedDomains, host],
    assertions: spec.assertions.map(assertion => {
      if (assertion.type === 'url') return { ...assertion, pattern: moved(assertion.pattern) };
      if (assertion.type === 'network') return { ...assertion, urlPattern: moved(assertion.urlPattern) };
      return assertion;
    }),
  };
}
