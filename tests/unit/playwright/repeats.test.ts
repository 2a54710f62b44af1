// How many repeats a project needs for its specs, and which errors stop the config.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { repeats } from '../../../src/playwright/declare';
import { tempFolder } from '../../support/temp-folder';

const spec = (id: string, k: number) => `specVersion: '0.1'
id: ${id}
goal: Look
entryUrl: https://example.com
passPolicy: { k: ${k}, minPasses: 1 }
assertions: [{ type: url, pattern: '**' }]
`;

let cwd: string;
beforeEach(() => {
  cwd = tempFolder();
  mkdirSync(join(cwd, 'tasks'));
  writeFileSync(join(cwd, 'tasks/a.yaml'), spec('a', 3));
  writeFileSync(join(cwd, 'tasks/b.yaml'), spec('b', 5));
});
afterEach(() => {
  for (const name of Object.keys(process.env)) if (name.startsWith('TASKPROOF_K_')) delete process.env[name];
});

test('the largest k counts, and retries are off', () => {
  expect(repeats('tasks/*.yaml', { cwd })).toEqual({ repeatEach: 5, retries: 0, fullyParallel: true });
});

test.each(['', ':2', ':2:7'])('a spec on the command line, with "%s", is told how to be run', place => {
  const named = join(cwd, 'tasks/a.yaml') + place;
  const argv = vi
    .spyOn(process, 'argv', 'get')
    .mockReturnValue(['node', 'playwright', 'test', named, 'b.spec']);
  const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  repeats('tasks/*.yaml', { cwd });
  const said = write.mock.calls.map(([text]) => String(text));
  for (const spy of [argv, write]) spy.mockRestore();
  expect(said).toEqual([
    expect.stringContaining(`${named} is a spec, but Playwright selects tests by their`),
  ]);
  expect(said[0]).toContain('To run this spec, use --grep " a @"');
});

test('a file that does not parse is left to taskproofTests', () => {
  writeFileSync(join(cwd, 'tasks/b.yaml'), 'id: [');
  expect(repeats('tasks/*.yaml', { cwd }).repeatEach).toBe(3);
});

test('an id that two files share, as packages may, counts with the larger k', () => {
  writeFileSync(join(cwd, 'tasks/c.yaml'), spec('b', 4));
  expect(repeats('tasks/*.yaml', { cwd }).repeatEach).toBe(5);
});

test.each([
  ['alone', ['agents/*.yaml']],
  ['beside others', ['tasks/*.yaml', 'agents/*.yaml']],
])('a glob that matches nothing, %s, is an error of the config', (_, globs) => {
  expect(() => repeats(globs, { cwd })).toThrow(/no task spec matches "agents\/\*\.yaml"/);
});
