// Blobs that version 0.1 wrote (tests/data/0.1) merge to the verdicts, reasons and diagnoses that it came to itself.
import { cpSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { keyOf } from '../../src/data/plan';
import type { Results } from '../../src/data/results';
import { makeSuite } from './suite';

const KEPT = resolve(__dirname, '../data/0.1');

/** Without the times. */
const compared = ({ verdicts, complete, status, comparison, findings }: Results) => ({
  complete,
  status,
  comparison,
  findings,
  verdicts: verdicts.toSorted((a, b) => keyOf(a).localeCompare(keyOf(b))),
});

test('the blobs of two shards', async () => {
  const suite = makeSuite({
    'merge.config.ts': `export default { reporter: [['@taskproof/playwright/reporter']] };`,
  });
  cpSync(join(KEPT, 'blobs'), join(suite.folder, 'blobs'), { recursive: true });
  const run = await suite.playwright(['merge-reports', '--config=merge.config.ts', 'blobs']);
  const expected = JSON.parse(readFileSync(join(KEPT, 'results/merged.json'), 'utf8')) as Results;
  // There may be more fields.
  expect(compared(run.results()), run.output).toMatchObject(compared(expected));
});
