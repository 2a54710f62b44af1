// The code that runs in pages: it has nothing but what is in its folder and what a page gives it.
import { resolve } from 'node:path';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { buildInjected } from '../../../scripts/injected.mjs';
import { SOURCE, SOURCES } from '../../../src/browser/injected-source';

test('is made of its own folder, and of what needs nothing else', async () => {
  const { code, files } = await buildInjected(resolve('src/browser/injected'));
  expect(files).toContain('index.ts');
  expect(files.filter(file => /[\\/]/.test(file))).toEqual(['../../text/goal-words.ts']);
  expect(code).toBe(SOURCE);
});

test('runs where there is nothing of Node', () => {
  const functions = runInNewContext(`${SOURCE}\ntaskproof`);
  expect(Object.keys(functions)).toContain('visibleText');
  expect(Object.values(functions).every(each => typeof each === 'function')).toBe(true);
});

test('each function has what it needs where it is alone, and no more', () => {
  expect(Object.keys(SOURCES)).toEqual(Object.keys(runInNewContext(`${SOURCE}\ntaskproof`)));
  for (const [name, source] of Object.entries(SOURCES))
    expect(runInNewContext(`${source}\ntypeof taskproof.${name}`)).toBe('function');
  expect(SOURCES.bringIntoView!.length).toBeLessThan(SOURCE.length / 10);
});
