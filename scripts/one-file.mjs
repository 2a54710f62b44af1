// After tsup: bundles zod and yaml into one file each, in dist/dependencies, and makes our files load them from there.
// Every worker loads them, and their 180 small files took a tenth of Playwright's own load time. 50 of those are
// translations of zod's messages, which nothing here uses.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { build } from 'esbuild';
import * as yaml from 'yaml';

const FOLDER = join('dist', 'dependencies');
/** The source of each. zod is loaded at once, since schemas are created on load; yaml only when a spec is read. */
const SOURCES = {
  zod: `export * from 'zod';`,
  yaml: `module.exports = {
${Object.keys(yaml)
  .map(name => `get ${name}() { return require('yaml').${name}; },`)
  .join('\n')}
};`,
};

/** @type {import('esbuild').Plugin} */
const withoutTranslations = {
  name: 'without-translations',
  setup: bundle =>
    bundle.onLoad({ filter: /zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, ({ path }) => ({
      contents: `export { default as en } from './en.js';`,
      resolveDir: dirname(path),
    })),
};

for (const [name, contents] of Object.entries(SOURCES)) {
  const { version, license } = JSON.parse(readFileSync(`node_modules/${name}/package.json`, 'utf8'));
  const text = readFileSync(`node_modules/${name}/LICENSE`, 'utf8').trim();
  await build({
    stdin: { contents, resolveDir: '.' },
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    outfile: join(FOLDER, `${name}.js`),
    banner: { js: `/* ${name} ${version}, ${license}\n\n${text}\n*/` },
    plugins: [withoutTranslations],
  });
}

for (const name of readdirSync('dist', { recursive: true })) {
  const file = join('dist', String(name));
  if (!file.endsWith('.js') || file.startsWith(FOLDER)) continue;
  const code = readFileSync(file, 'utf8');
  const folder = relative(dirname(file), FOLDER).split(sep).join('/');
  const ours = code.replace(/require\("(zod|yaml)"\)/g, `require("./${folder}/$1.js")`);
  if (ours !== code) writeFileSync(file, ours);
}
