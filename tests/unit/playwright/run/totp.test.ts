// The codes of RFC 6238, appendix B: 8 digits of SHA-1 with the key "12345678901234567890".
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { totp } from '../../../../src/playwright/run/totp';

const URI = 'otpauth://totp/Shop:ann?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Shop&digits=8';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test.each([
  [1111111111, '14050471'],
  [1234567890, '89005924'],
  [2000000000, '69279037'],
])('at %d the code is %s', async (second, code) => {
  vi.setSystemTime(second * 1000);
  expect(await totp(URI)!()).toBe(code);
});

test('a code that is about to end is not typed any more', async () => {
  vi.setSystemTime(1111111109_000);
  const code = totp(URI)!();
  // The library is loaded on first use.
  await vi.waitFor(() => expect(vi.getTimerCount()).toBe(1));
  await vi.advanceTimersByTimeAsync(1_000);
  expect(await code).toBe('14050471');
});

test('the codes before and after are as secret', async () => {
  vi.setSystemTime(1111111111_000);
  const beside = await totp(URI)!.beside!();
  vi.setSystemTime(1111111111_000 + 30_000);
  expect(beside).toEqual(['07081804', '14050471', await totp(URI)!()]);
});

test.each([undefined, ''])('without a URI (%j) the secret has no value', uri => {
  expect(totp(uri)).toBeUndefined();
});

test.each([
  'GEZDGNBVGY3TQOJQ',
  'otpauth://hotp/Bank:bob?secret=GEZDGNBVGY3TQOJQ&counter=1',
  'otpauth://totp/Bank:bob',
  'otpauth://totp/Bank:bob?secret=not base32!',
])('%s is refused, and not quoted', uri => {
  expect(() => totp(uri)).toThrow(/^totp\(\) takes a URI such as otpauth:\/\/totp\//);
  expect(() => totp(uri)).not.toThrow(uri);
});
