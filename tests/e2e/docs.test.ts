// Every code block of the documentation is run or held against what it speaks of; one that no rule knows fails.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { parse } from 'yaml';
import { readResults } from '../../src/report/results';
import { parseTaskSpec, taskSpecSchema } from '../../src/spec';
import { type DocsSuite, docsSuite, startModel, startShop } from '../support/docs-suite';
import { runWorkflow, type Workflow } from '../support/docs-workflow';
import { type CodeBlock, codeBlocks, markdownFiles } from '../support/markdown';

const BLOCKS = markdownFiles().flatMap(file => codeBlocks(file));
const where = ({ file, line }: CodeBlock) => `${file}:${line}`;

/** Commands of this repository. They are not run here, for they install, take long or need a key: what they name must exist. */
const REPOSITORY = /^(npm (ci|test|run|install)|npx vitest|node |python3 -m venv|\S+\/pip install)/;

function commandsOf({ text }: CodeBlock): string[] {
  return text
    .split('\n')
    .flatMap(line => line.split(' && '))
    .map(command => command.replace(/^([A-Z_]+=\S+ )+/, '').trim())
    .filter(Boolean);
}

const RULES: Record<string, (block: CodeBlock, before: CodeBlock | undefined) => boolean> = {
  // Made from the schemas: tests/unit/docs.test.ts.
  help: ({ language, text }) => language === 'text' && text.startsWith('Usage: taskproof'),
  output: ({ language, file }, before) =>
    language === 'text' && before?.language === 'sh' && before.file === file,
  // tests/e2e/command.test.ts plays trials with them.
  agentProgram: ({ language, file }) =>
    file === 'docs/agent-protocol.md' && ['js', 'python'].includes(language),
  spec: ({ language, text }) => language === 'yaml' && 'specVersion' in parse(text),
  workflow: ({ language, text }) => language === 'yaml' && 'jobs' in parse(text),
  specPart: ({ language, text }) =>
    language === 'yaml' &&
    Object.keys(parse(text)).every(key => ['assertions', 'judge', 'passPolicy'].includes(key)),
  results: ({ language, text }) => language === 'json' && 'schemaVersion' in JSON.parse(text),
  typescript: ({ language }) => language === 'ts',
  suiteShell: block =>
    block.language === 'sh' &&
    commandsOf(block).every(command => /^npx (taskproof|playwright) /.test(command)),
  repositoryShell: block =>
    block.language === 'sh' && commandsOf(block).every(command => REPOSITORY.test(command)),
};

function ruleOf(block: CodeBlock): string | undefined {
  const before = BLOCKS[BLOCKS.indexOf(block) - 1];
  return Object.keys(RULES).find(name => RULES[name]!(block, before));
}

const blocksOf = (rule: string) => BLOCKS.filter(block => ruleOf(block) === rule);
const named = (file: string, path: string) => {
  const block = BLOCKS.find(block => block.file === file && block.path === path);
  if (!block) throw new Error(`${file} has no block ${path}`);
  return block;
};

test('a rule knows every block, and every rule is needed', () => {
  expect(BLOCKS.filter(block => !ruleOf(block)).map(where)).toEqual([]);
  expect(Object.keys(RULES).filter(rule => !blocksOf(rule).length)).toEqual([]);
});

test.each(blocksOf('spec').map(block => [where(block), block] as const))(
  'the spec at %s is valid',
  (_, block) => {
    expect(parseTaskSpec(block.text, { filename: where(block) }).specVersion).toBe('0.1');
  },
);

test.each(blocksOf('specPart').map(block => [where(block), block] as const))(
  'the part of a spec at %s is valid',
  (_, block) => {
    const spec = {
      ...parse(named('README.md', 'agents/tasks/pricing-trial.yaml').text),
      ...parse(block.text),
    };
    expect(taskSpecSchema.safeParse(spec).error).toBeUndefined();
  },
);

test.each(blocksOf('results').map(block => [where(block), block] as const))(
  'the results file at %s is one',
  (_, block) => {
    const [verdict] = readResults(block.text, where(block)).verdicts;
    expect(Object.keys(verdict!)).toContain('interval');
  },
);

describe('commands of this repository name what exists', () => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };
  test.each(
    blocksOf('repositoryShell').flatMap(block => commandsOf(block).map(command => [command, where(block)])),
  )('%s (%s)', command => expectToExist(command!, scripts));
});

