// What the worker of a real run sends is looked at in tests/e2e/secrets.test.ts.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import {
  type Config,
  hideSecrets,
  hideValues,
  maskMessages,
} from '../../../../src/playwright/inside/masking';
import { secretMask } from '../../../../src/text/mask';
import { tempFolder } from '../../../support/temp-folder';

const mask = secretMask({ PW: 'hunter2' });

/** Sends what a worker of Playwright 1.65 does. */
function worker() {
  const sent: unknown[] = [];
  const own = { send: (...message: unknown[]) => sent.push(message) > 0 };
  maskMessages(() => mask, own);
  const tell = (method: string, params: object) =>
    own.send({ method: '__dispatch__', params: { method, params } }, 1);
  return { sent, tell };
}
const told = (method: string, params: object) => [{ method: '__dispatch__', params: { method, params } }, 1];

const json = (value: unknown) => JSON.parse(JSON.stringify(value));

test.each([
  ['as it is', (given: object) => given],
  ['frozen', Object.freeze],
  ['sealed', Object.seal],
])('an object of secrets that is %s shows its names alone in a reporter of the config', (_, made) => {
  const secrets = made({ PW: 'hunter2', PIN: 4711 }) as { PW: string };
  const use = { viewport: null, taskproof: { secrets, record: true } };
  hideSecrets({ projects: [{ use }, { use: { taskproof: { record: true } } }, {}] } as Config);
  const taskproof = { secrets: { PW: '<secret>PW</secret>', PIN: '<secret>PIN</secret>' }, record: true };
  // Playwright makes a `use` of its own with these objects.
  expect(json({ ...use })).toEqual({ viewport: null, taskproof });
  expect([secrets.PW, Object.keys(use)]).toEqual(['hunter2', ['viewport', 'taskproof']]);
});

describe('with our reporter', () => {
  const name = '<secret>PW</secret>';
  const taskproof = { secrets: { PW: 'hunter2', PIN: 4711 } };

  test('a value is hidden wherever `use` and `webServer` have it', () => {
    const account = { password: 'hunter2', at: new Date(0) };
    const use = { userAgent: 'hunter2', account, args: [['a=hunter2']], port: 7, secrets: ['a'] };
    const config = {
      projects: [{ use }, { use: { taskproof: Object.freeze({ ...taskproof }) } }, {}],
      webServer: [{ command: 'serve', env: { PW: 'hunter2' } }],
    };
    hideValues(config as Config, mask);
    expect(json(config)).toEqual({
      projects: [
        {
          use: {
            ...{ userAgent: name, args: [[`a=${name}`]], port: 7, secrets: ['a'] },
            account: { password: name, at: '1970-01-01T00:00:00.000Z' },
          },
        },
        { use: { taskproof: { secrets: { PW: name, PIN: '<secret>PIN</secret>' } } } },
        {},
      ],
      webServer: [{ command: 'serve', env: { PW: name } }],
    });
    expect(use.account.password).toBe('hunter2');
  });

  test("the suite's own objects serialize as before: its set-up may send them", () => {
    const account = { password: 'hunter2' };
    hideValues({ projects: [{ use: { account } }] } as Config, mask);
    expect(json(account)).toEqual(account);
  });
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
    tell('testEnd', {});
    tell('testPaused', { errors: [error()] });
    tell('teardownErrors', { fatalErrors: [error()] });
    tell('done', { fatalErrors: [error()] });
    expect(sent).toEqual([
      told('stepEnd', { error: masked }),
      told('stepEnd', {}),
      told('testEnd', { errors: [masked, { stack: '<secret>PW</secret> alone' }] }),
      told('testEnd', {}),
      told('testPaused', { errors: [masked] }),
      told('teardownErrors', { fatalErrors: [masked] }),
      told('done', { fatalErrors: [masked] }),
    ]);
  });

  test('error-context.md, and no other file', () => {
    const { sent, tell } = worker();
    const folder = tempFolder();
    const texts = ['error-context', 'of-the-suite'].map(name => {
      const path = join(folder, `${name}.md`);
      writeFileSync(path, '- textbox: hunter2');
      tell('attach', { name, path });
      return readFileSync(path, 'utf8');
    });
    expect(texts).toEqual(['- textbox: <secret>PW</secret>', '- textbox: hunter2']);
    // Playwright takes a message that can't be sent for sent.
    const gone = { name: 'error-context', path: join(folder, 'gone.md') };
    tell('attach', gone);
    expect(sent.at(-1)).toEqual(told('attach', gone));
  });

  test('nothing else', () => {
    const { sent, tell } = worker();
    tell('stdOut', { text: 'hunter2' });
    expect(sent).toEqual([told('stdOut', { text: 'hunter2' })]);
  });
});

test('whether steps come as expected is known once the first has begun', async () => {
  vi.resetModules();
  const { maskMessages, masksMessages } = await import('../../../../src/playwright/inside/masking');
  const own = { send: (_: unknown) => true };
  maskMessages(() => mask, own);
  const tell = (method: string) => own.send({ params: { method, params: {} } });
  tell('testBegin');
  expect(masksMessages()).toBe(false);
  tell('stepBegin');
  expect(masksMessages()).toBe(true);
});
