import { readdirSync } from 'node:fs';
import { PassThrough } from 'node:stream';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { askOn } from '../../../src/cli/io';
import { parseTaskSpec } from '../../../src/spec';
import { urlGlob } from '../../../src/spec/url-glob';
import { suite } from './suite';

const MANIFEST = JSON.stringify({
  scripts: { dev: 'vite' },
  devDependencies: { vite: '7', typescript: '5', '@playwright/test': '1' },
});
const CONFIG = 'export default {};';
const SPECS = ['agents/tasks/home-page.yaml', 'agents/tasks/home-page-twice.yaml'];

/** Errors of syntax, as the compiler finds them. */
function syntaxErrors(text: string): string[] {
  const { diagnostics } = ts.transpileModule(text, { fileName: 'config.ts', reportDiagnostics: true });
  return (diagnostics ?? []).map(one => ts.flattenDiagnosticMessageText(one.messageText, '\n'));
}

test('with a config, writes specs and a test file, prints the lines to add, leaves the config alone', async () => {
  const { taskproof, read } = suite({ 'package.json': MANIFEST, 'playwright.config.ts': CONFIG });
  const { code, out, err } = await taskproof(['init']);
  expect([code, err]).toEqual([0, '']);
  for (const file of [...SPECS, 'agents/task-spec.schema.json', 'agents/tasks.spec.ts'])
    expect(out).toContain(`Wrote    ${file}`);
  expect(read('playwright.config.ts')).toBe(CONFIG);
  expect(out).toContain('npm install --save-dev @taskproof/playwright\n');
  expect(out).toContain("testIgnore: 'agents/**',");
  const [imports, fields] = [
    /^import .*;$/gm,
    /^ {2}(?:reporter|webServer):.*$|^ {4}\{\n[\s\S]*?^ {4}\},$/gm,
  ].map(pattern => out.match(pattern)!);
  expect(fields).toHaveLength(3);
  const [reporter, project, server] = fields!;
  const whole = `${imports!.join('\n')}\nexport default {\n${reporter}\n${server}\nprojects: [\n${project}\n] };`;
  expect(syntaxErrors(whole)).toEqual([]);
  expect(server).toContain("command: 'npm run dev', url: 'http://localhost:5173/'");
});

