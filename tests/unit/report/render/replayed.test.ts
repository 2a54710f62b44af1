// Replayed verdicts stand apart from the agents', and what was healed says where and why.
import { describe, expect, test } from 'vitest';
import { type Results, readResults } from '../../../../src/data/results';
import type { Healed, ResultRow } from '../../../../src/data/verdict';
import { diffDocument } from '../../../../src/report/render/diff';
import { renderSummary, verdictTable } from '../../../../src/report/render/run';
import { terminalWriter } from '../../../../src/report/render/terminal-writer';
import { healedText } from '../../../../src/report/render/trial-notes';
import { diffVerdicts } from '../../../../src/verdicts/change';
import { compareProjects } from '../../../../src/verdicts/compare';
import { verdictOf } from '../../../../src/verdicts/verdict';
import { resultRow, trial, trials } from '../../verdicts/trials';

const HEALED: Healed = {
  turn: 5,
  reason: 'action 4: button "Place order" not found on /checkout',
  recording: 'recordings/checkout.json',
};

function row(spec: string, project: string, letters: string, healed: Record<number, Healed> = {}): ResultRow {
  const all = trials(letters).map(one => ({
    ...one,
    ...(healed[one.index] ? { healed: healed[one.index]! } : {}),
  }));
  const replayed = project === 'replays';
  return resultRow(
    { spec, project, agent: replayed ? 'replay' : 'claude', model: null, replayed },
    verdictOf({ k: letters.length, minPasses: letters.length }, all),
  );
}

function results(verdicts: ResultRow[]): Results {
  const comparison = compareProjects(verdicts);
  return {
    schemaVersion: '1',
    startedAt: '2026-11-05T10:00:00.000Z',
    durationMs: 1000,
    status: 'failed',
    costUsd: 1,
    complete: true,
    verdicts,
    ...(comparison ? { comparison } : {}),
  };
}

describe('a healed trial in words', () => {
  test.each<[string, string | null]>([
    [
      'passed',
      'healed at turn 5: action 4: button "Place order" not found on /checkout; new recording beside recordings/checkout.json for review',
    ],
    [
      'failed',
      'healed at turn 5: action 4: button "Place order" not found on /checkout; the recording is recordings/checkout.json',
    ],
  ])('that %s', (outcome, expected) => {
    expect(healedText({ outcome: outcome as 'passed', healed: HEALED })).toBe(expected);
  });

  test('one line without control sequences, and nothing where nothing was healed', () => {
    const reason = 'gone\n::error::\u001b[31mred\u202e';
    const text = healedText({ outcome: 'passed', healed: { ...HEALED, reason } });
    expect(text).toContain('turn 5: gone : :error::red;');
    expect(healedText({ outcome: 'passed' })).toBeNull();
  });
});

test('a verdict counts its healed trials, and the results file keeps where and why', () => {
  const verdict = verdictOf({ k: 3, minPasses: 2 }, [
    trial(0, 'passed', { healed: HEALED }),
    trial(1, 'failed', { healed: HEALED }),
    trial(2, 'passed'),
    // beyond k
    trial(3, 'passed', { healed: HEALED }),
  ]);
  expect(verdict).toMatchObject({ verdict: 'passed', healed: 2 });
  expect(verdictOf({ k: 1, minPasses: 1 }, trials('p'))).not.toHaveProperty('healed');
  const written = results([row('checkout', 'replays', 'p', { 0: HEALED })]);
  expect(readResults(JSON.stringify(written), 'r.json').verdicts[0]).toMatchObject({
    healed: 1,
    trials: [{ healed: HEALED }],
  });
});

const MIXED = [
  row('cart', 'opus', 'ppp'),
  row('cart', 'haiku', 'ppp'),
  row('cart', 'replays', 'f'),
  row('checkout', 'opus', 'ppf'),
  row('checkout', 'haiku', 'ppp'),
  row('checkout', 'replays', 'p', { 0: HEALED }),
];

describe('the terminal', () => {
  const shown = verdictTable(results(MIXED));

  test('replays have a table of their own, passed ones too, with what was healed below', () => {
    const [agents, replays] = shown.split('  Replayed from recordings (measures no agent):\n') as [
      string,
      string,
    ];
    expect(agents).not.toContain('replays');
    expect(replays).toMatch(/^ {2}cart +replays +✗ failed/m);
    expect(replays).toMatch(/^ {2}checkout +replays +✓ passed/m);
    expect(replays).toContain(
      '\n  checkout [replays] healed at turn 5: action 4: button "Place order" not found',
    );
  });

  test('replays are in no total of agents', () => {
    expect(shown).toMatch(/passes, turns, cost +haiku +opus$/m);
    expect(shown).toMatch(/specs passed +2\/2 +1\/2$/m);
    expect(shown).toMatch(
      /^ {2}4 verdicts: 3 passed, 1 failed; 2 replayed: 1 passed, 1 failed, 1 healed \(/m,
    );
  });

  test('of replays alone', () => {
    const alone = verdictTable(results(MIXED.filter(({ replayed }) => replayed)));
    expect(alone).toMatch(/^ {2}2 replayed: 1 passed, 1 failed, 1 healed \(/m);
    expect(alone.match(/ spec /g)).toHaveLength(1);
  });
});

describe('the summary', () => {
  const text = renderSummary(results(MIXED));

  test('replays apart, and healed ones named', () => {
    expect(text).toContain('3 of 4 verdicts passed · 12 trials · 1 of 2 replayed verdicts passed · ');
    expect(text).toContain('- **cart** (replays), replayed, failed, 0/1');
    const [before, section] = text.split('### Replayed from recordings (measures no agent)') as [
      string,
      string,
    ];
    expect(before.split('### Side by side')[1]).not.toContain('replays');
    expect(section).toContain(
      '- **checkout** (replays), replayed, healed at turn 5: action 4: button "Place order"',
    );
    expect(section).toMatch(
      /\| cart \| replays \| \*\*✗ failed\*\* \|[\s\S]*\| checkout \| replays \| ✓ passed \|/,
    );
  });

  test('of replays alone says nothing of agents', () => {
    const alone = renderSummary(results([row('cart', 'replays', 'p')]));
    expect(alone).toContain('\n1 of 1 replayed verdict passed · ');
    expect(alone.match(/\| verdict \|/g)).toHaveLength(1);
  });

  test('a hostile reason stays inside its line', () => {
    const reason = '<img src=x> | `a`\n::error::x';
    const hostile = renderSummary(results([row('cart', 'replays', 'p', { 0: { ...HEALED, reason } })]));
    expect(hostile).not.toMatch(/<img|^::|[^\\]`/m);
  });
});

test('a diff compares replays with replays, and says which rows they are', () => {
  const before = [row('cart', 'opus', 'ppp'), { ...row('cart', 'opus', 'p'), replayed: true }];
  const after = [row('cart', 'opus', 'ppp'), { ...row('cart', 'opus', 'f'), replayed: true }];
  const text = diffDocument(diffVerdicts(before, after))(terminalWriter());
  expect(text).toMatch(/^regressed +cart +opus \(replayed\) +passed → failed/m);
  expect(text).toMatch(/^cart +opus \(replayed\) +trial 1\/1: because failed/m);
  expect(text).toMatch(/2 specs compared: 1 regressed, 1 unchanged$/);
});
