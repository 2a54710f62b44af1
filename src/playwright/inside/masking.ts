// Masks the values of secrets in what workers send to reporters (steps such as `Fill "Hunter2"`, errors, error-context.md), and in the
// config, which reporters write. Checked on Playwright 1.65.1.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { stripVTControlCharacters } from 'node:util';
import type { PlaywrightTestConfig } from '@playwright/test';
import type { Mask } from '../../text/mask';
import { configFileOfRun } from './command-line';
import { exportedConfig } from './config';

/** A worker's messages. Checked on Playwright 1.64 and 1.65 (ProcessRunner, WorkerMain): all go through `process.send`. */
interface Messages {
  stepBegin: object;
  stepEnd: { error?: KeptError };
  attach: { name: string; path?: string };
  testPaused: { errors: KeptError[] };
  testEnd: { errors: KeptError[] };
  teardownErrors: { fatalErrors: KeptError[] };
  done: { fatalErrors: KeptError[] };
}

type KeptError = { message?: string; stack?: string; cause?: KeptError };

const MASKED: { [Method in keyof Messages]?: (message: Messages[Method], mask: Mask) => void } = {
  stepBegin: (message, mask) => maskTexts(message, ['title', 'subtitle', 'params'], mask),
  stepEnd: ({ error }, mask) => error && maskError(error, mask),
  // Playwright has just written the file, and no reporter has read it yet.
  attach: ({ name, path = '' }, mask) =>
    name === 'error-context' && existsSync(path) && writeFileSync(path, mask(readFileSync(path, 'utf8'))),
  testPaused: ({ errors }, mask) => maskErrors(errors, mask),
  testEnd: ({ errors }, mask) => maskErrors(errors, mask),
  teardownErrors: ({ fatalErrors }, mask) => maskErrors(fatalErrors, mask),
  done: ({ fatalErrors }, mask) => maskErrors(fatalErrors, mask),
};

let isKnown = false;

/** Whether this worker's messages are as `maskMessages` expects. Ask within a test. */
export const masksMessages = () => isKnown;

/** Masks the messages of this worker from now on. @param maskNow asked for each message @param worker the process; another one in tests */
export function maskMessages(
  maskNow: () => Mask | undefined,
  worker: Pick<NodeJS.Process, 'send'> = process,
): void {
  const { send } = worker;
  if (!send) return;
  worker.send = (message: unknown, ...more: unknown[]) => {
    const { method, params } = Object(Object(message).params) as { method?: keyof Messages; params?: never };
    if (method === 'stepBegin') isKnown = true;
    const mask = maskNow();
    if (method && params && mask) MASKED[method]?.(params, withoutColours(mask));
    return Reflect.apply(send, worker, [message, ...more]);
  };
}

/** Colours may split a secret in a diff. */
function withoutColours(plainMask: Mask): Mask {
  return text => {
    const bare = stripVTControlCharacters(text);
    const masked = plainMask(bare);
    return masked === bare ? text : masked;
  };
}

function maskTexts(holder: object, keys: readonly string[], mask: Mask): void {
  const values = holder as Record<string, unknown>;
  for (const key of keys) {
    const value = values[key];
    if (typeof value === 'string') values[key] = mask(value);
    else if (typeof value === 'object' && value !== null) maskTexts(value, Object.keys(value), mask);
  }
}

const maskErrors = (errors: readonly KeptError[] = [], mask: Mask) => {
  for (const error of errors) maskError(error, mask);
};

function maskError(error: KeptError, mask: Mask): void {
  const { message = '', stack } = error;
  maskTexts(error, ['message', 'value'], mask);
  if (stack !== undefined) {
    // Reporters need the paths of the frames unchanged.
    const start = message ? stack.indexOf(message) : -1;
    const end = start < 0 ? stack.length : start + message.length;
    error.stack = mask(stack.slice(0, end)) + stack.slice(end);
  }
  if (error.cause) maskError(error.cause, mask);
}

/** A config, as a user exports it or as reporters get it. */
export interface Config {
  use?: object | undefined;
  projects?: readonly { use?: object }[] | undefined;
  webServer?: PlaywrightTestConfig['webServer'] | null;
}

/** The objects with the settings of a config and its projects. */
export const holdersIn = ({ use, projects = [] }: Config) => [{ use }, ...projects];

interface Use {
  taskproof?: { secrets?: unknown };
}

/**
 * Makes `secrets` serialize as their names, without our reporter, too; code can still read the values. Checked on Playwright 1.65: the
 * JSON reporter and blobs write the whole config. Playwright makes each `use`, and keeps the user's own objects in it.
 */
export function hideSecrets(config: Config): void {
  for (const { use = {} } of holdersIn(config)) {
    const { taskproof } = use as Use;
    const named = withNames(use).taskproof;
    // The user's may be frozen.
    if (Object.isExtensible(taskproof?.secrets)) serializeAs(taskproof!.secrets!, () => named!.secrets);
    else if (Object.isExtensible(taskproof)) serializeAs(taskproof!, () => named);
  }
}

/** Has reporters get a config with masked values, wherever in `use` and `webServer` they stand. */
export function hideValues({ projects = [], webServer }: Config, mask: Mask | undefined): void {
  if (!mask) return;
  const change = (_: string, value: unknown) => (typeof value === 'string' ? mask(value) : value);
  const masked = (own: object) => JSON.parse(JSON.stringify({ ...own }, change));
  for (const { use = {} } of projects) serializeAs(use, () => masked(withNames(use)));
  for (const server of [webServer ?? []].flat())
    if (Object.isExtensible(server)) serializeAs(server, () => masked(server));
}

function withNames(use: Use): Use {
  const secrets: unknown = use.taskproof?.secrets;
  if (typeof secrets !== 'object' || secrets === null) return use;
  const names = Object.keys(secrets).map(name => [name, `<secret>${name}</secret>`]);
  return { ...use, taskproof: { ...use.taskproof, secrets: Object.fromEntries(names) } };
}

function serializeAs(object: object, toJSON: () => unknown): void {
  Object.defineProperty(object, 'toJSON', { value: toJSON, enumerable: false, configurable: true });
}

/** The config that this process has loaded or is loading; undefined if there is none. */
export async function configOfRun(): Promise<PlaywrightTestConfig | undefined> {
  const configFile = configFileOfRun();
  if (!configFile) return undefined;
  // It may still be loading.
  await setImmediate();
  return (await exportedConfig(configFile)) as PlaywrightTestConfig;
}
