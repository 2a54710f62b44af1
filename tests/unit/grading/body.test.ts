// Secrets in the body that an assertion asks for. In pages: tests/browser/assertions-1.test.ts.
import { expect, test } from 'vitest';
import { WantedBody } from '../../../src/grading/body';
import { Secrets } from '../../../src/text/secrets';

const sent = (text: string, type = 'application/json') => ({ text, type, whole: true });
const FORM = 'application/x-www-form-urlencoded';

test('each value that a computed secret has had counts, and none before the first', async () => {
  let code = 111_111;
  const secrets = new Secrets({ OTP: () => String(code++) });
  const wanted = new WantedBody({ code: '<secret>OTP</secret>' }, secrets);
  expect(wanted.isIn(sent('{"code":""}'))).toBe(false);
  await secrets.value('OTP');
  await secrets.value('OTP');
  for (const each of ['"111111"', '111112']) expect(wanted.isIn(sent(`{"code":${each}}`))).toBe(true);
  expect(wanted.isIn(sent('{"code":"111113"}'))).toBe(false);
});

test.each([
  ['password=<secret>PW</secret>', new URLSearchParams({ password: 'p@ss "w" 1' }).toString(), FORM],
  ['"password":"<secret>PW</secret>"', JSON.stringify({ password: 'p@ss "w" 1' }), undefined],
  ['?p=<secret>PW</secret>', JSON.stringify({ url: `/?p=${encodeURIComponent('p@ss "w" 1')}` }), undefined],
])('%s is found as bodies write it', (wanted, text, type) => {
  const secrets = new Secrets({ PW: 'p@ss "w" 1' });
  expect(new WantedBody(wanted, secrets).isIn(sent(text, type))).toBe(true);
});

test('a secret that the page has changed is told, and what was not sent is not', () => {
  const wanted = new WantedBody({ pw: '<secret>PW</secret>' }, new Secrets({ PW: 'Tr0ub4dor' }));
  expect(wanted.whyUnsure(sent('{"pw":"tr0ub4dor"}'))).toBe(
    'has it in other letters, spaces or another encoding',
  );
  expect(wanted.isIn(sent('{"pw":"tr0ub4dor"}'))).toBe(false);
  expect(wanted.whyUnsure(sent('{"pw":"other"}'))).toBeUndefined();
});
