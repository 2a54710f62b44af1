import { execFileSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { expect, it } from 'vitest';

it('loads no SDK and no Playwright with the config', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'lazy-'));
  const outfile = join(folder, 'agent.cjs');
  // As the package is built: one CommonJS file, dependencies outside.
  await build({
    entryPoints: ['src/agents/claude/index.ts'],
    bundle: true,
    platform: 'node',
    format: 'cjs',
    packages: 'external',
    outfile,
  });
  const script = `const { claude } = require(${JSON.stringify(outfile)}); claude({ model: 'x' });
    console.log(JSON.stringify(Object.keys(require.cache).filter(file => /@anthropic-ai|playwright/.test(file))))`;
  const output = execFileSync(process.execPath, ['-e', script], {
    env: { ...process.env, NODE_PATH: join(process.cwd(), 'node_modules') },
  });
  expect(JSON.parse(String(output))).toEqual([]);
});
