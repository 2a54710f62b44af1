// The option `taskproof`: merged from the config, the project and `test.use`, key by key (Playwright itself only takes the nearest), and
// checked.
import type { FullConfig, FullProject, TestCase } from '@playwright/test/reporter';
import { z } from 'zod';
import type { Agent, ReplayAgent } from '../../agents/agent';
import type { Judge } from '../../grading/judge';
import { checkOptions, type OptionSchemas, OptionsError } from '../../options';
import { parsedUrl } from '../../spec/url';
import { type SecretFunction, Secrets } from '../../text/secrets';
import { exportedConfig, usedOption } from '../inside/declared-options';
import { runError } from '../inside/errors';
import { optionsInRun } from './settings';

/** The option `taskproof` in the config's `use`, a project's, or `test.use`. */
export interface TaskproofOptions {
  /** Runs the trials. Required. */
  agent?: Agent;
  /** Grades specs with a `judge` rubric once their assertions hold. Default: none. */
  judge?: Judge;
  /** US dollars for one trial; the lower of this and the spec's own applies. Default: none. */
  maxCostUsd?: number;
  /** US dollars for the run. Once spent, no new trial starts. Default: none. */
  maxRunCostUsd?: number;
  /** The most requests at a time to one model, in all workers together. Default: none. */
  maxRequests?: number;
  /** Milliseconds; a trial may take maxSteps times this. Default: 30,000. */
  turnTimeoutMs?: number;
  /** Another deployment, such as `https://preview-42.example.com`, or `'baseURL'` for Playwright's: replaces the origin of `entryUrl` and of URL globs that start with it, and allows its host. Default: none. */
  origin?: string;
  /** Values that an agent types but never sees, by name; masked in texts, not in pictures, traces and videos. A function is called each time that the agent types the secret, and may take 30 seconds; `totp(uri)` is the code of an authenticator app. One without a value is an error if a goal names it. Default: none. */
  secrets?: Record<string, string | SecretFunction | undefined>;
  /** Saves a passed trial of each spec and test for `replay()`, in `recordings` or the given folder, relative to the config. Default: false. */
  record?: boolean | string;
  /** Skips trials of a spec once its verdict is settled. Default: false. */
  earlyStop?: boolean;
  /**
   * Tools that pages offer (WebMCP): `'auto'` offers them beside all else, `'only'` takes away every other way to act, false
   * hides them. Default: `'auto'`.
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

const TURN_TIMEOUT_MS = 30_000;
/** The `origin` that stands for Playwright's own option. */
const BASE_URL = 'baseURL';

const described = (what: string) => (value: unknown) =>
  typeof value === 'object' &&
  value !== null &&
  typeof (value as Agent & Judge)[what as 'run'] === 'function';

/** Those of a project, and of one `agent.run()`. */
export const LIMITS = {
  maxCostUsd: z.number().positive().optional(),
  turnTimeoutMs: z.number().int().positive().optional(),
};

export const agentSchema = z
  .custom<Agent>(described('run'), {
    error: 'must be an agent: claude({ ... }), lexical(), defineAgent({ name, run }) ...',
  })
  .refine(agent => typeof agent?.name === 'string' && agent.name !== '', { error: 'needs a `name`' });

const optionsSchema = z.strictObject({
  agent: agentSchema.optional(),
  judge: z
    .custom<Judge>(described('judge'), { error: 'must be a judge: webJudge({ ... }), aiJudge({ ... }) ...' })
    .optional(),
  ...LIMITS,
  maxRunCostUsd: z.number().positive().optional(),
  maxRequests: z.int().min(1).optional(),
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
    .record(
      z.string().regex(/^\w+$/, 'names are letters, digits and _'),
      z
        .custom<string | SecretFunction>(
          value => typeof value === 'string' || typeof value === 'function',
          'must be a text, a function that returns one, or totp(uri)',
        )
        .optional(),
    )
    .optional(),
  record: z.union([z.boolean(), z.string().min(1)]).optional(),
  earlyStop: z.boolean().optional(),
  pageTools: z
    .union([z.literal('auto'), z.literal('only'), z.literal(false)], {
      error: "must be 'auto', 'only' or false",
    })
    .optional(),
} satisfies OptionSchemas<TaskproofOptions>);

const preflighted = new WeakSet<object>();

/** Asks an agent or a judge once in each worker whether it can work. */
export async function preflightOnce(part: Agent | Judge | undefined): Promise<void> {
  if (!part?.preflight || preflighted.has(part)) return;
  await part.preflight();
  preflighted.add(part);
}

/** `use.taskproof`, checked. */
export interface ReadyOptions extends Omit<TaskproofOptions, 'secrets'> {
  agent: Agent;
  turnTimeoutMs: number;
  /** Only those with a value. */
  secrets: Secrets;
  /** Names of secrets without a value. */
  missing: string[];
  /** Playwright's fixture. */
  baseURL?: string | undefined;
}

/**
 * The options as this run has them.
 *
 * @param merged by `mergedOptions`
 * @param where for messages: `project "opus"`
 * @throws OptionsError that names every wrong key, or the agents to choose from.
 */
export function readyOptions(merged: unknown, where: string): ReadyOptions {
  const checked = checkOptions(`${where}: use.taskproof`, optionsSchema, optionsInRun(merged));
  const { agent, secrets: named = {}, turnTimeoutMs = TURN_TIMEOUT_MS, ...rest } = checked;
  if (!agent) throw new OptionsError(`${where}: ${NO_AGENT}`);
  const secrets = givenSecrets(checked);
  const missing = Object.keys(named).filter(name => !Object.hasOwn(secrets, name));
  return { ...rest, agent, secrets: new Secrets(secrets), missing, turnTimeoutMs };
}

/** What the plan of a test depends on, in unchecked options: before a test is planned, nothing is refused. */
export function planningOptions(merged: unknown): {
  replays: boolean;
  earlyStop?: boolean | undefined;
  /** The agent's name, if it waits. */
  waiter?: string | undefined;
} {
  const { agent, earlyStop } = (optionsInRun(merged) ?? {}) as TaskproofOptions;
  return { replays: agent?.replays === true, earlyStop, waiter: agent?.waits ? agent.name : undefined };
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
  { origin }: Pick<TaskproofOptions, 'origin'>,
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

/** The secrets that have a value or are computed, in unchecked options. */
export function givenSecrets(options: unknown): Record<string, string | SecretFunction> {
  const secrets = (options as TaskproofOptions | undefined)?.secrets;
  if (typeof secrets !== 'object' || secrets === null) return {};
  return Object.fromEntries(
    Object.entries(secrets).filter(
      (entry): entry is [string, string | SecretFunction] =>
        typeof entry[1] === 'string' || typeof entry[1] === 'function',
    ),
  );
}

const NO_AGENT = `no agent is configured. Set one in use.taskproof:
  agent: lexical()                                        follows goals with quoted labels; no model, no key
  agent: claude({ model: 'claude-opus-5-5' })             needs ANTHROPIC_API_KEY
  agent: aiSdk({ model: openai('gpt-5.5') })              any model of the npm package ai
  agent: command({ command: 'node', args: ['agent.js'] })  a program of your own`;

/** Whether it is our own `replay()`. A suite's own agent may play recordings, too. */
export function isReplay(agent: Agent): agent is ReplayAgent {
  return 'missingRecording' in agent;
}

/** What is missing, and what to do about it. */
export function noRecording(files: readonly string[]): string {
  return `no recording: ${files.join(', ')}. To make one, run it with another agent and \`record: true\` in use.taskproof, or save a result with \`taskproof record\`. To run without one, set \`fallback\` or \`withoutRecording: 'skip'\` of replay().`;
}

/**
 * Marks projects whose `repeatEach` comes from `repeats()`, so that their ordinary tests without a policy run once. The key has no
 * value: `...repeats()` copies it, but comparing or printing the object does not show it.
 */
export const FROM_REPEATS = '_taskproofRepeats';

/** The option in the config's own `use`. */
let ofConfig: unknown;
/** Names of the projects whose `repeatEach` comes from `repeats()`. */
let repeated: ReadonlySet<string> = new Set();

/** Whether `repeats()` set the project's `repeatEach`, as far as the config can be read. */
export function isFromRepeats({ name }: Pick<FullProject, 'name'>): boolean {
  return repeated.has(name);
}

/** Await it before asking for a test's options. If the config can't be read, a project's options replace the config's. */
export async function readConfigOptions({ configFile }: Pick<FullConfig, 'configFile'>): Promise<void> {
  ofConfig = undefined;
  repeated = new Set();
  if (!configFile) return;
  try {
    const config = (await exportedConfig(configFile)) as Config;
    ofConfig = config.use?.taskproof;
    // Projects take the config's `repeatEach` if they set none.
    const setter = (project: Config) => ('repeatEach' in project ? project : config);
    const fromRepeats = (config.projects ?? [config]).filter(each => FROM_REPEATS in setter(each));
    repeated = new Set(fromRepeats.map(({ name = '' }) => name));
  } catch {
    // As if the config had none of its own.
  }
}

interface Config {
  name?: string;
  repeatEach?: number;
  use?: { taskproof?: unknown };
  projects?: readonly Config[];
}

/**
 * @param nearest the option as Playwright resolves it for a test
 * @returns unchecked
 */
export function mergedOptions({ use }: Pick<FullProject, 'use'>, nearest: unknown): unknown {
  const layers = [ofConfig, (use as { taskproof?: unknown }).taskproof, nearest];
  const given = [...new Set(layers.filter(layer => layer !== undefined))];
  // The check of options reports other values.
  return given.every(isObject) && given.length > 0 ? given.reduce(overlay) : nearest;
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** Returns the same object for the same two, so that tests with the same options can be grouped. */
const overlays = new WeakMap<object, WeakMap<object, object>>();

function overlay(under: object, over: object): object {
  const known = overlays.get(under) ?? new WeakMap<object, object>();
  overlays.set(under, known);
  const made = known.get(over) ?? keyByKey(under as Values, over as Values);
  known.set(over, made);
  return made;
}

type Values = Record<string, unknown>;

/** Secrets by name; undefined does not override. */
function keyByKey(under: Values, over: Values): Values {
  const merged = { ...under };
  for (const [key, value] of Object.entries(over)) {
    const both = key === 'secrets' && isObject(under[key]) && isObject(value);
    if (both) merged[key] = keyByKey(under[key] as Values, value as Values);
    else if (value !== undefined || !(key in under)) merged[key] = value;
  }
  return merged;
}

/** The option `taskproof` of a test, unchecked, as far as the main process can know it. If a fixture sets it, only the worker knows. */
export function knownOptions(test: TestCase, project: FullProject): { known: boolean; value?: unknown } {
  const { used } = usedOption(test, 'taskproof', OPTION);
  if (used !== undefined && !isObject(used)) return { known: false };
  return { known: true, value: mergedOptions(project, used) };
}
