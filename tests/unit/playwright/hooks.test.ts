// How Playwright learns which fixtures the code around a trial uses: from the text of the test's function.
import { expect, test, vi } from 'vitest';
import { OptionsError } from '../../../src/options';
import { type Check, hooksOf, withFixturesOf } from '../../../src/playwright/hooks';

const named = (check: unknown, prepare?: unknown) =>
  /^function \(\{ (.*) \}\)/.exec(
    String(withFixturesOf<{ own: 1 }>({ check, prepare } as never, 'own', async () => {})),
  )?.[1];

// The names are what is tested.
declare const used: (...all: unknown[]) => void;
const byId = {
  async 'pricing-trial'({ db }: { db: unknown }) {
    used(db);
  },
};

test.each<[string, unknown]>([
  ['own', () => used()],
  ['own', async () => used({ a: 1 }, (b: number) => b)],
  ['own, db', async ({ db }: never) => used(db)],
  [
    'own, db, page2',
    async ({ db: { orders }, page2: other, spec, page }: never) => used(orders, other, spec, page),
  ],
  [
    'own, db',
    (
      {
        /* a, b } */ db, // the shop's }
        record,
      }: never,
      more: never,
    ) => used(db, record, more),
  ],
  [
    'own, a, b',
    async function name({ a, b }: never) {
      used(a, b);
    },
  ],
  ['own, db', byId['pricing-trial']],
  ['own, db', ({ db = [1, { x: ')' }] }: { db?: unknown }) => used(db)],
])('%s', (names, check) => {
  expect(named(check)).toBe(names);
});

test('fixtures that both use are named once, and what each is given is not asked for', () => {
  const prepare = ({ db, page, spec, trial }: never) => used(db, page, spec, trial);
  expect(named(({ db, page, network }: never) => used(db, page, network), prepare)).toBe('own, db, page');
});

test('the test runs with what Playwright sets up', async () => {
  const body = vi.fn(async () => {});
  const run = withFixturesOf<{ own: number; db?: number }>(
    { check: (({ db }: never) => used(db)) as Check },
    'own',
    body,
  );
  await run({ own: 1, db: 2 });
  expect(body).toHaveBeenCalledExactlyOnceWith({ own: 1, db: 2 });
});

test.each<[string, unknown]>([
  [
    '"...fixtures" takes all fixtures',
    ({ page, ...fixtures }: Record<string, unknown>) => used(page, fixtures),
  ],
  ['its first parameter is not a destructured object', (given: never) => used(given)],
  // The formatter gives it parentheses.
  ['its first parameter is not a destructured object', { toString: () => 'async given => used(given)' }],
])('%s', (problem, check) => {
  expect(() => named(check)).toThrow(OptionsError);
  expect(() => named(check)).toThrow(problem);
});

test('each spec has its own, or that of all', () => {
  const [one, all] = [() => {}, () => {}];
  expect(hooksOf({ check: { cart: one }, prepare: all }, 'cart')).toEqual({ check: one, prepare: all });
  expect(hooksOf({ check: { cart: one } }, 'toString')).toEqual({});
});
