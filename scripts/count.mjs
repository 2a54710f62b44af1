// Counts what the next person has to carry: lines of source and tests, the files that a trial can load, and files and folders
// that grew too large. `node scripts/count.mjs`
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { globSync } from 'tinyglobby';
import { brokenWalls, readImports } from './imports.mjs';

const root = join(import.meta.dirname, '..');
const imports = readImports();

/** @param {string} path from the root */
const linesOf = path => readFileSync(join(root, path), 'utf8').split('\n').length - 1;
/** @param {string[]} paths */
const total = paths => paths.reduce((sum, path) => sum + linesOf(path), 0);

/**
 * What a trial of one agent can load: runtime imports from src/index.ts, lazy ones too, without the reporter, the commands and the
 * other agents.
 * @param {string} agent its folder
 */
function reachable(agent) {
  const others = ['claude', 'ai-sdk', 'command', 'lexical', 'replay'].filter(name => name !== agent);
  const closed = ['report/', 'cli/', ...others.map(name => `agents/${name}/`)];
  const seen = new Set();
  const open = ['index.ts'];
  for (let file = open.pop(); file; file = open.pop()) {
    if (seen.has(file) || closed.some(folder => file?.startsWith(folder))) continue;
    seen.add(file);
    for (const { to, types, own } of imports.get(file) ?? []) if (own && !types) open.push(to);
  }
  return [...seen].map(file => `src/${file}`);
}

const source = [...imports.keys()].map(file => `src/${file}`);
const tests = globSync('tests/**/*.{ts,cjs,mjs,py}', { cwd: root });
const claude = reachable('claude');
const lexical = reachable('lexical');
console.log(`src                       ${total(source)} lines, ${source.length} files`);
console.log(`a trial of claude()       ${total(claude)} lines, ${claude.length} files`);
console.log(`a trial of lexical()      ${total(lexical)} lines, ${lexical.length} files`);
console.log(`tests                     ${total(tests)} lines, ${tests.length} files`);

/** @type {Map<string, string[]>} */
const folders = new Map();
for (const file of source) {
  const folder = file.slice(0, file.lastIndexOf('/'));
  folders.set(folder, [...(folders.get(folder) ?? []), file]);
}
console.log('\nlines by folder');
for (const [folder, files] of folders)
  console.log(`  ${folder.padEnd(24)} ${String(total(files)).padStart(6)}  ${files.length} files`);
const long = source.filter(file => linesOf(file) > 320);
console.log(`\nover 320 lines: ${long.join(', ') || 'none'}`);
console.log(
  `over 12 files: ${
    [...folders]
      .filter(([, files]) => files.length > 12)
      .map(([folder]) => folder)
      .join(', ') || 'none'
  }`,
);
const walls = brokenWalls();
console.log(`walls broken: ${walls.length}`);
if (process.argv.includes('--walls')) console.log(walls.map(line => `  ${line}`).join('\n'));
