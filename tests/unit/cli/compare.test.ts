import { expect, test } from 'vitest';
import { madeRecording } from '../../support/records';
import { results, row } from '../report/render/rows';
import { resultsFile, suite } from './suite';

const BEFORE = resultsFile({ cart: 'ppppp', docs: 'ppppp' });

const runsOf = (text: string) => Object.entries(JSON.parse(text).runs) as [string, { verdicts: object[] }][];

test('baseline save adds a run: one line, named by its start, counts without trials', async () => {
  const { taskproof, read, write } = suite({ 'taskproof-results.json': BEFORE });
  const { code, out } = await taskproof(['baseline', 'save']);
  expect([code, out]).toEqual([0, expect.stringContaining('Saved 2 verdicts')]);
  const first = read('taskproof-baseline.json');
  expect(runsOf(first)).toEqual([
    [
      '2026-11-05T10:00:00.000Z',
      { verdicts: [expect.objectContaining({ spec: 'cart', passes: 5, k: 5 }), expect.anything()] },
    ],
  ]);
  expect(first).not.toContain('trials');
  write('earlier.json', resultsFile({ cart: 'ppppf', docs: 'ppppp' }, { startedAt: '2026-11-04T10:00:00Z' }));
  expect((await taskproof(['baseline', 'save', 'earlier.json'])).out).toContain('holds 2 runs');
  const lines = read('taskproof-baseline.json')
    .split('\n')
    .filter(line => line.includes('verdicts'));
  expect(lines.map(line => line.slice(0, 28))).toEqual(
    ['"2026-11-04T10:00:00.000Z": {', '"2026-11-05T10:00:00.000Z": {'].map(text => text.slice(0, 28)),
  );
  // Saving it again changes nothing.
  const both = read('taskproof-baseline.json');
  await taskproof(['baseline', 'save']);
  expect(read('taskproof-baseline.json')).toBe(both);
});

test('--runs keeps the newest, --replace starts anew, several files are several runs', async () => {
  const day = (n: number) => resultsFile({ cart: 'pp' }, { startedAt: `2026-11-0${n}T10:00:00.000Z` });
  const { taskproof, read } = suite({ '1.json': day(1), '2.json': day(2), '3.json': day(3) });
  const starts = () => runsOf(read('b.json')).map(([start]) => start.slice(8, 10));
  await taskproof(['baseline', 'save', '1.json', '2.json', '3.json', '-o', 'b.json']);
  expect(starts()).toEqual(['01', '02', '03']);
  await taskproof(['baseline', 'save', '3.json', '-o', 'b.json', '--runs', '2']);
  expect(starts()).toEqual(['02', '03']);
  await taskproof(['baseline', 'save', '1.json', '-o', 'b.json', '--replace']);
  expect(starts()).toEqual(['01']);
  expect((await taskproof(['baseline', 'save', '--runs', '0'])).err).toContain('whole number');
});

test('results that a later run did not replace are refused on either side, and as a history', async () => {
  const stale = resultsFile({ cart: 'ppppp', docs: 'ppppp' }, { supersededAt: '2026-11-06T10:00:00.000Z' });
  const { taskproof } = suite({ 'stale.json': stale, 'new.json': BEFORE });
  for (const args of [
    ['diff', 'stale.json', 'new.json'],
    ['diff', 'new.json', 'stale.json'],
    ['trend', 'stale.json'],
    ['baseline', 'save', 'new.json', '-o', 'stale.json'],
  ]) {
    const { code, out, err } = await taskproof(args);
    expect([code, out, err], args.join(' ')).toEqual([
      3,
      '',
      expect.stringContaining('stale.json: the results of an earlier run (2026-11-05T10:00:00.000Z)'),
    ]);
  }
});

test.each([
  ['passed', 'ppppp', ''],
  ['failed', 'ppppp', 'Note: the run of new.json failed outside of its verdicts'],
  ['failed', 'fffff', ''],
] as const)('diff says if a run %s although its specs did not: %s', async (status, cart, note) => {
  const { taskproof } = suite({
    'old.json': resultsFile({ cart }),
    'new.json': resultsFile({ cart }, { status }),
  });
  const { code, err } = await taskproof(['diff', 'old.json', 'new.json']);
  expect(code).toBe(0);
  if (note) expect(err).toContain(note);
  else expect(err).toBe('');
});

