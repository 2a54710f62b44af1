// After tsup: writes an ES module for each entry, which re-exports the CommonJS copy. Two copies would be two `test` objects.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';

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

// Removes leftover imports of zod, which is not installed with the package.
for (const file of readdirSync('dist', { recursive: true, encoding: 'utf8' })) {
  if (!file.endsWith('.d.ts')) continue;
  const text = readFileSync(`dist/${file}`, 'utf8').replace(/^import 'zod';\n/m, '');
  if (/from 'zod'/.test(text)) throw new Error(`dist/${file} needs the types of zod, which users don't have`);
  writeFileSync(`dist/${file}`, text);
}
