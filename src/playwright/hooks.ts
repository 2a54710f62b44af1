// Code of the suite around a trial: `prepare` runs before it, `check` after its assertions. Both get the suite's fixtures.
import { compileFunction } from 'node:vm';
import { type TestInfo, test } from '@playwright/test';
import { z } from 'zod';
import { limited } from '../browser/waiting';
import type { TrialRecord } from '../data/record';
import { OptionsError } from '../options';
import type { TaskSpec } from '../spec';
import { problemsIn } from '../spec/errors';
import { GIVEN_PLACEHOLDERS, type TrialData } from '../spec/placeholders';
import { few, messageOf } from '../text/line';
import { nearest } from '../text/nearest';
import type { CheckEnd, CheckedTrial } from '../trial/run-agent';
import { expectationInWords, isExpectation, withoutOurFrames } from './inside/errors';
import { isFunction, isObject } from './run/options';

/** What `prepare` gets besides fixtures. */
export interface UnpreparedTrial extends TrialData {
  /** The spec as in its file, with its placeholders. */
  spec: TaskSpec;
}

/** Values of a spec's placeholders by name: `{ user: 'ada' }` for `{{user}}`. */
export type PlaceholderValues = Readonly<Record<string, string | number>>;

export type Check<Fixtures = object> = (
  given: CheckedTrial & Omit<Fixtures, keyof CheckedTrial>,
) => Promise<unknown> | unknown;

// biome-ignore-start lint/suspicious/noConfusingVoidType: it may return nothing
export type Prepare<Fixtures = object> = (
  given: UnpreparedTrial & Omit<Fixtures, keyof UnpreparedTrial>,
) => Promise<PlaceholderValues | void> | PlaceholderValues | void;
// biome-ignore-end lint/suspicious/noConfusingVoidType: it may return nothing

/** One hook for all specs, or hooks by the spec's id. */
export type ForSpecs<Hook> = Hook | Readonly<Record<string, Hook>>;

/** The hooks of one spec, without the types of the suite's fixtures. */
export interface Hooks {
  prepare?: Prepare | undefined;
  check?: Check | undefined;
}

export const hookSchema = <Hook>() =>
  z
    .custom<Hook>(
      hook => isFunction(hook) || (isObject(hook) && Object.values(hook).every(isFunction)),
      'must be a function, or an object with functions by spec id',
    )
    .optional();

/** What each hook gets besides fixtures. */
const GIVEN = {
  prepare: ['spec', 'trial', 'unique'] satisfies (keyof UnpreparedTrial)[],
  check: ['spec', 'trial', 'unique', 'page', 'answer', 'network', 'record'] satisfies (keyof CheckedTrial)[],
};
type Hook = keyof typeof GIVEN;
const HOOKS = Object.keys(GIVEN) as Hook[];
type AllHooks = Partial<Record<Hook, unknown>>;

export function hooksOf(all: AllHooks, id: string): Hooks {
  const ofSpec = (given: unknown) =>
    isFunction(given) ? given : new Map(Object.entries(given ?? {})).get(id);
  return { prepare: ofSpec(all.prepare), check: ofSpec(all.check) };
}

/** @throws OptionsError for a hook of a spec that does not exist */
export function expectSpecsOfHooks(
  all: AllHooks,
  specs: readonly { spec: Pick<TaskSpec, 'id'> }[],
  globs: string | readonly string[],
): void {
  const ids = specs.map(({ spec }) => spec.id);
  for (const name of HOOKS) {
    const unknown = Object.keys(all[name] ?? {}).find(id => !ids.includes(id));
    if (unknown === undefined) continue;
    const meant = nearest(unknown, ids);
    const known = meant ? `Did you mean "${meant}"?` : `Known ids: ${few(ids, 10)}.`;
    throw new OptionsError(
      `taskproofTests(): ${name}: no spec that matches ${JSON.stringify(globs)} has the id "${unknown}". ${known}`,
    );
  }
}

/** Makes a test function whose text names `ours` and the fixtures of the hooks: Playwright reads there which to set up. */
export function withFixturesOf<Ours>(
  hooks: Hooks,
  ours: keyof Ours & string,
  body: (fixtures: Ours) => Promise<void>,
): (fixtures: Ours) => Promise<void> {
  const named = HOOKS.flatMap(hook => {
    const given: readonly string[] = GIVEN[hook];
    return fixtureNames(hook, hooks[hook]).filter(name => !given.includes(name));
  });
  const names = [...new Set([ours, ...named])].join(', ');
  return compileFunction(`return function ({ ${names} }) { return body(arguments[0]); }`, ['body'])(body);
}

