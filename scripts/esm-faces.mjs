// After tsup: an ES module face for each entry, which re-exports the one CommonJS copy. Two copies would be two `test` objects.
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
writeFileSync(
  'dist/reporter.d.mts',
  `import reporter from './reporter.js';\nexport default reporter.default;\n`,
);
