// Programs that play trials, in real runs.
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { transformSync } from 'esbuild';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { startSite as startExampleSite } from '../../example-tasks/site/server.mjs';
import { marked } from '../support/processes';
import { PROGRAM_HEAD } from '../support/program-head';
import { unzip } from '../support/unzip';
import {
  config,
  hangingPage,
  interrupt,
  makeSuite,
  PAGE,
  type Run,
  recordsOf,
  type Suite,
  spec,
  startSite,
  TASKS_TEST,
  TASKS_TEST_IN_ONE_WORKER,
  WITH_JSON,
} from './suite';

const NODE = JSON.stringify(process.execPath);

test('the example agent plays example tasks, and what it did is played again', async () => {
  const site = await startExampleSite({ port: 0 });
  onTestFinished(() => site.close());
  // A dialog, boxes, choices and a list, a new tab, a form with a date.
  const ids = ['empty-basket', 'filter-pet-safe', 'read-release-notes', 'register-sensor'];
  // In a list it selects by the list's label, and by the option alone.
  const textOf = (id: string) =>
    readFileSync(`example-tasks/tasks/${id}.yaml`, 'utf8').replace(
      '"Price: low to high"',
      '"Name", then "Price: low to high" as "Sort by"',
    );
  const agent = transformSync(readFileSync('agent-programs/cdp/agent.mts', 'utf8'), { loader: 'ts' }).code;
  const suite = makeSuite({
    'playwright.config.ts': config({
      reporters: WITH_JSON,
      taskproof: `{ origin: '${site.url}', record: true, agent: command({ command: ${NODE}, args: ['agents/agent.mjs'] }) }`,
    }).replace('timeout: 2000', 'timeout: 5000'),
    'replay.config.ts': config({
      taskproof: `{ origin: '${site.url}', agent: replay() }`,
    }),
    'agents/agent.mjs': agent,
    'tasks.spec.ts': TASKS_TEST,
    ...Object.fromEntries(ids.map(id => [`tasks/${id}.yaml`, textOf(id)])),
  });
  const run = await suite.playwright(['test', '--repeat-each=1']);
  const { verdicts } = run.results();
  expect(verdicts.map(({ spec, verdict, trials }) => [spec, verdict, trials[0]!.reason])).toEqual(
    ids.map(id => [id, 'passed', null]),
  );
  expect(run.exitCode, run.output).toBe(0);
  const played = recordsOf(suite);
  const choices = played['filter-pet-safe']!.turns.map(({ title }) => title);
  expect(choices).toEqual(expect.arrayContaining(['click "Name"', 'fill "Sort by"']));
  const { turns } = played['register-sensor']!;
  expect(turns.map(({ title }) => title)).toEqual([
    'click "Register a sensor"',
    'fill "Serial number"',
    'fill "Date of purchase"',
    'click "It was a gift"',
    'click "Register sensor"',
  ]);
  expect(turns[1]).toMatchObject({
    narration: expect.stringContaining('Step 2 of 5, on '),
    actions: [{ title: 'enter "TL-4821-K" into "Serial number"', point: { x: expect.any(Number) } }],
  });
  // A dialog that the program answers; choices, boxes and fields.
  const again = ['empty-basket', 'filter-pet-safe', 'register-sensor'];
  const replayed = await suite.playwright(['test', '--config=replay.config.ts', '--grep', again.join('|')]);
  expect(replayed.exitCode, replayed.output).toBe(0);
  const passed = replayed.results().verdicts.map(({ spec, passes }) => [spec, passes]);
  expect(passed).toEqual(again.map(id => [id, 1]));
});

/** A code block of the protocol's page. */
function documented(language: string): string {
  const page = readFileSync('docs/agent-protocol.md', 'utf8');
  return page.match(new RegExp(`\`\`\`${language}\n([^]*?)\`\`\``))![1]!;
}

/** A Python that has the package of the page's example. */
const python = ['agent-programs/browser-use/.venv/bin/python', 'python3', 'python']
  .map(name => (name.includes('/') ? resolve(name) : name))
  .find(name => spawnSync(name, ['-c', 'import websockets.sync.client']).status === 0);
if (!python)
  console.warn("command.test: no Python with `websockets` here: the page's Python agent is not run");

