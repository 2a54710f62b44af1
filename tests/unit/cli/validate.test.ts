import { expect, test } from 'vitest';
import { SPEC, suite } from './suite';

const BROKEN = SPEC.replace('pricing-trial', 'broken').replace("pattern: '", "patern: '");

test('valid specs are listed', async () => {
  const { taskproof } = suite({ 'agents/tasks/pricing.yaml': SPEC, 'agents/other.yaml': 'not: a spec' });
  const { code, out, err } = await taskproof(['validate']);
  expect([code, err]).toEqual([0, '']);
  expect(out).toMatch(
    /^spec {11}must pass {2}file\npricing-trial {2}4 of 5 {5}agents\/tasks\/pricing\.yaml\n\n1 valid spec\n\nCompared with an earlier run, 5 trials can show a fall of the pass rate from 95% if it is to 15% or less; 20 trials, if it is to 60%/,
  );
});

test('a broken file among good ones: its line and column, exit 1', async () => {
  const { taskproof } = suite({ 'tasks/a.yaml': SPEC, 'tasks/b.yaml': BROKEN });
  const { code, out, err } = await taskproof(['validate', 'tasks/*.yaml']);
  expect(code).toBe(1);
  expect(out).toContain('1 valid spec');
  expect(err).toMatch(/b\.yaml:8:5 assertions\[0\]\.patern: .*did you mean `pattern`/);
});

test('folders, files whose names hold characters of globs, negation', async () => {
  const { taskproof } = suite({
    'tasks/a [1].yaml': SPEC,
    'tasks/a 1.yaml': BROKEN,
    'tasks/drafts/b.yaml': BROKEN,
  });
  expect((await taskproof(['validate', 'tasks/a [1].yaml'])).code).toBe(0);
  expect((await taskproof(['validate', 'tasks/'])).code).toBe(1);
  expect((await taskproof(['validate', 'tasks', '!**/drafts/**', '!**/a 1.yaml'])).code).toBe(0);
});

test.each([
  [['validate'], 'no task spec matches'],
  [['validate', 'tasks/*.yml'], 'no task spec matches "tasks/*.yml"'],
])('%j without a match is an error', async (args, message) => {
  const { code, err } = await suite().taskproof(args);
  expect(code).toBe(1);
  expect(err).toContain(message);
});

test('a file that is missing is named beside those that are there', async () => {
  const { taskproof } = suite({ 'tasks/a.yaml': SPEC, 'tasks/b.yaml': BROKEN });
  const { code, out, err } = await taskproof(['validate', 'tasks/a.yaml', 'tasks/b.yaml', 'tasks/gone.yaml']);
  expect(code).toBe(1);
  expect(out).toContain('pricing-trial');
  expect(err).toMatch(/no task spec matches "tasks\/gone\.yaml"[\s\S]*b\.yaml:8:5/);
});

test('two files with one id are named', async () => {
  const { taskproof } = suite({ 'tasks/a.yaml': SPEC, 'tasks/b.yaml': SPEC });
  const { code, err } = await taskproof(['validate']);
  expect(code).toBe(1);
  expect(err).toMatch(/a\.yaml:2:5[\s\S]*b\.yaml:2:5/);
});

test('--json gives specs and problems with their places', async () => {
  const { taskproof } = suite({
    'tasks/a.yaml': SPEC,
    'tasks/b.yaml': BROKEN,
    'tasks/c.yaml': 'a: [',
  });
  const { code, out, err } = await taskproof(['validate', '--json']);
  expect([code, err]).toEqual([1, '']);
  const { valid, specs, problems } = JSON.parse(out);
  expect(valid).toBe(false);
  expect(specs).toEqual([
    {
      id: 'pricing-trial',
      file: 'tasks/a.yaml',
      hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      passPolicy: { k: 5, minPasses: 4 },
      tags: [],
    },
  ]);
  expect(problems).toContainEqual({
    file: expect.stringMatching(/tasks\/b\.yaml$/),
    line: 8,
    column: 5,
    path: 'assertions[0].patern',
    message: expect.stringContaining('did you mean'),
  });
  expect(problems).toContainEqual({
    file: expect.stringMatching(/c\.yaml$/),
    ...{ line: 1, column: 5, path: '' },
    message: expect.stringMatching(/^not a readable YAML file; .+$/),
  });
});

test('--json without a match is JSON, too', async () => {
  const { code, out } = await suite().taskproof(['validate', '--json']);
  expect(code).toBe(1);
  expect(JSON.parse(out)).toMatchObject({
    valid: false,
    specs: [],
    problems: [{ message: expect.stringContaining('no task spec matches') }],
  });
});

test('a placeholder that stays as it is gets a note at its place', async () => {
  const source = SPEC.replace('Find the price', 'Find {{ user }} as {{unique}}, {{trial}}');
  const { taskproof } = suite({ 'tasks/a.yaml': source });
  const { code, out, err } = await taskproof(['validate']);
  expect([code, err]).toEqual([0, '']);
  expect(out.split('\n').slice(3, 6)).toEqual([
    '1 valid spec',
    "tasks/a.yaml:3:7 goal: note: {{user}} is only replaced if the suite's `prepare` returns a value for it. {{trial}} and {{unique}} are always replaced",
    '',
  ]);
  const { valid, problems, notes } = JSON.parse((await taskproof(['validate', '--json'])).out);
  expect([valid, problems, notes.length]).toEqual([true, [], 1]);
  expect(notes[0]).toMatchObject({ file: 'tasks/a.yaml', line: 3, column: 7, path: 'goal' });
});
