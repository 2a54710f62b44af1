// The tools that pages offer to agents (WebMCP), in real runs: with and without, recorded and replayed, by a program, and
// as tests of their own.
import { beforeAll, expect, test } from 'vitest';
import { launchOptions } from '../../scripts/browser.mjs';
import { testsIn } from '../support/json-report';
import { holding, leftBehind } from '../support/left-behind';
import { recordsOf } from '../support/records';
import { config, makeSuite, type Run, type Suite, spec, startSite, TASKS_TEST } from './suite';

const SECRET = 'swordfish-77-of-the-sea';
const WITH = { ...launchOptions(), args: [...launchOptions().args, '--enable-features=WebMCP'] };

const SHOP = `<p id="cart">Empty</p><button onclick="step.hidden=false">Plants</button><p id="step" hidden><button onclick="put('Fern')">Fern</button></p>
<p id="done" hidden>Done</p>
<script>
const put = plant => { cart.textContent = plant; done.hidden = plant !== 'Fern'; };
document.modelContext?.registerTool({
  name: 'add_to_cart', description: 'Adds a plant to the cart.',
  inputSchema: { type: 'object', properties: { plant: { type: 'string' }, code: { type: 'string' } }, required: ['plant'] },
  async execute({ plant, code }) {
    if (typeof plant !== 'string') throw new Error('a plant is needed');
    put(plant);
    return { content: [{ type: 'text', text: 'In the cart: ' + plant + (code ? ' for ' + code : '') }] };
  },
});
</script>`;
const ODD = `<p id="done">Here</p><script>
document.modelContext?.registerTool({ name: 'never', description: 'Waits.', execute: () => new Promise(() => {}) });
document.modelContext?.registerTool({ name: 'blank', description: ' ', inputSchema: { type: 'nope' }, execute: async () => 1 });
document.modelContext?.registerTool({ name: 'careless', description: 'Takes all.', inputSchema: { type: 'object', properties: { to: { type: 'string' } }, required: ['to'] }, execute: async () => 'sent' });
document.modelContext?.registerTool({ name: 'wordy', description: 'w'.repeat(1001), execute: async () => 1 });
for (const name of ['wide', 'wider', 'widest'])
  document.modelContext?.registerTool({ name, description: 'Wide.', inputSchema: { type: 'object', title: 'x'.repeat(14000) }, execute: async () => 1 });
document.modelContext?.registerTool({ name: 'deep', description: 'Deep.', inputSchema: { type: 'object', title: 'x'.repeat(3e4) }, execute: async () => 1 });
document.modelContext?.registerTool({ name: 'reloads', description: 'Reloads.', inputSchema: { type: 'object', properties: { to: {} }, required: ['to'] }, async execute({ to }) { if (to) return 1; location.reload(); await new Promise(() => {}); } });
</script>`;
const LATER = `<script>setTimeout(() => document.modelContext?.registerTool({ name: 'later', description: 'Later.', execute: async () => 1 }), 700)</script>`;

const LIES = SHOP.replace('put(plant);', '');

/** Calls the tool if there is one, and else clicks. */
const AGENT = `defineAgent({
  name: 'shopper',
  async run(task) {
    const tools = await task.pageTools();
    if (tools.length === 0) {
      await task.turn('open the plants', async turn => {
        await turn.record({ do: 'click' }, task.page.getByText('Plants'));
        await task.page.getByText('Plants').click();
      });
      return task.turn('choose the fern', async turn => {
        await turn.record({ do: 'click' }, task.page.getByText('Fern'));
        await task.page.getByText('Fern').click();
      });
    }
    await task.turn('add the fern', async turn => {
      await task.callPageTool('add_to_cart', { plant: 5 }).catch(error => turn.narrate(error.message));
      const input = { plant: 'Fern', code: '<secret>CODE</secret>' };
      turn.narrate(JSON.stringify(await task.callPageTool(tools[0].name, input)));
      await task.callPageTool('gone').catch(error => turn.narrate(error.message));
    });
  },
})`;

const LATE = `defineAgent({
  name: 'patient',
  async run(task) {
    await task.callPageTool('never').catch(error => console.log('OUTSIDE', error.message));
    await task.turn('wait for ever', () => task.callPageTool('never'));
  },
})`;