test('an incomplete run is saved with --force alone, as a partial one', async () => {
  const { taskproof, read } = suite({ 'r.json': resultsFile({ cart: 'pp---' }, { complete: false }) });
  const refused = await taskproof(['baseline', 'save', 'r.json', '-o', 'deep/b.json']);
  expect(refused.code).toBe(1);
  expect(refused.err).toContain('These lack trials: cart');
  expect(() => read('deep/b.json')).toThrow();
  expect((await taskproof(['baseline', 'save', 'r.json', '-o', 'deep/b.json', '--force'])).code).toBe(0);
  expect(runsOf(read('deep/b.json'))[0]![1]).toMatchObject({ partial: true });
});

test('a filtered run is saved as a partial one: the other specs stay in the baseline', async () => {
  const filtered = { filtered: true, startedAt: '2026-11-06T10:00:00.000Z' };
  const { taskproof, read } = suite({
    'all.json': BEFORE,
    'part.json': resultsFile({ cart: 'ppppp' }, filtered),
  });
  await taskproof(['baseline', 'save', 'all.json']);
  const { code, err } = await taskproof(['baseline', 'save', 'part.json']);
  expect([code, err]).toEqual([0, expect.stringContaining('kept as a partial run')]);
  expect(runsOf(read('taskproof-baseline.json'))[1]![1]).toMatchObject({ partial: true });
  const diff = await taskproof(['diff', 'taskproof-baseline.json', 'part.json']);
  const counts = '1 spec compared: 1 unchanged, 1 not run\nNothing is worse than the baseline.';
  expect([diff.code, diff.out, diff.err]).toEqual([0, counts, '']);
});

test('a run that was resumed is saved by the start of its first trials', async () => {
  const trialsSince = '2026-11-01T10:00:00.000Z';
  const { taskproof, read } = suite({
    'taskproof-results.json': resultsFile({ cart: 'pp' }, { trialsSince }),
  });
  expect((await taskproof(['baseline', 'save'])).out).toContain(`Saved 1 verdict of ${trialsSince}`);
  expect(runsOf(read('taskproof-baseline.json'))[0]![0]).toBe(trialsSince);
});

test('a run without a graded trial is not saved', async () => {
  const { taskproof, read } = suite({ 'taskproof-results.json': resultsFile({}) });
  const { code, err } = await taskproof(['baseline', 'save', '--force']);
  expect([code, err]).toEqual([1, expect.stringContaining('taskproof-results.json has no graded trial')]);
  expect(() => read('taskproof-baseline.json')).toThrow();
});

test('a run that lacks specs of the baseline is not saved by accident, nor one of another suite', async () => {
  const { taskproof, read, write } = suite({ 'taskproof-results.json': BEFORE });
  await taskproof(['baseline', 'save']);
  const saved = read('taskproof-baseline.json');
  write('taskproof-results.json', resultsFile({ cart: 'ppppp' }, { startedAt: '2026-11-06T10:00:00.000Z' }));
  const refused = await taskproof(['baseline', 'save']);
  expect([refused.code, refused.err]).toEqual([
    1,
    expect.stringContaining('1 verdict that this run lacks: docs'),
  ]);
  write('other.json', resultsFile({ news: 'ppppp' }));
  expect((await taskproof(['baseline', 'save', 'other.json'])).err).toContain('another suite');
  expect(read('taskproof-baseline.json')).toBe(saved);
  expect((await taskproof(['baseline', 'save', '--force'])).code).toBe(0);
  // Taken out on purpose: nothing is missed any more.
  expect((await taskproof(['diff'])).out).toContain('1 spec compared: 1 unchanged');
});

test.each([
  ['no file', {}, 'taskproof-results.json does not exist. Run'],
  ['a foreign file', { 'taskproof-results.json': '{"suites":[]}' }, 'not a Taskproof results file'],
  // Never taken for a baseline of fewer runs.
  [
    'a run beside a baseline that was cut',
    { 'taskproof-results.json': BEFORE, 'taskproof-baseline.json': '{\n"schemaVersion": "2",\n"runs": {\n' },
    'taskproof-baseline.json: not JSON',
  ],
])('baseline save of %s says what to do', async (_name, files, message) => {
  const { code, err } = await suite(files).taskproof(['baseline', 'save']);
  expect(code).toBe(1);
  expect(err).toContain(message);
});

