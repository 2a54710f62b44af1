// Every code block of the documentation is run or held against what it speaks of; one that no rule knows fails.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { parse } from 'yaml';
import { run } from '../../src/cli/program';
import { readResults } from '../../src/data/results';
import { parseTaskSpec, taskSpecSchema } from '../../src/spec';
import { compileCache } from '../support/compile-cache';
import {
  BLOCKS,
  blocksOf,
  commandsOf,
  expectToExist,
  named,
  RULES,
  ruleOf,
  where,
} from '../support/docs-blocks';
import { type DocsSuite, docsSuite, startGpt, startModel, startShop } from '../support/docs-suite';
import { runWorkflow, type Workflow } from '../support/docs-workflow';
import { runExample } from '../support/example';
import { markdownFiles } from '../support/markdown';
import { freePort } from '../support/serve';

/** Of the README's five trials two are played once, and one in each later run: each costs a worker. */
const fewer = (text: string, k: number) =>
  text.replace(/k: 5(,?\s*)minPasses: 4/, `k: ${k}$1minPasses: ${k}`);

/** Of its two agents most runs need one, and not the other's SDK. */
const ONE_AGENT = [/^.*(gpt|@ai-sdk).*\n/gm, ''] as const;

/** Of its four shards two: each is a run, and two tests are all that there is to share out. */
const FEWER_SHARDS = (workflow: string) =>
  workflow.replace('shard: [1, 2, 3, 4]', 'shard: [1, 2]').replace('}}/4 ', '}}/2 ');

/** Each is played below. */
const WORKFLOWS = ['.github/workflows/nightly.yml', '.github/workflows/agents.yml'];

/** With two projects it gives each shard a trial: the pull request's workflow plays it. */
const SHARDED = named('docs/reference.md', 'playwright.config.ts');

/** How one spec is played by itself: the README's config is run so. */
const BY_ITSELF = blocksOf('suiteShell').find(({ text }) => text.includes(' --grep '))!;

