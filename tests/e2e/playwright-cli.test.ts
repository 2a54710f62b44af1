// Playwright's own command line for agents and its MCP server, the real ones, on a trial's page: a program stands for the coding agent.
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import type { TrialRecord } from '../../src/data/record';
import { MARK, marked } from '../support/processes';
import { config, makeSuite, recordsOf, type Suite, spec, startSite, WITH_JSON } from './suite';

const PASSWORD = 'violet-garden-7';
const SECRET = '<secret>SHOP_PASSWORD</secret>';

/** A preset whose program gets what the preset got. */
const PRESET = `export default {
  command: process.execPath,
  worksByCli: true,
  start: ({ prompt, server, skill }) => ({
    args: ['${'PROGRAM'}', JSON.stringify({ server, skill })],
    stdin: prompt,
  }),
};`;

const PROGRAM = `
import { execFileSync, spawn } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
const { server, skill } = JSON.parse(process.argv[2]);
const prompt = readFileSync(0, 'utf8');
const told = [];
const tell = text => (told.push(text), text);
function cli(...args) {
  try {
    return tell(execFileSync('playwright-cli', args, { encoding: 'utf8' }));
  } catch (error) {
    return tell(error.stdout);
  }
}
const ref = (page, element) => new RegExp(element + '.*?\\\\[ref=(\\\\w+)\\\\]').exec(page)?.[1];
if (!skill) {
  const child = spawn(server.command, server.args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  let id = 0;
  async function ask(method, params) {
    child.stdin.write(JSON.stringify({ jsonrpc: '2.0', id: ++id, method, params }) + '\\n');
    for (;;) {
      const answer = JSON.parse((await lines.next()).value);
      if (answer.id === id) return answer.result;
    }
  }
  const call = async (name, input = {}) => tell((await ask('tools/call', { name, arguments: input })).content[0].text);
  await ask('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'x', version: '1' } });
  tell(JSON.stringify((await ask('tools/list', {})).tools.map(({ name }) => name)));
  const page = await call('browser_snapshot');
  await call('browser_type', { target: ref(page, 'textbox'), text: '${SECRET}' });
  await call('browser_click', { target: ref(page, 'button') });
  await call('browser_handle_dialog', { accept: true });
  child.kill();
} else if (prompt.includes('Lose')) {
  cli('give-up', 'no', 'way');
} else {
  // What is no call is nothing to the trial.
  connect(server.args[1]).on('error', () => {}).end('nonsense\\n');
  tell(skill.slice(0, 30));
  const page = cli('snapshot');
  const field = ref(page, 'textbox "Password"');
  cli('fill', field, '${SECRET}');
  cli('snapshot', '--filename=/tmp/page.yml');
  cli('run-code', 'async page => page.url()');
  cli('type', '${SECRET}');
  cli('fill', ref(page, 'textbox "Elsewhere"'), '${SECRET}');
  cli('goto', 'http://localhost:1/?${SECRET}');
  cli('goto', 'http://localhost:' + new URL(/open at (\\S+),/.exec(prompt)[1]).port + '/');
  cli('click', 'e999');
  cli('click', '--help');
  cli('click', ref(page, 'button'));
  cli('dialog-accept');
  cli('find', 'password of');
}
tell(JSON.stringify(readdirSync('.')));
writeFileSync(process.env.TOLD, JSON.stringify(told));
`;

let suite: Suite;
let records: Record<string, TrialRecord>;
let output: string;
const told = (name: string) => JSON.parse(suite.read(`${name}.json`)) as string[];

const isOld = process.env.TASKPROOF_PLAYWRIGHT?.startsWith('1.64.') ?? false;
const testIt = test.skipIf(isOld);