const PROGRAM = `
import { json } from 'node:stream/consumers';
import WebSocket from 'ws';
const task = await json(process.stdin);
const say = line => console.log(JSON.stringify(line));
const socket = new WebSocket(task.cdp.url);
await new Promise(resolve => socket.once('open', resolve));
let id = 0;
const ask = (method, params = {}) => new Promise(resolve => {
  const mine = ++id;
  socket.on('message', data => { const answer = JSON.parse(data); if (answer.id === mine) resolve(answer); });
  socket.send(JSON.stringify({ id: mine, method, params }));
});
say({ type: 'turn', title: 'look for tools' });
const { tools } = (await ask('Taskproof.pageTools')).result;
say({ type: 'narration', text: 'mode ' + task.pageTools + ', tools ' + tools.map(({ name }) => name) });
const refused = await ask('Taskproof.callPageTool', { name: 'add_to_cart', input: {} });
say({ type: 'narration', text: 'refused: ' + refused.error.message });
const { result } = (await ask('Taskproof.callPageTool', { name: 'add_to_cart', input: { plant: 'Fern' } })).result;
say({ type: 'narration', text: result.content[0].text });
say({ type: 'end' });
socket.close();
`;

let suite: Suite;
let run: Run;
/** The record of the spec `shop` in a project, or of another one. */
function recordOf(project: string, spec = 'shop') {
  const tests = testsIn(suite.read('report.json')).filter(({ projectName }) => projectName === project);
  return recordsOf(tests).find(({ specId }) => specId === spec)!;
}

/** How the tests in one file ended, and with which errors. */
const checksIn = (file: string) =>
  Object.fromEntries(
    testsIn(suite.read('report.json'))
      .filter(test => test.file === file)
      .map(({ title, results: [result] }) => [
        title,
        [result!.status, result!.errors.map(({ message }) => message).join('\n')] as const,
      ]),
  );

beforeAll(async () => {
  const site = await startSite({
    '/': SHOP,
    '/odd': ODD,
    '/lies': LIES,
    '/later': LATER,
    // Chromium 156 sometimes never lists the tools of a frame that registers them while its page loads.
    '/framed': '<iframe id="shop"></iframe><script>onload = () => { shop.src = "/" }</script>',
  });
  const project = (name: string, taskproof: string, more = '') =>
    `{ name: '${name}', testMatch: 'tasks.spec.ts', ...repeats('tasks/*.yaml'), use: { taskproof: ${taskproof} }, ${more} }`;
  const secrets = `secrets: { CODE: '${SECRET}' }`;
  const without = `launchOptions: ${JSON.stringify(launchOptions())}`;
  const grep = 'grep: /shop/';
  const lies = spec({ id: 'lies', url: `${site.url}/lies`, goal: 'Put a fern into the cart with CODE' });
  suite = makeSuite({
    'playwright.config.ts': config({
      reporters: `[['list'], ['@taskproof/playwright/reporter', { summary: 'summary.md' }], ['json', { outputFile: 'report.json' }]]`,
      projects: `process.env.REPLAY ? [${project('replays', `{ agent: replay(), ${secrets} }`, grep)}] : [
        ${project('auto', `{ agent: ${AGENT}, record: true, ${secrets} }`)},
        ${project('off', `{ agent: ${AGENT}, pageTools: false }`, grep)},
        { name: 'lacking', testMatch: 'tasks.spec.ts', ...repeats('tasks/*.yaml'), ${grep}, use: { ${without}, taskproof: { agent: ${AGENT}, pageTools: 'only' } } },
        { name: 'checks', expect: { timeout: 10000 }, testMatch: ['{late,only,program,unchecked,z-checks}.spec.ts'], use: { baseURL: '${site.url}' } },
      ]`,
    }).replaceAll(
      `launchOptions: ${JSON.stringify(launchOptions())}, taskproof: { agent: lexical()`,
      `launchOptions: ${JSON.stringify(WITH)}, taskproof: { agent: lexical()`,
    ),
    'tasks/shop.yaml': spec({ id: 'shop', url: `${site.url}/`, goal: 'Put a fern into the cart with CODE' }),
    // A new worker starts after each failure that is not expected: these are the last of their projects. That on /odd is not, for
    // its error to be printed.
    'tasks/z-lies.yaml': lies,
    'tasks.spec.ts': TASKS_TEST,
    'program.mjs': PROGRAM,
    'program.yaml': spec({ id: 'program', url: `${site.url}/` }),
    'program.spec.ts': `import { command, taskproofTests, test } from '@taskproof/playwright';
test.use({ taskproof: { agent: command({ command: ${JSON.stringify(process.execPath)}, args: ['program.mjs'] }) } });
taskproofTests('program.yaml', { test });`,
    'late.yaml': spec({ id: 'late', url: `${site.url}/odd`, extra: 'maxSteps: 3' }),
    'only.yaml': spec({ id: 'only', url: `${site.url}/`, goal: 'Put a fern into the cart with CODE' }),
    'only.spec.ts': `import { defineAgent, taskproofTests, test } from '@taskproof/playwright';
test.use({ taskproof: { agent: ${AGENT}, pageTools: 'only', ${secrets} } });
taskproofTests('only.yaml', { test });`,
    'late.spec.ts': `import { defineAgent, taskproofTests, test } from '@taskproof/playwright';
test.beforeEach(() => test.fail());
test.use({ taskproof: { agent: ${LATE}, turnTimeoutMs: 1000 } });
taskproofTests('late.yaml', { test });`,
    'z-checks.spec.ts': `import { pageToolTests, test } from '@taskproof/playwright';
test.beforeEach(({}, { title }) => test.skip(/^.lies: (?!.*answers)/.test(title)));
test.beforeEach(({}, { title }) => test.fail(/^.odd: (page tools are|.*"careless" refuses)|^.lies/.test(title)));
pageToolTests('/', { calls: { add_to_cart: { plant: 'Fern' } } });
pageToolTests('/framed', { calls: { add_to_cart: { plant: 'Fern' } } });
pageToolTests('/later');
pageToolTests('/odd', { calls: { careless: { to: 'Mira' }, reloads: { to: 'Mira' } }, timeoutMs: 4_000 });
pageToolTests('/lies', { calls: { add_to_carts: {} } });`,
    'unchecked.spec.ts': `import { pageToolTests, test } from '@taskproof/playwright';
test.use({ taskproof: { pageTools: false } });
pageToolTests('/odd', { calls: { careless: { to: 'Mira' } } });`,
  });
  run = await suite.playwright(['test']);
});

