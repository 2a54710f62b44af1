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

test('the code that was typed is found in a text, not the next one', async () => {
  const beside = async () => ['111110', '111111', '111112'];
  const secrets = new Secrets({ OTP: Object.assign(() => '111111', { beside }) });
  await secrets.value('OTP');
  const wanted = new WantedBody('code=<secret>OTP</secret>', secrets);
  expect(wanted.isIn(sent('code=111111', FORM))).toBe(true);
  expect(secrets.valuesOf('OTP').at(-1)).toBe('111111');
});

const SECRETS = { PW: 'hunter22', PIN: '1234', USER: 'admin', TWIN: 'hunter22' };

test.each<[string, object | string, string]>([
  ['a number in a text', '"pin":"<secret>PIN</secret>"', '{"pin":1234}'],
  ['an item of a list', { pw: '<secret>PW</secret>' }, '[{"pw":"HUNTER22"}]'],
  ['lines of JSON', { pw: '<secret>PW</secret>' }, '{"a":1}\n{"pw":"HUNTER22"}'],
  ['a blank before it', '"pw": "<secret>PW</secret>"', '{"pw": "HUNTER22"}'],
  ['a key', '<secret>PW</secret>', '{"aHVudGVyMjI=":1}'],
  ['a key that comes twice', '<secret>PW</secret>', '{"a":"HUNTER22","a":"x"}'],
  ['a name with blanks', '<secret> PW </secret>', '{"a":"HUNTER22"}'],
  [
    'beside one that is plain text',
    { user: 'Admin', pw: '<secret>PW</secret>' },
    '{"user":"Admin","pw":"HUNTER22"}',
  ],
  ['JSON in a text of JSON', { pw: '<secret>PW</secret>' }, '{"a":"{\\"pw\\":\\"HUNTER22\\"}"}'],
  ['beside a number that is one', { id: 1234, pw: '<secret>PW</secret>' }, '{"id":1234,"pw":"HUNTER22"}'],
  [
    'JSON behind a mark of its encoding',
    { pw: '<secret>PW</secret>' },
    '{"a":"\ufeff{\\"pw\\":\\"HUNTER22\\"}"}',
  ],
  ['in a line of a log, as JSON', { pw: '<secret>PW</secret>' }, 'x\n{"a":"{\\"pw\\":\\"HUNTER22\\"}"}'],
  ['of two names of one value the second', { pw: '<secret>TWIN</secret>' }, '{"pw":"HUNTER22"}'],
  ['beside another in a number', { pw: '<secret>PW</secret>' }, '{"id":1234,"pw":"HUNTER22"}'],
])('what must not be sent is seen in another form: %s', (_, body, text) => {
  const wanted = new WantedBody(body as never, new Secrets(SECRETS));
  expect(wanted.isIn(sent(text))).toBe(false);
  expect(wanted.whyUnsure(sent(text))).toContain('in other letters');
});

test('a page that sends one name, or no line break, again and again is read in time', () => {
  const wanted = new WantedBody({ b: 'x' });
  const half = new WantedBody('<secret>PW</secret>', new Secrets({ PW: 'ab\ud800cd' }));
  expect(wanted.isIn(sent('a&'.repeat(100_000), FORM))).toBe(false);
  expect(wanted.isIn(sent('\u2028'.repeat(200_000), 'text/plain'))).toBe(false);
  expect(half.isIn(sent('{}'))).toBe(false);
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

test.each(['<secret>OTP</secret>', { code: '<secret>OTP</secret>' }, { code: 'is <secret>NONE</secret>' }])(
  'without a value, nothing is the secret: %j',
  wanted => {
    const body = new WantedBody(wanted, new Secrets({ OTP: () => '1' }));
    for (const code of ['<secret>OTP</secret>', 'is <secret>NONE</secret>', ''])
      expect(body.isIn(sent(JSON.stringify({ code })))).toBe(false);
  },
);

test('a long body is read once, however many values a secret has had', async () => {
  let at = 0;
  const secrets = new Secrets({ OTP: () => `code-${at++}` });
  for (let times = 0; times < 50; times++) await secrets.value('OTP');
  const long = sent(`a${' \u00e4'.repeat(90_000)}`);
  const timeOf = (wanted: WantedBody) => {
    const start = performance.now();
    for (let times = 0; times < 3; times++) wanted.isIn(long);
    return performance.now() - start;
  };
  const one = timeOf(new WantedBody('code', secrets));
  expect(timeOf(new WantedBody('<secret>OTP</secret>', secrets))).toBeLessThan(30 * one + 50);
});
