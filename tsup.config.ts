import { defineConfig } from 'tsup';

export default defineConfig({
  entry: {
    index: 'src/index.ts',
    reporter: 'src/reporter.ts',
    spec: 'src/spec/index.ts',
    cli: 'src/cli.ts',
  },
  format: ['cjs'],
  target: 'node20',
  dts: true,
  clean: true,
  splitting: true,
  sourcemap: false,
});
