// Runs the compared tools in separate processes, which share no Playwright, browser or event loop. In temporary suites,
// this library and its Playwright are installed as users have them.
import { spawn } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { launchOptions } from '../../scripts/browser.mjs';
import { BENCH, QUIET } from './packages.mjs';

export const ROOT = resolve(BENCH, '..');
/** The browser of this machine, as source text for a config. */
export const LAUNCH = JSON.stringify(launchOptions());
const PLAYWRIGHT_CLI = join(
  dirname(createRequire(join(ROOT, 'package.json')).resolve('@playwright/test/package.json')),
  'cli.js',
);

/** @typedef {Record<string, string | undefined>} Env */

/** @type {Set<import('node:child_process').ChildProcess>} */
const running = new Set();
/** @type {Set<string>} */
const folders = new Set();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
  for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
});

/** @param {string} name */
export function temporary(name) {
  const folder = mkdtempSync(join(tmpdir(), `taskproof-bench-${name}-`));
  folders.add(folder);
  return folder;
}

/** @param {string} node @param {string[]} args @param {{ cwd?: string, env?: Env }} options */
export function start(node, args, { cwd, env }) {
  const child = spawn(node, args, {
    cwd,
    env: { ...process.env, NO_COLOR: '1', FORCE_COLOR: undefined, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.add(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', chunk => {
      output = (output + chunk).slice(-20_000);
      if (process.env.TASKPROOF_BENCH_VERBOSE) process.stderr.write(chunk);
    });
  const ended = new Promise(resolve => {
    child.on('error', error => {
      output += String(error);
      resolve(null);
    });
    child.on('close', code => {
      running.delete(child);
      resolve(code);
    });
  });
  return {
    ended,
    pid: child.pid,
    output: () => output,
    /** Waits until its output matches. @param {RegExp} pattern @returns {Promise<RegExpExecArray>} */
    says: pattern =>
      new Promise((resolve, reject) => {
        const look = () => {
          const found = pattern.exec(output);
          if (found) resolve(found);
        };
        child.stdout.on('data', look);
        void ended.then(() => reject(new Error(`it ended without saying ${pattern}:\n${output}`)));
        look();
      }),
    /** Ends it, after 5 s by force. @param {NodeJS.Signals} signal */
    async stop(signal = 'SIGTERM') {
      if (child.exitCode !== null || child.signalCode) return;
      child.kill(signal);
      const timer = setTimeout(() => child.kill('SIGKILL'), 5_000);
      await ended;
      clearTimeout(timer);
    },
  };
}

/**
 * Starts one of `bench/drivers`.
 *
 * @param {string} name
 * @param {Env} env
 * @param {string | null} node null if no Node is new enough
 */
export function startDriver(name, env, node = process.execPath) {
  if (!node) throw new Error('it requires a newer Node, which bench/package-lock.json has not installed');
  // Its reports, logs and caches go into a folder that is removed later.
  const folder = temporary(name);
  return start(node, [join(BENCH, 'drivers', `${name}.mjs`)], {
    cwd: folder,
    env: {
      ...QUIET,
      HOME: folder,
      BENCH_FOLDER: folder,
      BENCH_CHROMIUM: launchOptions().executablePath ?? '',
      BROWSER_USE_CONFIG_DIR: folder,
      ...env,
    },
  });
}

let library = '';

/** A copy of the built library, so that a build during the bench does not change what is measured. */
export function builtLibrary() {
  if (library) return library;
  // BENCH_LIBRARY: another build to measure.
  const root = resolve(process.env.BENCH_LIBRARY ?? ROOT);
  if (!existsSync(join(root, 'dist/index.mjs'))) throw new Error('the library is not built: npm run build');
  // Below node_modules, where Playwright does not transform its code.
  library = join(temporary('library'), 'node_modules/@taskproof/playwright');
  mkdirSync(library, { recursive: true });
  for (const name of ['package.json', 'dist'])
    cpSync(join(root, name), join(library, name), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(library, 'node_modules'), 'junction');
  return library;
}

/** @param {Record<string, string>} files texts by path */
export function makeSuite(files) {
  const folder = temporary('suite');
  mkdirSync(join(folder, 'node_modules/@taskproof'), { recursive: true });
  symlinkSync(builtLibrary(), join(folder, 'node_modules/@taskproof/playwright'), 'junction');
  symlinkSync(join(ROOT, 'node_modules/@playwright'), join(folder, 'node_modules/@playwright'), 'junction');
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return {
    folder,
    /** @param {string[]} args @param {Env} env */
    playwright: (args, env = {}) =>
      start(process.execPath, [PLAYWRIGHT_CLI, ...args], {
        cwd: folder,
        env: { CI: undefined, GITHUB_STEP_SUMMARY: undefined, PLAYWRIGHT_HTML_OPEN: 'never', ...env },
      }),
    /** @param {string[]} args */
    taskproof: args =>
      start(process.execPath, [join(folder, 'node_modules/@taskproof/playwright/dist/cli.js'), ...args], {
        cwd: folder,
      }),
    /** @param {string} file */
    read: file => readFileSync(join(folder, file), 'utf8'),
    remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }),
  };
}

/**
 * A suite of trials that claude() plays against a Messages API.
 *
 * @param {Record<string, string>} entryUrls by spec id
 * @param {string} apiUrl
 */
export function claudeSuite(entryUrls, apiUrl, maxSteps = 100) {
  const specs = Object.entries(entryUrls).map(([id, url]) => [
    id,
    `specVersion: '0.1'\nid: ${id}\ngoal: Play.\nentryUrl: ${url}\nmaxSteps: ${maxSteps}\npassPolicy: { k: 1, minPasses: 1 }\nassertions:\n  - { type: dom, selector: body, state: attached }\n`,
  ]);
  return claudeSuiteOf(Object.fromEntries(specs), apiUrl);
}

/**
 * @param {Record<string, string>} specs as YAML, by id
 * @param {string} apiUrl
 */
export function claudeSuiteOf(specs, apiUrl) {
  const files = Object.entries(specs).map(([id, text]) => [`tasks/${id}.yaml`, text]);
  return makeSuite({
    ...Object.fromEntries(files),
    'playwright.config.mjs': `import { claude, repeats } from '@taskproof/playwright';
export default { workers: 1, testMatch: 'tasks.spec.mjs', reporter: [['line'], ['@taskproof/playwright/reporter']],
  projects: [{ name: 'bench', ...repeats('tasks/*.yaml'), use: { launchOptions: ${LAUNCH}, taskproof: { turnTimeoutMs: 600_000,
    agent: claude({ baseURL: '${apiUrl}', apiKey: 'test-key', maxRetries: 0 }) } } }] };`,
    'tasks.spec.mjs': `import { taskproofTests } from '@taskproof/playwright'; taskproofTests('tasks/*.yaml');`,
  });
}
