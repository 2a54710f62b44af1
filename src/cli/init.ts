// `taskproof init`: writes two specs, their schema, a test file and, where there is none, a Playwright config. To an existing
// config nothing is written: it is code, so the lines to add are printed.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parsedUrl } from '../spec/url';
import { configLines, starterFiles } from './init-files';
import { CommandError, type Io, writeOutput } from './io';
import type { AddCommand } from './program';

type InitOptions = { dir?: string; url?: string; yes?: boolean; force?: boolean };

const DEFAULT_FOLDER = 'agents';
const DEFAULT_URL = 'http://localhost:3000';

export const addInit: AddCommand = (program, io) => {
  program
    .command('init')
    .description('Add task specs to the Playwright suite in this folder.')
    .option('--dir <folder>', `where specs and their test file go (default: ${DEFAULT_FOLDER})`)
    .option('--url <url>', 'where the site runs (default: what package.json says)')
    .option('-y, --yes', 'ask nothing, use what was found')
    .option('--force', 'overwrite files that exist')
    .addHelpText(
      'after',
      `
Writes two starter specs, their JSON Schema for editors and a test file, and prints the lines to add to the
Playwright config; without a config it writes one. Files that exist are left as they are. Asks only in a terminal.

Examples:
  taskproof init
  taskproof init --yes --url http://localhost:5173`,
    )
    .action((options: InitOptions) => init(io, options));
};

async function init(io: Io, options: InitOptions): Promise<void> {
  const suite = detectSuite(io.cwd);
  const { config, devServer } = suite;
  const site = options.url ?? devServer?.url;
  io.out(`Config:  ${config ?? 'none, a new one will be written'}`);
  io.out(
    `Site:    ${site ?? `unknown, taking ${DEFAULT_URL}. If it is elsewhere: npx taskproof init --force --url <address>`}${devServer ? `, started by \`${devServer.command}\`` : ''}`,
  );
  const ask = options.yes ? undefined : io.ask;
  const dir = options.dir ?? (await ask?.('Folder for the task specs?', DEFAULT_FOLDER)) ?? DEFAULT_FOLDER;
  const folder = checkFolder(dir);
  const found = devServer?.url ?? DEFAULT_URL;
  const url = checkUrl(options.url ?? (await ask?.('Where does the site run?', found)) ?? found);

  for (const [path, text] of Object.entries(starterFiles(suite, folder, url))) {
    const isKept = !options.force && existsSync(join(io.cwd, path));
    if (!isKept) await writeOutput(io, path, text);
    io.out(isKept ? `Kept     ${path} (it exists; --force overwrites it)` : `Wrote    ${path}`);
  }
  const { packageManager, missing } = suite;
  const add = packageManager === 'npm' ? 'npm install --save-dev' : `${packageManager} add --dev`;
  const steps = [
    ...(missing.length ? [`Install missing packages: ${add} ${missing.join(' ')}`] : []),
    ...(config ? [`Add to ${config}, unless it is there:\n\n${configLines(suite, folder, url)}\n`] : []),
    `Check the specs: npx taskproof validate "${folder}/tasks/**/*.yaml"`,
    'Run them: npx playwright test --project=agents',
  ];
  io.out(`\nNext:\n${steps.map((step, index) => `${index + 1}. ${step}`).join('\n')}`);
}

/** A folder inside the suite, with forward slashes, and without characters that globs or quotes treat specially. */
function checkFolder(given: string): string {
  const folder = given.replace(/\\/g, '/').replace(/^\.\//, '').replace(/\/+$/, '');
  if (!/^[\w.@ -]+(\/[\w.@ -]+)*$/.test(folder) || folder.split('/').some(part => /^\.+$/.test(part)))
    throw new CommandError(
      `"${given}" can't be the folder for the specs. Name a folder inside this one, with letters, digits, "-", "_" and ".": --dir ${DEFAULT_FOLDER}`,
    );
  return folder;
}

function checkUrl(given: string): string {
  const url = parsedUrl(given);
  if (!url || !/^https?:$/.test(url.protocol))
    throw new CommandError(
      `"${given}" is not an http: or https: URL. Give the site's address: --url ${DEFAULT_URL}`,
    );
  return url.href;
}

export type Suite = ReturnType<typeof detectSuite>;

const CONFIG_FILES = ['ts', 'mts', 'cts', 'js', 'mjs', 'cjs'].map(ending => `playwright.config.${ending}`);
const TEST_FOLDERS = ['e2e', 'tests/e2e', 'tests', 'test', 'playwright'];
const LOCKFILES = { 'pnpm-lock.yaml': 'pnpm', 'yarn.lock': 'yarn', 'bun.lock': 'bun', 'bun.lockb': 'bun' };
/** Default ports. Frameworks come before the bundlers that they use. */
const PORTS = ['next 3000', 'astro 4321', '@angular/cli 4200', '@vue/cli-service 8080', 'vite 5173'];

/** Detects a suite by its files. Those that can't be read count as absent. */
export function detectSuite(folder: string) {
  const has = (name: string) => existsSync(join(folder, name));
  const { scripts = {}, dependencies, devDependencies } = manifestOf(folder);
  const installed = { ...dependencies, ...devDependencies };
  const config = CONFIG_FILES.find(has);
  const packageManager = Object.entries(LOCKFILES).find(([name]) => has(name))?.[1] ?? 'npm';
  const script = ['dev', 'start', 'serve', 'preview'].find(name => scripts[name]);
  const named = /(?:--port[= ]|(?:^|\s)-p[= ]?|\bPORT=)(\d{2,5})\b/.exec(scripts[script ?? ''] ?? '')?.[1];
  const port = named ?? PORTS.map(each => each.split(' ')).find(([name]) => name! in installed)?.[1];
  const url = port === undefined ? undefined : `http://localhost:${port}`;
  const run = packageManager === 'yarn' ? 'yarn' : `${packageManager} run`;
  return {
    config,
    language: /ts$/.test(config ?? ('typescript' in installed || has('tsconfig.json') ? 'ts' : ''))
      ? 'ts'
      : 'js',
    testDir: TEST_FOLDERS.find(name => hasPlaywrightTests(join(folder, name))),
    devServer: script ? { command: `${run} ${script}`, url } : undefined,
    packageManager,
    missing: ['@playwright/test', '@taskproof/playwright'].filter(name => !(name in installed)),
  };
}

function manifestOf(folder: string): { [field: string]: Record<string, string> | undefined } {
  try {
    return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  } catch {
    return {};
  }
}

function hasPlaywrightTests(folder: string): boolean {
  if (!existsSync(folder)) return false;
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(name => /\.(spec|test)\.[cm]?[jt]sx?$/.test(name))
    .some(name => readFileSync(join(folder, name), 'utf8').includes('@playwright/test'));
}
