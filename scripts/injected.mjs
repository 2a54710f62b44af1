// Builds src/browser/injected, the code that runs in pages, to one script, and puts it in place of
// src/browser/injected-source.ts wherever that is loaded: in a build, in tests, and by other scripts.
import { join, resolve } from 'node:path';
import { build } from 'esbuild';

const PLACE = /[\\/]browser[\\/]injected-source\.ts$/;

/** @param {string} folder that of index.ts */
export async function buildInjected(folder) {
  const { outputFiles, metafile } = await build({
    entryPoints: ['index.ts'],
    absWorkingDir: folder,
    bundle: true,
    format: 'iife',
    globalName: 'taskproof',
    target: 'es2022',
    minify: true,
    metafile: true,
    write: false,
  });
  return { code: outputFiles[0]?.text ?? '', files: Object.keys(metafile.inputs) };
}

/**
 * What stands in injected-source.ts then.
 * @param {string} path of that file
 */
async function sourceFor(path) {
  const { code } = await buildInjected(join(path, '..', 'injected'));
  return `export const SOURCE = ${JSON.stringify(code)};\n`;
}

/** @type {import('esbuild').Plugin} */
export const forEsbuild = {
  name: 'injected',
  setup: bundle =>
    bundle.onLoad({ filter: PLACE }, async ({ path }) => ({
      contents: await sourceFor(resolve(path)),
      loader: 'js',
    })),
};

/** @type {import('vite').Plugin} */
export const forVite = {
  name: 'injected',
  load: id => (PLACE.test(id) ? sourceFor(id) : undefined),
};
