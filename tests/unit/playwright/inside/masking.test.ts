// What the worker of a real run sends is looked at in tests/e2e/secrets.test.ts.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestInfo } from '@playwright/test';
import { describe, expect, test } from 'vitest';
import { hideSecrets, maskTest } from '../../../../src/playwright/inside/masking';
import { secretMask } from '../../../../src/text/mask';
import { tempFolder } from '../../../support/temp-folder';

const mask = secretMask({ PW: 'hunter2' });

/** As a worker of Playwright 1.65 makes it, as far as it is touched. */
function worker() {
  const sent: unknown[] = [];
  const send = (payload: unknown) => void sent.push(payload);
  const info = { errors: [] as object[], _callbacks: { onStepBegin: send, onStepEnd: send, onAttach: send } };
  maskTest(info as unknown as TestInfo, mask);
  return { ...info, sent };
}

test.each([
  ['as it is', (given: object) => given],
  ['frozen', Object.freeze],
  ['sealed', Object.seal],
])('an object of secrets that is %s shows its names alone in a reporter of the config', (_, made) => {
  const secrets = made({ PW: 'hunter2' }) as { PW: string };
  const use = { viewport: null, taskproof: { secrets, record: true } };
  hideSecrets([{ use }]);
  const taskproof = { secrets: { PW: '<secret>PW</secret>' }, record: true };
  expect(JSON.parse(JSON.stringify(use))).toEqual({ viewport: null, taskproof });
  expect([secrets.PW, Object.keys(use)]).toEqual(['hunter2', ['viewport', 'taskproof']]);
});

describe('before a reporter sees it', () => {
  test('the titles and parameters of a step', () => {
    const { _callbacks, sent } = worker();
    const step = (value: string, shouted = value) => ({
      ...{
        stepId: 'hunter2',
        category: 'pw:api',
        title: `Fill "${value}"`,
        subtitle: `getByText('${shouted}')`,
      },
      params: { value, nested: [{ text: `a ${value}` }], times: 2, none: null },
    });
    _callbacks.onStepBegin(step('hunter2', 'HUNTER2'));
    expect(sent).toEqual([step('<secret>PW</secret>')]);
  });

  test('an error, its causes and what a difference highlights in it; the paths of its stack stay', () => {
    const { errors, _callbacks, sent } = worker();
    const message = 'expected "\u001b[7mhunt\u001b[27mer2"';
    const error = () => ({
      message,
      stack: `Error: ${message}\n    at /home/hunter2/a.spec.ts:1:2`,
      cause: { value: 'hunter2' },
    });
    const masked = {
      message: 'expected "<secret>PW</secret>"',
      stack: 'Error: expected "<secret>PW</secret>"\n    at /home/hunter2/a.spec.ts:1:2',
      cause: { value: '<secret>PW</secret>' },
    };
    expect(errors.push(error(), { stack: 'hunter2 alone' })).toBe(2);
    _callbacks.onStepEnd({ error: error() });
    expect(errors).toEqual([masked, { stack: '<secret>PW</secret> alone' }]);
    expect(sent).toEqual([{ error: masked }]);
  });

  test('error-context.md, and no other file', () => {
    const { _callbacks } = worker();
    const folder = tempFolder();
    const texts = ['error-context', 'of-the-suite'].map(name => {
      const path = join(folder, `${name}.md`);
      writeFileSync(path, '- textbox: hunter2');
      _callbacks.onAttach({ name, path });
      return readFileSync(path, 'utf8');
    });
    expect(texts).toEqual(['- textbox: <secret>PW</secret>', '- textbox: hunter2']);
  });
});

test('where Playwright keeps steps elsewhere, that is told', () => {
  expect(maskTest({ errors: [] } as unknown as TestInfo, mask)).toBe(false);
});
