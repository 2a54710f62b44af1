// Secrets that are computed when they are typed, and masked from then on.
import { afterEach, describe, expect, test, vi } from 'vitest';
import { maskOfMet, meet, Secrets } from '../../../src/text/secrets';

const codes = (...values: string[]) => vi.fn(async () => values.shift()!);

afterEach(() => void vi.useRealTimers());

test('a value is masked once it is computed, and earlier ones stay masked', async () => {
  const secrets = new Secrets({ PW: 'hunter2', CODE: codes('48151623', '42108815') });
  expect(secrets.mask('hunter2 48151623')).toBe('<secret>PW</secret> 48151623');
  expect(await secrets.value('CODE')).toBe('48151623');
  expect(secrets.values).toEqual({ PW: 'hunter2', CODE: '48151623' });
  expect(await secrets.value('CODE')).toBe('42108815');
  expect(secrets.mask('hunter2 48151623 42108815')).toBe(
    '<secret>PW</secret> <secret>CODE</secret> <secret>CODE</secret>',
  );
});

test('a mask that was taken before learns the value', async () => {
  const secrets = new Secrets({ CODE: () => '48151623' });
  const { mask } = secrets;
  expect(mask('48151623')).toBe('48151623');
  await secrets.value('CODE');
  expect(mask('48151623')).toBe('<secret>CODE</secret>');
});

test('values beside it are masked, too', async () => {
  const beside = async () => ['11111111', '22222222'];
  const secrets = new Secrets({ CODE: Object.assign(() => '48151623', { beside }) });
  await secrets.value('CODE');
  expect(secrets.mask('11111111, 22222222')).toBe('<secret>CODE</secret>, <secret>CODE</secret>');
});

test('a known value is given as it is; names tell which are computed', async () => {
  const secrets = new Secrets({ PW: '', CODE: codes('1') });
  expect(await secrets.value('PW')).toBe('');
  expect(secrets.computed).toEqual(['CODE']);
  expect(secrets.values).toEqual({ PW: '', CODE: '' });
});

describe('a value that can not be had', () => {
  test.each<[string, () => unknown, string]>([
    [
      'throws',
      () => {
        throw new Error('no mail');
      },
      'the function for the secret CODE failed: no mail',
    ],
    [
      'rejects',
      () => Promise.reject(new Error('no mail')),
      'the function for the secret CODE failed: no mail',
    ],
    ['is no text', () => 1234, 'the function for the secret CODE must return a non-empty string'],
    ['is empty', () => ' ', 'the function for the secret CODE must return a non-empty string'],
  ])('since its function %s', async (_, compute, message) => {
    await expect(new Secrets({ CODE: compute as () => string }).value('CODE')).rejects.toThrow(message);
  });

  test('since its function takes too long', async () => {
    vi.useFakeTimers();
    const value = new Secrets({ CODE: () => new Promise<string>(() => undefined) }).value('CODE');
    const failed = expect(value).rejects.toThrow('the function for the secret CODE took longer than 30 s');
    await vi.advanceTimersByTimeAsync(30_000);
    await failed;
  });

  test.each(['OTHER', 'toString'])('since there is none named %s', async name => {
    await expect(new Secrets({ CODE: 'x' }).value(name)).rejects.toThrow(`no secret named "${name}"`);
  });
});

test.each(['constructor', 'toString', '__proto__'])('a secret may be called %s', name => {
  const given = JSON.parse(`{ "${name}": "hunter2" }`);
  expect(new Secrets(given).mask('a hunter2')).toBe(`a <secret>${name}</secret>`);
  expect(maskOfMet()!('a hunter2')).toMatch(/^a <secret>\w+<\/secret>$/);
});

test('a process remembers what its config and all of its tests had', async () => {
  meet('KEY', 'of-the-config');
  let at = 0;
  const secrets = new Secrets({ CODE: () => `code-${at++}-of-a-test` });
  for (let times = 0; times < 400; times++) await secrets.value('CODE');
  expect(maskOfMet()!('of-the-config, code-0-of-a-test, code-399-of-a-test')).toBe(
    '<secret>KEY</secret>, <secret>CODE</secret>, <secret>CODE</secret>',
  );
});