const PAGE_AGENTS = [
  { language: 'node', program: process.execPath, file: 'agent.mjs', source: () => documented('js') },
  { language: 'python', program: python, file: 'agent.py', source: () => documented('python') },
];

const SECRET = 'pass "wörd" 7';

describe('a run that was started elsewhere, of a program and of the agents of the protocol’s page', () => {
  let site: { url: string };
  let suite: Suite;
  let run: Run;
  beforeAll(async () => {
    const other = await startSite({ '/': 'elsewhere' });
    site = await startSite({
      '/': `${PAGE}<a id="out" href="${other.url.replace('127.0.0.1', 'localhost')}/">Out</a><a id="tab" href="/second" target="_blank">Second</a>
      <input id="field"><button id="ask" onclick="answer.textContent = confirm('Sure?')">Ask</button><p id="answer"></p>`,
      '/second': '<p id="second">Second</p>',
      '/api': (_, response) => void response.writeHead(201).end('{}'),
    });
    const documentedAgents = PAGE_AGENTS.filter(({ program }) => program);
    suite = makeSuite({
      'ui/playwright.config.ts': config({
        reporters: `[['list'], ['@taskproof/playwright/reporter'], ['json', { outputFile: 'report.json' }], ['html']]`,
        taskproof: `{ secrets: { PASS: ${JSON.stringify(SECRET)} }, agent: command({ command: ${NODE}, args: ['player.mjs', 'again'], cwd: 'agents', env: { GREETING: 'hello', GONE: undefined }, name: 'player', model: 'm-1' }) }`,
      }).replace('use: {', `use: { trace: 'on',`),
      'ui/agents/player.mjs': `${PROGRAM_HEAD}
const task = await json(process.stdin);
writeFileSync('task.json', JSON.stringify({ ...task, argv: process.argv.slice(2), cwd: process.cwd(), greeting: process.env.GREETING, gone: process.env.GONE ?? null }));
const page = await attach(task.cdp);
say({ type: 'usage', inputTokens: 100, outputTokens: 10, costUsd: 0.01 });
say({ type: 'turn', title: 'go with ' + task.secrets.PASS });
say({ type: 'narration', text: 'I press Go' });
say({ type: 'narration', text: 'and ask the API for ' + task.secrets.PASS });
await page.evaluate("document.querySelector('button').click()");
await page.evaluate("fetch('/api', { method: 'POST' }).then(answer => answer.text())");
await page.evaluate("field.value = " + JSON.stringify(task.secrets.PASS));
await page.evaluate("field.remove()");
say({ type: 'action', title: 'click "Go"', point: { x: 20, y: 20 }, detail: { typed: [task.secrets.PASS] } });
say({ type: 'action', title: 'ask', error: 'slow ' + task.secrets.PASS });
say({ type: 'usage', inputTokens: 50, cacheReadTokens: 7, cacheCreationTokens: 3 });
say({ type: 'turn', title: 'leave' });
await page.evaluate("out.click()");
await page.evaluate("fetch('/api').then(answer => answer.text())");
say({ type: 'turn_end' });
say({ type: 'usage', inputTokens: 1, costUsd: 0 });
say({ type: 'turn', title: 'ask' });
await page.evaluate("ask.click()");
say({ type: 'turn_end' });
say({ type: 'turn', title: 'open a tab and come back' });
const { targetId } = await page.send('Target.createTarget', { url: new URL('/second', task.entryUrl).href });
say({ type: 'activate', targetId });
say({ type: 'turn_end' });
say({ type: 'turn', title: 'come back' });
say({ type: 'activate', targetId: task.cdp.targetId });
say({ type: 'end', answer: { went: ['out', task.secrets.PASS] } });
page.socket.close();
console.error('this is not shown');`,
      'ui/tasks/all.yaml': spec({
        id: 'all',
        url: `${site.url}/`,
        extra: 'maxSteps: 9\nmaxCostUsd: 1\nallowedDomains: [127.0.0.1]\n',
        assertions: `  - type: dom
    selector: '#done'
    state: visible
  - type: network
    urlPattern: '**/api'
    method: POST
    status: 201
  - type: dom
    selector: '#answer'
    state: text
    text: 'false'
`,
      }),
      'ui/tasks.spec.ts': TASKS_TEST,
      ...Object.fromEntries(
        documentedAgents.flatMap(({ language, program, file, source }) => [
          [`ui/${file}`, source()],
          [`ui/go/${language}.yaml`, spec({ id: `go-${language}`, url: `${site.url}/` })],
          [
            `ui/${language}.spec.ts`,
            `import { command, expect, taskproofTests, test } from '@taskproof/playwright';
test.use({ taskproof: { agent: command({ command: ${JSON.stringify(program)}, args: ['${file}'] }) } });
taskproofTests('go/${language}.yaml', { test });
test('by hand', async ({ page, agent }) => {
  await page.goto('${site.url}/');
  const { status, turns, finalUrl } = await agent.run('Click "Go"');
  expect({ status, turns: turns.length, finalUrl }).toEqual({ status: 'completed', turns: 1, finalUrl: '${site.url}/' });
  await expect(page.locator('#done')).toBeVisible();
});`,
          ],
        ]),
      ),
    });
    run = await suite.playwright(['test', '-c', 'ui/playwright.config.ts']);
  });

  test('all of it passes', () => {
    expect(run.exitCode, run.output).toBe(0);
  });

  test('the record tells all that a program did, without its secrets', () => {
    const record = recordsOf(suite, 'ui/report.json').all!;
    expect(JSON.parse(suite.read('ui/agents/task.json'))).toEqual({
      protocolVersion: '1',
      goal: 'Click "Go"',
      entryUrl: `${site.url}/`,
      allowedDomains: ['127.0.0.1'],
      maxSteps: 9,
      maxCostUsd: 1,
      timeLimitMs: expect.any(Number),
      wantsAnswer: false,
      seed: record.seed,
      secrets: { PASS: SECRET },
      computedSecrets: [],
      pageTools: 'auto',
      cdp: {
        url: expect.stringMatching(/^ws:\/\/127\.0\.0\.1:\d+\/[0-9a-f]{32}$/),
        targetId: expect.any(String),
      },
      argv: ['again'],
      cwd: join(suite.folder, 'ui/agents'),
      greeting: 'hello',
      gone: null,
    });
    expect(record).toMatchObject({ agent: 'player', model: 'm-1', outcome: 'passed', guard: 'protocol' });
    expect(record.answer).toEqual({ went: ['out', '<secret>PASS</secret>'] });
    expect(record.usage).toEqual({
      inputTokens: 151,
      outputTokens: 10,
      cacheReadTokens: 7,
      cacheCreationTokens: 3,
      costUsd: null,
    });
    expect(record.turns.map(({ title, screenshot, outcome }) => [title, screenshot, outcome])).toEqual([
      ['go with <secret>PASS</secret>', 'turn-1.jpg', 'ok'],
      ['leave', 'turn-2.jpg', 'ok'],
      ['ask', 'turn-3.jpg', 'ok'],
      ['open a tab and come back', 'turn-4.jpg', 'ok'],
      ['come back', 'turn-5.jpg', 'ok'],
    ]);
    expect(record.turns[0]).toMatchObject({
      narration: 'I press Go\nand ask the API for <secret>PASS</secret>',
      actions: [
        { title: 'click "Go"', point: { x: 20, y: 20 }, detail: { typed: ['<secret>PASS</secret>'] } },
        { title: 'ask', error: 'slow <secret>PASS</secret>' },
      ],
      usage: { inputTokens: 150, costUsd: null },
    });
    expect(record.turns[1]).toMatchObject({
      actions: [{ title: 'leave' }],
      usage: { inputTokens: 0, costUsd: 0 },
    });
    expect(record.turns[1]!.notices.join()).toMatch(/Going to http:\/\/localhost:\d+\/ was refused/);
    expect(record.turns[2]!.notices.join()).toMatch(/A dialog \(confirm\) said "Sure\?" and was dismissed/);
    expect(record.turns[3]!.url).toBe(`${site.url}/second`);
    expect(record.turns[4]!.url).toBe(`${site.url}/`);
    expect(record.refusals).toHaveLength(1);
    expect(record.network.events.map(({ method, url }) => `${method} ${new URL(url).pathname}`)).toContain(
      'POST /api',
    );
    for (const [file, text] of artifacts(join(suite.folder, 'ui')))
      if (!OWN_FILES.test(file)) {
        // As it is, and as JSON and HTML write it.
        expect(text.includes('wörd'), file).toBe(false);
        expect(text.includes('w\\u00f6rd'), file).toBe(false);
      }
    expect(run.output).not.toContain('wörd');
    expect(JSON.stringify(JSON.parse(suite.read('ui/report.json')).suites)).not.toContain('wörd');
  });

  for (const { language, program } of PAGE_AGENTS)
    test.skipIf(!program)(`the ${language} agent of the page works, also in a hand-written test`, () => {
      expect(run.output).toMatch(new RegExp(`✓.*${language}\\.spec\\.ts.* by hand`));
      const row = run
        .results('ui/taskproof-results.json')
        .verdicts.find(row => row.spec === `go-${language}`);
      expect(row).toMatchObject({ verdict: 'passed', turns: 1, agent: 'agent' });
    });
});

