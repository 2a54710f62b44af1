// Merges the option `taskproof` of the config, the project and `test.use`, key by key. Playwright itself only takes the nearest.
import { pathToFileURL } from 'node:url';
import type { FullConfig, FullProject, Suite, TestCase } from '@playwright/test/reporter';
import { OPTION } from './options';

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

/**
 * Await it before asking for a test's options. Playwright resolves `use` for each project, and does not keep the config's own. Checked
 * on Playwright 1.65 (requireOrImport): the main process and each worker load the config as a module, which is found here without
 * running again. If a version loads it in another way, a project's options replace those of the config.
 */
export async function readConfigOptions({ configFile }: Pick<FullConfig, 'configFile'>): Promise<void> {
  ofConfig = undefined;
  repeated = new Set();
  if (!configFile) return;
  try {
    const loaded = require.cache[require.resolve(configFile)];
    const exported = loaded ? loaded.exports : await import(pathToFileURL(configFile).href);
    const config = (exported.default ?? exported) as Config;
    ofConfig = config.use?.taskproof;
    // Projects take the config's `repeatEach` if they set none.
    const setter = (project: Config) => ('repeatEach' in project ? project : config);
    const fromRepeats = (config.projects ?? [config]).filter(each => FROM_REPEATS in setter(each));
    repeated = new Set(fromRepeats.map(({ name = '' }) => name));
  } catch {
    // Then a project's options replace those of the config.
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

/** Key by key, secrets by name; undefined does not override. */
function overlay(under: object, over: object): object {
  const known = overlays.get(under) ?? new WeakMap<object, object>();
  overlays.set(under, known);
  const made = known.get(over) ?? { ...keyByKey(under, over), ...secretsOf(under, over) };
  known.set(over, made);
  return made;
}

function secretsOf(under: { secrets?: unknown }, over: { secrets?: unknown }): { secrets?: object } {
  const both = isObject(under.secrets) && isObject(over.secrets);
  return both ? { secrets: keyByKey(under.secrets as object, over.secrets as object) } : {};
}

function keyByKey(under: object, over: object): object {
  const given = Object.entries(over).filter(([key, value]) => value !== undefined || !(key in under));
  return { ...under, ...Object.fromEntries(given) };
}

interface UsingSuite extends Suite {
  _use?: { fixtures: Record<string, unknown> }[];
}

interface TypedTest extends TestCase {
  _testType?: { fixtures: { fixtures: Record<string, unknown> }[] };
}

/**
 * The option `taskproof` of a test, unchecked, as far as the main process can know it. If a fixture sets it, only the worker knows.
 * Checked on Playwright 1.65: the main process loads the files, their suites keep the options of `test.use` in `_use`, the last one
 * winning, and a test keeps the definitions of its fixtures in `_testType`.
 */
export function knownOptions(test: TestCase, project: FullProject): { known: boolean; value?: unknown } {
  for (let suite: UsingSuite | undefined = test.parent; suite; suite = suite.parent) {
    const used = suite._use?.findLast(({ fixtures }) => 'taskproof' in fixtures)?.fixtures.taskproof;
    if (used === undefined) continue;
    return isObject(used) ? { known: true, value: mergedOptions(project, used) } : { known: false };
  }
  const definitions = (test as TypedTest)._testType?.fixtures ?? [];
  const defined = definitions.findLast(({ fixtures }) => 'taskproof' in fixtures)?.fixtures.taskproof;
  if (defined !== undefined && defined !== OPTION) return { known: false };
  return { known: true, value: mergedOptions(project, undefined) };
}