/** Scripts, files, projects, test names and flags. */
function expectToExist(command: string, scripts: Record<string, string>): void {
  const [program, first, script] = command.split(' ');
  if (program === 'npm' && first === 'run') {
    expect(scripts).toHaveProperty([script!]);
    const source = /node (\S+)/.exec(scripts[script!]!)?.[1];
    for (const [, flag] of command.matchAll(/ --([a-z-]+)/g))
      expect(readFileSync(source!, 'utf8'), `${source} takes no --${flag}`).toMatch(
        new RegExp(`['" -]${flag}\\b|\\b${flag}:`),
      );
  } else if (program === 'npx') {
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

/** `npx taskproof diff ...` in the middle of a sentence or a table. */
const IN_PROSE = markdownFiles().flatMap(file => {
  const text = readFileSync(file, 'utf8').replace(/^( *)```[\s\S]*?^ *```/gm, '');
  return [...text.matchAll(/`((?:npx|npm run) [^`]+)`/g)].map(([, command]) => [command!, file] as const);
});

describe('commands in the prose exist, with their flags', () => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };
  const cli: Record<string, string> = {
    taskproof: '@taskproof/playwright/dist/cli.js',
    playwright: '@playwright/test/cli.js',
  };
  const helps = new Map<string, string>();
  const help = (program: string, args: string[]) => {
    const key = [program, ...args].join(' ');
    const file = join(inject('installed'), 'node_modules', cli[program]!);
    if (!helps.has(key))
      helps.set(key, execFileSync(process.execPath, [file, ...args, '--help'], { encoding: 'utf8' }));
    return helps.get(key)!;
  };
  test.each(IN_PROSE)('%s (%s)', command => {
    const [runner, program, ...words] = command.split(' ');
    if (runner === 'npm') return expectToExist(command, scripts);
    if (program === 'vitest') return expectToExist(command, scripts);
    if (words[0] === '<command>') return expect(program).toBe('taskproof');
    const sub = words[0] === 'baseline' ? words.slice(0, 2) : words.slice(0, 1);
    const known = help(program!, sub);
    expect(known).toContain(`${program} ${sub.join(' ')}`);
    for (const [, flag] of command.matchAll(/ (--[a-z-]+)/g)) expect(known, flag).toContain(flag);
  });
});

describe.skipIf(process.platform === 'win32')('in a suite', () => {
  let shop: Awaited<ReturnType<typeof startShop>>;
  let model: Awaited<ReturnType<typeof startModel>>;
  const folders: string[] = [];

  beforeAll(async () => {
    shop = await startShop();
    model = await startModel();
  });
  afterAll(async () => {
    shop.close();
    await model.close();
    if (!process.env.TASKPROOF_KEEP_SUITES)
      for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  });

  const key = () => ({ ANTHROPIC_API_KEY: model.apiKey, ANTHROPIC_BASE_URL: model.url });
  const tracked = (suite: DocsSuite) => {
    folders.push(suite.folder);
    return suite;
  };
  const emptySuite = (env: Record<string, string> = {}) =>
    tracked(docsSuite(inject('installed'), shop.url, env));

  async function ok(suite: DocsSuite, command: string, env?: Record<string, string>): Promise<string> {
    const { code, output } = await suite.shell(command, env);
    expect(code, `${command}\n${output}`).toBe(0);
    return output;
  }

  test('TypeScript of every page holds against the types of the packed package', async () => {
    const suite = emptySuite();
    for (const block of blocksOf('typescript'))
      suite.write(
        `types/${block.file.replace(/\W/g, '-')}-${block.line}/${block.path ?? 'block.ts'}`,
        block.text,
      );
    const compilerOptions = {
      ...{ strict: true, noEmit: true, skipLibCheck: true, noUnusedLocals: true, target: 'ES2022' },
      ...{ module: 'ESNext', moduleResolution: 'Bundler', types: ['node'], allowJs: true },
    };
    suite.write('tsconfig.json', JSON.stringify({ compilerOptions, include: ['types'] }));
    const tsc = join(inject('installed'), 'node_modules/typescript/bin/tsc');
    await ok(suite, `node '${tsc}' -p .`);
  });

  test('the two commands of the README, in a folder without a suite', async () => {
    const suite = emptySuite();
    const port = await freePort();
    suite.write(
      'package.json',
      JSON.stringify({ private: true, scripts: { dev: `node site.mjs --port ${port}` } }),
    );
    suite.write(
      'site.mjs',
      `import { createServer } from 'node:http';
createServer((_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Home</h1>')).listen(${port});`,
    );
    const commands = commandsOf(blocksOf('suiteShell').find(({ file }) => file === 'README.md')!);
    for (const command of commands) await ok(suite, command);
    const results = readResults(suite.read('taskproof-results.json'), 'results');
    expect(results).toMatchObject({ status: 'passed', complete: true });
    expect(results.verdicts.map(({ agent }) => agent)).toEqual(['lexical', 'lexical']);
  });

  /** The README's suite, played once and recorded. */
  let played: Promise<DocsSuite> | undefined;
  function readmeSuite(): Promise<DocsSuite> {
    played ??= playReadme();
    return played;
  }

  async function playReadme(): Promise<DocsSuite> {
    const suite = emptySuite(key());
    for (const path of ['agents/tasks/pricing-trial.yaml', 'agents/tasks.spec.ts', 'playwright.config.ts'])
      suite.write(path, named('README.md', path).text);
    suite.write('e2e/checkout.spec.ts', named('docs/reference.md', 'e2e/checkout.spec.ts').text);
    suite.write('idle.config.ts', named('docs/writing-specs.md', 'idle.config.ts').text);
    await ok(suite, 'npx playwright test');
    await ok(suite, 'npx taskproof record --output agents/recordings');
    return suite;
  }

  test("the README's spec, test file and config give a verdict on Claude", async () => {
    const suite = await readmeSuite();
    const { verdicts } = readResults(suite.read('taskproof-results.json'), 'results');
    expect(verdicts).toMatchObject([
      {
        spec: 'pricing-trial',
        project: 'opus',
        agent: 'claude',
        verdict: 'passed',
        k: 5,
        passes: 5,
        turns: 3,
      },
    ]);
  });

  test('the commands of every page run in it, and print what the page shows', async () => {
    const suite = await readmeSuite();
    for (const block of blocksOf('suiteShell').filter(({ file }) => file !== 'README.md')) {
      const shown = BLOCKS[BLOCKS.indexOf(block) + 1];
      const hasOutput = shown && ruleOf(shown) === 'output';
      let output = '';
      for (const command of commandsOf(block)) {
        const ended = await suite.shell(command);
        // An idle agent has to lose every spec.
        expect(ended.code, `${where(block)}: ${command}\n${ended.output}`).toBe(
          command.includes('idle') ? 1 : 0,
        );
        output += ended.output;
      }
      if (hasOutput) expectShape(output, shown);
    }
    const idle = readResults(suite.read('idle-results.json'), 'idle');
    expect(idle.verdicts.map(({ verdict, agent }) => [agent, verdict])).toEqual([['idle', 'failed']]);
  });

  const configs = blocksOf('typescript').filter(
    ({ path, file }) => path === 'playwright.config.ts' && file !== 'README.md',
  );
  test.each(configs.map(block => [where(block), block] as const))(
    'the config at %s runs',
    async (_, block) => {
      const files = ['agents', 'playwright.config.ts'];
      const suite = tracked((await readmeSuite()).copy(files));
      suite.write('playwright.config.ts', block.text);
      // browser-use is a Python package: tests/e2e/browser-use.test.ts runs it.
      const only = block.text.includes("name: 'browser-use'") ? ' --project=claude' : '';
      const withoutKey = block.text.includes('hasKey');
      await ok(
        suite,
        `npx playwright test --repeat-each=1${only}`,
        withoutKey ? { ANTHROPIC_API_KEY: '' } : {},
      );
      const { verdicts } = readResults(suite.read('taskproof-results.json'), 'results');
      expect(verdicts.length).toBeGreaterThan(0);
      expect(verdicts.map(({ verdict }) => verdict)).toEqual(verdicts.map(() => 'passed'));
      expect(verdicts.some(({ replayed }) => replayed)).toBe(block.text.includes('replay('));
    },
  );

  test.each(blocksOf('workflow').map(block => [block.path!, block] as const))('%s', async (_, block) => {
    const suite = await readmeSuite();
    await ok(suite, 'npx taskproof baseline save');
    suite.write('merge.config.ts', named('docs/ci.md', 'merge.config.ts').text);
    const artifacts = mkdtempSync(join(inject('installed'), 'artifacts-'));
    folders.push(artifacts);
    const files = [
      'agents',
      'e2e',
      'from-docs.playwright.config.ts',
      'playwright.config.ts',
      'merge.config.ts',
    ];
    const jobs = await runWorkflow(parse(block.text) as Workflow, {
      checkout: () => tracked(suite.copy([...files, 'taskproof-baseline.json'])),
      artifacts,
      values: {
        'secrets.ANTHROPIC_API_KEY': model.apiKey,
        'github.token': 'token',
        'github.event.pull_request.number': '12',
      },
    });
    const last = readResults(jobs.at(-1)!.read('taskproof-results.json'), 'results');
    expect(last).toMatchObject({ complete: true, status: 'passed' });
    expect(last.verdicts).toMatchObject([{ spec: 'pricing-trial', passes: 5, verdict: 'passed' }]);
    if (block.text.includes('gh pr comment')) {
      expect(jobs.at(-1)!.read('gh.log')).toContain('pr comment 12 --body-file comment.md');
      expect(jobs.at(-1)!.read('comment.md')).toMatch(/^<!-- taskproof-diff -->/);
    }
  });
});

/** Each line of the page is one of the output, in order; figures may differ, and `...` stands for a line's rest. */
function expectShape(output: string, block: CodeBlock): void {
  const shape = (line: string) => line.replace(/\d+/g, '#').replace(/\s+/g, ' ').trim();
  const lines = output.split('\n').map(shape);
  let from = 0;
  for (const line of block.text.split('\n').map(shape).filter(Boolean)) {
    const start = line.replace(/ ?\.\.\.$/, '');
    const found = lines.findIndex(
      (one, index) => index >= from && (start === line ? one === line : one.startsWith(start)),
    );
    expect(found, `${where(block)}: "${line}" is not in\n${output}`).toBeGreaterThanOrEqual(from);
    from = found + 1;
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>(listening => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  await new Promise(closed => server.close(closed));
  return port;
}