/** Files of the suite itself; the JSON report quotes the config, of which Playwright writes all there is. */
const OWN_FILES = /task\.json$|playwright\.config\.ts$|report\.json$/;

/** Every file that a run left, archives unpacked. */
function* artifacts(folder: string): Generator<[string, string]> {
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const file = join(folder, name);
    if (!statSync(file).isFile()) continue;
    if (!name.endsWith('.zip')) yield [name, readFileSync(file, 'utf8')];
    else
      for (const { name: entry, content } of unzip(readFileSync(file)))
        yield [`${name}/${entry}`, String(content)];
  }
}

interface Fault {
  /** What the program does once it has read its task, with \`task\`, \`say\`, \`attach\` and \`never\` at hand. */
  does: string;
  /** Of a trial. Default: 'error'. */
  outcome?: 'passed';
  status?: string;
  errorKind?: string;
  reason: RegExp;
  turns?: number;
  maxCostUsd?: number;
  /** Its turns may take 3 s instead of a minute. */
  hasty?: true;
  /** Played as a trial. The others run in a hand-written test: Playwright starts a new worker after each failed trial, which takes time. */
  asTrial?: true;
}

const GO = `const page = await attach(task.cdp); await page.evaluate("document.querySelector('button').click()"); page.socket.close();`;

