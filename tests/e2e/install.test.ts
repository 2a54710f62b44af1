// The packed tarball, installed by npm into suites of two kinds: the other tests' are TypeScript with CommonJS, beside ordinary tests and with fixtures that log in.
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import ts from 'typescript';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { compileCache } from '../support/compile-cache';
import { config, makeSuite, type Suite, spec, startSite } from './suite';

const exec = promisify(execFile);
const shell = process.platform === 'win32';
const packageJson = JSON.parse(readFileSync(join(__dirname, '../../package.json'), 'utf8'));
const versions = packageJson.devDependencies;

const ESM = {
  config: 'playwright.config.ts',
  fixtures: `import { test as base } from '@playwright/test';
export const test = base.extend<{ account: string }>({
  account: ['mira', { option: true }],
  page: async ({ page, account, baseURL }, use) => {
    await page.goto(baseURL + '/login?as=' + account);
    await use(page);
  },
});`,
  agents: `import { taskproofTests, test as ours, expect } from '@taskproof/playwright';
import { test } from './fixtures';
taskproofTests('tasks/*.yaml', { test });
ours('the fixture agent', async ({ page, agent, baseURL }) => {
  await page.goto(baseURL + '/');
  const outcome = await agent.run('Click "Go"');
  expect(outcome.status).toBe('completed');
  await expect(page.locator('#done')).toBeVisible();
});`,
  ordinary: `import { expect } from '@playwright/test';
import { test } from './fixtures';
test('ordinary', async ({ page, baseURL }) => {
  await page.goto(baseURL + '/');
  await expect(page.locator('h1')).toHaveText('Hello mira');
});`,
};

const toCommonJs = (source: string) =>
  source
    .replace(
      /import \{(.*?)\} from (.*?);/g,
      (_, names: string, from: string) => `const {${names.replace(/ as /g, ': ')}} = require(${from});`,
    )
    .replace(/export const (\w+)/, 'const $1 = exports.$1')
    .replace('.extend<{ account: string }>', '.extend')
    .replace('export default', 'module.exports =');

/** Repeats are a matter of one of them: each is a worker. */
const kinds = [
  {
    name: 'TypeScript with ES modules',
    type: 'module',
    extension: 'ts',
    convert: (source: string) => source,
    k: 2,
  },
  { name: 'plain JavaScript', type: 'commonjs', extension: 'js', convert: toCommonJs, k: 1 },
];

let root: Suite;
let site: Awaited<ReturnType<typeof startSite>>;

// Installed once, by npm, in the folder above both.
beforeAll(async () => {
  site = await startSite({
    '/login': (request, response) => {
      const as = new URL(request.url!, 'http://x').searchParams.get('as');
      response.writeHead(200, { 'set-cookie': `user=${as}`, 'content-type': 'text/html' }).end('Welcome');
    },
    '/': (request, response) => {
      const user = /user=(\w+)/.exec(request.headers.cookie ?? '')?.[1];
      response.writeHead(200, { 'content-type': 'text/html' });
      response.end(
        `<!doctype html><h1>Hello ${user}</h1><button onclick="done.hidden=false">Go</button><p id="done" hidden>Done</p>`,
      );
    },
  });
  root = makeSuite({
    'package.json': JSON.stringify({
      name: 'suite',
      private: true,
      devDependencies: {
        '@playwright/test': process.env.TASKPROOF_PLAYWRIGHT ?? versions['@playwright/test'],
        '@taskproof/playwright': `file:${inject('tarball')}`,
        '@types/node': versions['@types/node'],
      },
    }),
  });
  await exec('npm', ['install', '--no-audit', '--no-fund', '--prefer-offline'], { cwd: root.folder, shell });
});

