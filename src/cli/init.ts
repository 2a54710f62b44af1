// `taskproof init`: writes two specs, their schema, a test file and, where there is none, a Playwright config. To an existing
// config nothing is written: it is code, so the lines to add are printed.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { safeParseTaskSpec } from '../spec/parse';
import { taskSpecJsonSchema } from '../spec/schema';
import { parsedUrl } from '../spec/url';
import { messageOf, parsedJson } from '../text/line';
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
    .option('-y, --yes', 'ask nothing, and use what was found')
    .option('--force', 'overwrite files that exist')
    .helpEnd(`
Writes two starter specs, their JSON Schema for editors and a test file, and prints the lines to add to the
Playwright config; without a config it writes one. Files that exist are left as they are. Asks only in a terminal.

Examples:
  taskproof init
  taskproof init --yes --url http://localhost:5173`)
    .action((options: InitOptions) => init(io, options));
};

async function init(io: Io, options: InitOptions): Promise<void> {
  const suite = suiteIn(io.cwd);
  const { config, packageManager, missing } = suite;
  io.out(`Config:  ${config ?? 'none, a new one will be written'}`);
  const ask = options.yes ? undefined : io.ask;
  const folder = await answered(options.dir, ask, 'Folder for the task specs?', DEFAULT_FOLDER, checkFolder);
  const likely = suite.url ?? DEFAULT_URL;
  const url = await answered(options.url, ask, 'Where does the site run?', likely, checkUrl);
  io.out(`Site:    ${url}${suite.command ? `, started by \`${suite.command}\`` : ''}`);

  for (const [path, text] of Object.entries(starterFiles(suite, folder, url))) {
    const isKept = !options.force && existsSync(join(io.cwd, path));
    if (!isKept) await writeOutput(io, path, text);
    io.out(isKept ? `Kept     ${path} (it exists; --force overwrites it)` : `Wrote    ${path}`);
  }
  const isGuess = !ask && !options.url && !suite.url;
  const add = packageManager === 'npm' ? 'npm install --save-dev' : `${packageManager} add --dev`;
  const steps = [
    ...(isGuess ? [`${url} is a guess. If it is wrong: npx taskproof init --force --url <address>`] : []),
    ...(missing.length ? [`Install missing packages: ${add} ${missing.join(' ')}`] : []),
    ...(config ? [`Add to ${config}, unless it is there:\n\n${configLines(suite, folder, url)}\n`] : []),
    `Check the specs: npx taskproof validate "${folder}/tasks/**/*.yaml"`,
    'Run them: npx playwright test --project=agents',
    ...(suite.ignoresResults ? [] : ['Add a line to .gitignore: taskproof-results.json']),
  ];
  io.out(`\nNext:\n${steps.map((step, index) => `${index + 1}. ${step}`).join('\n')}`);
}

/** Asks for what is not given, if someone can answer. Asks again, with the error of `check`, until the answer is valid. */
async function answered(
  given: string | undefined,
  ask: Io['ask'],
  question: string,
  fallback: string,
  check: (answer: string) => string,
): Promise<string> {
  if (given !== undefined || !ask) return check(given ?? fallback);
  for (let problem = ''; ; ) {
    const answer = await ask(`${problem}${question} (${fallback}) `);
    try {
      return check(answer.trim() || fallback);
    } catch (error) {
      problem = `${messageOf(error)}\n`;
    }
  }
}

/** A folder inside the suite, with forward slashes, and without characters that globs or quotes treat specially. */
function checkFolder(given: string): string {
  const folder = given.replace(/\\/g, '/').replace(/^\.\//, '').replace(/\/+$/, '');
  if (!/^[\w.@ -]+(\/[\w.@ -]+)*$/.test(folder) || folder.split('/').some(part => /^\.+$/.test(part)))
    throw new CommandError(
      `"${given}" can't be the folder for the specs. Name a folder inside this one, such as "${DEFAULT_FOLDER}", with letters, digits, "-", "_" and ".".`,
    );
  return folder;
}

