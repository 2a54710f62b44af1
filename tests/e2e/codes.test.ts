// A login with a code from a mail, caught by the fixture of the documentation, and one from an authenticator app.
import { createTransport } from 'nodemailer';
import { URI } from 'otpauth';
import { beforeAll, expect, test } from 'vitest';
import { named } from '../support/docs-blocks';
import { holding, type Left, leftBehind } from '../support/left-behind';
import { freePort } from '../support/serve';
import { config, makeSuite, type Run, spec, startSite } from './suite';

/** Letters, so that it stands nowhere by chance; with digits alone there are eight. */
const MAIL_CODE = 'qX7zKpWm4TbN';
const APP = 'otpauth://totp/Shop:ann?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&digits=8';

const CODES = `<form action="/in"><label>Code in the mail <input name="mail"></label>
<label>Code of the app <input name="app"></label><button>Go in</button></form>`;

let run: Run;
let left: Left[];
/** What the site was sent. */
const sent = { mail: '', app: '' };

beforeAll(async () => {
  const port = await freePort();
  const mailer = createTransport({ host: '127.0.0.1', port, ignoreTLS: true });
  const mail = { from: 'shop@x.test', to: 'ann@x.test', text: `Hello, your code is ${MAIL_CODE}.` };
  const html = { 'content-type': 'text/html; charset=utf-8' };
  const site = await startSite({
    '/': '<form action="/send"><label>User <input name="user"></label><button>Send a code</button></form>',
    '/send': async (_, response) => {
      await mailer.sendMail(mail);
      response.writeHead(200, html).end(CODES);
    },
    '/in': (request, response) => {
      const { searchParams } = new URL(request.url!, 'http://x');
      Object.assign(sent, Object.fromEntries(searchParams));
      const isRight =
        sent.mail === MAIL_CODE && URI.parse(APP).validate({ token: sent.app, counter: 0 }) !== null;
      response.writeHead(200, html).end(`<p id="${isRight ? 'done' : 'no'}">${sent.mail} ${sent.app}</p>`);
    },
  });
  const goal =
    'Enter "ann" into "User", click "Send a code", enter "<secret>MAIL_CODE</secret>" into "Code in the mail", enter "<secret>APP_CODE</secret>" into "Code of the app", click "Go in"';
  const { path, text } = named('docs/examples/mail.ts', 'agents/mail.ts');
  const suite = makeSuite({
    [path!]: text,
    'agents/tasks/log-in.yaml': spec({ id: 'log-in', url: `${site.url}/`, goal }),
    'agents/tasks.spec.ts': `import { taskproofTests } from '@taskproof/playwright';
import { test } from './mail';
taskproofTests('tasks/*.yaml', { test });`,
    'playwright.config.ts': config({
      globs: "'agents/tasks/*.yaml'",
      imports: "import { totp } from '@taskproof/playwright';",
      reporters: `[['list'], ['html'], ['@taskproof/playwright/reporter'], ['blob'], ['json', { outputFile: 'pw.json' }]]`,
      taskproof: `{ agent: lexical(), secrets: { APP_CODE: totp('${APP}') } }`,
    }),
  });
  run = await suite.playwright(['test'], { SMTP_PORT: String(port), DEBUG: 'taskproof*' });
  left = leftBehind(suite.folder, run.output);
});

test('both are typed', () => {
  expect(sent, run.output).toEqual({ mail: MAIL_CODE, app: expect.stringMatching(/^\d{8}$/) });
  expect(run.results().verdicts.map(({ verdict }) => verdict)).toEqual(['passed']);
});

test('no file holds one', () => {
  expect(holding(left, sent.mail)).toEqual([]);
  const holders = left.filter(({ content }) => content.includes(sent.app));
  expect(holders.map(({ name }) => name)).toEqual([]);
  const records = left.filter(({ name }) => name === 'pw.json').map(({ content }) => `${content}`);
  expect(records.join()).toContain('<secret>');
});