beforeAll(async () => {
  const site = await startSite({
    '/': `<input id="password" aria-label="Password"><iframe src="/frame"></iframe>
      <button onclick="done.hidden = !confirm('Sure?'); done.textContent = 'A password of ' + password.value.length">Order</button>
      <p id="done" hidden></p>`,
    '/frame': '<input aria-label="Elsewhere">',
  });
  suite = makeSuite({
    'playwright.config.ts': config({
      reporters: WITH_JSON,
    }),
  });
  const agent = '../node_modules/@taskproof/playwright/agent-programs/mcp/agent.mjs';
  const assertions = `  - type: dom
    selector: '#done'
    state: text
    text: 'A password of ${PASSWORD.length}'
`;
  suite.write({
    'preset.mjs': PRESET.replace('PROGRAM', join(suite.folder, 'program.mjs')),
    'program.mjs': PROGRAM,
  });
  for (const [name, goal, args] of [
    ['cli', 'Type the password and order', ['--cli']],
    ['mcp', 'Type the password and order', []],
    ['lost', 'Lose', ['--cli']],
  ] as const) {
    const program = {
      ...{ name, command: process.execPath, env: { TOLD: join(suite.folder, `${name}.json`) } },
      args: [agent, './preset.mjs', '--env', MARK, '--env', 'TOLD', ...args],
    };
    suite.write({
      [`${name}.spec.ts`]: `import { command, taskproofTests, test } from '@taskproof/playwright';
test.use({ taskproof: { agent: command(${JSON.stringify(program)}), turnTimeoutMs: 20_000, secrets: { SHOP_PASSWORD: '${PASSWORD}' } } });
taskproofTests('tasks/${name}.yaml', { test });`,
      [`tasks/${name}.yaml`]: spec({
        id: name,
        url: `${site.url}/`,
        goal,
        assertions,
        extra: 'maxSteps: 25',
      }),
    });
  }
  const processes = marked();
  const temp = join(suite.folder, 'temp');
  mkdirSync(temp);
  const run = await suite.playwright(['test'], { ...processes.env, TMPDIR: temp, TEMP: temp });
  output = run.output;
  records = recordsOf(suite);
  expect(processes.running()).toEqual([]);
  expect(readdirSync(temp).filter(name => name.startsWith('taskproof-'))).toEqual([]);
  if (isOld) return;
  for (const text of [output, suite.read('cli.json'), suite.read('mcp.json'), JSON.stringify(records)])
    expect(text).not.toContain(PASSWORD);
});

testIt('playwright-cli: each command is a turn; what reaches beyond the page is left out', () => {
  expect(records.cli, output).toMatchObject({ outcome: 'passed', status: 'completed' });
  expect(records.cli!.turns.map(({ title }) => title)).toEqual([
    'read the page',
    `type "${SECRET}" into textbox "Password"`,
    'read the page',
    'run-code {}',
    `type "${SECRET}" into the page`,
    `type "${SECRET}" into textbox "Elsewhere"`,
    `go to http://localhost:1/?${SECRET}`,
    expect.stringMatching(/^go to http:\/\/localhost:\d+\/$/),
    'click e999',
    'click the page',
    'click button "Order"',
    'accept dialog {}',
    'read the page',
  ]);
  const errors = records.cli!.turns.map(({ actions }) => actions[0]?.error);
  const untyped = 'Not typed: secrets are typed by fill, into elements of the page by their reference';
  expect(errors).toEqual([
    undefined,
    undefined,
    'The option --filename=/tmp/page.yml is not to be used here.',
    expect.stringMatching(/^run-code is not to be used here\. There are: click, /),
    ...Array(3).fill(expect.stringContaining(untyped)),
    expect.any(String),
    expect.stringContaining('Ref e999 not found'),
    ...Array(4).fill(undefined),
  ]);
  expect(records.cli!.turns[1]!.actions[0]!.detail).toMatchObject({
    code: "await page.getByRole('textbox', { name: 'Password' }).fill('<secret>SHOP_PASSWORD</secret>');",
  });
  expect(records.cli!.refusals).toHaveLength(1);
});

testIt(
  'the agent reads what Playwright says, with secrets masked, and its skill; its folder has no pages',
  () => {
    const [skill, page, typed, ...rest] = told('cli');
    expect(skill).toContain('name: playwright-cli');
    expect(page).toMatch(/textbox "Password" \[ref=e\d+\]/);
    expect(typed).toContain(`fill('${SECRET}')`);
    expect(JSON.stringify(rest)).toContain('playwright-cli snapshot or find show it');
    expect(rest.at(-4)).toContain('"confirm" dialog');
    expect(rest.at(-2)).toContain(`A password of ${PASSWORD.length}`);
    expect(rest.at(-1)).toBe('[]');
  },
);

testIt('give-up ends the trial with the reason', () => {
  expect(records.lost, output).toMatchObject({ outcome: 'failed', status: 'gave_up' });
  expect(records.lost!.reason).toContain('no way');
});

test("Playwright's own MCP server needs no package", () => {
  expect(records.mcp, output).toMatchObject({ outcome: 'passed', status: 'completed' });
  expect(told('mcp')[0]).toContain('browser_snapshot');
  expect(records.mcp!.turns.map(({ title }) => title)).toEqual([
    'read the page',
    `type "${SECRET}" into textbox "Password"`,
    'click button "Order"',
    'accept the dialog',
  ]);
});

test.runIf(isOld)('an older Playwright is refused', () => {
  expect(records.cli!.reason).toContain('--cli does not work with Playwright 1.64.');
});
