// Temporary Playwright suites and real `playwright test` processes in them.
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { dirname, extname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { inject } from 'vitest';
import { launchOptions } from '../../scripts/browser.mjs';
import { run } from '../../src/cli/program';
import type { TrialRecord } from '../../src/data/record';
import type { Results } from '../../src/data/results';
import { compileCache } from '../support/compile-cache';
import { recordsIn } from '../support/records';
import { serve } from '../support/serve';

/** Suites and sites may be made in hooks and shared by the tests of a file: all go when the file ends (./setup.ts). */
const endings: (() => unknown)[] = [];
export const endAll = () => Promise.all(endings.splice(0).map(end => end()));

export interface Run {
  exitCode: number | null;
  /** Standard output and standard error, in the order of arrival. */
  output: string;
  results(file?: string): Results;
}

export interface Suite {
  folder: string;
  write(files: Record<string, string>): void;
  read(file: string): string;
  exists(file: string): boolean;
  remove(file: string): void;
  playwright(args: string[], env?: Record<string, string>): Promise<Run>;
  /** For tests that send signals. */
  start(args: string[], env?: Record<string, string>): { process: ChildProcess; done: Promise<Run> };
}

/** For the processes of suites without ES modules: see tests/support/compile-cache.cjs. */
export const COMMONJS = { TASKPROOF_TEST_COMMONJS: '1' };

export function makeSuite(files: Record<string, string>): Suite {
  const folder = mkdtempSync(join(inject('installed'), 'suite-'));
  if (!process.env.TASKPROOF_KEEP_SUITES)
    endings.push(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));
  let hasModules = false;
  const suite: Suite = {
    folder,
    write(more) {
      for (const [name, text] of Object.entries(more)) {
        hasModules ||= /\.(config|spec)\.m[jt]s$/.test(name) || /"type":\s*"module"/.test(text);
        mkdirSync(dirname(join(folder, name)), { recursive: true });
        writeFileSync(join(folder, name), text);
      }
    },
    read: file => readFileSync(join(folder, file), 'utf8'),
    exists: file => existsSync(join(folder, file)),
    remove: file => rmSync(join(folder, file), { force: true }),
    playwright: (args, env) => suite.start(args, env).done,
    start: (args, env) => startPlaywright(folder, args, { ...(hasModules ? {} : COMMONJS), ...env }),
  };
  suite.write(files);
  return suite;
}

/** The record of each spec's newest trial, by its id. @param file output of the reporter `json` */
export const recordsOf = (suite: Suite, file = 'report.json'): Record<string, TrialRecord> =>
  Object.fromEntries(recordsIn(suite.read(file)).map(record => [record.specId, record]));

/** Ctrl-C, once a run has come so far. */
export async function interrupt(
  suite: Suite,
  started: () => Promise<unknown>,
  env: Record<string, string> = {},
) {
  const run = suite.start(['test'], env);
  await Promise.race([started(), run.done]);
  run.process.kill('SIGINT');
  return run.done;
}

const exec = promisify(execFile);

/** Runs a command of ours in the suite. */
export async function taskproof(suite: Suite, args: string[], env: Record<string, string> = {}) {
  const cli = join(inject('installed'), 'node_modules/@taskproof/playwright/dist/cli.js');
  const options = {
    cwd: suite.folder,
    env: { ...process.env, ...compileCache(), NO_COLOR: '1', FORCE_COLOR: '', ...env },
  };
  const ended = await exec(process.execPath, [cli, ...args], options).catch(error => error);
  return {
    code: (ended.code as number | undefined) ?? 0,
    out: String(ended.stdout),
    err: String(ended.stderr),
  };
}

/** A command of ours that starts no other process, without one of its own. Of the packed tarball: cli.test.ts. */
export async function inProcess(suite: Suite, args: string[]) {
  const [out, err]: [string[], string[]] = [[], []];
  const io = { out: (text: string) => void out.push(text), err: (text: string) => void err.push(text) };
  const code = await run(args, { cwd: suite.folder, colour: false, ...io });
  return { code, out: out.join('\n'), err: err.join('\n') };
}

function startPlaywright(folder: string, args: string[], env: Record<string, string> = {}) {
  const cli = join(inject('installed'), 'node_modules/@playwright/test/cli.js');
  const { GITHUB_STEP_SUMMARY, GITHUB_ACTIONS, FORCE_COLOR, CI, ...clean } = process.env;
  const child = spawn(process.execPath, [cli, ...args], {
    cwd: folder,
    env: { ...clean, ...compileCache(), NO_COLOR: '1', PLAYWRIGHT_HTML_OPEN: 'never', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  child.stdout!.on('data', chunk => (output += chunk));
  child.stderr!.on('data', chunk => (output += chunk));
  const done = new Promise<Run>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', exitCode =>
      resolve({
        exitCode,
        output,
        results: (file = 'taskproof-results.json') =>
          JSON.parse(readFileSync(join(folder, file), 'utf8')) as Results,
      }),
    );
  });
  return { process: child, done };
}

/** A Playwright server, whose pipes the caller reads: it ends with the tests of the file. */
export function startServer(args: string[], cwd?: string): ChildProcess {
  const cli = join(inject('installed'), 'node_modules/@playwright/test/cli.js');
  const child = spawn(process.execPath, [cli, ...args], { cwd, env: { ...process.env, ...compileCache() } });
  // SIGTERM would close the browsers of `run-server` and leave the server.
  endings.push(() => child.kill('SIGINT'));
  return child;
}

