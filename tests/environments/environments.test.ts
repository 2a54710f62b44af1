// The packed tarball where its users are: installed by each package manager, on each Node and Playwright that is
// supported, a small suite passes, and one whose spec is lost fails. Not part of `npm test`: npm run test:environments.
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { readResults } from '../../src/data/results';
import { config, PLAIN, spec, startSite, TASKS_TEST } from '../e2e/suite';

const exec = promisify(execFile);
const CLI = ['node', 'node_modules/@playwright/test/cli.js'];

/** Packages for npx, the command that installs a suite, and the one that is `npx playwright` there. */
interface PackageManager {
  packages?: string[];
  install: string[];
  playwright: string[];
  files?: Record<string, string>;
}

const MANAGERS: Record<string, PackageManager> = {
  npm: { install: ['npm', 'install', '--no-audit', '--no-fund'], playwright: CLI },
  pnpm: { packages: ['pnpm'], install: ['pnpm', 'install', '--no-frozen-lockfile'], playwright: CLI },
  'yarn 1': { packages: ['yarn@1'], install: ['yarn', 'install', '--no-progress'], playwright: CLI },
  'yarn 4 with PnP': {
    packages: ['@yarnpkg/cli-dist@4'],
    install: ['yarn', 'install'],
    playwright: ['yarn', 'playwright'],
    files: {
      'yarn.lock': '',
      '.yarnrc.yml': 'nodeLinker: pnp\nenableTelemetry: false\nenableImmutableInstalls: false\n',
    },
  },
  bun: { packages: ['bun'], install: ['bun', 'install'], playwright: CLI },
};

/** So that a row is known to be what it says. */
const SAYS_WHERE =
  "console.log('Node ' + process.versions.node + ', Playwright ' + require('@playwright/test/package.json').version);";

const LOWEST = '1.64.1';
const ENVIRONMENTS = [
  ...['20', '22', '24'].map(node => ({ manager: 'npm', node, playwright: 'latest' })),
  { manager: 'npm', node: '20', playwright: LOWEST },
  { manager: 'pnpm', node: '20', playwright: 'latest' },
  { manager: 'yarn 1', node: '20', playwright: 'latest' },
  { manager: 'yarn 4 with PnP', node: '20', playwright: LOWEST },
  // Not on Node 22: there Playwright 1.65 itself finds no tests with PnP.
  { manager: 'yarn 4 with PnP', node: '24', playwright: 'latest' },
  { manager: 'bun', node: '20', playwright: 'latest' },
];

/** Not below the folder of the other suites, whose packages would stand in for what an installation misses. */
const parent = realpathSync(mkdtempSync(join(tmpdir(), 'taskproof-environments-')));
afterAll(() => rmSync(parent, { recursive: true, force: true, maxRetries: 3 }));

let site: Awaited<ReturnType<typeof startSite>>;
beforeAll(async () => {
  site = await startSite({
    '/': '<button onclick="done.hidden=false">Go</button><p id="done" hidden>Done</p>',
    '/broken': '<button>Go</button><p id="done" hidden>Done</p>',
  });
});

function write(folder: string, files: Record<string, string>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
}

describe.each(ENVIRONMENTS)(
  '$manager, Node $node, Playwright $playwright',
  ({ manager, node, playwright }) => {
    const { packages = [], install, playwright: command, files } = MANAGERS[manager]!;
    const folder = mkdtempSync(join(parent, 'suite-'));

    async function run(words: string[]) {
      const isOurNode = process.versions.node.startsWith(`${node}.`);
      const needed = [...(isOurNode ? [] : [`node@${node}`]), ...packages].flatMap(name => ['-p', name]);
      const args = needed.length ? ['npx', '-y', ...needed, ...words] : words;
      const done = await exec(args[0]!, args.slice(1), {
        cwd: folder,
        env: {
          ...process.env,
          NO_COLOR: '1',
          GITHUB_STEP_SUMMARY: '',
          // What was packed before under the same version must not come from a cache.
          YARN_CACHE_FOLDER: join(folder, '.yarn-cache'),
          BUN_INSTALL_CACHE_DIR: join(folder, '.bun-cache'),
        },
        maxBuffer: 1e8,
      }).catch(error => error);
      return { exitCode: Number(done.code ?? 0), output: `${done.stdout}${done.stderr}` };
    }

    beforeAll(async () => {
      write(folder, {
        'package.json': JSON.stringify({
          name: 'suite',
          private: true,
          devDependencies: {
            '@playwright/test': playwright,
            '@taskproof/playwright': `file:${inject('tarball')}`,
          },
        }),
        'playwright.config.ts': config({ reporters: PLAIN, imports: SAYS_WHERE }),
        'tasks.spec.ts': TASKS_TEST,
        'tasks/go.yaml': spec({ id: 'go', url: `${site.url}/`, k: 2 }),
        ...files,
      });
      const installed = await run(install);
      expect(installed.exitCode, installed.output).toBe(0);
    });

    const verdicts = () =>
      readResults(readFileSync(join(folder, 'taskproof-results.json'), 'utf8'), 'results').verdicts;

    test('a spec passes, and the run', async () => {
      const { exitCode, output } = await run([...command, 'test']);
      expect(exitCode, output).toBe(0);
      expect(verdicts()).toMatchObject([{ spec: 'go', verdict: 'passed', passes: 2 }]);
      expect(output).toContain(`Node ${node}.`);
      if (playwright !== 'latest') expect(output).toContain(`Playwright ${playwright}\n`);
    });

    test('a lost spec fails the run', async () => {
      write(folder, { 'tasks/go.yaml': spec({ id: 'go', url: `${site.url}/broken`, k: 2 }) });
      const { exitCode, output } = await run([...command, 'test']);
      expect(exitCode, output).toBe(1);
      expect(verdicts()).toMatchObject([{ spec: 'go', verdict: 'failed', passes: 0 }]);
    });
  },
);
