// What suite is this? Read from its files: the config is program text that may need its environment to run, so
// it is searched, never evaluated.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type DevServer, findDevServer, type PackageJson, packageManagerOf } from './dev-server';

export interface Suite {
  /** The Playwright config; null where there is none. */
  config: PlaywrightConfig | null;
  language: 'ts' | 'js';
  /** Where the suite's tests are, relative to the config's folder; null where nothing says so. */
  testDir: string | null;
  /** A URL of the site under test that the config names. */
  url: string | null;
  /** The script that starts the site; null where none looks like it. */
  devServer: DevServer | null;
  /** `npm`, `pnpm`, `yarn` or `bun`. */
  packageManager: string;
  /** What package.json does not have yet, of what a run needs. */
  missingPackages: string[];
}

export interface PlaywrightConfig {
  file: string;
  style: 'import' | 'require';
  hasProjects: boolean;
  hasReporter: boolean;
  hasWebServer: boolean;
}

const CONFIG_FILES = ['ts', 'mts', 'cts', 'js', 'mjs', 'cjs'].map(ending => `playwright.config.${ending}`);
const TEST_FOLDERS = ['e2e', 'tests/e2e', 'tests', 'test', 'playwright'];

/** Looks at the suite in `folder`. Files that can't be read are taken as absent. */
export function detectSuite(folder: string): Suite {
  const file = CONFIG_FILES.find(name => existsSync(join(folder, name)));
  const text = file ? withoutComments(read(join(folder, file)) ?? '') : '';
  const manifest = readManifest(folder);
  const installed = { ...manifest.dependencies, ...manifest.devDependencies };
  const typescript = file
    ? /\.[mc]?ts$/.test(file)
    : existsSync(join(folder, 'tsconfig.json')) || 'typescript' in installed;
  return {
    config: file ? configOf(file, text) : null,
    language: typescript ? 'ts' : 'js',
    testDir: file
      ? topLevelTestDir(text)
      : (TEST_FOLDERS.find(name => hasPlaywrightTests(join(folder, name))) ?? null),
    url: urlOf(text),
    devServer: findDevServer(folder, manifest),
    packageManager: packageManagerOf(folder),
    missingPackages: ['@playwright/test', '@taskproof/playwright'].filter(name => !(name in installed)),
  };
}

function configOf(file: string, text: string): PlaywrightConfig {
  const usesRequire = /\bmodule\.exports\b|\brequire\(/.test(text) && !/^\s*(import|export)\b/m.test(text);
  return {
    file,
    style: usesRequire ? 'require' : 'import',
    hasProjects: /\bprojects\s*:/.test(text),
    hasReporter: /\breporter\s*:/.test(text),
    hasWebServer: /\bwebServer\s*:/.test(text),
  };
}

/** Before `projects`, a testDir is the whole config's; behind it, most likely one project's. */
function topLevelTestDir(text: string): string | null {
  const head = text.split(/\bprojects\s*:/)[0]!;
  const found = /\btestDir\s*:\s*(['"`])([^'"`$]+)\1/.exec(head)?.[2];
  return found ? found.replace(/^\.\//, '').replace(/\/+$/, '') || null : null;
}

function urlOf(text: string): string | null {
  const named =
    /\bbaseURL\s*:[^'"`\n]*(['"`])(https?:\/\/[^'"`$\s]+)\1/.exec(text)?.[2] ??
    /\burl\s*:\s*(['"`])(https?:\/\/[^'"`$\s]+)\1/.exec(text)?.[2];
  if (named) return named;
  const port = /\bwebServer\s*:[\s\S]*?\bport\s*:\s*(\d+)/.exec(text)?.[1];
  return port ? `http://localhost:${port}` : null;
}

/** Block comments, and line comments that are not the `//` of a URL. */
function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '$1');
}

function hasPlaywrightTests(folder: string): boolean {
  if (!existsSync(folder)) return false;
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).some(
    name =>
      /\.(spec|test)\.[cm]?[jt]sx?$/.test(name) && read(join(folder, name))?.includes('@playwright/test'),
  );
}

function readManifest(folder: string): PackageJson {
  try {
    return JSON.parse(read(join(folder, 'package.json')) ?? '{}') as PackageJson;
  } catch {
    return {};
  }
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
