// Temporary Playwright suites that have this library and its Playwright installed as a user has them.
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { launchOptions } from '../../scripts/browser.mjs';
import { start } from './processes.mjs';

export const ROOT = resolve(import.meta.dirname, '../..');
const require = createRequire(join(ROOT, 'package.json'));
export const PLAYWRIGHT_CLI = join(dirname(require.resolve('@playwright/test/package.json')), 'cli.js');

/** @type {string | undefined} */
let snapshot;

/** The library as it was built when the bench began: a build beside it must not change what is measured. */
export function builtLibrary() {
  if (snapshot) return snapshot;
  if (!existsSync(join(ROOT, 'dist/index.mjs'))) throw new Error('the library is not built: npm run build');
  const base = mkdtempSync(join(tmpdir(), 'taskproof-bench-library-'));
  // Below node_modules, where Playwright takes it for a package and leaves its code as it is.
  const folder = join(base, 'node_modules/@taskproof/playwright');
  mkdirSync(folder, { recursive: true });
  for (const name of ['package.json', 'dist'])
    cpSync(join(ROOT, name), join(folder, name), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'), 'junction');
  process.on('exit', () => rmSync(base, { recursive: true, force: true }));
  snapshot = folder;
  return folder;
}

/**
 * @param {Record<string, string>} files
 */
export function makeSuite(files) {
  const folder = mkdtempSync(join(tmpdir(), 'taskproof-bench-'));
  mkdirSync(join(folder, 'node_modules/@taskproof'), { recursive: true });
  symlinkSync(builtLibrary(), join(folder, 'node_modules/@taskproof/playwright'), 'junction');
  symlinkSync(join(ROOT, 'node_modules/@playwright'), join(folder, 'node_modules/@playwright'), 'junction');
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return {
    folder,
    /** @param {string[]} args @param {Record<string, string | undefined>} [env] @param {string[]} [nodeArgs] */
    playwright: (args, env = {}, nodeArgs = []) =>
      start(process.execPath, [...nodeArgs, PLAYWRIGHT_CLI, ...args], {
        cwd: folder,
        env: { CI: undefined, GITHUB_STEP_SUMMARY: undefined, PLAYWRIGHT_HTML_OPEN: 'never', ...env },
      }),
    remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }),
  };
}

/** The browser of this machine, as source text for a config. */
export const LAUNCH = JSON.stringify(launchOptions());
