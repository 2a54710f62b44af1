// The value of a secret is in nothing that a run leaves behind, in whatever form: only traces hold it, and that is said.
import { beforeAll, describe, expect, test } from 'vitest';
import { holding, type Left, leftBehind } from '../support/left-behind';
import { config, makeSuite, type Run, type Suite, spec, startSite, TASKS_TEST } from './suite';

const VALUE = `Zw0lf&Bücher "3" <ü>`;
/** Addresses, HTML and JSON leave these characters as they are, and so do limits on length. */
const HEAD = 'Zw0lf';
const NAME = '<secret>PASSWORD</secret>';

const FORM = `<form action="/in"><label>User <input name="u"></label>
<label>Password <input id="pw" name="pw" type="password"></label><button>Sign in</button></form>`;

const inHtml = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

/** Tells what it was sent in the forms in which pages do. */
const echo = (
  sent: string,
) => `<p id="done">You are in as ${inHtml(sent)}, ${sent.toUpperCase().replaceAll('<', '&lt;')}</p>
<pre>${encodeURIComponent(sent)} ${JSON.stringify(sent).replaceAll('<', '\\u003c')} ${Buffer.from(`user:${sent}`).toString('base64')}</pre>
<script>fetch('/in?' + 'p'.repeat(500 - location.href.length) + '&' + location.search);
alert('a'.repeat(290) + new URLSearchParams(location.search).get('pw'));
fetch('/in?again=' + btoa(unescape(encodeURIComponent(new URLSearchParams(location.search).get('pw')))))</script>`;

const AGENTS = `
const secrets = { PASSWORD: process.env.THE_VALUE };
const value = process.env.THE_VALUE;
const fills = defineAgent({ name: 'fills', async run(task) {
  await task.turn('sign in with ' + value, async turn => {
    turn.narrate('I type ' + JSON.stringify(value));
    turn.action({ title: 'x'.repeat(192) + value, detail: { typed: [encodeURIComponent(value)], [value]: 1 } });
    await task.page.fill('#pw', 'y'.repeat(192) + value);
    await task.page.fill('#pw', value);
    await task.page.getByRole('button', { name: 'Sign in' }).click();
  });
  return { answer: { in: { [value]: value } } };
} });
const fails = defineAgent({ name: 'fails', async run(task) {
  await task.turn('sign in', async () => {
    await task.page.fill('input[name=u]', value);
    await task.page.getByLabel('Password').pressSequentially(value);
    await task.page.getByText(value).click({ timeout: 300 });
  });
} });
const late = defineAgent({ name: 'late', async run(task) {
  await task.turn('look', async () => {
    setTimeout(() => { throw new Error('late: ' + value); });
    await new Promise(() => {});
  });
} });
const agents = { typed: lexical(), filled: fills, failed: fails, late };
const agent = defineAgent({ name: 'as the spec says', run: task => agents[task.specId].run(task) });`;

const HAND = `
import { expect, test } from '@taskproof/playwright';
const value = process.env.THE_VALUE;
test.beforeEach(async ({ page, baseURL }) => {
  await page.goto(baseURL);
  await page.getByLabel('User').fill(value);
});
test('by a goal', async ({ agent }) => {
  await agent.run('Enter ' + value + ' into "User" and click "None"').catch(() => {});
});
test('by hand', async ({ page, agent }) => {
  expect(agent.name).toBe('lexical');
  await test.step('a step about ' + value, () => undefined);
  await expect(page.getByLabel('User')).toHaveValue('another ' + value, { timeout: 300 });
});`;

/** What runs before the fixtures of our `test`, and after them. */
const AROUND = `
import { test as taskproof } from '@taskproof/playwright';
import { mergeTests, test as base } from '@playwright/test';
const value = process.env.THE_VALUE;
const own = base.extend({
  signedIn: [async ({ page, baseURL }, use) => {
    await page.goto(baseURL);
    await page.getByLabel('User').fill(value);
    await use(null);
    if (test.info().title === 'one') throw new Error('no sign-out of ' + value);
  }, { auto: true }],
  account: [async ({}, use, { workerIndex }) => {
    if (test.info().title === 'two') throw new Error('no account for ' + value);
    await use(null);
    throw new Error('worker ' + workerIndex + ' keeps ' + value);
  }, { auto: true, scope: 'worker' }],
});
const test = mergeTests(own, taskproof);
test('one', () => {});
test('two', () => {});
test.describe('with a hook', () => {
  test.beforeAll(() => { throw new Error('no data for ' + value); });
  test('three', () => {});
});
test.describe('with another secret', () => {
  test.use({ taskproof: { secrets: { PASSWORD: 'another one' } } });
  test('four', async ({ page, baseURL }) => {
    await page.goto(baseURL);
    await page.getByLabel('User').fill('another one');
  });
});
base('with another test object', async ({ page, baseURL }) => {
  await page.goto(baseURL);
  await page.getByLabel('User').fill(value);
  throw new Error('plain: ' + value);
});`;

