// The option `taskproof`. Merges it key by key from the config, the project and `test.use`, of which Playwright takes only the nearest,
// and checks it.
import type { PlaywrightTestConfig } from '@playwright/test';
import type { FullConfig, FullProject, TestCase } from '@playwright/test/reporter';
import { z } from 'zod';
import type { Agent, ReplayAgent } from '../../agents/agent';
import type { Plan } from '../../data/plan';
import type { Judge } from '../../grading/judge';
import { checkOptions, type OptionSchemas, OptionsError } from '../../options';
import { hasCredentials, NO_CREDENTIALS, parsedUrl } from '../../spec/url';
import { type SecretFunction, Secrets } from '../../text/secrets';
import { exportedConfig, usedBySuites, usedOption } from '../inside/config';
import { runError } from '../inside/errors';
import { givenSecrets, secretsSchema } from './secrets';
import { folderOf, optionsInRun } from './settings';

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
  /** Another deployment, such as `https://preview-42.example.com`, or `'baseURL'` for Playwright's: replaces the origin of `entryUrl`, and in URL globs, and allows its host. Default: none. */
  origin?: string;
  /** Values that an agent types but never sees, by name; masked in texts, not in screenshots, traces and videos. A function is called each time that the agent types the secret, and may take 30 seconds; `totp(uri)` is the code of an authenticator app. One without a value is an error if a goal names it. Default: none. */
  secrets?: Record<string, string | SecretFunction | null | undefined>;
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

/** The definition of the fixture `taskproof`. `never`, since the type of `use` already has the option. */
export const OPTION = [{}, { option: true }] as never;

export const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
export const isFunction = (value: unknown) => typeof value === 'function';

const TURN_TIMEOUT_MS = 30_000;
/** The `origin` that stands for Playwright's own option. */
const BASE_URL = 'baseURL';

function isOrigin(text: string): boolean {
  const url = parsedUrl(text);
  const rest = url && url.pathname + url.search + url.hash;
  return /^https?:$/.test(url?.protocol ?? '') && rest === '/' && !hasCredentials(text);
}

/** Limits that a project and an `agent.run()` can set. */
export const LIMITS = {
  maxCostUsd: z.number().positive().optional(),
  turnTimeoutMs: z.number().int().positive().optional(),
};

export const agentSchema = z
  .custom<Agent>(value => isFunction(Object(value).run), {
    error:
      'must be an agent, with a function `run`: claude({ ... }), lexical(), defineAgent({ name, run }) ...',
  })
  .refine(agent => typeof agent?.name === 'string' && agent.name !== '', { error: 'needs a `name`' })
  .refine(agent => ['string', 'undefined'].includes(typeof agent?.model), {
    error: '`model` must be a text',
  });

const optionsSchema = z.strictObject({
  agent: agentSchema.optional(),
  judge: z
    .custom<Judge>(value => isFunction(Object(value).judge), {
      error: 'must be a judge: webJudge({ ... }), aiJudge({ ... }) ...',
    })
    .refine(({ minAgreement = 0 }) => minAgreement >= 0 && minAgreement <= 1, {
      error: '`minAgreement` must be from 0 to 1',
    })
    .optional(),
  ...LIMITS,
  maxRunCostUsd: z.number().positive().optional(),
  maxRequests: z.int().min(1).optional(),
  // An unset variable in a CI file becomes an empty text.
  origin: z.preprocess(
    value => (value === '' ? undefined : value),
    z
      .string()
      .refine(text => text === BASE_URL || isOrigin(text), {
        error: ({ input }) =>
          `must be 'baseURL' or an origin, such as https://preview.example.com: scheme, host and port only; it is ${JSON.stringify(input)}`,
      })
      .optional(),
  ),
  secrets: secretsSchema,
  record: z.union([z.boolean(), z.string().min(1)], 'must be true, false or a folder').optional(),
  earlyStop: z.boolean().optional(),
  pageTools: z
    .union([z.literal('auto'), z.literal('only'), z.literal(false)], {
      error: "must be 'auto', 'only' or false",
    })
    .optional(),
} satisfies OptionSchemas<TaskproofOptions>);

