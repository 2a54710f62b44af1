// Masks the values of secrets in what Playwright itself keeps of a test: steps with their parameters (`Fill "Hunter2"`), errors and
// error-context.md. Secrets in the config's `use` serialize as their names. Checked on Playwright 1.65.1.
import { readFileSync, writeFileSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { stripVTControlCharacters } from 'node:util';
import type { PlaywrightTestConfig, TestInfo } from '@playwright/test';
import type { Mask } from '../../text/mask';
import { configFileOfRun } from './command-line';
import { exportedConfig } from './config';

/** Checked on Playwright 1.64 and 1.65: all that reporters learn of a running test goes through `_callbacks`, or `errors` at its end. */
interface WorkersTestInfo {
  _callbacks?: Record<'onStepBegin' | 'onStepEnd' | 'onAttach', (payload: Payload) => unknown>;
  errors: KeptError[];
}

type Payload = { error?: KeptError; name?: string; path?: string };
type KeptError = { message?: string; stack?: string; cause?: KeptError };

/** Masks until the test ends, for all reporters. @returns false if this version of Playwright keeps steps in another place */
export function maskTest(testInfo: TestInfo, plainMask: Mask): boolean {
  const { _callbacks: callbacks, errors } = testInfo as unknown as WorkersTestInfo;
  if (typeof callbacks?.onStepBegin !== 'function') return false;
  // Without colours, which may split a secret in a diff.
  const mask: Mask = text => {
    const bare = stripVTControlCharacters(text);
    const masked = plainMask(bare);
    return masked === bare ? text : masked;
  };
  const changes: typeof callbacks = {
    onStepBegin: payload => maskTexts(payload, ['title', 'subtitle', 'params'], mask),
    onStepEnd: ({ error }) => error && maskError(error, mask),
    // Playwright has just written the file, and no reporter has read it yet.
    onAttach: ({ name, path }) =>
      name === 'error-context' && path && writeFileSync(path, mask(readFileSync(path, 'utf8'))),
  };
  for (const name of Object.keys(changes) as (keyof typeof changes)[]) {
    const send = callbacks[name];
    callbacks[name] = payload => {
      changes[name](payload);
      send(payload);
    };
  }
  const push = errors.push;
  Object.defineProperty(errors, 'push', {
    value: (...added: KeptError[]) => {
      for (const error of added) maskError(error, mask);
      return push.apply(errors, added);
    },
    configurable: true,
  });
  return true;
}

function maskTexts(holder: object, keys: readonly string[], mask: Mask): void {
  const values = holder as Record<string, unknown>;
  for (const key of keys) {
    const value = values[key];
    if (typeof value === 'string') values[key] = mask(value);
    else if (typeof value === 'object' && value !== null) maskTexts(value, Object.keys(value), mask);
  }
}

function maskError(error: KeptError, mask: Mask): void {
  const { message = '', stack } = error;
  maskTexts(error, ['message', 'value', 'errorContext'], mask);
  if (stack !== undefined) {
    // Reporters need the paths of the frames unchanged.
    const start = message ? stack.indexOf(message) : -1;
    const end = start < 0 ? stack.length : start + message.length;
    error.stack = mask(stack.slice(0, end)) + stack.slice(end);
  }
  if (error.cause) maskError(error.cause, mask);
}

/**
 * Makes the secrets of a config's projects serialize as their names; code can still read the values. Checked on Playwright 1.65: the JSON
 * reporter writes the whole config, with each `use`. Playwright makes those objects, and keeps the user's own in them.
 */
export function hideSecrets(holders: readonly { use?: object }[]): void {
  for (const { use = {} } of holders) {
    const { taskproof } = use as { taskproof?: { secrets?: unknown } };
    const { secrets } = taskproof ?? {};
    if (typeof secrets !== 'object' || secrets === null) continue;
    const names = Object.fromEntries(Object.keys(secrets).map(name => [name, `<secret>${name}</secret>`]));
    const jsonOf: [object, object][] = [
      [secrets, names],
      [taskproof!, { ...taskproof, secrets: names }],
      [use, { ...use, taskproof: { ...taskproof, secrets: names } }],
    ];
    // The user's may be frozen.
    const [open] = jsonOf.filter(([object]) => Object.isExtensible(object));
    if (!open) continue;
    const [object, json] = open;
    Object.defineProperty(object, 'toJSON', { value: () => json, enumerable: false, configurable: true });
  }
}

/** Hides those of the config that this process loads, whatever its reporters are. Call it while the config is loaded, or later. */
export async function hideSecretsOfConfig(): Promise<void> {
  const configFile = configFileOfRun();
  if (!configFile) return;
  // It may still be loading.
  await setImmediate();
  const config = (await exportedConfig(configFile)) as PlaywrightTestConfig;
  hideSecrets([config, ...(config.projects ?? [])]);
}