test.each(kinds)('$name', async ({ name, type, extension, convert, k }) => {
  const folder = name.replace(/\W+/g, '-');
  const file = (source: string) =>
    convert(type === 'module' ? source.replace("'./fixtures'", `'./fixtures.ts'`) : source);
  root.write({
    [`${folder}/package.json`]: JSON.stringify({ private: true, type }),
    [`${folder}/playwright.config.${extension}`]: convert(
      config({
        imports: `import { appendFileSync } from 'node:fs';\nappendFileSync('loads.txt', process.pid + '\\n');`,
      }).replace('use: {', `use: { baseURL: '${site.url}',`),
    ),
    [`${folder}/fixtures.${extension}`]: convert(ESM.fixtures),
    [`${folder}/agents.spec.${extension}`]: file(ESM.agents),
    [`${folder}/ordinary.spec.${extension}`]: file(ESM.ordinary),
    [`${folder}/tasks/go.yaml`]: spec({
      id: 'go',
      url: `${site.url}/`,
      k,
      assertions: `  - { type: dom, selector: '#done' }\n  - { type: dom, selector: h1, state: text, text: Hello mira }\n`,
    }),
  });
  // The suite's own copy, not the one that other tests share.
  const cli = join(root.folder, 'node_modules/@playwright/test/cli.js');
  const args = [cli, 'test', '--project=agents', '--workers=1'];
  const run = await exec(process.execPath, args, {
    cwd: join(root.folder, folder),
    env: { ...process.env, ...compileCache() },
  }).catch(error => error);
  const output = `${run.stdout}${run.stderr}`;
  // The ordinary test and the one with the fixture run once.
  expect(output).toMatch(new RegExp(`^ *${k + 2} passed`, 'm'));
  const results = JSON.parse(root.read(`${folder}/taskproof-results.json`));
  expect(results.verdicts).toMatchObject([{ spec: 'go', verdict: 'passed', passes: k }]);
  expect(run.code ?? 0, output).toBe(0);
  // Ours reads the config that Playwright has loaded: in the runner and in a worker, or more.
  const loads = root.read(`${folder}/loads.txt`).trim().split('\n');
  expect(loads.length).toBeGreaterThanOrEqual(2);
  expect(new Set(loads).size, 'no process ran the config twice').toBe(loads.length);
});

test('what it brings beside Playwright is less than 45 MB', () => {
  const modules = join(root.folder, 'node_modules');
  const others = /^(?:playwright|playwright-core|fsevents|undici-types|\.bin|@playwright|@types)(?:\/|\\|$)/;
  const files = readdirSync(modules, { recursive: true, encoding: 'utf8' }).filter(
    name => !others.test(name),
  );
  const sizes = files.map(name => statSync(join(modules, name))).filter(each => each.isFile());
  expect(files.some(name => name.endsWith('axe.min.js'))).toBe(true);
  expect(sizes.reduce((sum, { size }) => sum + size, 0)).toBeLessThan(45e6);
});

test('import and require give the same `test`, and its types hold in both', async () => {
  const suite = makeSuite({
    'same.mjs': `import { createRequire } from 'node:module';
import { test } from '@taskproof/playwright';
import { parseTaskSpec } from '@taskproof/playwright/spec';
import Reporter from '@taskproof/playwright/reporter';
const required = createRequire(import.meta.url)('@taskproof/playwright');
console.log(test === required.test, typeof parseTaskSpec, typeof Reporter);`,
  });
  const { stdout } = await exec(process.execPath, ['same.mjs'], { cwd: suite.folder });
  expect(stdout).toBe('true function function\n');
});

const MODULES = [
  { module: 'esnext', moduleResolution: 'bundler', type: 'module' },
  { module: 'nodenext', moduleResolution: 'nodenext', type: 'module' },
  { module: 'commonjs', moduleResolution: 'node10', type: 'commonjs', esModuleInterop: false },
];

