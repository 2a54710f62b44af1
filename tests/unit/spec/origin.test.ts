import { expect, test } from 'vitest';
import { taskSpecSchema } from '../../../src/spec';
import { atOrigin } from '../../../src/spec/placeholders';
import { minimal } from './specs';

const specWith = (assertion: object) =>
  taskSpecSchema.parse({ ...minimal, entryUrl: 'https://example.com/start?a=1#b', assertions: [assertion] });

test.each([
  ['https://example.com/**', 'https://preview.test:8443/**'],
  ['https://example.com', 'https://preview.test:8443'],
  ['https://example.com**', 'https://preview.test:8443**'],
  ['https://example.com?x=1', 'https://preview.test:8443?x=1'],
  ['https://example.com.evil.org/**', 'https://example.com.evil.org/**'],
  ['https://example.com:444/**', 'https://example.com:444/**'],
  ['**/trial**', '**/trial**'],
  ['http://example.com/**', 'http://example.com/**'],
  ['*://example.com/api/**', '*://preview.test:8443/api/**'],
  ['http*://EXAMPLE.com/**', 'http*://preview.test:8443/**'],
  ['**example.com/api', '**preview.test:8443/api'],
  ['**://example.com:444/**', '**://example.com:444/**'],
  ['**://www.example.com/**', '**://www.example.com/**'],
  ['**://example.com.evil.org/**', '**://example.com.evil.org/**'],
])('%s becomes %s', (pattern, moved) => {
  const spec = atOrigin(specWith({ type: 'url', pattern }), 'https://preview.test:8443');
  expect(spec.assertions[0]).toMatchObject({ pattern: moved });
  expect(spec.entryUrl).toBe('https://preview.test:8443/start?a=1#b');
  expect(spec.allowedDomains).toEqual(['example.com', 'preview.test']);
});

test('network globs move too, and without an origin nothing does', () => {
  const spec = specWith({ type: 'network', urlPattern: 'https://example.com/api/*' });
  expect(atOrigin(spec, 'http://localhost:3000').assertions[0]).toMatchObject({
    urlPattern: 'http://localhost:3000/api/*',
  });
  expect(atOrigin(spec, undefined)).toBe(spec);
});

test.each([
  ['Open https://example.com/contact.', 'Open https://preview.test:8443/contact.'],
  ['Open https://example.com.', 'Open https://preview.test:8443.'],
  [
    'Go from https://example.com to (https://example.com?x)',
    'Go from https://preview.test:8443 to (https://preview.test:8443?x)',
  ],
  ['Open https://example.com.evil.org', 'Open https://example.com.evil.org'],
  ['From https://example.com:444, http://example.com', 'From https://example.com:444, http://example.com'],
  ['Find example.com', 'Find example.com'],
])('a goal that says %j says %j', (goal, moved) => {
  expect(atOrigin({ ...taskSpecSchema.parse(minimal), goal }, 'https://preview.test:8443').goal).toBe(moved);
});
