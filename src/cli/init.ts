import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { safeParseTaskSpec } from '../spec/parse';
import { parsedUrl } from '../spec/url';
import { detectSuite, type ModelProject, NEEDED, type Suite } from './init/detect';
import { configLines, starterFiles } from './init/starter';
import { CommandError, type Io, writeOutput } from './io';
import type { AddCommand } from './program';

interface InitOptions {
  dir?: string;
  url?: string;
  yes?: boolean;
  force?: boolean;
}

const DEFAULT_FOLDER = 'agents';
const DEFAULT_URL = 'http://localhost:3000';

export const addInit: AddCommand = (program, io) => {
  program
    .command('init')
    .description('Add task specs to the Playwright suite in this folder.')
    .option('--dir <folder>', `where specs and their test file go (default: ${DEFAULT_FOLDER})`)
    .option('--url <url>', 'where the site runs (default: what the config or package.json says)')
    .option('-y, --yes', 'ask nothing, use what was found')
    .option('--force', 'overwrite files that exist')
    .addHelpText(
      'after',
      `
Writes two starter specs, their JSON Schema for editors and a test file, and prints the lines to add to the
Playwright config; without a config it writes one. A project with a login (dependencies, storageState) or a
browser of its own is the model of the one for the specs. Files that exist are left as they are.
Asks only in a terminal.

Examples:
  taskproof init
  taskproof init --yes --url http://localhost:5173`,
    )
    .action((options: InitOptions) => init(io, options));
};

async function init(io: Io, options: InitOptions): Promise<void> {
  const suite = detectSuite(io.cwd);
  for (const line of findings(suite, options.url)) io.out(line);
  const ask = options.yes ? undefined : io.ask;
  const dir = options.dir ?? (await ask?.('Folder for the task specs?', DEFAULT_FOLDER)) ?? DEFAULT_FOLDER;
  const folder = checkFolder(dir);
  const found = suite.url ?? suite.devServer?.url ?? DEFAULT_URL;
  const url = checkUrl(options.url ?? (await ask?.('Where does the site run?', found)) ?? found);

  for (const { path, text } of starterFiles(suite, folder, url)) {
    const isKept = !options.force && existsSync(join(io.cwd, path));
    if (!isKept) await writeOutput(io, path, text);
    io.out(isKept ? `Kept     ${path} (it exists; --force overwrites it)` : `Wrote    ${path}`);
    if (isKept) noteOtherSite(io, path, url);
  }
  io.out(`\n${nextSteps(suite, folder, url)}`);
}

function findings({ config, testDir, url, devServer }: Suite, given: string | undefined): string[] {
  const site = given ?? url ?? devServer?.url;
  const other = site === given && url && parsedUrl(url)?.origin !== parsedUrl(site)?.origin;
  return [
    `Config:  ${config ? `${config.file} (${config.style})` : 'none, a new one will be written'}`,
    `Tests:   ${testDir ?? 'no test folder found'}`,
    ...modelLine(config?.model),
    `Site:    ${site ?? `unknown, taking ${DEFAULT_URL}. If it is elsewhere: npx taskproof init --force --url <address>`}${devServer ? `, started by \`${devServer.command}\`` : ''}`,
    ...(other ? [`         ${config!.file} has ${url}: change it there, too`] : []),
  ];
}

function modelLine(model: ModelProject | null | undefined): string[] {
  if (!model) return [];
  const { name, dependencies, use } = model;
  const parts = [
    ...(dependencies ? [`dependencies: ${dependencies}`] : []),
    ...use.filter(entry => NEEDED.test(entry)),
  ];
  return [`Project: ${name === null ? 'with' : `like "${name}", with`} ${parts.join(', ')}`];
}

/** A kept spec may belong to an address that was given before. */
function noteOtherSite(io: Io, path: string, url: string): void {
  if (!path.endsWith('.yaml')) return;
  const parsed = safeParseTaskSpec(readFileSync(join(io.cwd, path), 'utf8'));
  if (!parsed.ok || new URL(parsed.spec.entryUrl).origin === new URL(url).origin) return;
  io.out(`         It starts at ${parsed.spec.entryUrl}, not at ${url}`);
}

function nextSteps(suite: Suite, folder: string, url: string): string {
  const steps: string[] = [];
  if (suite.missingPackages.length > 0) {
    const add =
      suite.packageManager === 'npm' ? 'npm install --save-dev' : `${suite.packageManager} add --dev`;
    steps.push(`Install missing packages: ${add} ${suite.missingPackages.join(' ')}`);
  }
  const parts = ['@taskproof/playwright/reporter', `${folder}/tasks`];
  // As an earlier `init` has told.
  const isReady = parts.every(part => suite.config?.text.includes(part));
  if (suite.config && !isReady)
    steps.push(`Add to ${suite.config.file}:\n\n${configLines(suite.config, suite, folder, url)}\n`);
  steps.push(`Check the specs: npx taskproof validate "${folder}/tasks/**/*.yaml"`);
  steps.push('Run them: npx playwright test --project=agents');
  return `Next:\n${steps.map((step, index) => `${index + 1}. ${step}`).join('\n')}`;
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