function checkUrl(given: string): string {
  // `localhost:3000` and `shop.test`, as browsers take them, too.
  const [host = ''] = /^[\w.-]+(:\d+)?(?=\/|$)/.exec(given) ?? [];
  const isHost = host === 'localhost' || /\w[.:]\w/.test(host);
  const url = parsedUrl(isHost ? `http://${given}` : given);
  if (/^https?:/.test(url?.protocol ?? '')) return url!.href;
  throw new CommandError(
    `"${given}" is not an http: or https: URL. Give the site's address, such as ${DEFAULT_URL}.`,
  );
}

type Suite = ReturnType<typeof suiteIn>;

const CONFIG_FILES = ['ts', 'mts', 'cts', 'js', 'mjs', 'cjs'].map(ending => `playwright.config.${ending}`);
const LOCKFILES = { 'pnpm-lock.yaml': 'pnpm', 'yarn.lock': 'yarn', 'bun.lock': 'bun', 'bun.lockb': 'bun' };
/** Default ports. Frameworks come before the bundlers that they use. */
const PORTS = { next: 3000, astro: 4321, '@angular/cli': 4200, '@vue/cli-service': 8080, vite: 5173 };

type Manifest = Partial<Record<'scripts' | 'dependencies' | 'devDependencies', Record<string, string>>>;

function suiteIn(folder: string) {
  const has = (name: string) => existsSync(join(folder, name));
  const read = (name: string) => readFileSync(join(folder, name), 'utf8');
  const manifest = has('package.json') ? read('package.json') : '{}';
  const about = parsedJson(manifest.replace(/^\ufeff/, '')) as Manifest | null | undefined;
  if (!about) throw new CommandError(`${join(folder, 'package.json')} is not a JSON object. Fix it first.`);
  const { scripts = {}, dependencies, devDependencies } = about;
  const installed = { ...dependencies, ...devDependencies };
  const config = CONFIG_FILES.find(has);
  const packageManager = Object.entries(LOCKFILES).find(([name]) => has(name))?.[1] ?? 'npm';
  const script = ['dev', 'start', 'serve', 'preview'].find(name => scripts[name]);
  const named = /(?:--port[= ]|(?:^|\s)-p[= ]?|\bPORT=)(\d{2,5})\b/.exec(scripts[script ?? ''] ?? '')?.[1];
  const port = named ?? Object.entries(PORTS).find(([name]) => name in installed)?.[1];
  const isTyped =
    /ts$/.test(config ?? '') || (!config && ('typescript' in installed || has('tsconfig.json')));
  return {
    config,
    language: isTyped ? 'ts' : 'js',
    /** Starts the site. */
    command: script && `${packageManager === 'yarn' ? 'yarn' : `${packageManager} run`} ${script}`,
    url: script && port ? `http://localhost:${port}` : undefined,
    packageManager,
    ignoresResults: has('.gitignore') && /taskproof-results|^\*$/m.test(read('.gitignore')),
    missing: ['@playwright/test', '@taskproof/playwright'].filter(name => !(name in installed)),
  };
}

const REPORTER = "['@taskproof/playwright/reporter']";

/** Texts by path, relative to the suite's folder. @throws CommandError if no spec can start at `url`. */
function starterFiles(suite: Suite, folder: string, url: string): Record<string, string> {
  const specs = {
    [`${folder}/tasks/home-page.yaml`]: spec('home-page', FIRST, url, 1),
    [`${folder}/tasks/home-page-twice.yaml`]: spec('home-page-twice', TWICE, url, 2, POLICY),
  };
  for (const [filename, text] of Object.entries(specs)) {
    const parsed = safeParseTaskSpec(text, { filename });
    if (!parsed.ok) throw new CommandError(`No spec can start at ${url}: ${parsed.error.message}`);
  }
  return {
    [`${folder}/task-spec.schema.json`]: `${JSON.stringify(taskSpecJsonSchema(), null, 2)}\n`,
    ...specs,
    [`${folder}/tasks.spec.${suite.language}`]: TEST_FILE,
    ...(suite.config ? {} : { [`playwright.config.${suite.language}`]: newConfig(suite, folder, url) }),
  };
}

