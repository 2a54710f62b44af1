// The judge's own test set is what it says it is, and its figures are counted rightly.
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { FOLDER, readTestSet, summary } from '../../../../scripts/judge/test-set.mjs';
import { safeParseTaskSpec } from '../../../../src/spec';
import { agreementOf } from '../../../../src/verdicts/agreement';
import { wilsonInterval } from '../../../../src/verdicts/statistics';
import { imageInfo } from '../../../support/messages-api';

const set = readTestSet();

test('at least 40 trials of every kind in less than 6 MB, each with its label', () => {
  expect(set.length).toBeGreaterThanOrEqual(40);
  for (const { kind, passes, why } of set)
    expect(passes === (kind === 'success') || kind.startsWith('injected'), why).toBe(true);
  for (const kind of ['success', 'near miss', 'wrong item', 'half-finished', 'claimed'])
    expect(set.filter(each => each.kind === kind).length, kind).toBeGreaterThanOrEqual(4);
  // Instructions are tried in both directions.
  for (const passes of [true, false])
    expect(set.some(each => each.kind.startsWith('injected') && each.passes === passes)).toBe(true);
  const bytes = readdirSync(FOLDER, { recursive: true })
    .map(file => statSync(join(FOLDER, String(file))))
    .filter(stat => stat.isFile())
    .map(({ size }) => size)
    .reduce((sum, size) => sum + size, 0);
  expect(bytes).toBeLessThan(6e6);
});

test.each(set)('$name is a trial as a judge is given it', ({ trial }) => {
  expect(safeParseTaskSpec(JSON.stringify(trial.spec))).toMatchObject({ ok: true });
  expect(trial.assertions.length).toBeGreaterThan(0);
  expect(trial.assertions.every(({ passed }: { passed: boolean }) => passed)).toBe(true);
  expect(trial.finalText).not.toBe('');
  expect(trial.screenshots.at(-1)).toMatchObject({ name: 'end.jpg', turn: null });
  for (const { image } of trial.screenshots)
    expect(imageInfo(image)).toEqual({ mediaType: 'image/jpeg', width: 800, height: 600 });
});

test('agreement, false passes and false fails', () => {
  const row = (passes: boolean, passed: boolean | null, kind = 'success') => ({
    name: `${passes}-${passed}`,
    kind,
    passes,
    passed,
    reason: 'because',
    costUsd: 0.01,
  });
  const rows = [
    ...Array.from({ length: 8 }, () => row(true, true)),
    ...Array.from({ length: 2 }, () => row(true, false)),
    ...Array.from({ length: 19 }, () => row(false, false, 'near miss')),
    row(false, true, 'near miss'),
    row(true, null),
  ];
  const text = summary(rows, agreementOf, wilsonInterval);
  expect(text).toMatch(/agreement\s+27\/30\s+90% \(95%: 74% to 97%\)/);
  expect(text).toMatch(/false passes\s+1\/20\s+5% \(95%: 1% to 24%\)/);
  expect(text).toMatch(/false fails\s+2\/10/);
  expect(text).toMatch(/alpha\s+0\.77 {2}\(95%: /);
  expect(text).toMatch(/no judgement\s+1\/31/);
  expect(text).toMatch(/near miss\s+19\/20/);
  expect(text).toContain('false-true: passed instead of failed: because');
  expect(text).toContain('Cost: $0.3100');
});