test('the projects stand side by side, with the share of actions that went through page tools', () => {
  const { comparison, verdicts } = run.results();
  const shops = verdicts.filter(({ spec }) => spec === 'shop');
  const verdict = Object.fromEntries(shops.map(({ project, verdict }) => [project, verdict]));
  expect(verdict, run.output).toMatchObject({
    auto: 'passed',
    off: 'passed',
  });
  expect(verdicts.find(({ spec }) => spec === 'only')).toMatchObject({ verdict: 'passed' });
  expect(verdicts.find(({ spec }) => spec === 'lies')).toMatchObject({ project: 'auto', verdict: 'failed' });
  const totals = Object.fromEntries(comparison!.projects.map(each => [each.project, each]));
  expect(totals.auto).toMatchObject({ actions: 1, pageToolCalls: 1 });
  expect(totals.off).toMatchObject({ actions: 2, pageToolCalls: 0 });
  expect(run.output).toMatch(/actions by page tools +1\/1 \(100%\)/);
  expect(suite.read('summary.md')).toContain('**actions by page tools** | 1/1 (100%)');
  expect(shops.find(({ project }) => project === 'auto')!.trials[0]).toMatchObject({
    turns: 1,
    pageToolCalls: 1,
  });
});

test('a call is an action of its turn, with input and result, and without the values of secrets', () => {
  const record = recordOf('auto');
  expect(record.turns).toHaveLength(1);
  expect(record.turns[0]!.narration).toMatch(/Not sent to the page.*plant/);
  expect(record.turns[0]!.actions).toMatchObject([
    { title: 'call page tool "add_to_cart"', error: expect.stringContaining('Not sent to the page') },
    {
      title: 'call page tool "add_to_cart"',
      detail: {
        pageTool: 'add_to_cart',
        input: { plant: 'Fern', code: '<secret>CODE</secret>' },
        result: 'In the cart: Fern for <secret>CODE</secret>',
      },
      recorded: [{ do: 'call_page_tool', name: 'add_to_cart' }],
    },
    { title: 'call page tool "gone"', error: 'The page has no tool "gone". Its tools: add_to_cart.' },
  ]);
  expect(record.turns[0]!.screenshot).toBe('turn-1.jpg');
  const kept = leftBehind(suite.folder, run.output).filter(
    ({ name }) => !['playwright.config.ts', 'only.spec.ts'].includes(name),
  );
  expect(holding(kept, SECRET)).toEqual([]);
});

