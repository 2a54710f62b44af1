// Finds a Chromium for this repository's own tests and examples: Playwright's own, else a Chrome or Chromium of the system.
import { accessSync, constants, existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { chromium } from '@playwright/test';

const SYSTEM_PATHS = {
  linux: [],
  darwin: [
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
    '/Applications/Chromium.app/Contents/MacOS/Chromium',
  ],
  win32: [process.env.PROGRAMFILES, process.env['PROGRAMFILES(X86)'], process.env.LOCALAPPDATA]
    .filter(Boolean)
    .map(folder => `${folder}\\Google\\Chrome\\Application\\chrome.exe`),
};
// The headless shell first: Playwright itself uses it for headless runs, and it starts in half the time.
const COMMANDS = [
  'chromium-headless-shell',
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
];

/** @param {string} path */
function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * @returns {{ source: string, executablePath: string | undefined } | undefined}
 * `executablePath` is undefined if Playwright finds the browser by itself.
 */
export function findBrowser() {
  const given = process.env.TASKPROOF_CHROMIUM;
  if (given) return { source: 'TASKPROOF_CHROMIUM', executablePath: given };
  const own = chromium.executablePath();
  // Another version of Playwright does not find it by itself.
  const isOther = process.env.TASKPROOF_PLAYWRIGHT || process.env.TASKPROOF_ENVIRONMENTS;
  if (own && existsSync(own)) return { source: 'Playwright', executablePath: isOther ? own : undefined };
  const fromPath = (process.env.PATH ?? '')
    .split(delimiter)
    .flatMap(folder => COMMANDS.map(command => join(folder, command)));
  const known = SYSTEM_PATHS[/** @type {keyof typeof SYSTEM_PATHS} */ (process.platform)] ?? [];
  const system = [...known, ...fromPath].find(isExecutable);
  return system ? { source: 'system', executablePath: system } : undefined;
}

/**
 * Launch options for that browser. Chromium refuses its sandbox to root, so root gets `--no-sandbox`.
 * @returns {{ executablePath?: string, args: string[] }}
 */
export function launchOptions() {
  const browser = findBrowser();
  return {
    ...(browser?.executablePath ? { executablePath: browser.executablePath } : {}),
    args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
  };
}