test.each(['http://localhost:3000', 'https://shop.example/de?a=b#/start', "http://localhost:1/it's?a='b'"])(
  'the specs for %s are valid, name their schema, and hold only once the goal is reached',
  async url => {
    const { taskproof, read } = suite();
    await taskproof(['init', '--url', url]);
    expect((await taskproof(['validate'])).out).toContain('2 valid specs');
    expect(JSON.parse(read('agents/task-spec.schema.json')).else.required).toContain('assertions');
    for (const file of SPECS) {
      expect(read(file)).toMatch(/^# yaml-language-server: \$schema=\.\.\/task-spec\.schema\.json\n/);
      const { goal, entryUrl, assertions } = parseTaskSpec(read(file));
      const holds = (address: string) =>
        assertions.every(each => each.type !== 'network' || urlGlob(each.urlPattern)(address));
      expect([holds(entryUrl), holds(goal.replace('Go to ', ''))], file).toEqual([false, true]);
    }
  },
);

test.each([
  ['ts', MANIFEST],
  ['js', '{}'],
])('without a config writes one in .%s', async (ending, manifest) => {
  const { taskproof, read } = suite({
    'package.json': manifest,
    'pnpm-lock.yaml': '',
  });
  const { out } = await taskproof(['init']);
  const config = read(`playwright.config.${ending}`);
  expect(syntaxErrors(config)).toEqual([]);
  expect(config).toContain("...repeats('agents/tasks/**/*.yaml'),");
  expect(config.includes("command: 'pnpm run dev', url: 'http://localhost:5173/'")).toBe(ending === 'ts');
  expect(read(`agents/tasks.spec.${ending}`)).toContain("taskproofTests('tasks/**/*.yaml');");
  expect(out).toContain(`pnpm add --dev`);
  expect(out).not.toContain('Add to');
});

test('the site is what starts it, where its address is unknown', async () => {
  const { taskproof } = suite({ 'package.json': JSON.stringify({ scripts: { dev: 'node server.js' } }) });
  const { out } = await taskproof(['init', '--yes']);
  expect(out).toContain('Site:    http://localhost:3000/, started by `npm run dev`\n');
  const guess =
    '1. http://localhost:3000/ is a guess. If it is wrong: npx taskproof init --force --url <address>';
  expect(out).toContain(guess);
  expect((await taskproof(['init', '--url', 'http://localhost:1', '--force'])).out).not.toContain('guess');
  expect((await taskproof(['init', '--url', 'http://localhost:1', '--force'])).out).toContain(
    'Site:    http://localhost:1/, started by `npm run dev`\n',
  );
});

test.each(['{', 'null'])('a package.json of %j is named', async text => {
  const { code, err } = await suite({ 'package.json': text }).taskproof(['init', '--yes']);
  expect([code, err]).toEqual([
    1,
    expect.stringMatching(/package\.json is not a JSON object\. Fix it first\./),
  ]);
});

test('a package.json may begin with a byte order mark, as npm reads it', async () => {
  const { taskproof } = suite({ 'package.json': `\ufeff${MANIFEST}` });
  expect((await taskproof(['init', '--yes'])).code).toBe(0);
});

test('in a terminal an answer that will not do is asked again', async () => {
  const { taskproof, read } = suite();
  const [input, output] = [new PassThrough(), new PassThrough()];
  const answers = ['../outside', '', 'ftp://127.0.0.1', '127.0.0.1:4000'];
  let shown = '';
  output.on('data', text => {
    shown += text;
    if (String(text).endsWith(') ')) input.write(`${answers.shift()}\n`);
  });
  const { code, out } = await taskproof(['init'], { ask: askOn(input, output) });
  expect([code, answers]).toEqual([0, []]);
  expect(shown).toBe(
    `Folder for the task specs? (agents) "../outside" can't be the folder for the specs. Name a folder inside this one, such as "agents", with letters, digits, "-", "_" and ".".
Folder for the task specs? (agents) Where does the site run? (http://localhost:3000) "ftp://127.0.0.1" is not an http: or https: URL. Give the site's address, such as http://localhost:3000.
Where does the site run? (http://localhost:3000) `,
  );
  expect(out).toContain('Site:    http://127.0.0.1:4000/\n');
  expect(read(SPECS[0]!)).toContain("entryUrl: 'http://127.0.0.1:4000/'");
});

test('results are no source: they are ignored, or the last step says so', async () => {
  const last = /Add a line to \.gitignore: taskproof-results\.json$/m;
  const { taskproof } = suite({ '.gitignore': 'node_modules\n' });
  expect((await taskproof(['init', '--yes'])).out).toMatch(last);
  const ignoring = suite({ '.gitignore': 'node_modules\ntaskproof-results.json\n' });
  expect((await ignoring.taskproof(['init', '--yes'])).out).not.toMatch(last);
});

test('what exists is kept, and written with --force', async () => {
  const { taskproof, read } = suite({ 'agents/tasks.spec.js': 'mine', 'playwright.config.js': CONFIG });
  const { code, out } = await taskproof(['init']);
  expect(code).toBe(0);
  expect(out).toContain('Kept     agents/tasks.spec.js');
  expect(out).toContain(`Wrote    ${SPECS[0]}`);
  expect(read('agents/tasks.spec.js')).toBe('mine');
  await taskproof(['init', '--force']);
  expect(read('agents/tasks.spec.js')).toContain('taskproofTests');
  expect(read('playwright.config.js')).toBe(CONFIG);
});

test('asks in a terminal, unless options say it', async () => {
  const asked: string[] = [];
  const given = ['flows', 'https://shop.example/'];
  const ask = async (question: string) => {
    asked.push(question);
    return given.shift() ?? '';
  };
  const { taskproof, read } = suite({ 'package.json': MANIFEST });
  await taskproof(['init'], { ask });
  expect(asked).toEqual([
    'Folder for the task specs? (agents) ',
    'Where does the site run? (http://localhost:5173) ',
  ]);
  expect(read('flows/tasks/home-page.yaml')).toContain("pattern: 'https://shop.example/**'");
  expect(read('playwright.config.ts')).not.toContain('webServer');
  await taskproof(['init', '--yes'], { ask });
  await taskproof(['init', '--dir', 'a', '--url', 'http://localhost:1'], { ask });
  expect(asked).toHaveLength(2);
});

test.each<[string[], string]>([
  [['--dir', '../outside'], `"../outside" can't be the folder`],
  [['--dir', "a'b"], `can't be the folder`],
  [['--url', 'file:///site'], 'is not an http: or https: URL'],
  [['--url', 'http://user:secret@localhost/'], 'must not contain credentials'],
])('init %j is refused and writes nothing', async (args, message) => {
  const { taskproof, folder } = suite();
  const { code, err } = await taskproof(['init', ...args]);
  expect(code).toBe(1);
  expect(err).toContain(message);
  expect(readdirSync(folder)).toEqual([]);
});
