// The walls of `src`: which folder may import which. And the imports of each file, to hold them and to count with.
import { existsSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { globSync } from 'tinyglobby';

/**
 * What a folder may import of ours besides itself. A folder that is not named has the walls of the folder around it.
 * `options.ts` is open to all above `data`.
 * @type {Record<string, string[]>}
 */
export const WALLS = {
  text: [],
  spec: ['text'],
  data: ['text', 'spec'],
  verdicts: ['text', 'spec', 'data'],
  // One limiter for the requests of all processes to a model.
  limiter: [],
  // Private tricks of Playwright's, for whoever needs them.
  'playwright/inside': ['text'],
  browser: ['text', 'spec', 'data', 'playwright/inside', 'browser/injected'],
  // Runs in pages: of others, it imports types, and what needs nothing else.
  'browser/injected': ['text', 'data', 'browser'],
  agents: ['text', 'spec', 'data', 'limiter', 'browser', 'browser/injected'],
  grading: ['text', 'spec', 'data', 'browser', 'agents'],
  trial: ['text', 'spec', 'data', 'browser', 'browser/injected', 'agents', 'grading', 'playwright/inside'],
  // What the main process and the workers share: the options, the decision about each trial, the ledger.
  'playwright/run': ['text', 'spec', 'data', 'verdicts', 'playwright/inside', 'agents', 'grading'],
  playwright: [
    'text',
    'spec',
    'data',
    'verdicts',
    'browser',
    'agents',
    'grading',
    'trial',
    'playwright/inside',
    'playwright/run',
  ],
  report: ['text', 'spec', 'data', 'verdicts', 'limiter', 'playwright/inside', 'playwright/run'],
  cli: ['text', 'spec', 'data', 'verdicts', 'report', 'playwright/run'],
};

/** Packages that only some folders may load: the rest of a run does without them. */
export const PACKAGES = {
  '@anthropic-ai/sdk': ['agents/claude', 'grading/judge'],
  ai: ['agents/ai-sdk'],
  otpauth: ['playwright/run/totp.ts'],
  '@playwright/test': ['playwright', 'browser', 'agents', 'grading', 'trial', 'report', 'index.ts'],
};

/** @param {string} file in src, with forward slashes */
export function folderOf(file) {
  const folders = Object.keys(WALLS).filter(folder => file.startsWith(`${folder}/`));
  return folders.sort((a, b) => b.length - a.length)[0] ?? '';
}

/**
 * @typedef {{ to: string, types: boolean, own: boolean }} Import `to`: a file in src, or a package; `types`: erased on compiling
 * @returns {Map<string, Import[]>} the imports of each file in src
 */
export function readImports(root = posix.join(import.meta.dirname, '..', 'src')) {
  const imports = new Map();
  for (const file of globSync('**/*.ts', { cwd: root }).sort()) {
    const code = readFileSync(`${root}/${file}`, 'utf8');
    /** @type {Import[]} */
    const found = [];
    const statement = /^(?:import|export)\s+(type\s)?(?:[^'";]*?\sfrom\s+)?'([^']+)'|\bimport\('([^']+)'\)/gm;
    for (const [whole, type, from, called] of code.matchAll(statement)) {
      const name = from ?? called ?? '';
      const types = Boolean(type) || (called !== undefined && isTypePosition(code, whole));
      if (!name.startsWith('.')) {
        found.push({ to: name, types, own: false });
        continue;
      }
      const path = posix.join(posix.dirname(file), name.replace(/\.js$/, ''));
      const target = [`${path}.ts`, `${path}/index.ts`].find(at => existsSync(`${root}/${at}`));
      if (target) found.push({ to: target, types, own: true });
    }
    imports.set(file, found);
  }
  return imports;
}

/**
 * `import('x').Y` is a type, `await import('x')` loads.
 * @param {string} code
 * @param {string} call
 */
const isTypePosition = (code, call) => !new RegExp(`(?:await|=>|return|\\() ?${literal(call)}`).test(code);

/** @param {string} text */
const literal = text => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** Every import that goes through a wall, as a line to read. */
export function brokenWalls(imports = readImports()) {
  const broken = [];
  for (const [file, found] of imports) {
    const folder = folderOf(file);
    for (const { to, own, types } of found) {
      if (own && !mayImport(folder, to)) broken.push(`src/${file} imports src/${to}: ${wallText(folder)}`);
      const allowed = Object.entries(PACKAGES).find(
        ([name]) => to === name || to.startsWith(`${name}/`),
      )?.[1];
      if (!own && !types && allowed && !allowed.some(place => file.startsWith(place)))
        broken.push(`src/${file} loads ${to}: only ${allowed.join(', ')} may`);
    }
  }
  return broken;
}

/**
 * @param {string} folder
 * @param {string} to
 */
function mayImport(folder, to) {
  if (folder === '' || folderOf(to) === folder) return true;
  if (to === 'options.ts') return !['text', 'spec', 'data', 'verdicts'].includes(folder);
  return WALLS[folder]?.includes(folderOf(to)) ?? false;
}

/** @param {string} folder */
const wallText = folder => `src/${folder} may import of ours only ${WALLS[folder]?.join(', ') || 'nothing'}`;
