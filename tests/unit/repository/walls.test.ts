import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { brokenWalls, folderOf, readImports, WALLS } from '../../../scripts/imports.mjs';

test('no file imports through a wall', () => {
  expect(brokenWalls()).toEqual([]);
});

test('every folder of src has its walls', () => {
  for (const file of readImports().keys()) {
    if (file.includes('/')) expect(Object.keys(WALLS), file).toContain(folderOf(file));
  }
});

test('an import through a wall is named with its file and what is allowed', () => {
  const imports = new Map([
    ['spec/parse.ts', [{ to: 'browser/session/session.ts', types: false, own: true }]],
    ['report/write.ts', [{ to: '@anthropic-ai/sdk', types: false, own: false }]],
    ['data/record.ts', [{ to: 'options.ts', types: true, own: true }]],
  ]);
  expect(brokenWalls(imports)).toEqual([
    'src/spec/parse.ts imports src/browser/session/session.ts: src/spec may import of ours only text',
    'src/report/write.ts loads @anthropic-ai/sdk: only agents/claude, grading/judge may',
    'src/data/record.ts imports src/options.ts: src/data may import of ours only text, spec',
  ]);
});

test('no two exported functions, constants or classes have one name', () => {
  const places = new Map<string, string[]>();
  // The format's entry exports its schemas again, with other types.
  for (const file of [...readImports().keys()].filter(name => name !== 'spec/index.ts')) {
    const code = readFileSync(`src/${file}`, 'utf8');
    const names = [...code.matchAll(/^export (?:async )?(?:function|const|class) (\w+)/gm)].map(
      match => match[1]!,
    );
    for (const name of new Set(names)) places.set(name, [...(places.get(name) ?? []), file]);
  }
  expect([...places].filter(([, files]) => files.length > 1)).toEqual([]);
});