const TEST_FILE = `import { taskproofTests } from '@taskproof/playwright';

// One Playwright test per task spec. To use the suite's own fixtures, pass its \`test\`: { test }
taskproofTests('tasks/**/*.yaml');
`;

const FIRST =
  'A first spec for nearly any site. Copy it, and say what a visitor should manage to do on yours.';
const TWICE =
  "Agents don't act the same way each time: run a spec k times, and set how many trials must pass.";
const POLICY = 'passPolicy: { k: 2, minPasses: 1 }\n';

/** It begins at `url`. Its goal is the same page with another query, where no trial begins. */
function spec(id: string, note: string, url: string, visit: number, policy = ''): string {
  const goal = new URL(url);
  goal.search += `${goal.search ? '&' : '?'}visit=${visit}`;
  // For YAML in single quotes.
  const [start, end, origin] = [url, goal.href, goal.origin].map(text => text.replace(/'/g, "''"));
  return `# yaml-language-server: $schema=../task-spec.schema.json
# ${note}
specVersion: '0.1'
id: ${id}
# Handed to the agent word for word.
goal: 'Go to ${end}'
entryUrl: '${start}'
maxSteps: 5
${policy}# All must hold for a trial to pass, and one of them only once the goal is reached: npx taskproof probe checks that.
assertions:
  # A request that only reaching the goal sends. ** is any run of characters, ? is one.
  - type: network
    urlPattern: '${origin}/**?visit=${visit}**'
    method: GET
  # The last address. * is any run of characters without a slash.
  - type: url
    pattern: '${origin}/**'
  # Something on the page can be seen.
  - type: dom
    selector: 'body *'
    state: visible
`;
}

const newConfig = (suite: Suite, folder: string, url: string) => `${IMPORTS}

export default defineConfig({
  reporter: [['list'], ${REPORTER}, ['html']],
${webServer(suite, url)}  projects: [
    // your other tests: { name: 'e2e', testDir: 'e2e' },
${project(folder)}
  ],
});
`;

const IMPORTS = `import { defineConfig, devices } from '@playwright/test';
import { lexical, repeats } from '@taskproof/playwright';`;

function configLines(suite: Suite, folder: string, url: string): string {
  const server = webServer(suite, url);
  return `At the top (or by \`require\`):

${IMPORTS}

In the config, the reporter before the HTML reporter:

  reporter: [['list'], ${REPORTER}, ['html']],

In \`projects\`, with the login (dependencies, storageState) and the browser that the others have:

${project(folder)}

In each other project that has no \`testDir\` (without projects, the suite itself becomes one: { name: 'e2e' }):

    testIgnore: '${folder}/**',${server && `\n\nIf nothing else starts the site:\n\n${server.trimEnd()}`}`;
}

const project = (folder: string) => `    {
      name: 'agents',
      testDir: '${folder}',
      ...repeats('${folder}/tasks/**/*.yaml'),
      // lexical() needs no model and no key; claude() takes its key from ANTHROPIC_API_KEY
      use: { ...devices['Desktop Chrome'], taskproof: { agent: lexical() } },
    },`;

/** Empty if nothing starts the site, or it is elsewhere. */
function webServer({ command }: Suite, url: string): string {
  const isLocal = /^(localhost|127\.\d+\.\d+\.\d+|.*\.localhost)$/.test(new URL(url).hostname);
  if (!command || !isLocal) return '';
  return `  webServer: { command: '${command}', url: '${url.replace(/'/g, '%27')}', reuseExistingServer: !process.env.CI },\n`;
}
