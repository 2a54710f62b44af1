import { expect, test } from 'vitest';
import { leftIn, retryAfterIn } from '../../../src/limiter/rate-headers';

const NOW = Date.parse('2026-11-25T08:00:00Z');

test.each([
  [{ 'retry-after': '45' }, 45_000],
  [{ 'retry-after': '0.5' }, 500],
  [{ 'retry-after': '99999999' }, 86_400_000],
  [{ 'retry-after-ms': '250', 'retry-after': '1' }, 250],
  [{ 'retry-after': 'Wed, 25 Nov 2026 08:00:30 GMT' }, 30_000],
  [{ 'retry-after': 'Wed, 25 Nov 2026 07:00:30 GMT' }, 0],
  [{ 'retry-after': 'soon' }, undefined],
  [{ 'retry-after': '-5' }, undefined],
  [{}, undefined],
])('%j asks to wait %s ms', (headers, ms) => {
  expect(retryAfterIn(new Headers(headers as Record<string, string>), NOW)).toBe(ms);
});

test('the headers of both vendors are read', () => {
  const anthropic = new Headers({
    'anthropic-ratelimit-requests-limit': '50',
    'anthropic-ratelimit-requests-remaining': '49',
    'anthropic-ratelimit-requests-reset': '2026-11-25T08:00:02Z',
    'anthropic-ratelimit-input-tokens-limit': '30000',
    'anthropic-ratelimit-input-tokens-remaining': '12000',
    'anthropic-ratelimit-input-tokens-reset': '2026-11-25T08:00:36Z',
  });
  expect(leftIn(anthropic, NOW)).toEqual([
    { of: 'requests', limit: 50, remaining: 49, resetMs: 2_000 },
    { of: 'tokens', limit: 30_000, remaining: 12_000, resetMs: 36_000 },
  ]);
  const openai = new Headers({
    'x-ratelimit-limit-requests': '60',
    'x-ratelimit-remaining-requests': '59',
    'x-ratelimit-reset-requests': '1s',
    'x-ratelimit-remaining-tokens': '149984',
    'x-ratelimit-reset-tokens': '6m0.5s',
  });
  expect(leftIn(openai, NOW)).toEqual([
    { of: 'requests', limit: 60, remaining: 59, resetMs: 1_000 },
    { of: 'tokens', remaining: 149_984, resetMs: 360_500 },
  ]);
});

test.each(['', 'soon', '-1', '1 s', '5x', '__proto__'])('a reset of %j counts as none', reset => {
  const headers = new Headers({ 'x-ratelimit-remaining-requests': '5', 'x-ratelimit-reset-requests': reset });
  expect(leftIn(headers, NOW)).toEqual([]);
});
