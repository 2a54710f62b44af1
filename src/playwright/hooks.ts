// Code of the suite around a trial: `prepare` before it, `check` after its assertions. Both get the suite's fixtures.
import { compileFunction } from 'node:vm';
import { type Page, type TestInfo, test } from '@playwright/test';
import { z } from 'zod';
import type { Answer, NetworkEvent, TrialRecord } from '../data/record';
import { OptionsError } from '../options';
import type { TaskSpec } from '../spec';
import { problemsIn } from '../spec/errors';
import { GIVEN_PLACEHOLDERS, type TrialData } from '../spec/placeholders';
import { expectationInWords } from '../text/expectation';
import { few, messageOf } from '../text/line';
import { nearest } from '../text/nearest';
import type { CheckEnd } from '../trial/run-agent';
import { isExpectation } from './inside/errors';

/** What `prepare` gets besides fixtures. */
export interface UnpreparedTrial extends TrialData {
  /** As it is in its file, placeholders included. */
  spec: TaskSpec;
}

/** What `check` gets besides fixtures. */
export interface CheckedTrial extends TrialData {
  /** With the values of placeholders, at the project's `origin`. */
  spec: TaskSpec;
  /** The active tab when the agent ended. */
  page: Page;
  /** What the agent said at its end, not masked; null if it said nothing. */
  answer: Answer | null;
  /** The trial's requests, those that still come in included. */
  network: readonly NetworkEvent[];
  /** The record so far, with the results of the assertions. */
  record: TrialRecord;
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

/** One for all specs, or some by the spec's id. */
export type ForSpecs<Hook> = Hook | Readonly<Record<string, Hook>>;

/** Those of one spec. Typed for the code that calls them: fixtures are known to the suite alone. */
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

const isFunction = (value: unknown) => typeof value === 'function';
const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

const HOOKS = ['prepare', 'check'] as const;
type AllHooks = { [Name in (typeof HOOKS)[number]]?: unknown };

export function hooksOf(all: AllHooks, id: string): Hooks {
  const own = HOOKS.map(name => {
    const given = all[name];
    if (!isObject(given)) return [name, given];
    return [name, Object.hasOwn(given, id) ? (given as Record<string, unknown>)[id] : undefined];
  });
  return Object.fromEntries(own);
}

/** @throws OptionsError for a hook of a spec that does not exist */
export function expectSpecsOfHooks(
  all: AllHooks,
  specs: readonly { spec: Pick<TaskSpec, 'id'> }[],
  globs: string | readonly string[],
): void {
  const ids = specs.map(({ spec }) => spec.id);
  for (const name of HOOKS) {
    const named = isFunction(all[name]) ? [] : Object.keys(all[name] ?? {});
    const unknown = named.find(id => !ids.includes(id));
    if (unknown === undefined) continue;
    const meant = nearest(unknown, ids);
    const known = meant ? `Did you mean "${meant}"?` : `There are ${few(ids, 10)}.`;
    throw new OptionsError(
      `taskproofTests(): ${name}: no spec that matches ${JSON.stringify(globs)} has the id "${unknown}". ${known}`,
    );
  }
}

const GIVEN = {
  prepare: ['spec', 'trial', 'unique'] satisfies (keyof UnpreparedTrial)[],
  check: ['spec', 'trial', 'unique', 'page', 'answer', 'network', 'record'] satisfies (keyof CheckedTrial)[],
};

/**
 * A test function for which Playwright sets up `ours` and the fixtures that the hooks name. Playwright reads the names from the text of
 * a function.
 *
 * @throws OptionsError if it could not read those of a hook
 */
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
  return topLevelParts(parameters).map(part => {
    const [name = ''] = part.split(/[:=]/, 1);
    if (name.startsWith('...')) throw wrong(`"${name.trim()}" takes all fixtures`);
    return name.trim();
  });
}

/** What stands between the commas of the pattern that the text begins with, patterns within it aside. */
function topLevelParts(text: string): string[] {
  const parts = [''];
  let depth = 0;
  for (const character of text) {
    if ('}])'.includes(character)) depth--;
    if (depth === 0 && character === '}') break;
    if (depth === 1 && character === ',') parts.push('');
    else if (depth > 0) parts[parts.length - 1] += character;
    if ('{[('.includes(character)) depth++;
  }
  return parts.map(part => part.trim()).filter(Boolean);
}

const valuesSchema = z
  .record(z.string(), z.union([z.string().trim().min(1), z.number()]))
  .refine(values => !GIVEN_PLACEHOLDERS.some(name => name in values), 'trial and unique are given already');

/** Of the call that declared the test: a step of ours would point into our own code. */
const placeOf = ({ file, line, column }: TestInfo) => ({ location: { file, line, column } });

/** @returns undefined if one of its soft expectations failed, which fails the test */
export async function runPrepare(
  prepare: Prepare,
  given: UnpreparedTrial,
  testInfo: TestInfo,
): Promise<PlaceholderValues | undefined> {
  const { errors } = testInfo;
  const before = errors.length;
  const returned = await test.step('prepare', async () => prepare(given), placeOf(testInfo));
  if (errors.length > before) return undefined;
  const { data, error } = valuesSchema.safeParse(returned ?? {});
  if (!error) return data;
  const [problem] = problemsIn(error, 'the value');
  throw new Error(`prepare must return nothing, or a text or number for each placeholder: ${problem}`);
}

/** A check in a trial, and what it threw: the test ends with its own error. */
export class CheckInTest {
  thrown: { error: unknown } | undefined;

  constructor(
    private readonly check: Check,
    private readonly testInfo: TestInfo,
  ) {}

  /** Never rejects. */
  async run(given: CheckedTrial): Promise<CheckEnd> {
    const { check, testInfo } = this;
    const { name } = check;
    const title = ['', 'check', given.spec.id].includes(name) ? 'check' : `check ${name}`;
    const { errors } = testInfo;
    const before = errors.length;
    await test
      .step(title, async () => check(given), placeOf(testInfo))
      .catch(error => {
        this.thrown = { error };
      });
    const { thrown } = this;
    const [soft] = errors.slice(before);
    if (!soft && !thrown) return { title, reason: null, broke: false };
    const broke = !soft && !isExpectation(thrown!.error);
    const message = soft ? (soft.message ?? soft.value ?? '') : messageOf(thrown!.error);
    return { title, reason: `${title}${broke ? ' broke' : ''}: ${expectationInWords(message)}`, broke };
  }

  /** Whether it alone decided how the trial ended. */
  decided({ assertions, status, errorKind }: TrialRecord): boolean {
    const others = assertions.every(({ passed, type }) => passed || type === 'check');
    return (
      others &&
      assertions.some(({ passed }) => !passed) &&
      (status === 'completed' || errorKind === 'internal')
    );
  }
}