test('"only" needs a browser that has them, and says how to get it', () => {
  const record = recordOf('lacking');
  expect(record).toMatchObject({ status: 'error', errorKind: 'browser' });
  expect(record.reason).toContain('--enable-features=WebMCP');
});

test('a program calls them through its connection', () => {
  const record = recordOf('checks', 'program');
  expect(record.turns[0]!.narration).toMatch(
    /mode auto, tools add_to_cart\nrefused: Not sent to the page.*plant.*\nIn the cart: Fern/s,
  );
  expect(record).toMatchObject({ outcome: 'passed', actions: 1, pageToolCalls: 1 });
});

test('a tool that never answers costs its time, and the trial no more than its own', () => {
  const record = recordOf('checks', 'late');
  expect(run.output).toContain('OUTSIDE callPageTool: call it in a turn');
  expect(record).toMatchObject({ status: 'timed_out' });
  expect(record.turns).toHaveLength(1);
});

test('the tools are tested without an agent', () => {
  const line = (mark: string, title: string) => new RegExp(`^ +${mark} .*${title}`, 'm');
  for (const title of [
    'page tools are well described',
    'page tool "add_to_cart" answers',
    'page tool "add_to_cart" refuses',
  ])
    for (const path of ['/', '/framed'])
      expect(run.output).toMatch(line('✓', `z-checks.spec.ts.* ${path}: ${title}`));
  expect(run.output).toMatch(line('✓', 'z-checks.spec.ts.* /later: page tools are well described'));
  expect(run.output).toMatch(line('✓', 'z-checks.spec.ts.* /odd: page tool "careless" answers'));
  const checks = checksIn('z-checks.spec.ts');
  const [status, problems] = checks['/odd: page tools are well described']!;
  expect(status).toBe('failed');
  expect(problems).toContain('tool "blank" has no description');
  expect(problems).toContain('the input schema of tool "blank" is not valid');
  expect(problems).toContain('its schema is longer than 20000 characters');
  expect(problems).toContain('after the first 1000 characters');
  expect(problems).toContain('length of the list of tools, in characters');
  expect(checks['/odd: page tool "careless" refuses wrong input']).toEqual([
    'failed',
    expect.stringContaining('tool "careless", given {}, which its schema refuses, answered "sent"'),
  ]);
  expect(checks['/odd: page tool "reloads" refuses wrong input']).toEqual([
    'failed',
    expect.stringMatching(
      /tool "reloads", given \{\}, which its schema refuses, answered .* instead of an error/,
    ),
  ]);
  expect(run.output).toMatch(line('✘', 'z-checks.spec.ts.* /odd: page tool "reloads" refuses'));
  expect(checks['/lies: page tool "add_to_carts" answers']![1]).toMatch(
    /the page has no tool "add_to_carts"[\s\S]*Received array: \S*\["add_to_cart"\]/,
  );
  // Errors show the call, not the library.
  expect(run.output).toMatch(/> 7 \| pageToolTests\('\/odd'.*\n.*\n.*\n.* at .*z-checks\.spec\.ts:7:\d+/);
  expect(run.output).not.toMatch(/at check(?:Descriptions|Answer|Refusals)/);
  expect(Object.entries(checksIn('unchecked.spec.ts')).map(([title, [status]]) => [title, status])).toEqual([
    ['/odd: page tools are well described', 'skipped'],
    ['/odd: page tool "careless" answers', 'skipped'],
    ['/odd: page tool "careless" refuses wrong input', 'skipped'],
  ]);
  expect(run.output).not.toMatch(/[✓✘].*unchecked/);
});

test('a recording plays the call again, with the secret of that project', async () => {
  expect(suite.read('recordings/shop.json')).toContain('"code": "<secret>CODE</secret>"');
  const again = await suite.playwright(['test'], { REPLAY: '1' });
  expect(again.exitCode, again.output).toBe(0);
  const record = recordOf('replays');
  expect(record.turns[0]!.actions[0]!.recorded).toMatchObject([
    { do: 'call_page_tool', name: 'add_to_cart' },
  ]);
});