/** The first match in what a program prints, once it is there. */
export function printed(stream: Readable, wanted: RegExp): Promise<string> {
  let text = '';
  return new Promise((resolve, reject) => {
    stream.on('data', chunk => {
      text += chunk;
      const found = wanted.exec(text)?.[0];
      if (found) resolve(found);
    });
    stream.on('end', () => reject(new Error(`it ended before it printed ${wanted}: ${text}`)));
  });
}

export interface ConfigOptions {
  /** Source text of the `use.taskproof` object. */
  taskproof?: string;
  /** Source text of further properties of the config. */
  extra?: string;
  reporters?: string;
  /** Source text of the projects; one named `agents` by default. */
  projects?: string;
  globs?: string;
  /** Source text below the imports that all of them have. */
  imports?: string;
  /** Default: 1. Each starts a Node process and a browser, for each repeat: most of what a run costs. */
  workers?: number;
}

/** A page on which a task is done by a click on "Go": what a spec asserts by default. */
export const PAGE = '<button onclick="done.hidden=false">Go</button><p id="done" hidden>Done</p>';

/** Source text of the least agent, for suites in which the agent is not the point. */
export const CLICKS_GO = `defineAgent({ name: 'go', async run(task) {
  await task.turn('click Go', () => task.page.getByText('Go').click());
} })`;

/** Without the HTML report, which few tests read: the default. */
export const PLAIN = `[['list'], ['@taskproof/playwright/reporter']]`;
/** The same, and report.json, in which `recordsOf` reads. */
export const WITH_JSON = `[['list'], ['@taskproof/playwright/reporter'], ['json', { outputFile: 'report.json' }]]`;

/** A config as a user would write it, with the browser of this machine. */
export function config(options: ConfigOptions = {}): string {
  const {
    taskproof = '{}',
    extra = '',
    imports = '',
    globs = "'tasks/**/*.yaml'",
    workers = 1,
    reporters = PLAIN,
    projects = `[{ name: 'agents', testDir: '.', testMatch: '**/*.spec.*', ...repeats(${globs}) }]`,
  } = options;
  return `
import { defineConfig, test } from '@playwright/test';
import { aiJudge, aiSdk, claude, command, defineAgent, lexical, repeats, replay, webJudge } from '@taskproof/playwright';
${imports}
export default defineConfig({
  workers: ${workers},
  reporter: ${reporters},
  // A small page: pictures of large ones are much of what a trial costs.
  use: { viewport: { width: 480, height: 320 }, launchOptions: ${JSON.stringify(launchOptions())}, taskproof: { agent: lexical(), ...${taskproof} } },
  // An assertion that does not hold waits for all of it; a page of a busy machine may need a good part of it.
  expect: { timeout: 2000 },
  projects: ${projects},
  ${extra}
});
`;
}

export const tasksTest = (glob: string) => `
import { taskproofTests } from '@taskproof/playwright';
taskproofTests('${glob}');
`;
export const TASKS_TEST = tasksTest('tasks/**/*.yaml');

/**
 * The same, and no failure starts a new worker: it becomes an expected one after the other hooks. Our reporter tells it as ever. Not
 * where the question is what Playwright itself makes of a failure: its colour, its exit code, `-x`.
 */
export const TASKS_TEST_IN_ONE_WORKER = `
import { taskproofTests, test } from '@taskproof/playwright';
test.afterEach(({}, info) => { if (info.status === 'failed') info.fail(); });
taskproofTests('tasks/**/*.yaml');
`;

export interface SpecOptions {
  id: string;
  url: string;
  goal?: string;
  k?: number;
  minPasses?: number;
  /** Lines of the assertions' list, as YAML. */
  assertions?: string;
  extra?: string;
}

export function spec({
  id,
  url,
  goal = 'Click "Go"',
  k = 1,
  minPasses = k,
  assertions,
  extra = '',
}: SpecOptions): string {
  return `specVersion: '0.1'
id: ${id}
goal: '${goal}'
entryUrl: '${url}'
passPolicy:
  k: ${k}
  minPasses: ${minPasses}
${extra}
assertions:
${assertions ?? "  - type: dom\n    selector: '#done'\n    state: visible\n"}`;
}

/** A site on 127.0.0.1: a text is an HTML page's body. */
export async function startSite(pages: Record<string, string | RequestListener>) {
  const { url, close } = await serve((request, response) => {
    const page = pages[new URL(request.url!, 'http://x').pathname];
    if (typeof page === 'function') return page(request, response);
    response.writeHead(page === undefined ? 404 : 200, { 'content-type': 'text/html; charset=utf-8' });
    response.end(
      `<!doctype html><html lang="en"><title>Site</title><body>${page ?? 'Not found'}</body></html>`,
    );
  });
  endings.push(close);
  return { url, close };
}

/** A page for `startSite` that an agent asks for in the middle of its work, and when it has done so. */
export function hangingPage() {
  let tell = () => {};
  const started = new Promise<void>(resolve => {
    tell = resolve;
  });
  const hanging: RequestListener = (_, response) => void response.end(tell());
  return { started, hanging };
}

const TYPES: Record<string, string> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
};

/** A folder of files over HTTP, as `show-report` serves a report. */
export async function serveFolder(folder: string): Promise<string> {
  const { url, close } = await serve((request, response) => {
    const path = decodeURIComponent(new URL(request.url!, 'http://x').pathname);
    const file = join(folder, path.endsWith('/') ? `${path}index.html` : path);
    if (!existsSync(file)) return void response.writeHead(404).end();
    response.writeHead(200, { 'content-type': TYPES[extname(file)] ?? 'application/octet-stream' });
    response.end(readFileSync(file));
  });
  endings.push(close);
  return `${url}/`;
}
