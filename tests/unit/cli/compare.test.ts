import { expect, test } from 'vitest';
import { readResults } from '../../../src/report/results';
import { resultsFile, suite } from './suite';

const BEFORE = resultsFile({ cart: 'ppppp', docs: 'ppppp' });

test('baseline save keeps the verdicts without their trials', async () => {
  const { taskproof, read } = suite({ 'taskproof-results.json': BEFORE });
  const { code, out } = await taskproof(['baseline', 'save']);
  expect(code).toBe(0);
  expect(out).toContain('Saved 2 verdicts');
  const [saved, original] = [JSON.parse(read('taskproof-baseline.json')), JSON.parse(BEFORE)];
  expect(saved.verdicts.map((row: { trials: unknown[] }) => row.trials)).toEqual([[], []]);
  expect({ ...saved, verdicts: original.verdicts }).toEqual(original);
  expect(readResults(read('taskproof-baseline.json'), 'x').verdicts[0]).toMatchObject({ passes: 5, k: 5 });
});

test('the comparison of projects follows from the verdicts: a baseline does without it', async () => {
  const comparison = { projects: [], specs: [], differ: [], ratesDiffer: [], unclear: [] };
  const { taskproof, read } = suite({ 'r.json': resultsFile({ cart: 'pp' }, { comparison }) });
  expect((await taskproof(['baseline', 'save', 'r.json'])).code).toBe(0);
  expect(JSON.parse(read('taskproof-baseline.json'))).not.toHaveProperty('comparison');
});

test('an incomplete run is no baseline unless forced', async () => {
  const { taskproof, read } = suite({ 'r.json': resultsFile({ cart: 'pp---' }, { complete: false }) });
  const refused = await taskproof(['baseline', 'save', 'r.json', '-o', 'deep/b.json']);
  expect(refused.code).toBe(1);
  expect(refused.err).toContain('Trials are missing of: cart');
  expect(() => read('deep/b.json')).toThrow();
  expect((await taskproof(['baseline', 'save', 'r.json', '-o', 'deep/b.json', '--force'])).code).toBe(0);
  expect(read('deep/b.json')).toContain('undecided');
});

test('a run of some specs does not take the place of a baseline of more, unless forced', async () => {
  const { taskproof, read } = suite({
    'taskproof-baseline.json': BEFORE,
    'taskproof-results.json': resultsFile({ cart: 'ppppp' }),
  });
  const refused = await taskproof(['baseline', 'save']);
  expect(refused.code).toBe(1);
  expect(refused.err).toContain(
    'holds 1 verdict that this run does not have: docs. Was it a part of the suite',
  );
  expect(read('taskproof-baseline.json')).toBe(BEFORE);
  expect((await taskproof(['baseline', 'save', '--force'])).code).toBe(0);
  expect(JSON.parse(read('taskproof-baseline.json')).verdicts).toHaveLength(1);
  expect((await taskproof(['diff'])).out).toContain('1 spec compared');
});

test.each([
  ['no file', {}, "taskproof-results.json can't be read (ENOENT)"],
  ['a foreign file', { 'taskproof-results.json': '{"suites":[]}' }, 'not a Taskproof results file'],
])('baseline save of %s says what to do', async (_name, files, message) => {
  const { code, err } = await suite(files).taskproof(['baseline', 'save']);
  expect(code).toBe(1);
  expect(err).toContain(message);
});

test.each<[string, Record<string, string>, number, string]>([
  ['nothing changed', { cart: 'ppppp', docs: 'ppppp' }, 0, '2 specs compared: 2 unchanged'],
  ['a regression', { cart: 'pffff', docs: 'ppppp' }, 1, 'regressed'],
  ['a tolerated failure more', { cart: 'ppppf', docs: 'ppppp' }, 0, 'worsened'],
  ['only errors', { cart: 'eeeee', docs: 'ppppp' }, 0, 'unclear'],
  ['a spec gone', { cart: 'ppppp' }, 0, 'removed'],
])('diff, %s', async (_name, after, code, text) => {
  const { taskproof } = suite({ 'before.json': BEFORE, 'taskproof-results.json': resultsFile(after) });
  const result = await taskproof(['diff', 'before.json']);
  expect(result.code).toBe(code);
  expect(result.out).toContain(text);
  expect(result.err).toBe('');
});

test.each([
  ['missing.json', 'a.json', "missing.json can't be read"],
  ['a.json', 'later.json', 'schemaVersion is "9"'],
  ['a.json', 'text.json', 'text.json: not JSON'],
])('diff %s %s fails by itself with 2', async (before, after, message) => {
  const { taskproof } = suite({
    'a.json': BEFORE,
    'later.json': BEFORE.replace('"schemaVersion":"1"', '"schemaVersion":"9"'),
    'text.json': 'hello',
  });
  const { code, out, err } = await taskproof(['diff', before, after]);
  expect([code, out]).toEqual([2, '']);
  expect(err).toContain(message);
});

test('diff --markdown and --json, to a file', async () => {
  const { taskproof, read } = suite({ 'a.json': BEFORE, 'b.json': resultsFile({ cart: 'pffff' }) });
  expect((await taskproof(['diff', 'a.json', 'b.json', '--markdown', '-o', 'out/c.md'])).code).toBe(1);
  expect(read('out/c.md')).toMatch(/^<!-- taskproof-diff -->\n\n### Taskproof: 1 regressed, 1 removed\n/);
  const { out } = await taskproof(['diff', 'a.json', 'b.json', '--json']);
  expect(JSON.parse(out)).toMatchObject({
    schemaVersion: '1',
    counts: { regressed: 1, removed: 1, fixed: 0 },
    rows: [
      { spec: 'cart', change: 'regressed', before: { passes: 5 }, after: { passes: 1 }, byChance: false },
      { spec: 'docs', change: 'removed', after: null },
    ],
  });
});

test('an incomplete side is noted', async () => {
  const { taskproof } = suite({
    'a.json': BEFORE,
    'b.json': resultsFile({ cart: 'ppp--', docs: 'ppppp' }, { complete: false }),
  });
  const { code, err } = await taskproof(['diff', 'a.json', 'b.json']);
  expect(code).toBe(0);
  expect(err).toContain('b.json is of an incomplete run');
});

test('schema, to the terminal and to a file', async () => {
  const { taskproof, read } = suite();
  const specs = JSON.parse((await taskproof(['schema'])).out);
  expect(specs.required).toContain('assertions');
  expect((await taskproof(['schema', '--results', '--output', 'schemas/r.json'])).code).toBe(0);
  expect(JSON.parse(read('schemas/r.json')).required).toContain('verdicts');
});

test('a folder in the way is an error that names the file', async () => {
  const { taskproof } = suite({ 'out/x': '' });
  const { code, err } = await taskproof(['schema', '--output', 'out']);
  expect(code).toBe(1);
  expect(err).toContain("out can't be written (EISDIR)");
});
