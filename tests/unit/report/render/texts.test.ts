// The texts that people read, whole: what stands in each column, and what is said below.
import { expect, test } from 'vitest';
import type { Results } from '../../../../src/data/results';
import { diffDocument } from '../../../../src/report/render/diff';
import { commentWriter } from '../../../../src/report/render/markdown-writer';
import { renderSummary, verdictTable } from '../../../../src/report/render/run';
import { terminalWriter } from '../../../../src/report/render/terminal-writer';
import { diffVerdicts } from '../../../../src/verdicts/change';
import { verdictOf } from '../../../../src/verdicts/verdict';
import { resultRow, trials } from '../../verdicts/trials';

function row(spec: string, letters: string, more: Partial<Results['verdicts'][number]> = {}) {
  const subject = { spec, project: 'opus', agent: 'claude', model: 'm-1', replayed: false, specHash: 'a' };
  const verdict = verdictOf({ k: letters.length, minPasses: letters.length }, trials(letters));
  return { ...resultRow(subject, verdict), ...more };
}

test('a spec that was changed may be the cause', () => {
  const text = diffDocument(
    diffVerdicts([row('cart', 'pp')], [row('cart', 'ff', { specHash: 'b', reason: null })]),
  )(terminalWriter());
  expect(text).toMatch(/^cart {2}opus {2}also changed: the spec$/m);
});

test('nothing changed, nothing at all', () => {
  const same = [row('cart', 'p')];
  expect(diffDocument(diffVerdicts(same, same))(terminalWriter())).toBe('1 spec compared: 1 unchanged');
  expect(diffDocument(diffVerdicts([], []))(terminalWriter())).toBe('0 specs compared: nothing to compare');
  expect(diffDocument(diffVerdicts(same, []))(terminalWriter())).not.toMatch(/\n\n\n/);
  expect(diffDocument(diffVerdicts(same, []))(commentWriter)).not.toMatch(/unchanged|^- /m);
  expect(diffDocument(diffVerdicts(same, same))(commentWriter)).not.toMatch(/regressed|^- /m);
});

const RESULTS: Results = {
  schemaVersion: '1',
  startedAt: '2026-11-05T10:00:00.000Z',
  durationMs: 61_000,
  status: 'failed',
  costUsd: null,
  complete: false,
  verdicts: [
    row('cart', 'pp'),
    row('login', 'pf', { project: 'haiku' }),
    row('menu', 'ee', { turns: null }),
    row('open', 'p--'),
    row('open', 'p', { replayed: true, interval: null }),
  ],
};

test('the end of a run in the terminal', () => {
  const columns = process.stdout.columns;
  process.stdout.columns = 100;
  try {
    expect(verdictTable(RESULTS)).toBe(
      [
        '',
        'Taskproof (incomplete: trials are missing)',
        '  spec   project  verdict         passes                rate (95%)      turns   cost',
        '  cart   opus     ✓ passed        2/2, needs 2          100% (34-100%)      4  $0.20',
        '  login  haiku    ✗ failed        1/2, needs 2          50% (9-91%)         4  $0.20',
        '  menu   opus     ? inconclusive  0/2, needs 2          -                   -  $0.20',
        '  open   opus     … undecided     1/3, needs 3 (1 ran)  100% (21-100%)      4  $0.10',
        '',
        '  Replayed from recordings (measures no agent):',
        '  spec  project  verdict   passes        rate  turns   cost',
        '  open  opus     ✓ passed  1/1, needs 1  100%      4  $0.10',
        '',
        '  Not counted against the site:',
        '  2 trials with error: agent_api. The agent could not work. Check its API key,',
        "  rate limits and the provider's status page, then run again.",
        '',
        '  4 specs: 1 passed, 1 failed, 1 inconclusive, 1 undecided; 1 replayed: 1 passed (1m 01s, unknown)',
      ].join('\n'),
    );
  } finally {
    process.stdout.columns = columns;
  }
});

test('a shard tells what other shards have from what is missing', () => {
  const verdicts = [
    row('cart', 'pp'),
    row('login', 'p--', { inOtherShards: 2 }),
    row('menu', 'pf-', { inOtherShards: 1 }),
    row('open', 'f-', { inOtherShards: 1, verdict: 'undecided' }),
  ];
  const shard = { ...RESULTS, shard: '1/2', verdicts };
  const lines = verdictTable(shard).split('\n');
  expect(lines.map(line => line.replace(/(?<=\S) {2,}/g, ' ')).slice(1)).toEqual([
    'Taskproof (shard 1 of 2)',
    '  spec project verdict passes rate (95%) turns cost',
    '  cart opus ✓ passed 2/2, needs 2 100% (34-100%) 4 $0.20',
    '  login opus … not judged yet 1/3, needs 3 (1 ran) 100% (21-100%) 4 $0.10',
    '  menu opus ✗ failed 1/3, needs 3 (2 ran) 50% (9-91%) 4 $0.20',
    '  open opus … not judged yet 0/2, needs 2 (1 ran) 0% (0-79%) 4 $0.10',
    '',
    '  2 specs have their other trials in other shards. For the verdicts merge the',
    '  blobs of all shards: npx playwright merge-reports',
    '  --reporter=@taskproof/playwright/reporter <folder>',
    '',
    '  4 specs: 1 passed, 1 failed, 2 not judged yet (1m 01s, unknown)',
  ]);
  const broken = { ...shard, incompleteBecause: 'the run was interrupted', verdicts: [row('cart', 'p-')] };
  expect(verdictTable(broken)).toMatch(
    /^\nTaskproof \(shard 1 of 2, incomplete: the run was interrupted\)\n.*\n.* … undecided /,
  );
  expect(verdictTable(broken)).not.toContain('merge');
  expect(renderSummary(shard)).toMatch(
    /1m 01s\. Shard 1 of 2\.\n[\s\S]*\*\*login\*\* \(opus\) not judged yet, 1\/3/,
  );
});

