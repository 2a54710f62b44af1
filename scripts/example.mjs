// `npm run example`: runs the example's agents and its chatbot on the example site, with verdicts and Playwright's report.
// `npm run example:lost`: the same site, broken for most visitors. `npm run example -- --project replay`: the recordings.
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const require = createRequire(import.meta.url);
const cli = join(dirname(require.resolve('@playwright/test/package.json')), 'cli.js');
const given = process.argv.slice(2).filter(arg => arg !== '--lost');
const isLost = given.length < process.argv.length - 2;

const claude = process.env.ANTHROPIC_API_KEY ? ['claude'] : [];
const agents = ['lexical', 'tool-user'];
const names = isLost ? agents : ['assistant', 'page-tools', ...agents, 'guessing', ...claude];
const chosen = given.some(arg => /^--project\b/.test(arg)) ? [] : names.map(name => `--project=${name}`);
const files = isLost ? ['experiment.spec.ts'] : [];

const { status } = spawnSync(process.execPath, [cli, 'test', ...files, ...chosen, ...given], {
  stdio: 'inherit',
  env: isLost ? { ...process.env, EXAMPLE: 'lost' } : process.env,
});
console.log(
  isLost
    ? `
One spec is lost on purpose, so this command ends with exit status 1.
Open the report: npx playwright show-report
A red trial begins with what its failures have in common, and ends with the pictures of the turn where it left the
way of a trial that passed.`
    : `
Open the report: npx playwright show-report
Look at the last trial of buy-monstera in the project lexical: it failed, its verdict passed, and it says what stood in the way.
Then let a spec be lost: npm run example:lost`,
);
process.exitCode = status ?? 1;