const faults: Record<string, Fault> = {
  'overspends-turns': {
    does: `for (;;) { say({ type: 'turn', title: 'think' }); say({ type: 'usage', costUsd: 0.3 }); await after(20); }`,
    status: 'budget_exceeded',
    reason: /has spent \$0\.3000 of its maxCostUsd of \$0\.2/,
    turns: 1,
    maxCostUsd: 0.2,
  },
  'overspends-in-a-turn': {
    // The price of its first request is unknown.
    does: `say({ type: 'turn', title: 'think' }); say({ type: 'usage', inputTokens: 1 }); for (;;) { say({ type: 'usage', costUsd: 0.15 }); await after(20); }`,
    status: 'budget_exceeded',
    reason: /kept spending after it had reached its maxCostUsd of \$0\.2 \(\$0\.4500 so far\)/,
    turns: 1,
    maxCostUsd: 0.2,
  },
  'spends-all-and-ends': {
    does: `${GO} say({ type: 'turn', title: 'go' }); say({ type: 'usage', costUsd: 0.3 }); say({ type: 'end' });`,
    status: 'completed',
    reason: /^null$/,
    turns: 1,
    maxCostUsd: 0.2,
  },
  'ignores-its-steps': {
    does: `spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'inherit' });
      for (let n = 1; ; n++) { say({ type: 'turn', title: 'turn ' + n }); await after(20); }`,
    status: 'max_steps',
    reason: /used all 2 turns without ending/,
    turns: 2,
  },
  hangs: {
    does: `say({ type: 'turn', title: 'wait' }); spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']); await never();`,
    status: 'timed_out',
    reason: /^the time limit \(2 turns of 3 s\) was reached$/,
    turns: 1,
    hasty: true,
  },
  'hangs-and-is-deaf': {
    does: `process.on('SIGTERM', () => {}); const page = await attach(task.cdp);
      page.socket.on('close', () => writeFileSync('cut-off', 'yes'));
      for (;; await after(500)) await page.evaluate("document.title = 'still here'");`,
    status: 'timed_out',
    reason: /^the time limit .* was reached$/,
    hasty: true,
  },
  'floods-output': {
    does: `say({ type: 'turn', title: 'talk' }); const line = JSON.stringify({ type: 'narration', text: 'x'.repeat(10_000) }) + '\\n'; const write = () => { while (process.stdout.write(line)); process.stdout.once('drain', write); }; write(); await never();`,
    reason: /faulty\.mjs: it wrote more than 4 MB to standard output/,
    turns: 1,
  },
  'floods-lines': {
    does: `say({ type: 'turn', title: 'talk' }); for (let n = 0; n < 2000; n++) say({ type: 'narration', text: 'x' }); await never();`,
    reason: /it wrote more than 1,000 lines without a new turn/,
    turns: 1,
  },
  'floods-errors': {
    does: `${GO} say({ type: 'turn', title: 'go' }); for (let n = 0; n < 5000; n++) if (!process.stderr.write('x'.repeat(1000) + '\\n')) await new Promise(resolve => process.stderr.once('drain', resolve)); say({ type: 'end' });`,
    status: 'completed',
    reason: /^null$/,
    turns: 1,
  },
  'unknown-line': {
    does: `say({ type: 'click', at: [1, 2] }); await never();`,
    reason: /it wrote \{"type":"click","at":\[1,2\]\}, which is not a line of the protocol: type: .*'turn'/,
  },
  'acts-without-a-turn': {
    does: `say({ type: 'action', title: 'click' }); await never();`,
    reason: /it wrote a line of type "action" outside a turn/,
  },
  'activates-nothing': {
    does: `say({ type: 'turn', title: 'look' }); say({ type: 'activate', targetId: 'ABC' }); await never();`,
    reason: /it activated "ABC", but no tab of the trial has that targetId/,
    turns: 1,
  },
  'dies-with-a-code': {
    asTrial: true,
    does: `say({ type: 'turn', title: 'try' }); console.error('no plan for ' + task.secrets.PASS + ' with ' + process.env.MODEL_API_KEY); process.exitCode = 3;`,
    reason:
      /it ended with code 3 before it wrote \{"type":"end"\}\. Standard error: no plan for <secret>PASS<\/secret> with <MODEL_API_KEY>/,
    turns: 1,
  },
  'dies-by-a-signal': {
    does: `process.kill(process.pid, 'SIGKILL'); await never();`,
    reason: /it ended with SIGKILL before it wrote/,
  },
  'ends-without-a-word': {
    does: `say({ type: 'turn', title: 'go' }); ${GO}`,
    reason: /it ended with code 0 before it wrote \{"type":"end"\}/,
    turns: 1,
  },
  'goes-on-after-its-end': {
    asTrial: true,
    does: `${GO} process.on('SIGTERM', () => {}); say({ type: 'turn', title: 'go' }); say({ type: 'end' }); for (;;) { say({ type: 'turn', title: 'more' }); say('nonsense\\n'); await after(20); }`,
    outcome: 'passed',
    status: 'completed',
    reason: /^null$/,
    turns: 1,
  },
  'gives-up': {
    does: `say({ type: 'turn', title: 'look' }); say({ type: 'end', status: 'gave_up', reason: 'no field for ' + task.secrets.PASS + ' with ' + process.env.MODEL_API_KEY });`,
    status: 'gave_up',
    reason: /^the agent gave up: no field for <secret>PASS<\/secret> with <MODEL_API_KEY>$/,
    turns: 1,
  },
  'gives-up-silently': {
    does: `say({ type: 'end', status: 'gave_up' });`,
    reason: /it ended with status "gave_up" but no "reason"/,
  },
  'records-what-is-no-locator': {
    does: `say({ type: 'turn', title: 'go' }); say({ type: 'record', do: 'click', locator: '#go' }); await never();`,
    reason:
      /it wrote an invalid "record" line: not a locator: there is no method here \(character 1 of "#go"\)/,
    turns: 1,
  },
  'never-acts': {
    asTrial: true,
    does: `say({ type: 'end', answer: 'You can click on it.', neverActed: 'the agent called no tool' });`,
    errorKind: 'agent_api',
    reason: /^the agent called no tool$/,
  },
  'has-no-model': {
    does: `say({ type: 'end', status: 'error', errorKind: 'agent_api', reason: '401: invalid key ' + process.env.MODEL_API_KEY });`,
    errorKind: 'agent_api',
    reason: /agent_api: 401: invalid key <MODEL_API_KEY>$/,
  },
  'fails-by-itself': {
    does: `say({ type: 'end', status: 'error', reason: 'a bug' });`,
    reason: /agent "faulty" threw: .*faulty\.mjs: it ended with an error: a bug$/,
  },
};