test('a narrow terminal goes without the columns that count least', () => {
  const { columns } = process.stdout;
  const heads = [90, 85, 78, 70, 60].map(width => {
    process.stdout.columns = width;
    const rows = [row('a-rather-long-name-of-a-spec', 'pf')];
    return verdictTable({ ...RESULTS, verdicts: rows })
      .split('\n')[2]!
      .replace(/ {2,}/g, ' ')
      .trim();
  });
  process.stdout.columns = columns;
  expect(heads).toEqual([
    'spec project verdict passes rate (95%) turns cost',
    'spec verdict passes rate (95%) turns cost',
    'spec verdict passes rate (95%) cost',
    'spec verdict passes rate (95%)',
    'spec verdict passes',
  ]);
});

test('a whole run says nothing of missing trials, and one without errors nothing of errors', () => {
  const text = verdictTable({ ...RESULTS, complete: true, verdicts: [row('cart', 'pp', { project: '' })] });
  expect(text.split('\n').slice(0, 2)).toEqual(['', 'Taskproof']);
  expect(text).not.toMatch(/Not counted|Replayed|replayed/);
  expect(text).toMatch(/\n\n {2}1 spec: 1 passed \(1m 01s, unknown\)$/);
});

const DIAGNOSIS = {
  ...{ headline: 'trial 2/3: nothing matches "h1"', parted: null },
  ...{ groups: [], partings: [], findings: [], others: [] },
};

test('failures that a verdict tolerates are told, five at most', () => {
  const many = (count: number) =>
    verdictTable({
      ...RESULTS,
      complete: true,
      verdicts: Array.from({ length: count }, (_, n) => ({
        ...row(`s${n}`, 'pfp', { verdict: 'passed' }),
        diagnosis: DIAGNOSIS,
      })),
    });
  expect(many(5).match(/^ {2}Tolerated in s\d \[opus\]: trial 2\/3: nothing matches "h1"$/gm)).toHaveLength(
    5,
  );
  expect(many(5)).not.toContain('more in the results file');
  expect(many(6)).toMatch(/Tolerated in s4 .*\n {2}and 1 more in the results file\n\n/);
  const lost = verdictTable({ ...RESULTS, verdicts: [row('s', 'pff', { diagnosis: DIAGNOSIS })] });
  expect(lost).not.toContain('Tolerated');
});

test('ordinary tests have a table of their own, without turns and cost if they have no agent', () => {
  const one = { titlePath: ['a.spec.ts', 'answers'], agent: null, turns: null, costUsd: 0 };
  const shown = (verdicts: Results['verdicts']) =>
    verdictTable({ ...RESULTS, complete: true, costUsd: 0.2, verdicts })
      .split('\n')
      .slice(2);
  expect(shown([row('cart', 'pp'), row('answers', 'pp', one)])).toEqual([
    '  spec  project  verdict   passes        rate (95%)      turns   cost',
    '  cart  opus     ✓ passed  2/2, needs 2  100% (34-100%)      4  $0.20',
    '',
    '  test     project  verdict   passes        rate (95%)',
    '  answers  opus     ✓ passed  2/2, needs 2  100% (34-100%)',
    '',
    '  1 spec: 1 passed; 1 test: 1 passed (1m 01s, $0.20)',
  ]);
  expect(shown([row('answers', 'pp', one)]).at(-1)).toBe('  1 test: 1 passed (1m 01s)');
  expect(shown([row('answers', 'pp', { ...one, agent: 'claude', turns: 3 })])).toEqual([
    '  test     project  verdict   passes        rate (95%)      turns  cost',
    '  answers  opus     ✓ passed  2/2, needs 2  100% (34-100%)      3    $0',
    '',
    '  1 test: 1 passed (1m 01s, $0.20)',
  ]);
});

test('a narrow terminal keeps the project if there are several; what did not run has no row', () => {
  const { columns } = process.stdout;
  process.stdout.columns = 72;
  const rows = [
    row('a-rather-long-name-of-a-spec', 'pf'),
    row('b', 'pp', { project: 'haiku' }),
    row('gone', '--'),
  ];
  const shown = verdictTable({ ...RESULTS, verdicts: rows });
  process.stdout.columns = columns;
  expect(shown.split('\n')[2]!.trim().split(/ {2,}/)).toEqual(['spec', 'project', 'verdict', 'passes']);
  expect(shown).not.toMatch(/^ {2}gone/m);
  expect(shown).toMatch(/3 specs: 1 passed, 1 failed, 1 undecided/);
});

test('in colour', () => {
  const { FORCE_COLOR } = process.env;
  process.env.FORCE_COLOR = '1';
  const healed = { turn: 1, reason: 'gone', recording: 'r.json' };
  const replayed = row('open', 'p', { replayed: true });
  replayed.trials = replayed.trials.map(trial => ({ ...trial, healed }));
  const shown = verdictTable({ ...RESULTS, verdicts: [row('cart', 'pf'), replayed] });
  if (FORCE_COLOR === undefined) delete process.env.FORCE_COLOR;
  else process.env.FORCE_COLOR = FORCE_COLOR;
  for (const part of ['\u001b[1mTaskproof', '\u001b[31m✗ failed', '\u001b[33m  open [opus] healed at turn 1'])
    expect(shown).toContain(part);
});