let suite: Suite;
let run: Run;
let left: Left[];
let verdicts: string[];
let traced: Run;

const project = (name: string, more: string) =>
  `{ name: '${name}', testMatch: 'agents.spec.ts', ...repeats('tasks/*.yaml'), ${more} }`;

beforeAll(async () => {
  const site = await startSite({
    '/': FORM,
    '/in': (request, response) => {
      const sent = new URL(request.url!, 'http://x').searchParams.get('pw') ?? '';
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(echo(sent));
    },
  });
  const task = (id: string) =>
    spec({ id, url: `${site.url}/`, goal: `Enter "${NAME}" into "Password" and click "Sign in"` });
  suite = makeSuite({
    'tasks/filled.yaml': task('filled'),
    'tasks/typed.yaml': task('typed'),
    // What fails is the last: a new worker starts after it.
    'tasks/z-failed.yaml': task('failed'),
    'tasks/z-late.yaml': task('late'),
    'agents.spec.ts': TASKS_TEST,
    'hand.spec.ts': HAND,
    'around.spec.ts': AROUND,
    'playwright.config.ts': config({
      imports: AGENTS,
      reporters: `[['list'], ['html'], ['@taskproof/playwright/reporter'], ['blob'], ['json', { outputFile: 'pw.json' }], ['junit', { outputFile: 'junit.xml' }]]`,
      taskproof: '{ secrets }',
      extra: `webServer: { command: 'none', url: '${site.url}/', reuseExistingServer: true, env: { PASSWORD: value } },`,
      projects: `[
        ${project('agents', `use: { taskproof: { agent, secrets, record: 'recordings' } }`)},
        { name: 'hand', testMatch: 'hand.spec.ts', use: { baseURL: '${site.url}', taskproof: { agent: lexical(), secrets } } },
        { name: 'around', testMatch: 'around.spec.ts', use: {
          baseURL: '${site.url}', taskproof: { turnTimeoutMs: 5_000 },
          httpCredentials: { username: 'jo', password: value, origin: 'http://other.test' },
          extraHTTPHeaders: { 'x-key': encodeURIComponent(value) }, userAgent: 'test ' + encodeURIComponent(value),
        } },
        ${project('traced', `grep: /filled/, use: { taskproof: { agent, secrets }, trace: 'on', video: 'on-first-retry', contextOptions: { recordHar: { path: 'out.har' } } }`)},
      ]`,
    }),
  });
  const env = { THE_VALUE: VALUE };
  // Its lines are part of the output, in which the value is looked for.
  run = await suite.playwright(['test', '--project=agents', '--project=hand', '--project=around'], {
    ...env,
    DEBUG: 'taskproof*',
  });
  left = leftBehind(suite.folder, run.output);
  verdicts = run.results().verdicts.map(({ spec, verdict }) => `${spec}: ${verdict}`);
  traced = await suite.playwright(
    ['test', '--project=traced', '--reporter=list,@taskproof/playwright/reporter'],
    env,
  );
});

const named = (name: RegExp) => left.filter(each => name.test(each.name));

describe('without traces', () => {
  test('the run went as meant', () => {
    expect(verdicts.sort(), run.output).toEqual([
      'failed: inconclusive',
      'filled: passed',
      'late: inconclusive',
      'typed: passed',
    ]);
  });

  // A search that finds nothing proves nothing: where the value was, its name stands.
  test.each([
    ['the terminal', /^output$/],
    ['the HTML report', /^playwright-report\/index\.html: .*\.json$/],
    ['the blob', /^blob-report\/.*: report\.jsonl$/],
    ['the JSON report', /^pw\.json$/],
    ['JUnit', /^junit\.xml$/],
    ['the results file', /^taskproof-results\.json$/],
    ['recordings', /^recordings\/(?:typed|filled)\.json$/],
    ['error-context.md of a trial', /^test-results\/.*failed.*error-context\.md$/],
    ['error-context.md of a test by hand', /^test-results\/.*hand.*error-context\.md$/],
  ])('%s has the name in the place of the value', (_, file) => {
    const held = named(file);
    expect(held.map(({ name }) => name)).not.toEqual([]);
    const text = held.map(({ content }) => content.toString()).join('\n');
    expect(text).toMatch(/<secret>PASSWORD<\/secret>|&lt;secret&gt;PASSWORD/);
  });

  test('no file holds the value, in any form', () => {
    const heads = [HEAD, HEAD.toLowerCase(), HEAD.toUpperCase()];
    const found = left.filter(({ content }) => heads.some(head => content.includes(head)));
    expect(found.map(({ name, content }) => `${name}: ${around(content, heads)}`)).toEqual([]);
    for (const form of [VALUE, encodeURIComponent(VALUE)]) expect(holding(left, form)).toEqual([]);
  });

  test('DEBUG says what was decided, with the name in the place of the value', () => {
    const lines = run.output.split('\n').filter(line => /^ {2}taskproof:\w+ .* \+\d+ms$/.test(line));
    expect(
      lines.some(line => /taskproof:settle quiet after \d+ ms: http/.test(line)),
      run.output,
    ).toBe(true);
    expect(
      lines.some(line => line.startsWith('  taskproof:tool ') && line.includes(NAME)),
      run.output,
    ).toBe(true);
  });

  test.each(['no account for', 'no sign-out of', 'no data for', 'keeps', 'plain:', 'late:'])(
    'nor what runs around tests: %s',
    said => {
      expect(run.output).toContain(`${said} ${NAME}`);
    },
  );

  test('the titles of steps are as before but for the value', () => {
    const [report] = named(/blob-report\/.*: report\.jsonl$/);
    expect(`${report?.content}`).toContain(`Fill \\"${NAME}\\"`);
  });
});

