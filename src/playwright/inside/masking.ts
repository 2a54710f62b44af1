// Masks the values of secrets in what Playwright itself keeps of a test: steps with their parameters (`Fill "Hunter2"`), errors and
// error-context.md, in what workers send to reporters; and in the config, which reporters write. Checked on Playwright 1.65.1.
import { readFileSync, writeFileSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { stripVTControlCharacters } from 'node:util';
import type { PlaywrightTestConfig } from '@playwright/test';
import type { Mask } from '../../text/mask';
import { configFileOfRun } from './command-line';
import { exportedConfig } from './config';

/** A worker's messages. Checked on Playwright 1.64 and 1.65 (ProcessRunner, WorkerMain): all go through `process.send`. */
interface Messages {
  testBegin: object;
  stepBegin: object;
  stepEnd: { error?: KeptError };
  attach: { name: string; path?: string };
  testEnd: { errors: KeptError[] };
  teardownErrors: { fatalErrors: KeptError[] };
  done: { fatalErrors: KeptError[] };
}

type KeptError = { message?: string; stack?: string; cause?: KeptError };

const MASKED: { [Method in keyof Messages]?: (message: Messages[Method], mask: Mask) => void } = {
  stepBegin: (message, mask) => maskTexts(message, ['title', 'subtitle', 'params'], mask),
  stepEnd: ({ error }, mask) => error && maskError(error, mask),
  // Playwright has just written the file, and no reporter has read it yet.
  attach: ({ name, path }, mask) =>
    name === 'error-context' && path && writeFileSync(path, mask(readFileSync(path, 'utf8'))),
  testEnd: ({ errors }, mask) => maskErrors(errors, mask),
  teardownErrors: ({ fatalErrors }, mask) => maskErrors(fatalErrors, mask),
  done: ({ fatalErrors }, mask) => maskErrors(fatalErrors, mask),
};

let isKnown = false;

/** Whether this worker's messages are as `maskMessages` expects. Ask within a test. */
export const masksMessages = () => isKnown;

/** Masks the messages of this worker from now on. @param worker the process; another one in tests */
export function maskMessages(plainMask: Mask, worker: Pick<NodeJS.Process, 'send'> = process): void {
  const { send } = worker;
  if (!send) return;
  // Without colours, which may split a secret in a diff.
  const mask: Mask = text => {
    const bare = stripVTControlCharacters(text);
    const masked = plainMask(bare);
    return masked === bare ? text : masked;
  };
  worker.send = (message: unknown, ...more: unknown[]) => {
    const { method, params } = Object(Object(message).params) as { method?: keyof Messages; params?: never };
    if (method === 'testBegin') isKnown = true;
    if (method && params) MASKED[method]?.(params, mask);
    return Reflect.apply(send, worker, [message, ...more]);
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

const maskErrors = (errors: readonly KeptError[], mask: Mask) => {
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
type Config = {
  webServer?: PlaywrightTestConfig['webServer'] | null;
  use?: object;
  projects?: readonly { use?: object }[];
};

/** The objects with the settings of a config and its projects. */
export const holdersIn = ({ use, projects = [] }: Config) => [{ use }, ...projects];

/**
 * Makes the secrets of a config serialize as their names, wherever else they stand in `use` and `webServer`, too; code can still read the
 * values. Checked on Playwright 1.65: the JSON reporter and blobs write the whole config. Playwright makes each `use`, with the user's
 * own objects in it.
 */
export function hideSecrets(config: Config, mask: Mask): void {
  for (const { use = {} } of holdersIn(config)) {
    const { secrets } = Object((use as { taskproof?: object }).taskproof) as { secrets?: unknown };
    hide(secrets, namesOf);
    for (const each of [use, ...Object.values(use)]) hide(each, own => masked(own, mask));
  }
  for (const server of [config.webServer ?? []].flat()) hide(server, own => masked(own, mask));
}

/** Not if it is frozen: then the object around it does. */
function hide(object: unknown, toJSON: (own: object) => unknown): void {
  if (typeof object !== 'object' || object === null || !Object.isExtensible(object)) return;
  const own = () => toJSON(Array.isArray(object) ? [...object] : { ...object });
  Object.defineProperty(object, 'toJSON', { value: own, enumerable: false, configurable: true });
}

const namesOf = (secrets: object) =>
  Object.fromEntries(Object.keys(secrets).map(name => [name, `<secret>${name}</secret>`]));

function masked(own: object, mask: Mask): unknown {
  const change = (key: string, value: unknown) => {
    if (typeof value === 'string') return mask(value);
    return key === 'secrets' && typeof value === 'object' && value !== null ? namesOf(value) : value;
  };
  return JSON.parse(JSON.stringify(own, change));
}

/** The config that this process has loaded or is loading; undefined if there is none. */
export async function configOfRun(): Promise<PlaywrightTestConfig | undefined> {
  const configFile = configFileOfRun();
  if (!configFile) return undefined;
  // It may still be loading.
  await setImmediate();
  return (await exportedConfig(configFile)) as PlaywrightTestConfig;
}