function fixtureNames(hook: string, fn: unknown): string[] {
  if (!fn) return [];
  const wrong = (problem: string) =>
    new OptionsError(
      `taskproofTests(): ${hook}: ${problem}. Name each fixture that it uses, as in a test: async ({ page, request }) => { ... }`,
    );
  const text = String(fn).replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, '');
  const parameters = /^(?!(?:async\s+)?[\w$]+\s*=>)[^(]*\(\s*([\s\S]*)$/.exec(text)?.[1];
  if (parameters?.startsWith(')')) return [];
  if (!parameters?.startsWith('{')) throw wrong('its first parameter is not a destructured object');
  const names = namesIn(parameters.slice(1));
  const rest = names.find(name => name.startsWith('...'));
  if (rest) throw wrong(`"${rest}" takes all fixtures`);
  return names;
}

/** The names in a destructuring pattern, up to its end. Texts and brackets inside are left out. */
function namesIn(text: string): string[] {
  let pattern = text.replace(/'[^']*'|"[^"]*"|`[^`]*`/g, '');
  const nested = /[{[(][^{}[\]()]*[}\])]/g;
  for (let before = ''; before !== pattern; ) [before, pattern] = [pattern, pattern.replace(nested, '')];
  const parts = pattern.split('}', 1)[0]!.split(',');
  return parts.map(part => part.split(/[:=]/, 1)[0]!.trim()).filter(Boolean);
}

const valuesSchema = z
  .record(z.string(), z.union([z.string().trim().min(1), z.number()]))
  .refine(values => !GIVEN_PLACEHOLDERS.some(name => name in values), 'trial and unique already have values');

/** Runs a hook in a step that points to the call that declared the test, not into our code. */
function stepOf<Returned>(title: string, body: () => Promise<Returned>, testInfo: TestInfo) {
  const { file, line, column } = testInfo;
  const clean = async () => {
    try {
      return await body();
    } catch (error) {
      throw withoutOurFrames(error);
    } finally {
      // Errors of soft expectations.
      for (const error of testInfo.errors) withoutOurFrames(error);
    }
  };
  return test.step(title, clean, { location: { file, line, column } });
}

/** @returns undefined if a soft expectation failed, which fails the test */
export async function runPrepare(
  prepare: Prepare,
  given: UnpreparedTrial,
  testInfo: TestInfo,
): Promise<PlaceholderValues | undefined> {
  const before = testInfo.errors.length;
  const returned = await stepOf('prepare', async () => prepare(given), testInfo);
  if (testInfo.errors.length > before) return undefined;
  const { data, error } = valuesSchema.safeParse(returned ?? {});
  if (!error) return data;
  const [problem] = problemsIn(error, 'the value');
  throw new Error(`prepare must return nothing, or a string or number for each placeholder: ${problem}`);
}

/**
 * @param ms the test's own timeout: that of the whole test includes what the agent left of its time; 0 for none
 * @returns how the check ended, and what it threw, so that the test ends with that error
 */
export async function runCheck(
  check: Check,
  given: CheckedTrial,
  testInfo: TestInfo,
  ms: number,
): Promise<CheckEnd & { thrown?: { error: unknown } }> {
  const { name } = check;
  const title = ['', 'check', given.spec.id].includes(name) ? 'check' : `check ${name}`;
  const before = testInfo.errors.length;
  const late = () =>
    new Error(`it took longer than ${ms / 1000} s, the test's timeout. Raise \`timeout\` in the config.`);
  const checking = async () => void (await check(given));
  const body = () => (ms ? limited(checking(), ms, late) : checking());
  const thrown = await stepOf(title, body, testInfo).catch(error => ({ error: error as unknown }));
  const soft = testInfo.errors[before];
  if (!soft && !thrown) return { title, reason: null, broke: false };
  const broke = !soft && !isExpectation(thrown!.error);
  const message = soft ? (soft.message ?? soft.value ?? '') : messageOf(thrown!.error);
  const reason = `${title}${broke ? ' threw' : ''}: ${expectationInWords(message)}`;
  return { title, reason, broke, ...(thrown && { thrown }) };
}

/** Whether the check alone decided how the trial ended. */
export function decidedByCheck({ assertions, status, errorKind }: TrialRecord): boolean {
  const failed = assertions.filter(({ passed }) => !passed);
  const isAlone = failed.length > 0 && failed.every(({ type }) => type === 'check');
  return isAlone && (status === 'completed' || errorKind === 'internal');
}