test('a trace holds it, which is said once, with the project and the option', () => {
  const traces = leftBehind(suite.folder, '').filter(({ name }) => /trace\.zip: .*\.trace$/.test(name));
  expect(traces.filter(({ content }) => content.includes(HEAD)).length).toBeGreaterThan(0);
  expect(
    traced.output.match(
      /project "traced" has secrets and `trace` and `contextOptions.recordHar` on\. Traces and HARs contain/g,
    ),
  ).toHaveLength(1);
  expect(run.output).not.toContain('has secrets');
});

/** What stands about a value that was found. */
function around(content: Buffer, heads: readonly string[]): string {
  const at = Math.max(...heads.map(head => content.indexOf(head)));
  return content.toString('utf8', Math.max(0, at - 60), at + 60);
}

test.each(['commonjs', 'module'])(
  'no reporter gets a secret of the config, if ours is not used (%s)',
  async type => {
    const plain = makeSuite({
      'package.json': `{ "type": "${type}" }`,
      'playwright.config.ts': `import { lexical } from '@taskproof/playwright';
const secrets = { PASSWORD: process.env.THE_VALUE };
export default { reporter: 'json', use: { taskproof: { agent: lexical(), secrets: Object.freeze(secrets) } },
  projects: [{ name: 'one' }, { name: 'two', use: { taskproof: { secrets } } }] };`,
      'plain.spec.ts': `import { expect, test } from '@taskproof/playwright';
test('nothing', () => expect(process.env.THE_VALUE).toBeTruthy());`,
    });
    const { output } = await plain.playwright(['test'], { THE_VALUE: VALUE });
    expect(output).toContain('"PASSWORD": "<secret>PASSWORD</secret>"');
    expect(output).not.toContain(VALUE);
  },
);

test('a secret that is a word of our own, or a part of an answer, changes no grade', async () => {
  const { url } = await startSite({
    '/': '<button onclick="done.hidden=false">Go</button><p id="done" hidden>Done</p>',
  });
  const answers = (text: string) => `  - type: answer\n    ${text}\n`;
  const specs: [id: string, assertions?: string][] = [
    ['clicks'],
    ['right', answers('text: K-48213')],
    ['wrong', answers('number: 17')],
  ];
  const words = makeSuite({
    'playwright.config.ts': config({
      taskproof: `{ secrets: { WORD: 'click', NO: 'turn', CUSTOMER: 'K-48213', PIN: '48213' }, agent }`,
      imports: `const program = command({ command: 'node', args: ['program.mjs'] });
const agent = defineAgent({ name: 'both', run: task => (task.specId === 'clicks' ? lexical() : program).run(task) });`,
    }),
    'program.mjs': `process.stdin.on('data', data => {
  const say = line => console.log(JSON.stringify(line));
  say({ type: 'turn', title: 'turn the page' });
  say({ type: 'end', answer: JSON.parse(data).goal.includes('Right') ? 'It is K-48213.' : 'It says 48213 or 17.' });
});`,
    ...Object.fromEntries(
      specs.map(([id, assertions]) => {
        const goal = id === 'clicks' ? 'Click "Go"' : `${id === 'right' ? 'Right' : 'Wrong'}?`;
        return [`tasks/${id}.yaml`, spec({ id, url, goal, assertions }).replace("'0.1'", 'playwright/1')];
      }),
    ),
    'tasks.spec.ts': TASKS_TEST,
  });
  const { output } = await words.playwright(['test']);
  const { verdicts } = JSON.parse(words.read('taskproof-results.json'));
  expect(
    verdicts.map(({ spec, verdict }: Record<string, string>) => [spec, verdict]),
    output,
  ).toEqual([
    ['clicks', 'passed'],
    ['right', 'passed'],
    ['wrong', 'failed'],
  ]);
});
