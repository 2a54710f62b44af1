import { expect, test } from 'vitest';
import { parsedUrl } from '../../../src/spec/url';

test.each(['https://example.com', 'https://m\u00fcnchen.de/stra\u00dfe', 'about:blank'])(
  '%s is a URL',
  text => {
    expect(parsedUrl(text)?.href).toBe(new URL(text).href);
  },
);

test.each(['', 'example.com', 'https://', undefined, 4])('%j is none', text => {
  expect(parsedUrl(text)).toBeUndefined();
});

// As often as it takes V8 to optimise the call.
test('the answer stays the same, however often it is asked', () => {
  for (let index = 0; index < 30_000; index++)
    if (!parsedUrl('https://m\u00fcnchen.de')) throw new Error(`not a URL at call ${index}`);
});
