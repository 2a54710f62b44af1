// Installs the other tools from the bench's own lockfile, and finds the Node that they require.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';

export const BENCH = resolve(import.meta.dirname, '..');
const require = createRequire(join(BENCH, 'package.json'));

/** Keeps everything on this machine: opts out of what the tools would send, and removes real keys. */
export const QUIET = {
  ANONYMIZED_TELEMETRY: 'false',
  BROWSER_USE_CLOUD_SYNC: 'false',
  BROWSER_USE_VERSION_CHECK: 'false',
  BROWSER_USE_LOGGING_LEVEL: 'result',
  SKIP_LLM_API_KEY_VERIFICATION: 'true',
  MIDSCENE_REPORT_QUIET: '1',
  DO_NOT_TRACK: '1',
  OTEL_SDK_DISABLED: 'true',
  PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD: '1',
  OPENAI_API_KEY: 'bench',
  ANTHROPIC_API_KEY: '',
  ANTHROPIC_AUTH_TOKEN: '',
  BROWSERBASE_API_KEY: '',
};

/** @param {string} file */
const json = file => JSON.parse(readFileSync(file, 'utf8'));

/** Whether every package of the lockfile is installed in its version, except optional ones. */
export function isInstalled() {
  const marker = join(BENCH, 'node_modules/.package-lock.json');
  if (!existsSync(marker)) return false;
  const wanted = json(join(BENCH, 'package-lock.json')).packages;
  const found = json(marker).packages;
  return Object.entries(wanted).every(
    ([path, entry]) => path === '' || entry.optional || found[path]?.version === entry.version,
  );
}

/** @returns {string | null} why they could not be installed */
export function install() {
  if (isInstalled()) return null;
  console.log('bench: installing the other tools from bench/package-lock.json (about 1.1 GB)');
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  const { status, stderr } = spawnSync(
    npm,
    ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'],
    {
      cwd: BENCH,
      encoding: 'utf8',
      shell: process.platform === 'win32',
    },
  );
  return status === 0
    ? null
    : `npm ci --prefix bench: ${stderr.trim().split('\n').at(-1) ?? `status ${status}`}`;
}

/** @param {string} name @returns {string | null} */
export function versionOf(name) {
  const file = join(BENCH, 'node_modules', name, 'package.json');
  return existsSync(file) ? json(file).version : null;
}

/**
 * A Node of at least this major version: the running one, else the one in the bench's packages; null if there is none.
 *
 * @param {number} major
 * @returns {string | null}
 */
export function nodeOf(major) {
  if (Number(process.versions.node.split('.')[0]) >= major) return process.execPath;
  try {
    const name = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;
    const { bin } = require(`${name}/package.json`);
    return join(BENCH, 'node_modules', name, bin.node);
  } catch {
    return null;
  }
}
