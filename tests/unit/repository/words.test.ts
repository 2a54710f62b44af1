// Phrases that read as translated, or need two readings. Messages, comments and docs must not have them.
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
  "can't be had",
  'could not be had',
  'also after',
  'in the place of',
  'for want of',
  'leans on',
  'tells of',
  "'s doing",
  'at its end alone',
  'next to nothing',
  'goes on spending',
  ' anew',
  'known are',
  'is no JSON',
];
const root = join(__dirname, '../../..');
const FOLDERS = ['src', 'docs', 'scripts', 'tests/support', 'bench/lib', 'bench/drivers', 'bench/diagnosis'];
/** These may contain installed packages. */
const FLAT = ['bench', 'agent-programs/mcp', 'agent-programs/browser-use', 'agent-programs/cdp'];
const files = [...FOLDERS, ...FLAT].flatMap(folder =>
  readdirSync(join(root, folder), { recursive: FOLDERS.includes(folder), encoding: 'utf8' })
    .filter(name => /\.(m?ts|[cm]js|py|md)$/.test(name))
    .map(name => join(folder, name)),
);

test('no file has one of the phrases', () => {
  const found = [...files, 'README.md'].flatMap(file => {
    const text = readFileSync(join(root, file), 'utf8').toLowerCase();
    return PHRASES.filter(phrase => text.includes(phrase.toLowerCase())).map(phrase => `${file}: ${phrase}`);
  });
  expect(found).toEqual([]);
});