test('record says which specs there are, and what to do where none passed', async () => {
  const { taskproof } = suite({ 'taskproof-results.json': resultsFile({ cart: 'ff', news: 'f' }) });
  expect((await taskproof(['record', '--spec', 'card'])).err).toContain('card. Its specs: "cart", "news".');
  expect((await taskproof(['record', '--project', 'gpt'])).err).toContain('Its projects: "opus".');
  expect((await taskproof(['record'])).err).toContain('Run the specs until one passes');
});

test('record writes nothing where it asks for a choice', async () => {
  const recording = madeRecording([], { turns: [] });
  const { taskproof, read } = suite({
    'r.json': JSON.stringify(
      results([
        row('cart', 'p', { recording }),
        row('news', 'p', { recording }),
        row('news', 'p', { recording, project: 'haiku' }),
      ]),
    ),
  });
  const { code, err } = await taskproof(['record', 'r.json']);
  expect([code, err]).toEqual([
    1,
    expect.stringContaining('news passed in the projects "opus" and "haiku". Choose one with --project.'),
  ]);
  expect(() => read('recordings/cart.json')).toThrow('ENOENT');
  expect((await taskproof(['record', 'r.json', '--project', 'opus'])).code).toBe(0);
  expect(read('recordings/cart.json')).toContain('claude');
});

const LONG = 'p'.repeat(25);
const FELL = 'p'.repeat(13) + 'f'.repeat(12);

test.each<[string, Record<string, string>, Record<string, string>, string[], number, string]>([
  ['nothing changed', {}, {}, [], 0, 'Nothing is worse than the baseline.'],
  ['a proven regression', {}, { cart: 'pffff' }, [], 1, 'Worse than the baseline: cart [opus].'],
  ['a flip of few trials', {}, { cart: 'pppff' }, [], 1, 'regressed, too few trials to tell'],
  ['a flip of few trials, allowed', {}, { cart: 'pppff' }, ['--allow', 'candidates'], 0, 'Nothing is worse'],
  ['a proven fall', { cart: LONG }, { cart: FELL }, [], 1, '25/25 → 13/25'],
  [
    'the site down',
    {},
    { cart: 'eeeee', docs: 'eeeee' },
    [],
    3,
    'one side is inconclusive or undecided on 2 specs (cart [opus], docs [opus])',
  ],
  ['a spec added', {}, { news: 'ppppp' }, [], 3, '--allow added'],
  ['a spec added, allowed', {}, { news: 'ppppp' }, ['--allow', 'unclear,added'], 0, 'Nothing is worse'],
])('diff, %s', async (_name, before, after, options, code, text) => {
  const base = { cart: 'ppppp', docs: 'ppppp' };
  const { taskproof } = suite({
    'before.json': resultsFile({ ...base, ...before }),
    'taskproof-results.json': resultsFile({ ...base, ...after }),
  });
  const result = await taskproof(['diff', 'before.json', ...options]);
  expect(result.out).toContain(text);
  expect(result.code).toBe(code);
  expect(result.err).toBe('');
});

test.each<[string, Record<string, string>, string[], number]>([
  ['a spec gone', { cart: 'ppppp' }, [], 3],
  ['an empty run', {}, [], 3],
])('diff, %s', async (_name, after, options, code) => {
  const { taskproof } = suite({ 'before.json': BEFORE, 'taskproof-results.json': resultsFile(after) });
  const result = await taskproof(['diff', 'before.json', ...options]);
  expect([result.code, result.out]).toEqual([code, expect.stringContaining('removed')]);
});

test.each<[string, Parameters<typeof resultsFile>, number, string]>([
  [
    '--grep that ran nothing',
    [{}, { filtered: true }],
    3,
    "2 not run\nCan't tell: there is nothing to compare.",
  ],
  ['--project', [{}, { projectsSelected: true }], 3, '0 specs compared: 2 not run'],
  ['a fault', [{ cart: 'ppppp' }, { complete: false }], 3, '1 unclear, 1 unchanged'],
])('diff of a run that lacks specs because of %s', async (_name, [specs, more], code, text) => {
  const { taskproof } = suite({ 'a.json': BEFORE, 'b.json': resultsFile(specs, more) });
  const result = await taskproof(['diff', 'a.json', 'b.json']);
  expect([result.code, result.out]).toEqual([code, expect.stringContaining(text)]);
  const markdown = (await taskproof(['diff', 'a.json', 'b.json', '--markdown'])).out;
  expect(markdown.includes('docs')).toBe(more?.complete === false);
});

