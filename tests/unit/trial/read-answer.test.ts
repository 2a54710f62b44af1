import { describe, expect, test } from 'vitest';
import { recordedAnswer } from '../../../src/data/record';
import { Secrets } from '../../../src/text/secrets';
import { maskAnswer, readAnswer } from '../../../src/trial/read-answer';

describe('an answer', () => {
  test.each<[unknown, unknown]>([
    ['  11 to 17\n', '11 to 17'],
    ['', null],
    [' \n', null],
    [undefined, null],
    [null, null],
    [42, '42'],
    [false, 'false'],
    [
      { from: 11, at: new Date(0), run: () => 0 },
      { from: 11, at: '1970-01-01T00:00:00.000Z' },
    ],
    [
      [1, 'a'],
      [1, 'a'],
    ],
    ['{"from":11}', '{"from":11}'],
  ])('%j', (given, read) => expect(readAnswer(given, true)).toEqual(read));

  test.each<[string, unknown]>([
    ['{"from":11}', { from: 11 }],
    ['```json\n["a"]\n```', ['a']],
    ['11', '11'],
    ['from 11', 'from 11'],
    ['', null],
  ])('%j where a structured value is wanted', (given, read) =>
    expect(readAnswer(given, { type: 'object' })).toEqual(read),
  );

  test.each<[unknown, string | string[], unknown]>([
    [42, 'number', 42],
    [false, 'boolean', false],
    ['42', 'integer', 42],
    ['false', ['boolean', 'null'], false],
    ['42', 'string', '42'],
    ['42', ['string', 'number'], '42'],
    [42, ['string', 'number'], 42],
    ['true', 'number', 'true'],
    ['about 42', 'number', 'about 42'],
  ])('%j where %j is wanted', (given, type, read) => expect(readAnswer(given, { type })).toBe(read));

  test('that is no JSON can not be kept', () => {
    const loop: { self?: object } = {};
    loop.self = loop;
    expect(readAnswer(loop, false)).toBeUndefined();
    expect(readAnswer({ at: 1n }, false)).toBeUndefined();
  });

  test('a number in it that is a secret has its name', () => {
    const { mask } = new Secrets({ PIN: '481516' });
    expect(maskAnswer({ pin: 481516, count: 48 }, mask)).toEqual({ pin: '<secret>PIN</secret>', count: 48 });
    expect([maskAnswer(481516, mask), maskAnswer(false, mask)]).toEqual(['<secret>PIN</secret>', false]);
  });

  test('is kept up to 4,000 characters', () => {
    expect(recordedAnswer('x'.repeat(4_000))).toHaveLength(4_000);
    expect(recordedAnswer('x'.repeat(4_001))).toMatch(/^x{3999}…$/);
    expect(recordedAnswer({ a: 1 })).toEqual({ a: 1 });
    expect(recordedAnswer({ a: 'x'.repeat(4_000) })).toMatch(/^\{"a":"x{3993}…$/);
  });
});