test('a rule knows every block, and every rule is needed', () => {
  expect(BLOCKS.filter(block => !ruleOf(block)).map(where)).toEqual([]);
  expect(Object.keys(RULES).filter(rule => !blocksOf(rule).length)).toEqual([]);
  expect(blocksOf('workflow').map(({ path }) => path)).toEqual([...WORKFLOWS].sort());
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

test('an answer, one order and nothing deleted: who goes by names passes, who guesses fails', async () => {
  // Without the repeats of the project's other specs, which are skipped, in a worker each.
  const { output } = await runExample(
    [
      'checks.spec.ts',
      '--project=lexical',
      '--project=guessed',
      '--reporter=list',
      '--repeat-each=1',
      '--workers=1',
    ],
    { ANTHROPIC_API_KEY: '', EXAMPLE: 'guessed' },
  );
  const told = [...output.matchAll(/^ +([✓✘]) +\d+ \[(\w+)\] .* › (\S+) @/gm)].map(line =>
    line.slice(1).join(' '),
  );
  const ids = ['answer-delivery', 'look-at-total', 'order-once'];
  expect(told.sort(), output).toEqual([
    ...ids.map(id => `✓ lexical ${id}`),
    ...ids.map(id => `✘ guessed ${id}`),
  ]);
  // Why, for each.
  expect(output).toContain('the agent gave no answer');
  expect(output).toContain('DELETE http://127.0.0.1:4173/api/cart/brass-mister.one-size was sent');
  expect(output).toContain('POST "**/api/orders" was sent, but answered with 422 instead of 201');
});

test('what the README shows of the terminal is what `npm run example:lost` prints', async () => {
  const { code, output } = await runExample(['--lost'], { ANTHROPIC_API_KEY: '' });
  const withoutTimes = (text: string) => text.replace(/\([\d.ms ]+, /g, '(');
  const printed = withoutTimes(output);
  expect(code, printed).toBe(1);
  for (const line of withoutTimes(blocksOf('terminal')[0]!.text).split('\n'))
    expect(printed.split('\n')).toContain(line);
  expect(printed).toContain('npx playwright show-report');
});

/** `npx taskproof diff ...` in the middle of a sentence or a table. */
const IN_PROSE = markdownFiles().flatMap(file => {
  const text = readFileSync(file, 'utf8').replace(/^( *)```[\s\S]*?^ *```/gm, '');
  return [...text.matchAll(/`((?:npx|npm run) [^`]+)`/g)].map(([, command]) => [command!, file] as const);
});

describe('commands in the prose exist, with their flags', () => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };
  /** By command: one process says them all. */
  let playwrightHelps: Record<string, string>;
  beforeAll(() => {
    const code = `const { commands } = require('playwright/lib/program').program;
console.log(JSON.stringify(Object.fromEntries(commands.map(each => [each.name(), each.helpInformation()]))));`;
    const options = {
      cwd: inject('installed'),
      env: { ...process.env, ...compileCache() },
      encoding: 'utf8',
    } as const;
    playwrightHelps = JSON.parse(execFileSync(process.execPath, ['-e', code], options));
  });
  const help = (program: string, args: string[]) =>
    program === 'taskproof' ? ourHelp(args) : playwrightHelps[args[0]!];
  const ourHelp = async (args: string[]) => {
    let said = '';
    const out = (text: string) => {
      said += text;
    };
    await run([...args, '--help'], { cwd: '.', out, err: out, colour: false });
    return said;
  };
  test.each(IN_PROSE)('%s (%s)', async command => {
    const [runner, program, ...words] = command.split(' ');
    if (runner === 'npm') return expectToExist(command, scripts);
    if (program === 'vitest') return expectToExist(command, scripts);
    if (words[0] === '<command>') return expect(program).toBe('taskproof');
    const sub = words[0] === 'baseline' ? words.slice(0, 2) : words.slice(0, 1);
    const known = await help(program!, sub);
    expect(known).toContain(`${program} ${sub.join(' ')}`);
    for (const [, flag] of command.matchAll(/ (--[a-z-]+)/g)) expect(known, flag).toContain(flag);
  });
});

describe.skipIf(process.platform === 'win32')('in a suite', () => {
  let shop: Awaited<ReturnType<typeof startShop>>;
  let model: Awaited<ReturnType<typeof startModel>>;
  let gpt: Awaited<ReturnType<typeof startGpt>>;
  const folders: string[] = [];

  beforeAll(async () => {
    shop = await startShop();
    model = await startModel();
    gpt = await startGpt();
  });
  afterAll(async () => {
    await shop.close();
    await model.close();
    await gpt.close();
    if (!process.env.TASKPROOF_KEEP_SUITES)
      for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  });

  const key = () => ({
    ANTHROPIC_API_KEY: model.apiKey,
    ANTHROPIC_BASE_URL: model.url,
    OPENAI_API_KEY: gpt.apiKey,
    OPENAI_BASE_URL: gpt.url,
  });
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
    // To keep what is compiled of it would cost more than it saves once.
    await ok(suite, `NODE_OPTIONS= node '${tsc}' -p .`);
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

  const artifactsFolder = () => {
    const folder = mkdtempSync(join(inject('installed'), 'artifacts-'));
    folders.push(folder);
    return folder;
  };

  /** The jobs' folders, in the order in which they ended, and the folder of the artifacts. */
  async function runIt(path: string, checkout: () => DocsSuite, artifacts = artifactsFolder()) {
    const block = blocksOf('workflow').find(one => one.path === path)!;
    const values = {
      'secrets.ANTHROPIC_API_KEY': model.apiKey,
      'github.token': 'token',
      'github.event.pull_request.number': '12',
      'github.run_id': '7',
    };
    const jobs = await runWorkflow(parse(FEWER_SHARDS(block.text)) as Workflow, {
      checkout,
      artifacts,
      values,
    });
    return { jobs, artifacts };
  }

  /** The README's suite, played once, as the nightly workflow does, and recorded. */
  let played: Promise<{ suite: DocsSuite; artifacts: string }> | undefined;
  const playReadme = () => {
    played ??= readmeSuite();
    return played;
  };

  async function readmeSuite() {
    const suite = emptySuite(key());
    const spec = named('README.md', 'agents/tasks/pricing-trial.yaml');
    suite.write(spec.path!, fewer(spec.text, 2));
    for (const path of ['agents/tasks.spec.ts', 'playwright.config.ts'])
      suite.write(path, named('README.md', path).text.replace(...ONE_AGENT));
    suite.write('e2e/checkout.spec.ts', named('docs/reference.md', 'e2e/checkout.spec.ts').text);
    const { artifacts } = await runIt(WORKFLOWS[0]!, () => suite);
    await ok(suite, 'npx taskproof record --output agents/recordings');
    suite.write(spec.path!, fewer(spec.text, 1));
    return { suite, artifacts };
  }

  test("the README's spec, test file and config give a verdict on Claude", async () => {
    const { suite } = await playReadme();
    const { verdicts } = readResults(suite.read('taskproof-results.json'), 'results');
    expect(verdicts).toMatchObject([
      {
        spec: 'pricing-trial',
        project: 'claude',
        agent: 'claude',
        verdict: 'passed',
        k: 2,
        passes: 2,
        turns: 3,
      },
    ]);
  });

  test('the commands of every page run in it, and no spec is vacuous', async () => {
    const { suite } = await playReadme();
    for (const block of blocksOf('suiteShell')) {
      if (block.file === 'README.md' || block === BY_ITSELF) continue;
      for (const command of commandsOf(block)) {
        const ended = await suite.shell(command);
        // The suite's last run is whole.
        const isNeedless = command === 'npx taskproof resume';
        expect(ended.code, `${where(block)}: ${command}\n${ended.output}`).toBe(isNeedless ? 2 : 0);
        if (isNeedless) expect(ended.output).toContain('There is nothing to resume');
      }
    }
    expect(await ok(suite, 'npx taskproof probe')).toContain(', as they should.');
  });

  test("the reference's test file collects the format's spec", async () => {
    const played = await playReadme();
    const suite = tracked(played.suite.copy(['playwright.config.ts', 'from-docs.playwright.config.ts']));
    const spec = blocksOf('spec').find(({ file }) => file === 'docs/format.md')!;
    suite.write('agents/tasks/cancel-order.yaml', spec.text);
    suite.write('agents/account.spec.ts', named('docs/reference.md', 'agents/account.spec.ts').text);
    expect(await ok(suite, 'npx playwright test --list')).toMatch(/account\.spec\.ts:\d+:1 › cancel-order/);
  });

  const configs = blocksOf('typescript').filter(
    block => block.path === 'playwright.config.ts' && block !== SHARDED,
  );
  test.each(configs.map(block => [where(block), block] as const))(
    'the config at %s runs',
    async (_, block) => {
      const files = ['agents', 'playwright.config.ts'];
      const suite = tracked((await playReadme()).suite.copy(files));
      suite.write('playwright.config.ts', block.text);
      // The suite's pages have no tools, and a worker shows as much as one for each project.
      const pageTools = block.text.includes("pageTools: 'only'") ? ['with tools'] : [];
      const isReadme = block.file === 'README.md';
      // The README's other projects have been played.
      const projects = isReadme ? ['gpt'] : pageTools;
      const only = projects.map(name => ` --project="${name}"`).join('');
      const command = isReadme ? commandsOf(BY_ITSELF)[0]! : 'npx playwright test --repeat-each=1';
      const withoutKey = block.text.includes('hasKey');
      await ok(suite, command + only, withoutKey ? { ANTHROPIC_API_KEY: '' } : {});
      const { verdicts } = readResults(suite.read('taskproof-results.json'), 'results');
      expect(verdicts.length).toBeGreaterThan(0);
      if (projects.length) expect(verdicts.map(({ project }) => project)).toEqual(projects);
      expect(verdicts.map(({ verdict }) => verdict)).toEqual(verdicts.map(() => 'passed'));
      expect(verdicts.some(({ replayed }) => replayed)).toBe(block.text.includes('replay('));
    },
  );

  test('.github/workflows/nightly.yml', async () => {
    const { suite, artifacts } = await playReadme();
    const results = readResults(suite.read('taskproof-results.json'), 'results');
    expect(results).toMatchObject({ complete: true, status: 'passed' });
    const saved = readFileSync(join(artifacts, 'cache-taskproof-7'), 'utf8');
    expect(saved).toContain('"pricing-trial"');
  });

  test('.github/workflows/agents.yml', async () => {
    const { suite, artifacts } = await playReadme();
    suite.write('merge.config.ts', named('docs/examples/merge.config.ts', 'merge.config.ts').text);
    const checkout = () => {
      const copy = tracked(suite.copy(['agents', 'merge.config.ts']));
      copy.write(SHARDED.path!, SHARDED.text);
      return copy;
    };
    const { jobs } = await runIt(WORKFLOWS[1]!, checkout, artifacts);
    const merged = jobs.at(-1)!;
    const results = readResults(merged.read('taskproof-results.json'), 'results');
    expect(results).toMatchObject({ complete: true, status: 'passed' });
    const verdict = { spec: 'pricing-trial', passes: 1, verdict: 'passed' };
    expect(results.verdicts).toMatchObject([
      { ...verdict, project: 'admin' },
      { ...verdict, project: 'shop' },
    ]);
    expect(merged.read('gh.log')).toContain('pr comment 12 --body-file comment.md');
    expect(merged.read('comment.md')).toMatch(/^<!-- taskproof-diff -->/);
    // The nightly run's baseline, of another config, came from the cache.
    expect(merged.read('comment.md')).toContain('| removed | pricing-trial | claude | passed | 2/2 |');
  });
});
