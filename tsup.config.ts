import { defineConfig } from 'tsup';

// File by file: bundling with shared chunks runs the code through a transform that puts helpers of its own into functions which are
// sent to the page, and bundles without them would hold two copies of the error classes.
export default defineConfig({
  entry: ['src/**/*.ts'],
  bundle: false,
  format: ['cjs'],
  target: 'node20',
  clean: true,
  dts: {
    entry: { index: 'src/index.ts', reporter: 'src/reporter.ts', 'spec/index': 'src/spec/index.ts' },
    // Checking is what `npm run typecheck` does, and a third of a build's time.
    compilerOptions: { noCheck: true },
  },
});