test('the first run of a suite has no baseline', async () => {
  const { taskproof } = suite({ 'taskproof-results.json': BEFORE });
  const { code, err } = await taskproof(['diff']);
  expect([code, err]).toEqual([2, expect.stringContaining('--allow no-baseline')]);
  const allowed = await taskproof(['diff', '--allow', 'no-baseline']);
  expect([allowed.code, allowed.out]).toEqual([0, expect.stringContaining('There is no baseline yet')]);
  // Nor did the last run leave anything.
  for (const command of ['diff', 'confirm']) {
    const empty = await suite({}).taskproof([command, '--allow', 'no-baseline']);
    expect([empty.code, empty.err]).toEqual([2, expect.stringContaining('taskproof-results.json')]);
  }
  const wrong = await taskproof(['diff', '--allow', 'everything']);
  expect([wrong.code, wrong.err]).toEqual([2, expect.stringContaining('unknown everything')]);
});

test.each([
  ['missing.json', 'a.json', 'missing.json does not exist'],
  ['a.json', 'later.json', 'schemaVersion is "9"'],
  ['a.json', 'text.json', 'text.json: not JSON'],
  ['a.json', 'baseline.json', 'a baseline, not the results of a run'],
  ['cut.json', 'a.json', 'the baseline is not valid'],
])('diff %s %s fails by itself with 2', async (before, after, message) => {
  const { taskproof } = suite({
    'a.json': BEFORE,
    'later.json': BEFORE.replace('"schemaVersion":"1"', '"schemaVersion":"9"'),
    'text.json': 'hello',
    'baseline.json': '{"schemaVersion":"2","runs":{}}',
    'cut.json': '{"schemaVersion":"2"}',
  });
  const { code, out, err } = await taskproof(['diff', before, after]);
  expect([code, out]).toEqual([2, '']);
  expect(err).toContain(message);
});

test('a baseline that lists a spec twice in one run is refused: one row would hide the other', async () => {
  const { taskproof, read, write } = suite({ 'taskproof-results.json': BEFORE });
  await taskproof(['baseline', 'save']);
  write('twice.json', read('taskproof-baseline.json').replace(/("verdicts":\[)(\{.*?\})/, '$1$2,$2'));
  const { code, err } = await taskproof(['diff', 'twice.json']);
  expect([code, err]).toEqual([2, expect.stringContaining('spec "cart" is listed twice')]);
});

test('diff --markdown and --json, to a file', async () => {
  const { taskproof, read } = suite({ 'a.json': BEFORE, 'b.json': resultsFile({ cart: 'pffff' }) });
  expect((await taskproof(['diff', 'a.json', 'b.json', '--markdown', '-o', 'out/c.md'])).code).toBe(1);
  expect(read('out/c.md')).toMatch(/^<!-- taskproof-diff -->\n\n### Taskproof: 1 regressed, 1 removed\n/);
  const { out } = await taskproof(['diff', 'a.json', 'b.json', '--json']);
  expect(JSON.parse(out)).toMatchObject({
    outcome: 'worse',
    counts: { regressed: 1, removed: 1, fixed: 0 },
    rows: [
      {
        spec: 'cart',
        change: 'regressed',
        before: { passes: 5 },
        after: { passes: 1 },
        candidate: true,
        proven: true,
      },
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
  expect(code).toBe(3);
  expect(err).toContain('b.json is from an incomplete run');
});

test('schema, to the terminal and to a file', async () => {
  const { taskproof, read } = suite();
  const specs = JSON.parse((await taskproof(['schema'])).out);
  expect([specs.then.required, specs.else.required]).toEqual([
    expect.arrayContaining(['assertions']),
    expect.arrayContaining(['assertions']),
  ]);
  expect((await taskproof(['schema', '--results', '--output', 'schemas/r.json'])).code).toBe(0);
  expect(JSON.parse(read('schemas/r.json')).required).toContain('verdicts');
});

test('a folder in the way is an error that names the file', async () => {
  const { taskproof } = suite({ 'out/x': '' });
  const { code, err } = await taskproof(['schema', '--output', 'out']);
  expect(code).toBe(1);
  expect(err).toContain("out can't be written (EISDIR)");
});
