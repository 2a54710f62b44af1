import { defineConfig } from 'tsup';
import { forEsbuild } from './scripts/injected.mjs';

// File by file: in bundles of each entry there would be two copies of the error classes.
export default defineConfig({
  entry: ['src/**/*.ts', '!src/browser/injected/**'],
  esbuildPlugins: [forEsbuild],
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