const preflighted = new WeakSet<object>();

export async function preflightOnce(part: Agent | Judge | undefined): Promise<void> {
  if (!part?.preflight || preflighted.has(part)) return;
  await part.preflight();
  preflighted.add(part);
}

/** `use.taskproof`, checked. */
export interface ReadyOptions extends Omit<TaskproofOptions, 'secrets'> {
  agent: Agent;
  turnTimeoutMs: number;
  secrets: Secrets;
  /** Secrets without a value. */
  missing: string[];
  baseURL?: string | undefined;
  /** Undefined in a hand-written test without a pass policy. */
  plan?: Plan;
}

type ConfigPlace = Pick<FullConfig, 'configFile' | 'rootDir'>;

/** Checks the merged options. @throws OptionsError that names every wrong key, or the agents to choose from, if there is a config */
export function readyOptions(merged: unknown, where: string, config?: ConfigPlace): ReadyOptions {
  if (typeof Object(merged).run === 'function')
    throw new OptionsError(`${where}: use.taskproof is an agent. Write \`taskproof: { agent: ... }\`.`);
  const checked = checkOptions(`${where}: use.taskproof`, optionsSchema, optionsInRun(merged));
  const { agent, secrets: named = {}, turnTimeoutMs = TURN_TIMEOUT_MS, ...rest } = checked;
  if (!agent && config && !config.configFile)
    throw new OptionsError(
      `no Playwright config in ${folderOf(config)}. Run the command in its folder, or pass --config=<file>.`,
    );
  if (!agent) throw new OptionsError(`${where}: ${NO_AGENT}`);
  const secrets = givenSecrets(checked);
  // In CI, a variable that is not set is often an empty one.
  const missing = Object.keys(named).filter(name => !Object.hasOwn(secrets, name) || !secrets[name]);
  return { ...rest, agent, secrets: new Secrets(secrets), missing, turnTimeoutMs };
}

/** The options that a test's plan depends on. Unchecked, since planning refuses nothing. `waiter` is the name of an agent that waits. */
export function planningOptions(merged: unknown) {
  const { agent, earlyStop }: TaskproofOptions = Object(optionsInRun(merged));
  return { replays: agent?.replays === true, earlyStop, waiter: agent?.waits ? agent.name : undefined };
}

/** A suite without projects has one without a name. */
export const projectInWords = (name: string) => (name ? `project "${name}"` : 'the config');

/** The option `origin` as an address. @throws Error if it is 'baseURL' and there is none */
export function originOf(
  { origin }: Pick<TaskproofOptions, 'origin'>,
  baseURL: string | undefined,
  where: string,
): string | undefined {
  if (origin !== BASE_URL) return origin;
  const base = /^https?:/i.test(baseURL ?? '') ? parsedUrl(baseURL) : undefined;
  if (hasCredentials(baseURL))
    throw runError(`${where}: use.taskproof.origin is 'baseURL', which ${NO_CREDENTIALS}`);
  if (base) return base.origin;
  const found = baseURL ? `baseURL is ${JSON.stringify(baseURL)}, not an http(s) URL` : 'there is no baseURL';
  throw runError(
    `${where}: use.taskproof.origin is 'baseURL', but ${found}. Set use.baseURL in the config, or set origin to an address.`,
  );
}

const NO_AGENT = `no agent is configured. Set use.taskproof.agent.
  agent: lexical()                                        follows goals with quoted labels; no model, no key
  agent: claude({ model: 'claude-opus-5-5' })             needs ANTHROPIC_API_KEY
  agent: aiSdk({ model: openai('gpt-5.5') })              any model of the npm package ai
  agent: command({ command: 'node', args: ['agent.js'] })  a program of your own
  agent: defineAgent({ name: 'mine', run })               your own code
  agent: replay()                                         plays recordings of passed trials`;

/** Whether it is our `replay()`: a suite's own agent may play recordings, too. */
export const isReplay = (agent: Agent): agent is ReplayAgent => 'missingRecording' in agent;

