// The command line of the packed tarball, from `init` in an empty folder to a regression named by `diff`.
import { expect, test } from 'vitest';
import { launchOptions } from '../../scripts/browser.mjs';
import { makeSuite, type Suite, taskproof as start, startSite } from './suite';

async function taskproof(suite: Suite, ...args: string[]) {
  const { code, out, err } = await start(suite, args);
  return { code, output: out + err };
}

test('init, a first run, a baseline, a regression', async () => {
  let broken = false;
  const site = await startSite({
    '/': (_, response) => {
      response.writeHead(200, { 'content-type': 'text/html' });
      response.end(
        `<!doctype html><title>Home</title><h1>Home</h1>${broken ? '' : '<a href="/about">About</a>'}`,
      );
    },
    '/about': '<h1>About</h1>',
  });
  const suite = makeSuite({ 'package.json': '{ "name": "suite", "private": true }', 'tsconfig.json': '{}' });
  const init = await taskproof(suite, 'init', '--yes', '--url', site.url);
  expect(init.code, init.output).toBe(0);
  expect(init.output).toContain('Wrote    agents/tasks.spec.ts');
  const valid = await taskproof(suite, 'validate');
  expect(valid.code, valid.output).toBe(0);
  expect(valid.output).toMatch(/^2 valid specs$/m);

  // A spec of one's own beside the starters, which know no more than the address.
  suite.write({
    'agents/tasks/about.yaml': `# yaml-language-server: $schema=./taskproof.schema.json
specVersion: '0.1'
id: read-about
goal: Click "About".
entryUrl: ${site.url}/
passPolicy: { k: 1, minPasses: 1 }
assertions:
  - { type: url, pattern: '**/about' }
`,
    'playwright.config.ts': suite
      .read('playwright.config.ts')
      .replace(/use: \{/, `use: { launchOptions: ${JSON.stringify(launchOptions())},`),
  });
  const first = await suite.playwright(['test', '--project=agents', '--grep', 'read-about']);
  expect(first.exitCode, first.output).toBe(0);
  const saved = await taskproof(suite, 'baseline', 'save');
  expect(saved.code, saved.output).toBe(0);
  expect((await taskproof(suite, 'diff', 'taskproof-baseline.json')).code).toBe(0);

  broken = true;
  const second = await suite.playwright(['test', '--project=agents', '--grep', 'read-about']);
  expect(second.exitCode, second.output).toBe(1);
  const diff = await taskproof(suite, 'diff', 'taskproof-baseline.json', '--markdown');
  expect(diff.code, diff.output).toBe(1);
  expect(diff.output).toMatch(/regressed/);
  expect(diff.output, 'the diagnosis, not the words of a trial').toMatch(
    /read-about.*trial 1\/1: gave up on \//,
  );
});
