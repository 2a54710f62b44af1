// Builds and packs the library once, and lays the tarball's content out as an installed package: suites below this
// folder find it as a user's suite would, with one copy of Playwright.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
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
  npm(['run', 'build', '--silent'], root);
  npm(['pack', '--silent', '--pack-destination', folder], root);
  const tarball = join(folder, readdirSync(folder).find(name => name.endsWith('.tgz'))!);
  const modules = join(folder, 'node_modules');
  linkModules(join(root, 'node_modules'), modules);
  const target = join(modules, '@taskproof/playwright');
  mkdirSync(target, { recursive: true });
  execFileSync('tar', ['-xzf', tarball, '-C', target, '--strip-components=1']);
  project.provide('installed', folder);
  project.provide('tarball', tarball);
  return () => rmSync(folder, { recursive: true, force: true });
}

function npm(args: string[], cwd: string): void {
  // npm is a .cmd file on Windows, which needs a shell.
  execFileSync('npm', args, {
    cwd,
    stdio: ['ignore', 'ignore', 'inherit'],
    shell: process.platform === 'win32',
  });
}

function linkModules(from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  for (const name of readdirSync(from)) {
    if (name.startsWith('.') || name === '@taskproof') continue;
    if (name.startsWith('@')) linkModules(join(from, name), join(to, name));
    else symlinkSync(join(from, name), join(to, name), 'junction');
  }
}
