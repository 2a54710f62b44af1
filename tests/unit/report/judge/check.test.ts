// What `taskproof judge check` may spend, with a judge that does not heed what it is told.
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { labelsText } from '../../../../src/data/labels';
import { NO_USAGE } from '../../../../src/data/usage';
import type { Judge } from '../../../../src/grading/judge';
import { checkJudges } from '../../../../src/report/judge/check';
import { loadFile } from '../../../../src/spec/load';
import { fakeTest } from '../../../support/fake-suite';
import { JUDGED_SPEC, keptTrial } from '../../../support/kept-trial';
import { madeRecord } from '../../../support/records';
import { tempFolder } from '../../../support/temp-folder';

test('once its costs reach --max-cost, a judge is asked no more', async () => {
  const folder = tempFolder();
  writeFileSync(join(folder, 'cart.yaml'), JUDGED_SPEC);
  const { rubricHash = '' } = loadFile(join(folder, 'cart.yaml'));
  mkdirSync(join(folder, '.taskproof/labelled'), { recursive: true });
  const labels = Array.from({ length: 10 }, (_, index) => {
    const record = madeRecord({
      specId: 'cart',
      repeatIndex: index,
      finalText: '',
      judge: { name: 'mine', passed: true, reason: '' },
    });
    const trial = createHash('sha256').update(JSON.stringify(record)).digest('hex').slice(0, 32);
    writeFileSync(join(folder, `.taskproof/labelled/${trial}.json`), keptTrial(record));
    const at = '2026-11-24T11:00:00.000Z';
    return {
      ...{ spec: 'cart', project: 'p', trial, rubric: rubricHash, run: at, index },
      ...{ label: 'passed' as const, at },
    };
  });
  const labelsFile = join(folder, 'labels.json');
  writeFileSync(labelsFile, labelsText({ labels, answers: [] }));
  const usage = { ...NO_USAGE, costUsd: 0.01 };
  const judge = {
    name: 'mine',
    judge: vi.fn<Judge['judge']>(async () => ({ passed: true, reason: '', usage })),
  };
  const plan = {
    ...{ id: 'cart', file: 'cart.yaml', policy: { k: 10, minPasses: 5 }, replayed: false },
    rubricHash,
  };
  const planned = {
    ...{ test: fakeTest(), plan, project: { name: 'p', use: {} } },
    options: { known: true, value: { judge } },
  };
  vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  const { judges } = await checkJudges([planned as never], folder, { labelsFile, maxCostUsd: 0.02 });
  // The first four are asked at once.
  expect(judge.judge).toHaveBeenCalledTimes(4);
  expect(judges[0]!.trials).toHaveLength(10);
  expect(judges[0]!.trials.at(-1)).toMatchObject({
    passed: null,
    reason: 'it was not asked: the costs have reached --max-cost',
  });
});