const KEY = 'sk-live-0123456789abcdef';

function expectNoLeak(...texts: string[]): void {
  // Where it stands is said, not the whole text.
  for (const text of texts)
    for (const leak of ['wörd', KEY]) expect(text.split(leak, 2)[1]?.slice(0, 200)).toBeUndefined();
}

const rows = Object.entries(faults);
const trials = rows.filter(([, { asTrial }]) => asTrial);
const byHand = rows.filter(([, { asTrial }]) => !asTrial);

/** Programs that do not start, or read nothing: options of `command()`, and what comes of them. */
const unread = {
  'no-program': {
    options: `command: './nowhere/agent'`,
    reason: /nowhere\/agent faulty\.mjs: it could not be started: the program was not found/,
  },
  'no-folder': {
    options: `cwd: 'nowhere'`,
    reason: /could not be started: the folder .*nowhere does not exist/,
  },
  'no-reader': { options: `args: ['deaf.mjs']`, reason: /the agent gave up: not read/ },
};

describe('each fault of a program', () => {
  let suite: Suite;
  let run: Run;
  const processes = marked();
  const outcomes: Record<string, { status: string; reason: string; turns: number; done: boolean }> = {};

  // In one project, and what fails unexpectedly last in it: one worker.
  beforeAll(async () => {
    const site = await startSite({ '/': PAGE });
    const agent = (options = '') =>
      `command({ command: ${NODE}, args: ['faulty.mjs'], env: { MODEL_API_KEY: '${KEY}' }, ${options} })`;
    const calls = byHand.map(([id, { maxCostUsd, hasty }]) => [
      id,
      { maxSteps: 2, ...(maxCostUsd ? { maxCostUsd } : {}), ...(hasty ? { turnTimeoutMs: 3000 } : {}) },
    ]);
    suite = makeSuite({
      // Of those whose time is not the point none ends by it: megabytes take a busy machine seconds.
      'playwright.config.ts': config({
        reporters: WITH_JSON,
        taskproof: `{ turnTimeoutMs: 60_000, secrets: { PASS: ${JSON.stringify(SECRET)} }, agent: ${agent()} }`,
      }),
      'faulty.mjs': `${PROGRAM_HEAD}
const task = await json(process.stdin);
const faults = { ${rows.map(([id, { does }]) => `'${id}': async () => { ${does} }`)} };
await faults[task.goal]();`,
      // It has not read its task, and needs nothing of it.
      'deaf.mjs': `process.stdin.destroy(); console.log('{"type":"turn","title":"pass"}\\r\\n\\r\\n{"type":"end","status":"gave_up","reason":"not read"}')`,
      'by-hand.spec.ts': `import { writeFileSync } from 'node:fs';
import { command, test } from '@taskproof/playwright';
const play = (calls: [string, object][]) => async ({ page, agent }: any) => {
  await page.goto('${site.url}/');
  const outcomes: Record<string, any> = {};
  for (const [id, caps] of calls) {
    outcomes[id] = await agent.run(id, caps).then(
      ({ status, reason, turns }) => ({ status, reason, turns: turns.length }),
      error => ({ status: 'error', reason: error.message }));
    outcomes[id].done = await page.locator('#done').isVisible();
    await page.reload();
  }
  writeFileSync(test.info().title + '.json', JSON.stringify(outcomes));
};
test('faults', play(${JSON.stringify(calls)}));
${Object.entries(unread)
  .map(
    ([id, { options }]) => `test.describe(() => {
  test.use({ taskproof: { agent: ${agent(options)} } });
  test('${id}', play([['${id}', {}]]));
});`,
  )
  .join('\n')}`,
      ...Object.fromEntries(
        trials.map(([id]) => [
          `tasks/${id}.yaml`,
          spec({ id, goal: id, url: `${site.url}/`, extra: 'maxSteps: 2' }),
        ]),
      ),
      'tasks.spec.ts': TASKS_TEST_IN_ONE_WORKER,
    });
    run = await suite.playwright(['test'], processes.env);
    for (const name of ['faults', ...Object.keys(unread)])
      Object.assign(outcomes, JSON.parse(suite.read(`${name}.json`)));
  });

  test('ends its trial with what happened, and no process is left', async () => {
    expect(run.exitCode, run.output).toBe(1);
    const { verdicts } = run.results();
    for (const [id, fault] of trials) {
      const [trial] = verdicts.find(row => row.spec === id)!.trials;
      const { outcome = 'error', turns = 0 } = fault;
      expect
        .soft(trial, `${id}: ${JSON.stringify(trial)}`)
        .toMatchObject({ outcome, turns, status: fault.status ?? 'error' });
      expect
        .soft(trial!.errorKind, id)
        .toBe(outcome === 'error' ? (fault.errorKind ?? 'internal') : undefined);
      expect.soft(String(trial!.reason), id).toMatch(fault.reason);
    }
    // The reason is printed, and without the secret.
    expect(run.output).toMatch(/no\s+plan\s+for\s+<secret>PASS<\/secret>\s+with\s+<MODEL_API_KEY>/);
    const reported = JSON.stringify(JSON.parse(suite.read('report.json')).suites);
    expectNoLeak(run.output, reported, suite.read('taskproof-results.json'));
    await processes.gone();
  });

  test('is the outcome or the error of a hand-written test', () => {
    for (const [id, fault] of byHand) {
      const { status = 'error', errorKind = 'internal', turns = 0 } = fault;
      const { reason, ...outcome } = outcomes[id]!;
      expect.soft(outcome.status, `${id}: ${reason}`).toBe(status);
      expect.soft(String(reason), id).toMatch(fault.reason);
      if (status === 'error') expect.soft(reason, id).toContain(`agent.run, error: ${errorKind}: `);
      else expect.soft(outcome.turns, id).toBe(turns);
      if (status === 'completed') expect.soft(outcome.done, id).toBe(true);
    }
    expect(suite.exists('cut-off'), 'the connection ends with the time, before the program does').toBe(true);
    expectNoLeak(JSON.stringify(outcomes));
  });

  test.each(Object.entries(unread))(
    '%s: a program that does not start, or reads nothing, is no riddle',
    (id, { reason }) => {
      expect(outcomes[id]!.reason).toMatch(reason);
    },
  );
});

