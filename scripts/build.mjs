// Builds `dist`: each file of `src` to CommonJS, declarations, and an ES module for each entry. `--js` leaves out the declarations.
// File by file: in bundles of each entry there would be two copies of the error classes and of `test`.
import { execFileSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { build } from 'esbuild';
import { globSync } from 'tinyglobby';
import { forEsbuild } from './injected.mjs';

process.chdir(resolve(import.meta.dirname, '..'));
rmSync('dist', { recursive: true, force: true });
await build({
  entryPoints: globSync('src/**/*.ts', { ignore: 'src/browser/injected/**' }),
  outdir: 'dist',
  outbase: 'src',
  format: 'cjs',
  platform: 'node',
  target: 'node20',
  plugins: [forEsbuild],
});

// The ES modules re-export the CommonJS copy.
for (const entry of ['index', 'spec/index']) {
  const name = entry.split('/').at(-1);
  writeFileSync(`dist/${entry}.mjs`, `export * from './${name}.js';\n`);
  writeFileSync(`dist/${entry}.d.mts`, `export * from './${name}.js';\n`);
}
writeFileSync(
  'dist/reporter.mjs',
  `import reporter from './reporter.js';\nexport default reporter.default;\n`,
);
// Not re-exported from reporter.d.ts: the user's compiler options decide whether a default export of CommonJS is unwrapped.
writeFileSync(
  'dist/reporter.d.mts',
  `import type { Reporter } from '@playwright/test/reporter';
declare const TaskproofReporter: new (options?: unknown) => Reporter;
export default TaskproofReporter;
`,
);

if (!process.argv.includes('--js')) {
  const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc');
  execFileSync(process.execPath, [tsc, '-p', 'tsconfig.build.json'], { stdio: 'inherit' });
}
