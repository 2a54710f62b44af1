// Builds and packs the library once, and lays the tarball's content out as an installed package: suites below this
// folder find it as a user's suite would, with one copy of Playwright.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import type { TestProject } from 'vitest/node';

const root = resolve(__dirname, '../..');

declare module 'vitest' {
  interface ProvidedContext {
    /** Folder with `node_modules`, below which suites are made. */
    installed: string;
    tarball: string;
  }
}

export default function setup(project: TestProject) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'taskproof-e2e-')));
  build();
  // It is built already.
  npm(['pack', '--silent', '--ignore-scripts', '--pack-destination', folder], root);
  const tarball = join(folder, readdirSync(folder).find(name => name.endsWith('.tgz'))!);
  const modules = join(folder, 'node_modules');
  linkModules(join(root, 'node_modules'), modules);
  if (process.env.TASKPROOF_PLAYWRIGHT) otherPlaywright(process.env.TASKPROOF_PLAYWRIGHT, folder);
  const target = join(modules, '@taskproof/playwright');
  mkdirSync(target, { recursive: true });
  execFileSync('tar', ['-xzf', tarball, '-C', target, '--strip-components=1']);
  project.provide('installed', folder);
  project.provide('tarball', tarball);
  return () => {
    if (process.env.TASKPROOF_KEEP_SUITES) console.log(`Suites are kept in ${folder}`);
    else rmSync(folder, { recursive: true, force: true });
  };
}

/** What the build reads. */
const SOURCES = [
  'src',
  'scripts/build.mjs',
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'tsconfig.build.json',
];

/** Builds that are kept, the newest ones. */
const KEPT = 10;

/**
 * Half a minute of a processor, most of it for the declarations, which `TASKPROOF_BUILD=js` leaves out: tests that check types fail
 * then. The last builds are kept by what they were made of.
 */
function build(): void {
  const script = process.env.TASKPROOF_BUILD === 'js' ? 'build:js' : 'build';
  const hash = createHash('sha256').update(script);
  for (const file of SOURCES.flatMap(filesIn)) {
    hash.update(`${file}\0`);
    hash.update(readFileSync(join(root, file)));
  }
  const builds = join(root, 'node_modules/.cache/taskproof-builds');
  const kept = join(builds, hash.digest('hex').slice(0, 16));
  const dist = join(root, 'dist');
  if (existsSync(kept)) {
    rmSync(dist, { recursive: true, force: true });
    cpSync(kept, dist, { recursive: true });
    return;
  }
  npm(['run', script, '--silent'], root);
  mkdirSync(builds, { recursive: true });
  const age = (name: string) => statSync(join(builds, name)).mtimeMs;
  for (const name of readdirSync(builds)
    .sort((a, b) => age(b) - age(a))
    .slice(KEPT - 1))
    rmSync(join(builds, name), { recursive: true, force: true });
  // Renamed into place, so that nobody finds half a build.
  const half = `${kept}.${process.pid}`;
  cpSync(dist, half, { recursive: true });
  renameSync(half, kept);
}

function filesIn(name: string): string[] {
  const path = join(root, name);
  if (!statSync(path).isDirectory()) return [name];
  const entries = readdirSync(path, { recursive: true, withFileTypes: true });
  return entries
    .filter(entry => entry.isFile())
    .map(entry => relative(root, join(entry.parentPath, entry.name)))
    .sort();
}

function npm(args: string[], cwd: string): void {
  // npm is a .cmd file on Windows, which needs a shell.
  execFileSync('npm', args, {
    cwd,
    stdio: ['ignore', 'ignore', 'inherit'],
    shell: process.platform === 'win32',
  });
}

/** Puts another version of Playwright (or `latest`) in the place of this repository's. */
function otherPlaywright(version: string, folder: string): void {
  const own = join(folder, 'other-playwright');
  mkdirSync(own);
  npm(
    ['install', '--silent', '--no-audit', '--no-fund', '--prefix', own, `@playwright/test@${version}`],
    own,
  );
  for (const name of ['@playwright/test', 'playwright', 'playwright-core']) {
    const link = join(folder, 'node_modules', name);
    rmSync(link);
    symlinkSync(join(own, 'node_modules', name), link, 'junction');
  }
}

function linkModules(from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  for (const name of readdirSync(from)) {
    if (name.startsWith('.') || name === '@taskproof') continue;
    if (name.startsWith('@')) linkModules(join(from, name), join(to, name));
    else symlinkSync(join(from, name), join(to, name), 'junction');
  }
}
