// `npm run example`: the example tasks against the example site, to their verdicts and Playwright's HTML report.
// `npm run example -- --project replay`: their recordings, without an agent.
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const require = createRequire(import.meta.url);
const cli = join(dirname(require.resolve('@playwright/test/package.json')), 'cli.js');
const given = process.argv.slice(2);
const project = given.some(arg => /^--project\b/.test(arg)) ? [] : ['--project=example'];
const { status } = spawnSync(process.execPath, [cli, 'test', ...project, ...given], { stdio: 'inherit' });
console.log('\nThe report: npx playwright show-report');
process.exitCode = status ?? 1;
