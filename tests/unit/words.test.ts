// Phrases that read as translated, or need two readings. Messages, comments and docs do without them.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const PHRASES = [
  'to be had',
  'nobody judges',
  'options that are none',
  'To be awaited',
  'To be called',
  'is no question',
  'of its own accord',
  'be what it may',
  'what became of',
  'stands before',
  'for options that it',
  'can not be called',
];
const root = join(__dirname, '../..');
const files = ['src', 'docs'].flatMap(folder =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter(name => /\.(ts|md)$/.test(name))
    .map(name => join(folder, name)),
);

test.each([...files, 'README.md'])('%s has none of the phrases', file => {
  const text = readFileSync(join(root, file), 'utf8').toLowerCase();
  expect(PHRASES.filter(phrase => text.includes(phrase.toLowerCase()))).toEqual([]);
});
