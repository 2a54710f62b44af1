// Starts a contestant's process.
import { accessSync, constants, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { launchOptions } from '../../scripts/browser.mjs';
import { BENCH, QUIET } from './neighbours.mjs';
import { start } from './processes.mjs';

/** @type {string[]} */
const folders = [];
process.on('exit', () => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
});

/** @param {string} name @param {Record<string, string | undefined>} env @param {string | null} node */
export function launch(name, env, node = process.execPath) {
  if (!node) throw new Error('it needs another Node, which bench/package-lock.json has not brought');
  // A neighbour's files (reports, logs, caches) go where nobody looks.
  const folder = mkdtempSync(join(tmpdir(), `taskproof-bench-${name}-`));
  folders.push(folder);
  return start(node, [join(BENCH, 'contestants', `${name}.mjs`)], {
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

/** A Chromium that takes extensions, which the headless shell does not. */
export function fullChromium() {
  const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
  const places = (process.env.PATH ?? '')
    .split(delimiter)
    .flatMap(folder => names.map(name => join(folder, name)));
  return places.find(path => {
    try {
      accessSync(path, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
