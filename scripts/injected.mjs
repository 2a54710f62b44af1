// Builds src/browser/injected, the code that runs in pages, to one script and to one for each function, and puts them in place of
// src/browser/injected-source.ts wherever that is loaded: in a build, in tests, and by other scripts.
import { join, resolve } from 'node:path';
import { build } from 'esbuild';

const PLACE = /[\\/]browser[\\/]injected-source\.ts$/;

/**
 * @param {string} folder that of index.ts
 * @param {string} [what] an export; all without it
 */
export async function buildInjected(folder, what = '*') {
  const exported = what === '*' ? what : `{ ${what} }`;
  const { outputFiles, metafile } = await build({
    stdin: { contents: `export ${exported} from './index';`, resolveDir: folder },
    absWorkingDir: folder,
    bundle: true,
    format: 'iife',
    globalName: 'taskproof',
    target: 'es2022',
    minify: true,
    metafile: true,
    write: false,
  });
  const files = Object.keys(metafile.inputs).filter(file => file !== '<stdin>');
  return { code: outputFiles[0]?.text ?? '', files };
}

/**
 * What stands in injected-source.ts then.
 * @param {string} path of that file
 */
async function sourceFor(path) {
  const folder = join(path, '..', 'injected');
  const { code } = await buildInjected(folder);
  const names = Object.keys(new Function(`${code}\nreturn taskproof;`)());
  const each = names.map(async name => [name, (await buildInjected(folder, name)).code]);
  const sources = Object.fromEntries(await Promise.all(each));
  return `export const SOURCE = ${JSON.stringify(code)};\nexport const SOURCES = ${JSON.stringify(sources)};\n`;
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
