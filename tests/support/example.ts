// The example of this repository, in a copy beside the packed package: what Playwright and the package compile is cached there.
import { spawn } from 'node:child_process';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { COMMONJS, makeSuite } from '../e2e/suite';
import { compileCache } from './compile-cache';

/** Runs scripts/example.mjs, as `npm run example` does once the package is built. */
export async function runExample(args: string[], env: Record<string, string>) {
  const { folder } = makeSuite({});
  const copied = ['example-tasks', 'playwright.config.ts', 'scripts/browser.mjs', 'scripts/example.mjs'];
  for (const path of copied) cpSync(path, join(folder, path), { recursive: true });
  const child = spawn(process.execPath, ['scripts/example.mjs', ...args], {
    cwd: folder,
    // In CI a site that runs already would be an error.
    env: { ...process.env, ...compileCache(), ...COMMONJS, CI: '', NO_COLOR: '1', ...env },
  });
  let output = '';
  child.stdout.on('data', chunk => (output += chunk));
  child.stderr.on('data', chunk => (output += chunk));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject).on('close', resolve);
  });
  return { code, output };
}
