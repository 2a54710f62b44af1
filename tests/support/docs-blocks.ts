// What each code block of the documentation is, and what must exist for its commands.
import { existsSync, readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { parse } from 'yaml';
import { type CodeBlock, codeBlocks, exampleFiles, markdownFiles } from './markdown';

export const BLOCKS = [...markdownFiles().flatMap(file => codeBlocks(file)), ...exampleFiles()];
export const where = ({ file, line }: CodeBlock) => `${file}:${line}`;

/** Commands of this repository. They are not run here, since they install, take long or need a key, but what they name must exist. */
const REPOSITORY = /^(npm (ci|test|run|install)|npx vitest|node |python3 -m venv|\S+\/pip install)/;

export function commandsOf({ text }: CodeBlock): string[] {
  return text
    .split('\n')
    .flatMap(line => line.split(' && '))
    .map(command => command.replace(/^([A-Z_]+=\S+ )+/, '').trim())
    .filter(Boolean);
}

export const RULES: Record<string, (block: CodeBlock) => boolean> = {
  // What lexical() says when it gives up: see tests/browser/lexical.test.ts.
  gaveUp: ({ language, text }) => language === 'text' && text.startsWith('gave_up: '),
  // What `npm run example:lost` prints.
  terminal: ({ file, language }) => file === 'README.md' && language === 'text',
  // tests/e2e/command.test.ts plays trials with them.
  agentProgram: ({ language, file }) =>
    file === 'docs/agent-protocol.md' && ['js', 'python'].includes(language),
  // tests/unit/repository/docs.test.ts checks its folders.
  diagram: ({ language }) => language === 'mermaid',
  // tests/unit/agents/command/coding-agents.test.ts plays with it.
  preset: ({ file }) => file === 'docs/examples/gemini.mjs',
  // tests/unit/data/agent-protocol.test.ts reads them.
  agentLines: ({ language }) => language === 'jsonl',
  spec: ({ language, text }) => language === 'yaml' && 'specVersion' in parse(text),
  workflow: ({ language, text }) => language === 'yaml' && 'jobs' in parse(text),
  specPart: ({ language, text }) =>
    language === 'yaml' &&
    Object.keys(parse(text)).every(key => ['goal', 'assertions', 'judge', 'passPolicy'].includes(key)),
  results: ({ language, text }) => language === 'json' && 'schemaVersion' in JSON.parse(text),
  typescript: ({ language }) => language === 'ts',
  suiteShell: block =>
    block.language === 'sh' &&
    commandsOf(block).every(command => /^npx (taskproof|playwright) /.test(command)),
  repositoryShell: block =>
    block.language === 'sh' && commandsOf(block).every(command => REPOSITORY.test(command)),
};

export function ruleOf(block: CodeBlock): string | undefined {
  return Object.keys(RULES).find(name => RULES[name]!(block));
}

export const blocksOf = (rule: string) => BLOCKS.filter(block => ruleOf(block) === rule);
export const named = (file: string, path: string) => {
  const block = BLOCKS.find(block => block.file === file && block.path === path);
  if (!block) throw new Error(`${file} has no block ${path}`);
  return block;
};

/** Scripts, files, projects, test names and flags. */
export function expectToExist(command: string, scripts: Record<string, string>): void {
  const [program, first, script] = command.split(' ');
  if (program === 'npm' && first === 'run') {
    expect(scripts).toHaveProperty([script!]);
    const source = /node (\S+)/.exec(scripts[script!]!)?.[1];
    for (const [, flag] of command.matchAll(/ --([a-z-]+)/g))
      expect(readFileSync(source!, 'utf8'), `${source} takes no --${flag}`).toMatch(
        new RegExp(`['" -]${flag}\\b|\\b${flag}:`),
      );
  } else if (program === 'npm' && first === 'test') expect(scripts).toHaveProperty('test');
  else if (program === 'npx') {
    expect(readFileSync('vitest.config.ts', 'utf8')).toContain(
      `name: '${/--project (\S+)/.exec(command)![1]}'`,
    );
    const file = /\S+\.test\.ts/.exec(command)![0];
    expect(readFileSync(file, 'utf8')).toContain(/ -t (\S+)/.exec(command)?.[1] ?? '');
  } else
    for (const file of command.match(/[\w./@-]+\/[\w.-]+\.(txt|mjs|ts)/g) ?? []) {
      const path = file.replace('node_modules/@taskproof/playwright/', '');
      expect(existsSync(path), path).toBe(true);
    }
}
