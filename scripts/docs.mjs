// `npm run docs`: generates the sections of docs/*.md between `<!-- generated: NAME -->` and `<!-- end -->` from schemas,
// docstrings, --help and arithmetic. `npm run docs -- --check` writes nothing, and exits with 1 if one is out of date.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { load } from './bundle.mjs';
import { fisherLine, policyTable } from './docs-arithmetic.mjs';
import { commandLine } from './docs-help.mjs';
import { interfaceList } from './docs-options.mjs';
import { assertionLists, specList } from './docs-schemas.mjs';

const root = resolve(import.meta.dirname, '..');
const SECTION = /(<!-- generated: ([\w-]+) -->\n)[\s\S]*?(<!-- end -->)/g;

/**
 * @param {string} markdown
 * @param {Record<string, () => string | Promise<string>>} sections
 * @param {string} file named in errors
 * @returns {Promise<{ text: string, names: string[], changed: string[] }>} the new text, the names of its sections, and
 * those that have changed
 * @throws Error for an unknown section
 */
export async function renew(markdown, sections, file) {
  /** @type {string[]} */
  const changed = [];
  /** @type {string[]} */
  const names = [];
  let text = '';
  let from = 0;
  for (const match of markdown.matchAll(SECTION)) {
    const [whole, begin = '', name = '', end = ''] = match;
    const make = sections[name];
    if (!make)
      throw new Error(
        `${file}: unknown section "${name}"; known sections: ${Object.keys(sections).join(', ')}`,
      );
    const made = `${begin}\n${(await make()).trim()}\n\n${end}`;
    names.push(name);
    if (made !== whole) changed.push(name);
    text += markdown.slice(from, match.index) + made;
    from = match.index + whole.length;
  }
  return { text: text + markdown.slice(from), names, changed };
}

/**
 * The function that generates each section, by name.
 *
 * @returns {Promise<Record<string, () => string | Promise<string>>>}
 */
export async function sectionsOf() {
  const ours = await load(
    'docs',
    `export { taskSpecJsonSchema } from './src/spec/schema';
     export { run } from './src/cli/program';
     export { chanceOfFall } from './src/verdicts/statistics';
     export { ALPHA } from './src/verdicts/change';`,
  );
  /** @type {(...files: [file: string, name: string][]) => () => string} */
  const joined =
    (...files) =>
    () =>
      interfaceList(files.map(([file, name]) => ({ file: join(root, 'src', file), name })));
  /** @type {(file: string, name: string) => () => string} */
  const options = (file, name) => joined([file, name]);
  return {
    'spec-fields': () => specList(ours.taskSpecJsonSchema('0.1')),
    'spec-assertions': () =>
      assertionLists(ours.taskSpecJsonSchema('0.1'), ours.taskSpecJsonSchema('playwright/1')),
    'command-line': () => commandLine(ours.run),
    'taskproof-tests': options('playwright/declare.ts', 'TaskproofTestsOptions'),
    'page-tool-tests': options('playwright/page-tool-tests.ts', 'PageToolTestsOptions'),
    'use-taskproof': options('playwright/run/options.ts', 'TaskproofOptions'),
    'agent-run': options('playwright/agent-runner.ts', 'AgentRunOptions'),
    'agent-outcome': options('playwright/agent-runner.ts', 'AgentOutcome'),
    reporter: options('report/write.ts', 'ReporterOptions'),
    lexical: options('agents/lexical/index.ts', 'LexicalOptions'),
    command: options('agents/command/index.ts', 'CommandOptions'),
    replay: options('agents/replay/index.ts', 'ReplayOptions'),
    claude: joined(['agents/claude/index.ts', 'ClaudeOptions'], ['agents/claude/index.ts', 'ModelOptions']),
    'ai-sdk': options('agents/ai-sdk/index.ts', 'AiSdkOptions'),
    'web-judge': options('grading/judge/index.ts', 'WebJudgeOptions'),
    policies: policyTable,
    fisher: () => fisherLine(ours.chanceOfFall, ours.ALPHA),
  };
}

async function main() {
  const check = process.argv.includes('--check');
  const sections = await sectionsOf();
  const folder = join(root, 'docs');
  let stale = 0;
  for (const name of readdirSync(folder).filter(name => name.endsWith('.md'))) {
    const file = join(folder, name);
    const { text, changed } = await renew(readFileSync(file, 'utf8'), sections, `docs/${name}`);
    if (!changed.length) continue;
    stale += changed.length;
    if (!check) writeFileSync(file, text);
    console.log(`docs/${name}: ${check ? 'out of date' : 'written'}: ${changed.join(', ')}`);
  }
  if (check && stale) {
    console.log('Run `npm run docs`.');
    process.exitCode = 1;
  }
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) await main();
