// What the worker of a real run sends is looked at in tests/e2e/secrets.test.ts.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { hideSecrets, maskMessages, masksMessages } from '../../../../src/playwright/inside/masking';
import { maskOfConfig } from '../../../../src/playwright/run/secrets';
import { secretMask } from '../../../../src/text/mask';
import { tempFolder } from '../../../support/temp-folder';

const mask = secretMask({ PW: 'hunter2' });

/** Sends what a worker of Playwright 1.65 does. */
function worker() {
  const sent: unknown[] = [];
  const own = { send: (...message: unknown[]) => sent.push(message) > 0 };
  maskMessages(mask, own);
  const tell = (method: string, params: object) =>
    own.send({ method: '__dispatch__', params: { method, params } }, 1);
  return { sent, tell };
}
const told = (method: string, params: object) => [{ method: '__dispatch__', params: { method, params } }, 1];

test.each([
  ['as it is', (given: object) => given],
  ['frozen', Object.freeze],
  ['sealed', Object.seal],
])('an object of secrets that is %s shows its names alone in a reporter of the config', (_, made) => {
  const secrets = made({ PW: 'hunter2', PIN: 4711 }) as { PW: string };
  const use = { viewport: null, taskproof: { secrets, record: true } };
  hideSecrets({ projects: [{ use }] }, mask);
  const taskproof = { secrets: { PW: '<secret>PW</secret>', PIN: '<secret>PIN</secret>' }, record: true };
  expect(JSON.parse(JSON.stringify(use))).toEqual({ viewport: null, taskproof });
  expect(JSON.parse(JSON.stringify({ ...use }))).toEqual({ viewport: null, taskproof });
  expect([secrets.PW, Object.keys(use)]).toEqual(['hunter2', ['viewport', 'taskproof']]);
});

test('a value is hidden wherever the config has it, and can be read', () => {
  const config = {
    use: { taskproof: { secrets: { PW: 'hunter2', CODE: () => '1' } } },
    projects: [
      { use: { userAgent: 'hunter2', proxy: { password: 'hunter2' }, args: [['a=hunter2']], port: 7 } },
      {
        use: {
          taskproof: { secrets: { PW: 'of the second' } },
          storageState: Object.freeze({ a: 'of the second' }),
        },
      },
    ],
    webServer: [{ command: 'serve', env: { PW: 'hunter2' } }],
  };
  const before = structuredClone(config.projects[0]);
  hideSecrets(config, maskOfConfig(config)!);
  const name = '<secret>PW</secret>';
  expect(JSON.parse(JSON.stringify(config))).toMatchObject({
    projects: [
      { use: { userAgent: name, proxy: { password: name }, args: [[`a=${name}`]], port: 7 } },
      { use: { storageState: { a: name } } },
    ],
    webServer: [{ env: { PW: name } }],
  });
  expect(config.projects[0]).toEqual(before);
  expect(maskOfConfig({ projects: [{ use: { taskproof: {} } }, {}] })).toBeUndefined();
});

describe('before a reporter gets it', () => {
  test('the titles and parameters of a step', () => {
    const { sent, tell } = worker();
    const step = (value: string, shouted = value) => ({
      ...{
        stepId: 'hunter2',
        category: 'pw:api',
        title: `Fill "${value}"`,
        subtitle: `getByText('${shouted}')`,
      },
      params: { value, nested: [{ text: `a ${value}` }], times: 2, none: null },
    });
    tell('stepBegin', step('hunter2', 'HUNTER2'));
    expect(sent).toEqual([told('stepBegin', step('<secret>PW</secret>'))]);
  });

  test('an error, its causes and what a difference highlights in it; the paths of its stack stay', () => {
    const { sent, tell } = worker();
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
    tell('stepEnd', { error: error() });
    tell('stepEnd', {});
    tell('testEnd', { errors: [error(), { stack: 'hunter2 alone' }] });
    tell('teardownErrors', { fatalErrors: [error()] });
    tell('done', { fatalErrors: [error()] });
    expect(sent).toEqual([
      told('stepEnd', { error: masked }),
      told('stepEnd', {}),
      told('testEnd', { errors: [masked, { stack: '<secret>PW</secret> alone' }] }),
      told('teardownErrors', { fatalErrors: [masked] }),
      told('done', { fatalErrors: [masked] }),
    ]);
  });

  test('error-context.md, and no other file', () => {
    const { tell } = worker();
    const folder = tempFolder();
    const texts = ['error-context', 'of-the-suite'].map(name => {
      const path = join(folder, `${name}.md`);
      writeFileSync(path, '- textbox: hunter2');
      tell('attach', { name, path });
      return readFileSync(path, 'utf8');
    });
    expect(texts).toEqual(['- textbox: <secret>PW</secret>', '- textbox: hunter2']);
  });

  test('whether its messages are known is known once it begins a test', () => {
    const { sent, tell } = worker();
    tell('ready', {});
    expect(masksMessages()).toBe(false);
    tell('testBegin', {});
    expect([masksMessages(), sent.length]).toEqual([true, 2]);
  });
});