test('Ctrl-C ends the program and what it started', async () => {
  const { started, hanging } = hangingPage();
  const site = await startSite({ '/': PAGE, '/hanging': hanging });
  const suite = makeSuite({
    'playwright.config.ts': config({
      taskproof: `{ agent: command({ command: ${NODE}, args: ['hang.mjs'] }) }`,
    }),
    'hang.mjs': `${PROGRAM_HEAD}
const task = await json(process.stdin);
process.on('SIGTERM', () => {}).on('SIGINT', () => {});
spawn(process.execPath, ['-e', 'process.on("SIGTERM", () => {}); setInterval(() => {}, 1000)']);
say({ type: 'turn', title: 'hang' });
const page = await attach(task.cdp);
await fetch(task.entryUrl + 'hanging');
await never();`,
    'tasks/hang.yaml': spec({ id: 'hang', url: `${site.url}/` }),
    'tasks.spec.ts': TASKS_TEST,
  });
  const processes = marked();
  const hasStarted = async () => {
    await started;
    const running = processes.running().filter(line => line.includes('hang.mjs'));
    expect(running).toHaveLength(process.platform === 'linux' ? 1 : 0);
  };
  const { exitCode, output, results } = await interrupt(suite, hasStarted, processes.env);
  expect(exitCode, output).toBe(130);
  expect(results().verdicts[0]!.trials[0]).toMatchObject({
    outcome: 'error',
    reason: 'the run was interrupted before the trial ended',
    turns: 1,
  });
  await processes.gone();
});
