import { z } from 'zod';
import type { Agent, ReplayAgent } from '../agents/agent';
import type { Judge } from '../grading/judge';
import { checkOptions, type OptionSchemas, OptionsError } from '../options';
import { parsedUrl } from '../spec/url';
import { runError } from './runner';

/** The option `taskproof` in the config's `use`, a project's, or `test.use`. */
export interface TaskproofOptions {
  /** Runs the trials: `claude()`, `lexical()`, `command()`, `replay()` or one of your own. Required. */
  agent?: Agent;
  /** Grades specs with a `judge` rubric once their assertions hold. Default: none. */
  judge?: Judge;
  /** US dollars for one trial; the lower of this and the spec's own applies. Default: none. */
  maxCostUsd?: number;
  /** US dollars for all trials of the run. Once it is spent, no new trial starts. Default: none. */
  maxRunCostUsd?: number;
  /** Milliseconds; a trial may take maxSteps times this. Default: 30,000. */
  turnTimeoutMs?: number;
  /** @deprecated The former name of `turnTimeoutMs`. */
  stepTimeoutMs?: number;
  /** Runs the specs against another deployment, such as `https://preview-42.example.com`: replaces the origin of `entryUrl` and of URL globs that start with it, and allows its host. `'baseURL'` stands for Playwright's `use.baseURL`. Default: none. */
  origin?: string;
  /** Values that an agent types but never sees, by name. Masked in what models read, in records, recordings, reports and steps; not in pictures, traces and videos. A secret without a value is an error if a goal names it. Default: none. */
  secrets?: Record<string, string | undefined>;
  /**
   * Saves a passed trial of each spec for `replay()`: in the folder `recordings`, or in the given one, relative to the config.
   * Replaces earlier recordings. Default: false.
   */
  record?: boolean | string;
  /** Skips the remaining trials of a spec once its verdict is settled. Default: false. */
  earlyStop?: boolean;
  /**
   * Tools that pages offer to agents (WebMCP): `'auto'` offers them beside all else, `'only'` takes every other way to act
   * away, false hides them. Default: `'auto'`.
   */
  pageTools?: 'auto' | 'only' | false;
}

declare module '@playwright/test' {
  // Adds `taskproof` to the types of `use` in a plain `defineConfig`.
  interface PlaywrightTestOptions {
    taskproof: TaskproofOptions;
  }
}

/** The definition of the fixture `taskproof`. `use` already has the type, which leaves none for this. */
export const OPTION = [{}, { option: true }] as never;

/** The `origin` that stands for Playwright's own option. */
const BASE_URL = 'baseURL';

const described = (what: string) => (value: unknown) =>
  typeof value === 'object' &&
  value !== null &&
  typeof (value as Agent & Judge)[what as 'run'] === 'function';

const optionsSchema = z.strictObject({
  agent: z
    .custom<Agent>(described('run'), {
      error: 'must be an agent: claude({ ... }), lexical(), defineAgent({ name, run }) ...',
    })
    .refine(agent => typeof agent?.name === 'string' && agent.name !== '', { error: 'needs a `name`' })
    .optional(),
  judge: z.custom<Judge>(described('judge'), { error: 'must be a judge: webJudge({ ... }) ...' }).optional(),
  maxCostUsd: z.number().positive().optional(),
  maxRunCostUsd: z.number().positive().optional(),
  turnTimeoutMs: z.number().int().positive().optional(),
  stepTimeoutMs: z.number().int().positive().optional(),
  // An unset CI variable is an empty text.
  origin: z.preprocess(
    value => (value === '' ? undefined : value),
    z
      .string()
      .refine(text => text === BASE_URL || parsedUrl(text)?.origin === text.replace(/\/$/, ''), {
        error: ({ input }) =>
          `must be 'baseURL' or an origin, such as https://preview.example.com: scheme, host and port only; it is ${JSON.stringify(input)}`,
      })
      .optional(),
  ),
  secrets: z
    .record(z.string().regex(/^\w+$/, 'names are letters, digits and _'), z.string().optional())
    .optional(),
  record: z.union([z.boolean(), z.string().min(1)]).optional(),
  earlyStop: z.boolean().optional(),
  pageTools: z
    .union([z.literal('auto'), z.literal('only'), z.literal(false)], {
      error: "must be 'auto', 'only' or false",
    })
    .optional(),
} satisfies OptionSchemas<TaskproofOptions>);

/** `use.taskproof`, checked. */
export interface ReadyOptions extends Omit<TaskproofOptions, 'stepTimeoutMs'> {
  agent: Agent;
  /** Only those with a value. */
  secrets: Record<string, string>;
  /** Names of secrets without a value. */
  missing: string[];
}

