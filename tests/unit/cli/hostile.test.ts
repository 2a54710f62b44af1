// Results that someone else wrote, shown: nothing of them moves a terminal or is a command to a CI runner.
import { expect, onTestFinished, test, vi } from 'vitest';
import { checkRecording } from '../../../src/data/recording';
import { readResults } from '../../../src/data/results';
import { renderSummary, verdictTable } from '../../../src/report/render/run';
import { writeResults } from '../../../src/report/write';
import { harmless, oneLine } from '../../../src/text/line';
import { expectHarmless } from '../../support/harmless';
import { resultsFile, suite } from './suite';

/** Each at the start of a line, and as it may come to stand there: alone in a cell, after a separator, after a break. */
const EVIL = [
  '::error file=a,line=1::boom',
  '##vso[task.complete result=Failed]boom',
  '##[error]boom',
  "##teamcity[buildStatus text='boom']",
  'a\n::add-mask::boom',
  'a\r##vso[x]boom',
  'a\u2028::set-output name=x::boom',
  '\u001b[31m::error::boom\u001b]0;owned\u0007\u001b]8;;http://127.0.0.1:9/\u0007',
  '\u009b2J\u202Eboom\u202C\u200b::warning::boom',
  `${'long-name-'.repeat(4)}-::error::boom`,
  '#\u200b#vso[x]boom',
  ' \t::error::boom',
] as const;

/** A results file in which every text that may be anything is this one. */
function hostileFile(evil: string, { letters = 'ffe', also = {} } = {}): string {
  const results = JSON.parse(resultsFile({ order: letters, pay: 'fff' }));
  const projects = results.verdicts.map((row: { spec: string }, index: number) => ({
    ...row,
    ...{ spec: index ? `${evil} ${index}` : evil, project: evil, agent: evil, model: evil, file: evil },
    ...{ specHash: evil, reason: evil, notRecorded: evil, healed: 1 },
    trials: (row as unknown as { trials: object[] }).trials.map(trial => ({
      ...{ ...trial, reason: evil, errorKind: evil, status: evil, finalUrl: evil, screenshot: evil },
      healed: { turn: 1, reason: evil, recording: evil },
    })),
    ...also,
  }));
  const counts = { passes: 0, failures: 1, errors: 0, rate: 0, costUsd: null };
  const cell = { project: evil, verdict: 'failed', k: 1, turns: 1, ...counts };
  const total = { project: evil, agent: evil, model: evil, specs: 1, specsPassed: 0, ...counts };
  const comparison = {
    projects: [total],
    specs: [{ spec: evil, cells: [cell] }],
    differ: [evil],
    ratesDiffer: [evil],
    unclear: [evil],
  };
  return JSON.stringify({ ...results, comparison, verdicts: projects });
}

test.each(EVIL)('%j in a results file', async evil => {
  const files = { 'before.json': hostileFile(evil, { letters: 'ppp' }), 'after.json': hostileFile(evil) };
  const { taskproof } = suite(files);
  for (const options of [[], ['--json'], ['--markdown']]) {
    const { out, code } = await taskproof(['diff', 'before.json', 'after.json', ...options]);
    expect(code).toBe(1);
    expectHarmless(out.replace('<!-- taskproof-diff -->', ''));
    if (options[0] === '--json') expect(JSON.parse(out).rows[0].spec).toBe(evil);
  }
  expectHarmless((await taskproof(['record', 'after.json'])).err);
  expectHarmless((await taskproof(['record', 'after.json', '--project', 'none'])).err);
  const incomplete = hostileFile(evil, { also: { verdict: 'undecided' } }).replace(
    '"complete":true',
    '"complete":false',
  );
  expectHarmless((await suite({ 'r.json': incomplete }).taskproof(['baseline', 'save', 'r.json'])).err);
  const [row] = JSON.parse(hostileFile(evil)).verdicts;
  const doubled = JSON.stringify({ ...JSON.parse(hostileFile(evil)), verdicts: [row, row] });
  expectHarmless((await suite({ 'r.json': doubled }).taskproof(['diff', 'r.json', 'r.json'])).err);
  expectHarmless(
    (await suite({ 'r.json': evil }).taskproof(['diff', 'r.json', 'r.json'])).err + oneLine(evil),
  );
});

test.each(EVIL)('%j in what the reporter writes', async evil => {
  const results = readResults(hostileFile(evil), 'r.json');
  expectHarmless(harmless(renderSummary(results)));
  expect(harmless(renderSummary(results))).toBe(renderSummary(results));
  const { folder } = suite({ 'before.json': hostileFile(evil, { letters: 'ppp' }) });
  const out = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  onTestFinished(() => out.mockRestore());
  const options = { outputFile: 'r.json', baseline: 'before.json' };
  await writeResults(results, options as Parameters<typeof writeResults>[1], folder);
  expectHarmless(out.mock.calls.map(([text]) => text).join(''));
  out.mockRestore();
  expectHarmless(verdictTable(results));
});

test('an error about a recording quotes nothing raw', () => {
  expect(() => checkRecording({ recordingVersion: '\u001b[2J::error::' }, 'r.json')).toThrow(
    /recordingVersion is/,
  );
});
