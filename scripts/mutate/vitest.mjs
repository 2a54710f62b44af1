// The part of Vitest that our unit tests use, to run them a thousand times in one process.
// @ts-nocheck: the types of a stand-in for Vitest would be longer than the code.
import {
  ASYMMETRIC_MATCHERS_OBJECT,
  JestAsymmetricMatchers,
  JestChaiExpect,
  JestExtend,
} from '@vitest/expect';
import { fn, restoreAllMocks, spyOn } from '@vitest/spy';
import * as chai from 'chai';

for (const plugin of [JestExtend, JestChaiExpect, JestAsymmetricMatchers]) chai.use(plugin);
export const expect = Object.assign(
  (value, message) => chai.expect(value, message),
  chai.expect,
  globalThis[ASYMMETRIC_MATCHERS_OBJECT],
);

let tests = [];
let hooks = { before: [], after: [] };
let finished = [];

export const test = (name, ...rest) =>
  void tests.push({ name, body: rest.find(one => typeof one === 'function'), hooks });
const spread = (row, body) => (Array.isArray(row) ? body(...row) : body(row));
test.each = table => (name, body) => {
  for (const [index, row] of table.entries()) test(`${name} ${index}`, () => spread(row, body));
};
test.skipIf = skip => (skip ? () => {} : test);
export const it = test;
export const describe = (_name, body) => {
  const outer = hooks;
  hooks = Object.fromEntries(Object.entries(outer).map(([when, all]) => [when, [...all]]));
  body();
  hooks = outer;
};
describe.each = table => (name, body) => {
  for (const row of table) describe(name, () => spread(row, body));
};
export const beforeEach = body => void hooks.before.push(body);
export const afterEach = body => void hooks.after.push(body);
export const beforeAll = body => void hooks.before.push(once(body));
export const afterAll = () => {};
export const onTestFinished = body => void finished.push(body);

function once(body) {
  let result;
  return () => {
    result ??= { value: body() };
    return result.value;
  };
}

const stubbed = new Map();
export const vi = {
  fn,
  spyOn,
  restoreAllMocks,
  setConfig() {},
  async waitFor(body) {
    for (let tries = 0; ; tries++)
      try {
        return await body();
      } catch (error) {
        if (tries > 100) throw error;
        await new Promise(resolve => setTimeout(resolve, 20));
      }
  },
  stubEnv(name, value) {
    if (!stubbed.has(name)) stubbed.set(name, process.env[name]);
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
    return vi;
  },
  unstubAllEnvs() {
    for (const [name, value] of stubbed)
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    stubbed.clear();
  },
};

/** The tests that `load` declares. */
export function collect(load) {
  tests = [];
  hooks = { before: [], after: [] };
  load();
  return tests;
}

/** Runs a test with its hooks. Throws what the test throws. */
export async function runTest({ body, hooks: { before, after } }) {
  finished = [];
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error('timed out')), 5_000);
  });
  try {
    await Promise.race([
      late,
      (async () => {
        for (const hook of before) await hook();
        await body();
      })(),
    ]);
  } finally {
    clearTimeout(timer);
    for (const clean of [...after, ...finished.reverse()]) await clean();
    vi.unstubAllEnvs();
    vi.restoreAllMocks();
  }
}