/**
 * @param where for messages: `project "opus"`
 * @throws OptionsError that names every wrong key, or the agents to choose from.
 */
export function checkTaskproofOptions(options: unknown, where: string): ReadyOptions {
  const checked = checkOptions(`${where}: use.taskproof`, optionsSchema, options);
  const { agent, stepTimeoutMs, secrets: named = {}, ...rest } = checked;
  if (!agent) throw new OptionsError(`${where}: ${NO_AGENT}`);
  const secrets = givenSecrets(checked);
  const missing = Object.keys(named).filter(name => !Object.hasOwn(secrets, name));
  const turnTimeoutMs = rest.turnTimeoutMs ?? renamed(stepTimeoutMs);
  return { ...rest, agent, secrets, missing, turnTimeoutMs };
}

/**
 * Checks that the secrets that goals name have values.
 *
 * @returns what is wrong and what to do; undefined if nothing is missing
 */
export function missingSecrets(
  { missing }: ReadyOptions,
  goals: readonly { id: string; goal: string }[],
): string | undefined {
  const needy = goals.map(({ id, goal }) => {
    const words = new Set(goal.split(/\W+/));
    return { id, names: missing.filter(name => words.has(name)) };
  });
  const names = new Set(needy.flatMap(({ names }) => names));
  if (!names.size) return undefined;
  const ids = new Set(needy.flatMap(({ id, names }) => (names.length ? id : [])));
  return `use.taskproof.secrets: ${[...names].join(', ')} ${names.size === 1 ? 'has' : 'have'} no value, but the goal of ${[...ids].join(', ')} needs ${names.size === 1 ? 'it' : 'them'}. Set the environment variables that the values come from.`;
}

/**
 * Resolves the option `origin`.
 *
 * @param baseURL Playwright's fixture
 * @throws Error if `origin` is 'baseURL' and there is none.
 */
export function originOf(
  { origin }: ReadyOptions,
  baseURL: string | undefined,
  where: string,
): string | undefined {
  if (origin !== BASE_URL) return origin;
  const base = /^https?:/i.test(baseURL ?? '') ? parsedUrl(baseURL) : undefined;
  if (base) return base.origin;
  const found = baseURL ? `baseURL is ${JSON.stringify(baseURL)}, not an http(s) URL` : 'there is no baseURL';
  throw runError(
    `${where}: use.taskproof.origin is 'baseURL', but ${found}. Set use.baseURL in the config, or set origin to an address.`,
  );
}

/** The secrets that have a value, in unchecked options. */
export function givenSecrets(options: unknown): Record<string, string> {
  const secrets = (options as TaskproofOptions | undefined)?.secrets;
  if (typeof secrets !== 'object' || secrets === null) return {};
  return Object.fromEntries(
    Object.entries(secrets).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}

const NO_AGENT = `no agent is configured. Set one in use.taskproof:
  agent: lexical()                                        follows goals with quoted labels; no model, no key
  agent: claude({ model: 'claude-opus-5-5' })             needs ANTHROPIC_API_KEY
  agent: aiSdk({ model: openai('gpt-5.5') })              any model of the npm package ai
  agent: command({ command: 'node', args: ['agent.js'] })  a program of your own`;

let saidRenamed = false;

/** Accepts `stepTimeoutMs`, the former name of `turnTimeoutMs`, with a warning. */
export function renamed(stepTimeoutMs: number | undefined): number | undefined {
  if (stepTimeoutMs !== undefined && !saidRenamed && process.env.TEST_WORKER_INDEX === undefined) {
    saidRenamed = true;
    process.stderr.write('taskproof: stepTimeoutMs is now called turnTimeoutMs. Rename it.\n');
  }
  return stepTimeoutMs;
}

/** Whether it is our own `replay()`. A suite's own agent may play recordings, too. */
export function isReplay(agent: Agent): agent is ReplayAgent {
  return 'missingRecording' in agent;
}

/** What is missing, and what to do about it. */
export function noRecording(files: readonly string[]): string {
  return `no recording: ${files.join(', ')}. To make one, run the spec with another agent and \`record: true\` in use.taskproof, or save a result with \`taskproof record\`. To run without one, set \`fallback\` or \`withoutRecording: 'skip'\` of replay().`;
}

/** Whether unchecked options name an agent that plays recordings. */
export function replays(options: unknown): boolean {
  return (options as TaskproofOptions | undefined)?.agent?.replays === true;
}
