import { z } from 'zod';
import type { Agent, ReplayAgent } from '../agents/agent';
import type { Judge } from '../grading/judge';
import { checkOptions, type OptionSchemas, OptionsError } from '../options';
import { parsedUrl } from '../spec/url';
import { runError } from './runner';

/** The option `taskproof` in the config's `use`, a project's, or `test.use`. */
export interface TaskproofOptions {
  /** Plays the trials: `claude()`, `lexical()`, `command()`, `replay()` or one of your own. Required. */
  agent?: Agent;
  /** Grades specs that have a `judge` rubric, after their assertions held. Default: none. */
  judge?: Judge;
  /** US dollars for one trial; the smaller of this and the spec's own wins. Default: none. */
  maxCostUsd?: number;
  /** US dollars for all trials of the run; beyond it no new trial starts. Default: none. */
  maxRunCostUsd?: number;
  /** Milliseconds; a trial may take maxSteps times this. Default: 30,000. */
  turnTimeoutMs?: number;
  /** @deprecated The former name of `turnTimeoutMs`. */
  stepTimeoutMs?: number;
  /** Runs the specs against another deployment, such as `https://preview-42.example.com`: replaces the origin of `entryUrl` and of URL globs that start with it. Its host joins the allowed domains. `'baseURL'` takes that of Playwright's `use.baseURL`. Default: none. */
  origin?: string;
  /** Values that an agent types but never sees, by name; masked in what models read, in records, recordings, reports and steps, not in pictures, traces and videos. One that is undefined is an error if the goal of a spec that runs names it, and else not there. Default: none. */
  secrets?: Record<string, string | undefined>;
  /**
   * Saves a trial of each spec that passed, for `replay()`: in the folder `recordings`, or the one named, relative to the
   * config. An earlier recording is replaced. Default: false.
   */
  record?: boolean | string;
  /** Skips the remaining trials of a spec once its verdict is settled. Default: false. */
  earlyStop?: boolean;
  /**
   * The tools that pages offer to agents (WebMCP): `'auto'` offers them beside all else if the browser has them, `'only'` takes every other
   * way to act away, false hides them. Default: `'auto'`.
   */
  pageTools?: 'auto' | 'only' | false;
}

declare module '@playwright/test' {
  // So that `use: { taskproof: { ... } }` is known to the types of a plain `defineConfig`.
  interface PlaywrightTestOptions {
    taskproof: TaskproofOptions;
  }
}

/** The definition of the fixture `taskproof`. The types of `use` know it already, and have no form for it. */
export const OPTION = [{}, { option: true }] as never;

/** As `origin`: Playwright's own. */
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
  // An unset variable of CI is an empty text.
  origin: z.preprocess(
    value => (value === '' ? undefined : value),
    z
      .string()
      .refine(text => text === BASE_URL || parsedUrl(text)?.origin === text.replace(/\/$/, ''), {
        error: ({ input }) =>
          `must be 'baseURL' or an origin, such as https://preview.example.com: scheme, host and port, nothing more; it is ${JSON.stringify(input)}`,
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
  /** Those with a value. */
  secrets: Record<string, string>;
  /** Names of secrets without a value. */
  missing: string[];
}

/**
 * @param where named in the message: `project "opus"`.
 * @throws OptionsError that names every key that is wrong, or the agents to choose from.
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
 * Who needs a secret names it in the goal.
 *
 * @returns what is wrong and what to do, if goals name secrets without a value; undefined if none does
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
  return `use.taskproof.secrets: ${[...names].join(', ')} ${names.size === 1 ? 'has' : 'have'} no value. Set the environment variables that they come from. Needed by the goal of ${[...ids].join(', ')}.`;
}

/**
 * Where the specs run, if not where they say.
 *
 * @param baseURL Playwright's fixture
 * @throws Error that says what to set, if `origin` is 'baseURL' and there is none.
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

/** The secrets with a value of options that are not checked yet. */
export function givenSecrets(options: unknown): Record<string, string> {
  const secrets = (options as TaskproofOptions | undefined)?.secrets;
  if (typeof secrets !== 'object' || secrets === null) return {};
  return Object.fromEntries(
    Object.entries(secrets).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}

const NO_AGENT = `no agent is configured. Choose one in use.taskproof:
  agent: lexical()                                        follows goals with quoted labels; no model, no key
  agent: claude({ model: 'claude-opus-5-5' })             needs ANTHROPIC_API_KEY
  agent: aiSdk({ model: openai('gpt-5.5') })              any model of the npm package ai
  agent: command({ command: 'node', args: ['agent.js'] })  a program of your own`;

let saidRenamed = false;

/** What the option `stepTimeoutMs` was given under its former name; says so once per process. */
export function renamed(stepTimeoutMs: number | undefined): number | undefined {
  if (stepTimeoutMs !== undefined && !saidRenamed && process.env.TEST_WORKER_INDEX === undefined) {
    saidRenamed = true;
    process.stderr.write('taskproof: stepTimeoutMs is now called turnTimeoutMs. Please rename it.\n');
  }
  return stepTimeoutMs;
}

/** An agent of a suite's own may play recordings in a way of its own. */
export function isReplay(agent: Agent): agent is ReplayAgent {
  return 'missingRecording' in agent;
}

/** What is missing, and what to do about it. */
export function noRecording(files: readonly string[]): string {
  return `there is no recording ${files.join(', ')}. Make one: run the spec with another agent and \`record: true\` in use.taskproof, or save one of its results with \`taskproof record\`. To go on without, set \`fallback\` or \`withoutRecording: 'skip'\` of replay().`;
}

/** Whether an option `taskproof`, not yet checked, names an agent that plays recordings. */
export function replays(options: unknown): boolean {
  return (options as TaskproofOptions | undefined)?.agent?.replays === true;
}