/**
 * Marks projects whose `repeatEach` comes from `repeats()`: their ordinary tests without a policy run once. Its value is undefined,
 * so that comparing or printing the settings does not show it.
 */
export const FROM_REPEATS = '_taskproofRepeats';

let ofConfig: unknown;
/** The option in the config's own `use`, once `readConfigOptions` has read it. */
export const optionOfConfig = () => ofConfig;
/** Names of the projects whose `repeatEach` comes from `repeats()`. */
let repeated: ReadonlySet<string> = new Set();

/** Whether `repeats()` set the project's `repeatEach`. False if the config can't be read. */
export const isFromRepeats = ({ name }: Pick<FullProject, 'name'>) => repeated.has(name);

/** Reads what `mergedOptions` and `isFromRepeats` need from the config. Await it first. */
export async function readConfigOptions({ configFile }: Pick<FullConfig, 'configFile'>): Promise<void> {
  ofConfig = undefined;
  repeated = new Set();
  if (!configFile) return;
  try {
    const config = (await exportedConfig(configFile)) as PlaywrightTestConfig;
    ofConfig = config.use?.taskproof;
    const projects: { name?: string }[] = config.projects ?? [config];
    // Projects take the config's `repeatEach` if they set none.
    const fromRepeats = projects.filter(each => FROM_REPEATS in ('repeatEach' in each ? each : config));
    const others = projects.filter(each => !fromRepeats.includes(each)).map(({ name = '' }) => name);
    repeated = new Set(fromRepeats.map(({ name = '' }) => name).filter(name => !others.includes(name)));
  } catch {
    // Then a project's options replace the config's.
  }
}

/** Merges the option, unchecked. `nearest` is its value as Playwright resolves it for a test. */
export function mergedOptions({ use }: Pick<FullProject, 'use'>, nearest: unknown): unknown {
  const layers = [ofConfig, (use as { taskproof?: unknown }).taskproof, nearest];
  const given = [...new Set(layers.filter(layer => layer !== undefined))];
  // Checking the options reports values that are no objects.
  return given.every(isObject) && given.length > 0 ? given.reduce(overlay) : nearest;
}

const overlays = new WeakMap<object, WeakMap<object, object>>();

/** Returns the same object for the same two, so that tests with the same options can be grouped. */
function overlay(under: object, over: object): object {
  const known = overlays.get(under) ?? new WeakMap<object, object>();
  overlays.set(under, known);
  const made = known.get(over) ?? keyByKey(under as Values, over as Values);
  known.set(over, made);
  return made;
}

type Values = Record<string, unknown>;

/** Merges secrets by name. An undefined value does not override. */
function keyByKey(under: Values, over: Values): Values {
  const merged = { ...under };
  for (const [key, value] of Object.entries(over)) {
    const both = key === 'secrets' && isObject(under[key]) && isObject(value);
    if (both) merged[key] = keyByKey(under[key] as Values, value as Values);
    else if (value !== undefined || !(key in under)) merged[key] = value;
  }
  return merged;
}

/** The option `taskproof` of a test, unchecked, in the main process. If a fixture sets it, only the worker knows its value. */
export function knownOptions(test: TestCase, project: FullProject): { known: boolean; value?: unknown } {
  const used = usedOption(test, 'taskproof', OPTION);
  if (used !== undefined && !isObject(used)) return { known: false };
  return { known: true, value: mergedOptions(project, used) };
}

/** What `knownOptions` found, unchecked; empty if only workers know it. */
export const givenOptions = (options: { value?: unknown } | undefined) =>
  (options?.value ?? {}) as TaskproofOptions;

/** The `baseURL` of a test in the main process; undefined if a fixture sets it. */
export function knownBaseURL(test: TestCase, { use }: FullProject): string | undefined {
  const used = usedBySuites(test, 'baseURL');
  const baseURL = used === undefined ? use.baseURL : used;
  return typeof baseURL === 'string' ? baseURL : undefined;
}
