// Loads TypeScript of this repository into a script: bundles it into a file that finds the installed packages.
import { mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { forEsbuild } from './injected.mjs';

/**
 * @param {string} name of the bundle
 * @param {string} contents TypeScript with the exports; paths are relative to the repository's root
 * @returns {Promise<any>} its exports
 */
export async function load(name, contents) {
  const root = resolve(import.meta.dirname, '..');
  const folder = resolve(root, 'node_modules/.cache/taskproof');
  mkdirSync(folder, { recursive: true });
  const outfile = resolve(folder, `${name}.mjs`);
  await build({
    stdin: { contents, resolveDir: root, loader: 'ts' },
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    plugins: [forEsbuild],
    outfile,
  });
  return import(pathToFileURL(outfile).href);
}