describe('the types hold, without skipLibCheck,', () => {
  /** By path and how it is parsed. */
  const parsed = new Map<string, ts.SourceFile | undefined>();
  /** Parses the declarations of others once for all three: they are most of the time. */
  function sharingHost(options: ts.CompilerOptions): ts.CompilerHost {
    const host = ts.createCompilerHost(options);
    const { getSourceFile } = host;
    host.getSourceFile = (file, how, ...more) => {
      if (file.includes('@taskproof')) return getSourceFile(file, how, ...more);
      const key = `${file} ${JSON.stringify(how)}`;
      if (!parsed.has(key)) parsed.set(key, getSourceFile(file, how, ...more));
      return parsed.get(key);
    };
    return host;
  }

  test.each(MODULES)('under $module, $moduleResolution', ({ type, moduleResolution, ...options }) => {
    const folder = `types-${moduleResolution}`;
    root.write({
      [`${folder}/package.json`]: JSON.stringify({ private: true, type }),
      [`${folder}/uses.ts`]: `import { lexical, repeats, taskproofTests, test, type TrialRecord } from '@taskproof/playwright';
import Reporter from '@taskproof/playwright/reporter';
import { K_MAX, type TaskSpec, taskSpecSchema } from '@taskproof/playwright/spec';
export const spec: TaskSpec = taskSpecSchema.parse({});
export const made: object[] = [new Reporter({ outputFile: 'x' }), lexical(), repeats('*.yaml'), test];
export const k: number = K_MAX;
export const status: TrialRecord['status'] = 'gave_up';
// @ts-expect-error it is none of the statuses
export const wrong: TrialRecord['status'] = 'lost';
taskproofTests('*.yaml');`,
    });
    const compilerOptions = {
      ...{ strict: true, noEmit: true, skipLibCheck: false, target: 'es2022', lib: ['es2024', 'dom'] },
      ...{ moduleResolution, types: ['node'], ...options },
    };
    const project = ts.parseJsonConfigFileContent(
      { compilerOptions, files: ['uses.ts'] },
      ts.sys,
      join(root.folder, folder),
      {},
      join(root.folder, folder, 'tsconfig.json'),
    );
    const program = ts.createProgram(project.fileNames, project.options, sharingHost(project.options));
    // To check those of Playwright and Node would be most of the time, and they are not ours.
    const ours = program
      .getSourceFiles()
      .filter(({ fileName }) => /uses\.ts$|@taskproof.playwright/.test(fileName));
    for (const entry of ['index', 'reporter', 'spec/index'])
      expect(ours.some(({ fileName }) => new RegExp(`/dist/${entry}\\.d\\.m?ts$`).test(fileName))).toBe(true);
    // The suites of other tests stand beside packages that are optional for users.
    const optional = Object.keys(packageJson.peerDependenciesMeta);
    const named = program
      .getSourceFiles()
      .filter(({ fileName }) => optional.some(name => fileName.includes(`/node_modules/${name}/`)));
    expect(named.map(({ fileName }) => fileName)).toEqual([]);
    const wrong = [
      ...project.errors,
      ...program.getOptionsDiagnostics(),
      ...program.getGlobalDiagnostics(),
      ...ours.flatMap(file => [
        ...program.getSyntacticDiagnostics(file),
        ...program.getSemanticDiagnostics(file),
      ]),
    ];
    expect(ts.formatDiagnostics(wrong, ts.createCompilerHost(project.options))).toBe('');
  });
});

/** What a process has loaded, after some code in a suite, of what takes long to load. */
async function loadedBy(code: string): Promise<string[]> {
  const suite = makeSuite({
    'load.cjs': `${code}
const slow = /playwright-core|@anthropic-ai|(?<=node_modules.)(yaml|ws)\\b|(?<=dist.)(cli|reporter)\\.js|(?<=browser.)session\\.js/;
const names = Object.keys(require.cache).map(file => slow.exec(file)?.[0]);
console.log(JSON.stringify([...new Set(names.filter(Boolean))]));`,
  });
  const { stdout } = await exec(process.execPath, ['load.cjs'], {
    cwd: suite.folder,
    env: { ...process.env, ...compileCache() },
  });
  return JSON.parse(stdout);
}

test.each([
  { what: 'the format', code: `require('@taskproof/playwright/spec')`, loads: [] },
  {
    what: 'claude() in a config',
    code: `require('../node_modules/@taskproof/playwright/dist/agents/claude/index.js').claude({ model: 'x' })`,
    loads: [],
  },
  {
    what: 'the package with the reporter, a judge and every agent',
    code: `const { claude, command, lexical, replay, webJudge } = require('@taskproof/playwright');
claude({ model: 'x' }); command({ command: 'node' }); lexical(); replay(); webJudge({ model: 'x' });
require('@taskproof/playwright/reporter')`,
    loads: ['playwright-core', 'reporter.js'],
  },
])('of what takes long to load, $what loads $loads', async ({ code, loads }) => {
  expect(await loadedBy(code)).toEqual(loads);
});

test('publint and are-the-types-wrong find nothing in the tarball', async () => {
  const bin = (name: string) => join(__dirname, '../../node_modules', name);
  const publint = await exec(process.execPath, [bin('publint/src/cli.js'), inject('tarball'), '--strict']);
  expect(publint.stdout).toMatch(/All good/);
  const attw = await exec(process.execPath, [
    bin('@arethetypeswrong/cli/dist/index.js'),
    inject('tarball'),
    '--format',
    'json',
  ]);
  const { problems } = JSON.parse(attw.stdout);
  expect(problems ?? {}).toEqual({});
});
