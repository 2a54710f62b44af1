import { describe, expect, test } from 'vitest';
import { type Results, ResultsFileError, readResults, resultsJsonSchema } from '../../../src/data/results';
import { compareProjects } from '../../../src/verdicts/compare';
import { verdictOf } from '../../../src/verdicts/verdict';
import { resultRow, trials } from '../verdicts/trials';

const row = resultRow(
  { spec: 'pricing-trial', project: 'opus', agent: 'claude', model: 'claude-opus-5-5', replayed: false },
  verdictOf({ k: 5, minPasses: 4 }, trials('ppfes')),
);
const results: Results = {
  schemaVersion: '1',
  startedAt: '2026-11-05T10:00:00.000Z',
  durationMs: 1234,
  status: 'failed',
  complete: false,
  verdicts: [row],
};

function errorOf(value: unknown): string {
  try {
    readResults(typeof value === 'string' ? value : JSON.stringify(value), 'results.json');
  } catch (error) {
    expect(error).toBeInstanceOf(ResultsFileError);
    return (error as Error).message;
  }
  throw new Error('was read');
}

test('what is written is read again, fields that a later version adds included', () => {
  const written = { ...results, later: 1, verdicts: [{ ...row, later: 2 }] };
  expect(readResults(JSON.stringify(written), 'results.json')).toEqual(written);
});

test('the comparison is read again as it was written', () => {
  const verdicts = [row, { ...row, project: 'haiku' }];
  const comparison = compareProjects(verdicts)!;
  const written = { ...results, verdicts, comparison };
  expect(readResults(JSON.stringify(written), 'results.json')).toEqual(written);
  expect(errorOf({ ...written, comparison: { ...comparison, differ: 'checkout' } })).toContain(
    'comparison.differ',
  );
});

test('a byte order mark does not matter', () => {
  expect(readResults(`\uFEFF${JSON.stringify(results)}`, 'results.json')).toEqual(results);
});

describe('errors name the file and what is wrong', () => {
  test.each<[string, unknown, string]>([
    ['no JSON', '{ "a"', 'results.json: not JSON'],
    ['a JSON report', { config: {}, suites: [] }, 'results.json: not a Taskproof results file'],
    ['null', null, 'not a Taskproof results file'],
    ['a later version', { ...results, schemaVersion: '2' }, 'schemaVersion is "2"'],
    ['a version as a number', { ...results, schemaVersion: 1 }, 'schemaVersion is 1;'],
    ['a broken row', { ...results, verdicts: [{ ...row, k: 0 }] }, 'verdicts[0].k'],
    [
      'a policy that no run can pass',
      { ...results, verdicts: [{ ...row, minPasses: 6 }] },
      '[0].minPasses: must not be above k',
    ],
    ['a row listed twice', { ...results, verdicts: [row, row] }, 'spec "pricing-trial" is listed twice'],
  ])('%s', (_name, value, message) => {
    expect(errorOf(value)).toContain(message);
  });

  test('five issues are shown, the rest counted', () => {
    const broken = (count: number) => {
      const verdicts = Array.from({ length: count }, () => ({ ...row, passes: -1 }));
      return errorOf({ ...results, verdicts }).split('\n');
    };
    expect(broken(1)).toEqual([
      'results.json: the results file is not valid:',
      expect.stringMatching(/^ {2}verdicts\[0\]\.passes: /),
    ]);
    expect(broken(5)).toHaveLength(6);
    expect(broken(5).at(-1)).toMatch(/^ {2}verdicts\[4\]\.passes: /);
    expect(broken(7).slice(5)).toEqual([expect.stringMatching(/^ {2}verdicts\[4\]\.passes/), '  and 2 more']);
  });
});

test('the verdicts of one spec in two describes stand side by side, and each only once', () => {
  const read = (...verdicts: object[]) =>
    readResults(JSON.stringify({ ...results, verdicts }), 'results.json').verdicts;
  const [phone, desktop] = ['phone', 'desktop'].map(describe => ({ ...row, describe }));
  expect(read(row, phone!, desktop!)).toMatchObject([{}, { describe: 'phone' }, { describe: 'desktop' }]);
  expect(() => read(row, phone!, phone!)).toThrow('spec "phone › pricing-trial" is listed twice');
});

test('replayed and measured verdicts of one spec stand side by side', () => {
  const both = { ...results, verdicts: [row, { ...row, replayed: true }] };
  expect(readResults(JSON.stringify(both), 'results.json').verdicts).toHaveLength(2);
});

test('the JSON Schema requires what the design lists', () => {
  const schema = resultsJsonSchema() as {
    required: string[];
    properties: { verdicts: { items: { required: string[] } } };
  };
  expect(schema.required).toEqual([
    'schemaVersion',
    'startedAt',
    'durationMs',
    'status',
    'complete',
    'verdicts',
  ]);
  expect(schema.properties.verdicts.items.required).toContain('interval');
});
