// After tsup: writes an ES module for each entry, which re-exports the CommonJS copy. Two copies would be two `test` objects.
import { writeFileSync } from 'node:fs';

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
