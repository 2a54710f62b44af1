// A suite as the documentation describes it, and what its commands need: a shop, the Messages API, a shell.
import { spawn } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { launchOptions } from '../../scripts/browser.mjs';
import { compileCache } from './compile-cache';
import { clicks, startMessagesApi } from './messages-api';
import { flat, startOpenAiApi } from './openai-api';
import { serve } from './serve';

export interface Ended {
  code: number | null;
  output: string;
}

export interface DocsSuite {
  folder: string;
  /** Writes a block of the documentation, with the shop's address instead of the example's. */
  write(path: string, text: string): void;
  read(path: string): string;
  /** Copies some of its files to a new folder. */
  copy(paths: readonly string[]): DocsSuite;
  /** Runs a script in bash. `npx` finds the packed package and Playwright there. */
  shell(script: string, env?: Record<string, string>): Promise<Ended>;
}

/** The pages that the documentation's specs and tests are about. */
const PAGES: Record<string, string> = {
  '/': `<h1>Plans</h1><h2>Team</h2><p>$12 a month</p>
<button onclick="fetch('/api/trials', { method: 'POST' }).then(() => { location.href = '/trial/started' })">Start free trial</button>`,
  '/trial/started': '<h1>Your trial</h1><p data-testid="trial-confirmation">It has begun.</p>',
  '/cart': '<h1>Basket</h1><a href="/checkout">Go to checkout</a>',
  '/checkout': '<h1>Checkout</h1><a href="/thanks">Place order</a>',
  '/thanks': '<h1>Thank you</h1>',
};

/** @returns the shop's address, and how to close it */
export function startShop() {
  return serve((request, response) => {
    const path = new URL(request.url!, 'http://x').pathname;
    if (request.method === 'POST' && path === '/api/trials') return void response.writeHead(201).end('{}');
    response.writeHead(path in PAGES ? 200 : 404, { 'content-type': 'text/html; charset=utf-8' });
    response.end(
      `<!doctype html><html lang="en"><title>Shop</title><body>${PAGES[path] ?? 'Not found'}</body></html>`,
    );
  });
}

/** The model's part in the README's spec. */
const startTrial = clicks('Start free trial');

export function startModel() {
  return startMessagesApi({ script: startTrial });
}

export function startGpt() {
  return startOpenAiApi({ script: flat(startTrial) });
}

/**
 * @param installed folder below which the packed package is found
 * @param shop the shop's address
 * @param env of every command
 */
export function docsSuite(installed: string, shop: string, env: Record<string, string>): DocsSuite {
  const folder = mkdtempSync(join(installed, 'docs-'));
  const bin = shims(join(folder, '.bin'), installed);
  const suite: DocsSuite = {
    folder,
    write(path, text) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text.replaceAll('https://shop.example.com', shop));
    },
    read: path => readFileSync(join(folder, path), 'utf8'),
    copy(paths) {
      const other = docsSuite(installed, shop, env);
      for (const path of paths)
        if (existsSync(join(folder, path)))
          cpSync(join(folder, path), join(other.folder, path), { recursive: true });
      return other;
    },
    shell(script, more = {}) {
      giveBrowser(folder);
      return bash(script, folder, { ...env, ...more, PATH: `${bin}:${process.env.PATH}` });
    },
  };
  return suite;
}

/**
 * Commands that are replaced: installs (the package is installed already), and GitHub's command line, which only writes
 * down its arguments.
 */
function shims(folder: string, installed: string): string {
  mkdirSync(folder);
  const modules = join(installed, 'node_modules');
  const scripts = {
    npx: `case "$1 $2" in 'playwright install') exit 0;; esac
case "$1" in
  taskproof) shift; exec node '${join(modules, '@taskproof/playwright/dist/cli.js')}' "$@";;
  playwright) shift; exec node '${join(modules, '@playwright/test/cli.js')}' "$@";;
esac
echo "the documentation's npx does not know $1" >&2; exit 127`,
    // `npm run dev` starts a site, as in the webServer of a config.
    npm: `case "$1" in ci) exit 0;; run) PATH="\${PATH#*:}" exec npm "$@";; esac
echo "the documentation's npm does not know $*" >&2; exit 127`,
    gh: `echo "$@" >> gh.log`,
  };
  for (const [name, script] of Object.entries(scripts))
    writeFileSync(join(folder, name), `#!/bin/bash\n${script}\n`, { mode: 0o755 });
  return folder;
}

/**
 * A config that imports one of the documentation unchanged, and adds what this machine's browser needs. One worker, as each costs a
 * process and a browser, and a small viewport, since large pictures are a big part of what a trial costs.
 */
function giveBrowser(folder: string): void {
  for (const name of readdirSync(folder)) {
    if (!/^[\w.-]+\.config\.[jt]s$/.test(name) || name.startsWith('from-docs.')) continue;
    const text = readFileSync(join(folder, name), 'utf8');
    if (!text.includes('defineConfig(')) continue;
    writeFileSync(join(folder, `from-docs.${name}`), text);
    writeFileSync(
      join(folder, name),
      `import config from './from-docs.${name.replace(/\.[jt]s$/, '')}';
const launchOptions = ${JSON.stringify(launchOptions())};
const args = [...(launchOptions.args ?? []), ...(config.use?.launchOptions?.args ?? [])];
const use = { ...config.use, viewport: { width: 480, height: 320 }, launchOptions: { ...launchOptions, args } };
export default { workers: 1, ...config, use };
`,
    );
  }
}

function bash(script: string, cwd: string, env: Record<string, string>): Promise<Ended> {
  const { GITHUB_STEP_SUMMARY, GITHUB_ACTIONS, FORCE_COLOR, CI, ANTHROPIC_API_KEY, ...clean } = process.env;
  const child = spawn('bash', ['-e', '-o', 'pipefail', '-c', script], {
    cwd,
    env: {
      ...clean,
      ...compileCache(),
      TASKPROOF_TEST_COMMONJS: '1',
      NO_COLOR: '1',
      PLAYWRIGHT_HTML_OPEN: 'never',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  child.stdout.on('data', chunk => (output += chunk));
  child.stderr.on('data', chunk => (output += chunk));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', code => resolve({ code, output }));
  });
}
