// Detects the suite in a folder by its files. The config is code that may need its environment, so it is searched, never run.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Suite {
  config: PlaywrightConfig | null;
  language: 'ts' | 'js';
  /** The folder of the suite's tests, relative to that of the config; null if unknown. */
  testDir: string | null;
  /** A URL of the site in the config. */
  url: string | null;
  /** The script that starts the site; null if none was found. */
  devServer: DevServer | null;
  /** `npm`, `pnpm`, `yarn` or `bun`. */
  packageManager: string;
  /** Packages that a run needs and package.json lacks. */
  missingPackages: string[];
}

export interface PlaywrightConfig {
  file: string;
  /** Without its comments. */
  text: string;
  style: 'import' | 'require';
  hasProjects: boolean;
  hasReporter: boolean;
  hasWebServer: boolean;
  /** The project to copy login and browser from; null if no project has any. */
  model: ModelProject | null;
}

const CONFIG_FILES = ['ts', 'mts', 'cts', 'js', 'mjs', 'cjs'].map(ending => `playwright.config.${ending}`);
const TEST_FOLDERS = ['e2e', 'tests/e2e', 'tests', 'test', 'playwright'];

/** Reads the suite in `folder`. Files that can't be read count as absent. */
export function detectSuite(folder: string): Suite {
  const file = CONFIG_FILES.find(name => existsSync(join(folder, name)));
  const text = file ? withoutComments(read(join(folder, file)) ?? '') : '';
  const manifest = readManifest(folder);
  const packageManager = packageManagerOf(folder);
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
    devServer: findDevServer(manifest, installed, packageManager),
    packageManager,
    missingPackages: ['@playwright/test', '@taskproof/playwright'].filter(name => !(name in installed)),
  };
}

function configOf(file: string, text: string): PlaywrightConfig {
  const usesRequire = /\bmodule\.exports\b|\brequire\(/.test(text) && !/^\s*(import|export)\b/m.test(text);
  return {
    ...{ file, text },
    style: usesRequire ? 'require' : 'import',
    hasProjects: /\bprojects\s*:/.test(text),
    hasReporter: /\breporter\s*:/.test(text),
    hasWebServer: /\bwebServer\s*:/.test(text),
    model: modelProject(text),
  };
}

/** A testDir before `projects` is that of the whole config; after it, most likely that of one project. */
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

interface PackageJson {
  scripts?: Record<string, string>;
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
}

interface DevServer {
  /** `npm run dev` */
  command: string;
  /** Its address, from the script or the framework's default; null if unknown. */
  url: string | null;
}

const SCRIPTS = ['dev', 'start', 'serve', 'preview'];

/** Default ports. Frameworks come before the bundlers that they use. */
const PORTS: readonly [string, number][] = [
  ['next', 3000],
  ['nuxt', 3000],
  ['astro', 4321],
  ['@angular/cli', 4200],
  ['react-scripts', 3000],
  ['gatsby', 8000],
  ['@11ty/eleventy', 8080],
  ['@vue/cli-service', 8080],
  ['@remix-run/dev', 3000],
  ['vite', 5173],
];

function findDevServer({ scripts }: PackageJson, installed: object, runner: string): DevServer | null {
  const script = SCRIPTS.find(name => scripts?.[name]);
  if (!script) return null;
  const named = /(?:--port[= ]|(?:^|\s)-p[= ]?|\bPORT=)(\d{2,5})\b/.exec(scripts![script]!)?.[1];
  const port = named ?? PORTS.find(([name]) => name in installed)?.[1];
  return {
    command: runner === 'yarn' ? `yarn ${script}` : `${runner} run ${script}`,
    url: port === undefined ? null : `http://localhost:${port}`,
  };
}

/** By lockfile; npm if there is none. */
function packageManagerOf(folder: string): string {
  const has = (name: string) => existsSync(join(folder, name));
  if (has('pnpm-lock.yaml')) return 'pnpm';
  if (has('yarn.lock')) return 'yarn';
  return has('bun.lock') || has('bun.lockb') ? 'bun' : 'npm';
}

/** Parts of a project, as the config writes them. */
export interface ModelProject {
  /** Null if only a setup project was found. */
  name: string | null;
  /** `['setup']` */
  dependencies: string | null;
  /** `...devices['Desktop Chrome']`, `storageState: 'auth.json'` */
  use: string[];
}

const LITERAL =
  /'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`|(?<=[:(,[=]\s*)\/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n])+\/[a-z]*/
    .source;
const COMMENT = new RegExp(`(${LITERAL})|/\\*[\\s\\S]*?\\*/|//.*`, 'g');
const TOKEN = new RegExp(`${LITERAL}|[()[\\]{},]`, 'g');

/** Keeps strings, such as globs and URLs, and regular expressions. */
function withoutComments(text: string): string {
  return text.replace(COMMENT, (_, literal = '') => literal);
}

/** The project that ours should copy login and browser from; null if none has its own. */
function modelProject(config: string): ModelProject | null {
  const list = /\bprojects\s*:\s*\[/.exec(config);
  if (!list) return null;
  const all = items(config, list.index + list[0].length - 1).filter(item => item.startsWith('{'));
  const projects = all.map(propertiesOf);
  const isSetup = (project: Properties) => /setup|teardown/.test(project.get('testMatch') ?? '');
  const setups = projects.filter(project => /setup/.test(project.get('testMatch') ?? ''));
  const ranked = projects
    .filter(project => !isSetup(project) && rank(project) > 0)
    .sort((a, b) => rank(b) - rank(a));
  const model = ranked[0];
  const names = setups.flatMap(project => project.get('name') ?? []);
  const dependencies = model?.get('dependencies') ?? (names.length ? `[${names.join(', ')}]` : null);
  if (!model && !dependencies) return null;
  return {
    name: model?.get('name')?.slice(1, -1) ?? null,
    dependencies,
    use: useOf(model).filter(entry => !entry.startsWith('taskproof')),
  };
}

/** The options that ours needs, the most important first. */
export const NEEDED = /^(storageState|launchOptions|connectOptions|channel|browserName)\b/;

function rank(project: Properties): number {
  const use = useOf(project);
  if (project.has('dependencies')) return 3;
  if (use.some(entry => entry.startsWith('storageState'))) return 2;
  return use.some(entry => NEEDED.test(entry)) ? 1 : 0;
}

type Properties = ReadonlyMap<string, string>;

function propertiesOf(project: string): Properties {
  const named = items(project, 0).map(item => /^['"]?(\w+)['"]?\s*:\s*([\s\S]*)$/.exec(item));
  return new Map(named.flatMap(found => (found ? [[found[1]!, found[2]!]] : [])));
}

function useOf(project: Properties | undefined): string[] {
  const use = project?.get('use');
  if (use === undefined) return [];
  return use.startsWith('{') ? items(use, 0) : [`...${use}`];
}

/** The items of the list or object that begins at `open`, each in one line. */
function items(text: string, open: number): string[] {
  const found: string[] = [];
  let depth = 0;
  let from = open + 1;
  for (const { 0: token, index } of text.slice(open).matchAll(TOKEN)) {
    if (/^[([{]$/.test(token)) depth++;
    else if (/^[)\]}]$/.test(token)) depth--;
    if (depth > 1 || (depth === 1 && token !== ',')) continue;
    found.push(text.slice(from, open + index).trim());
    from = open + index + 1;
    if (depth === 0) break;
  }
  return found.filter(Boolean).map(item => item.replace(/\s*\n\s*/g, ' '));
}
