// Finds a Chromium, or installs one, and prints its path.
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { findBrowser } from './browser.mjs';

const require = createRequire(import.meta.url);
const isRoot = process.getuid?.() === 0;
const MINUTES_10 = 600_000;

/** @type {{ name: string, applies: boolean, commands: string[][] }[]} */
const WAYS = [
  {
    name: 'playwright install chromium',
    applies: true,
    commands: [
      [
        process.execPath,
        join(dirname(require.resolve('@playwright/test/package.json')), 'cli.js'),
        'install',
        // With the system's libraries, if they can be installed.
        ...(isRoot && process.platform === 'linux' ? ['--with-deps'] : []),
        'chromium',
      ],
    ],
  },
  ...['chromium-headless-shell', 'chromium'].map(name => ({
    name: `apt-get install ${name}`,
    applies: process.platform === 'linux' && isRoot,
    commands: [
      ['apt-get', 'update'],
      ['apt-get', 'install', '-y', '--no-install-recommends', name, 'fonts-liberation'],
    ],
  })),
];

/** @param {string[]} command */
function run([program, ...args]) {
  const { status, error } = spawnSync(/** @type {string} */ (program), args, {
    stdio: ['ignore', 'inherit', 'inherit'],
    timeout: MINUTES_10,
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  });
  return !error && status === 0;
}

/** @param {{ source: string, executablePath: string | undefined }} browser */
function say({ source, executablePath }) {
  console.log(
    `Browser: ${source === 'Playwright' ? "Playwright's own Chromium" : `${executablePath} (${source})`}`,
  );
}

function ensure() {
  const present = findBrowser();
  if (present) return say(present);
  for (const way of WAYS.filter(({ applies }) => applies)) {
    console.log(`No Chromium found. Trying: ${way.name}`);
    const done = way.commands.every(run);
    const installed = done ? findBrowser() : undefined;
    if (installed) return say(installed);
    console.log(`${way.name} did not work.`);
  }
  console.error(
    'No Chromium could be found or installed. Install Chrome or Chromium, or run `npx playwright install chromium`,\n' +
      'or set its path: TASKPROOF_CHROMIUM=/path/to/chrome',
  );
  process.exitCode = 1;
}

ensure();
