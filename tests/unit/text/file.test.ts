import fs, { readdirSync, readFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { removeFolder, writeText } from '../../../src/text/file';
import { tempFolder } from '../../support/temp-folder';

/** As on Windows, while a virus scanner reads the file. @returns how often it was tried */
function refuseTo(name: 'renameSync' | 'rmSync', code: string, times: number): () => number {
  const spy = vi.spyOn(fs, name);
  for (let time = 0; time < times; time++)
    spy.mockImplementationOnce(() => {
      throw Object.assign(new Error(code), { code });
    });
  syncBuiltinESMExports();
  onTestFinished(() => {
    spy.mockRestore();
    syncBuiltinESMExports();
  });
  return () => spy.mock.calls.length;
}

test.each([
  ['EPERM', 3],
  ['EBUSY', 1],
])('a file that another program holds is written once it lets go: %s', (code, refusals) => {
  const file = join(tempFolder(), 'a.json');
  const tries = refuseTo('renameSync', code, refusals);
  writeText(file, 'new');
  expect([readFileSync(file, 'utf8'), tries()]).toEqual(['new', refusals + 1]);
});

test('a file that can not be written is told, and nothing stays', () => {
  const folder = tempFolder();
  const tries = refuseTo('renameSync', 'ENOSPC', 1);
  expect(() => writeText(join(folder, 'a.json'), 'new')).toThrow('ENOSPC');
  expect([tries(), readdirSync(folder)]).toEqual([1, []]);
});

test('a folder that another program reads may stay', () => {
  const folder = tempFolder();
  refuseTo('rmSync', 'EBUSY', 1);
  removeFolder(folder);
  expect(readdirSync(folder)).toEqual([]);
  removeFolder(folder);
  expect(() => readdirSync(folder)).toThrow('ENOENT');
});
