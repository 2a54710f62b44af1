import { readdirSync } from 'node:fs';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';
import { matchesUrlGlob } from '../../../src/grading/url-glob';
import { parseTaskSpec } from '../../../src/spec';
import { suite } from './suite';

const MANIFEST = JSON.stringify({
  scripts: { dev: 'vite' },
  devDependencies: { vite: '7', typescript: '5', '@playwright/test': '1' },
});
const CONFIG = `import { defineConfig, devices } from '@playwright/test';
// reporter: 'dot', projects: []
export default defineConfig({
  testDir: './specs',
  use: { baseURL: process.env.BASE ?? 'http://localhost:4000' },
});
`;
const OURS = [
  'agents/task-spec.schema.json',
  'agents/tasks/home-page.yaml',
  'agents/tasks/home-page-twice.yaml',
];

/** Errors of syntax, as the compiler finds them. */
function syntaxErrors(file: string, text: string): string[] {
  const { diagnostics } = ts.transpileModule(text, { fileName: file, reportDiagnostics: true });
  return (diagnostics ?? []).map(one => ts.flattenDiagnosticMessageText(one.messageText, '\n'));
}

describe('into a suite with a config', () => {
  test('writes specs and a test file, prints the lines to add, leaves the config alone', async () => {
    const { taskproof, read } = suite({ 'package.json': MANIFEST, 'playwright.config.ts': CONFIG });
    const { code, out, err } = await taskproof(['init']);
    expect([code, err]).toEqual([0, '']);
    for (const file of [...OURS, 'agents/tasks.spec.ts']) expect(out).toContain(`Wrote    ${file}`);
    expect(read('playwright.config.ts')).toBe(CONFIG);
    expect(out).toContain("import { lexical, repeats } from '@taskproof/playwright';");
    expect(out).toContain("reporter: [['list'], ['@taskproof/playwright/reporter'], ['html']],");
    expect(out).toContain("{ name: 'e2e', testDir: 'specs' },");
    expect(out).toContain("webServer: { command: 'npm run dev', url: 'http://localhost:4000/'");
    expect(out).toContain('npm install --save-dev @taskproof/playwright\n');
  });

  test('the specs are valid, start at the site and name their schema', async () => {
    const { taskproof, read } = suite({ 'package.json': MANIFEST, 'playwright.config.ts': CONFIG });
    await taskproof(['init']);
    expect((await taskproof(['validate'])).out).toContain('2 valid specs');
    const spec = read('agents/tasks/home-page.yaml');
    expect(spec.split('\n')[0]).toBe('# yaml-language-server: $schema=../task-spec.schema.json');
    expect(spec).toContain("entryUrl: 'http://localhost:4000/'");
    expect(JSON.parse(read('agents/task-spec.schema.json')).required).toContain('assertions');
  });

  test.each(['http://localhost:3000', 'https://shop.example/de?a=b#/start'])(
    'the specs for %s hold only once the goal is reached',
    async url => {
      const { taskproof, read } = suite();
      await taskproof(['init', '--url', url]);
      for (const file of OURS.slice(1)) {
        const { goal, entryUrl, assertions } = parseTaskSpec(read(file));
        const holds = (address: string) =>
          assertions.every(each => each.type !== 'network' || matchesUrlGlob(each.urlPattern, address));
        expect([holds(entryUrl), holds(goal.replace('Open ', ''))], file).toEqual([false, true]);
      }
    },
  );

  test('with projects and a reporter only adds to them', async () => {
    const config = `module.exports = { reporter: 'html', projects: [{ name: 'a', testDir: 'x' }], webServer: { command: 'x', port: 8080 } };`;
    const { taskproof, read } = suite({ 'playwright.config.js': config });
    const { out } = await taskproof(['init']);
    expect(out).toContain('In `projects`:');
    expect(out).toContain("testIgnore: 'agents/**'");
    expect(out).toContain('In `reporter`, before the HTML reporter');
    expect(out).not.toContain('webServer:');
    expect(out).toContain("const { lexical, repeats } = require('@taskproof/playwright');");
    expect(read('agents/tasks.spec.js')).toContain("require('@taskproof/playwright')");
    expect(read('agents/tasks/home-page.yaml')).toContain("entryUrl: 'http://localhost:8080/'");
  });

  const SIGNED_IN = `{
      // the first of them
      name: 'chromium',
      testMatch: '**/*.spec.ts', /* not the setup */
      dependencies: ['setup'],
      use: {
        ...devices['Desktop Chrome'],
        storageState: 'playwright/.auth/user.json', // made by "setup": { name }
        launchOptions: { args: ['--lang=de', "--x={'"], slowMo: 5 },
        taskproof: {},
      },
    }`;
  const SETUP = `{ name: 'setup', testMatch: /.*\\.setup\\.[jt]s/, use: { storageState: undefined } }`;
  const LOGIN = ["dependencies: ['setup']", "storageState: 'playwright/.auth/user.json'"];
  const LAUNCH = `launchOptions: { args: ['--lang=de', "--x={'"], slowMo: 5 }`;
  const PLAIN = `{ name: 'plain', use: { ...devices['Desktop Firefox'] } }`;
  test.each<[string, string[], string[], string[]]>([
    ['a login', [PLAIN, SETUP, SIGNED_IN], [...LOGIN, LAUNCH, "...devices['Desktop Chrome']"], ['Firefox']],
    [
      'a state that lies there already, in a `use` of its own',
      [`{ name: 'in', use: signedIn }`, `{ name: 'b', use: { storageState: STATE, locale: 'de' } }`],
      ['storageState: STATE,', "locale: 'de',"],
      ['dependencies', 'devices['],
    ],
    [
      'a `use` that is a variable',
      [`{ name: "all", dependencies: [SETUP], "use": signedIn }`],
      ['dependencies: [SETUP],', 'use: { ...signedIn, taskproof: { agent: lexical() } },'],
      ['devices['],
    ],
    [
      'a browser of its own',
      [PLAIN, `{ name: 'edge', use: { channel: 'msedge' } }`],
      [`use: { channel: 'msedge', taskproof`],
      ['dependencies'],
    ],
    ['a setup that nothing depends on', [SETUP, PLAIN], ["dependencies: ['setup'],"], ['storageState']],
    [
      'none of these',
      [PLAIN, '...more()'],
      ["use: { ...devices['Desktop Chrome'], taskproof"],
      ['dependencies'],
    ],
  ])('a project with %s is the model of ours', async (_, projects, has, lacks) => {
    const config = `import { devices } from '@playwright/test';
const signedIn = { storageState: 'a.json' };
export default {
  testMatch: '**/*.spec.ts',
  /* ${'*'} */
  projects: [\n    ${projects.join(',\n    ')},
  ],
};`;
    const { out } = await suite({ 'playwright.config.ts': config }).taskproof(['init']);
    const ours = /^ {4}\{\n {6}name: 'agents',[\s\S]*?^ {4}\},$/m.exec(out)![0];
    for (const text of has) expect(ours).toContain(text);
    for (const text of lacks) expect(ours).not.toContain(text);
    expect(syntaxErrors('config.ts', `export default [\n${ours}\n];`)).toEqual([]);
  });

  test('what is taken from a project is said first', async () => {
    const config = `export default { projects: [${SETUP}, ${SIGNED_IN}] };`;
    const { out } = await suite({ 'playwright.config.ts': config }).taskproof(['init']);
    expect(out).toContain(`Project: like "chromium", with ${[...LOGIN, LAUNCH].join(', ')}`);
  });

  test('whose tests are everywhere, tells their project to leave ours out', async () => {
    const { out } = await suite({ 'playwright.config.mjs': 'export default {};' }).taskproof(['init']);
    expect(out).toContain("{ name: 'e2e', testIgnore: 'agents/**' },");
  });

  test.each(['ts', 'js', 'mjs'])('the lines for a config in .%s fit into one', async ending => {
    const { taskproof } = suite({
      'package.json': MANIFEST,
      [`playwright.config.${ending}`]: 'export default {};',
    });
    const { out } = await taskproof(['init']);
    const [loads, fields] = [
      /^import .*;$/gm,
      /^ {2}reporter:.*$|^ {2}webServer:.*$|^ {2}projects: \[\n[\s\S]*?^ {2}\],$/gm,
    ].map(pattern => out.match(pattern)!);
    const whole = `${loads!.join('\n')}\nexport default {\n${fields!.join('\n')}\n};`;
    expect(fields).toHaveLength(3);
    expect(syntaxErrors(`config.${ending}`, whole)).toEqual([]);
  });
});

describe('without a config', () => {
  test.each([
    ['ts', MANIFEST],
    ['js', '{}'],
  ])('writes one in .%s', async (ending, manifest) => {
    const files = {
      'package.json': manifest,
      'pnpm-lock.yaml': '',
      'tests/e2e/a.spec.ts': "import { test } from '@playwright/test';",
      'src/unit.test.ts': "import { test } from 'vitest';",
    };
    const { taskproof, read } = suite(files);
    const { out } = await taskproof(['init']);
    const config = read(`playwright.config.${ending}`);
    expect(syntaxErrors(`playwright.config.${ending}`, config)).toEqual([]);
    expect(config).toContain("{ name: 'e2e', testDir: 'tests/e2e' },");
    expect(config).toContain("...repeats('agents/tasks/**/*.yaml'),");
    expect(config.includes("command: 'pnpm run dev', url: 'http://localhost:5173/'")).toBe(ending === 'ts');
    expect(read(`agents/tasks.spec.${ending}`)).toContain("taskproofTests('tasks/**/*.yaml');");
    expect(out).toContain(`pnpm add --dev`);
    expect(out).not.toContain('Add to');
  });

  test('in an empty folder, too', async () => {
    const { taskproof, read } = suite();
    expect((await taskproof(['init', '--yes'])).code).toBe(0);
    expect(read('playwright.config.js')).not.toContain('webServer');
    expect(read('agents/tasks/home-page.yaml')).toContain("'http://localhost:3000/'");
  });
});

describe('what exists', () => {
  test('is kept, and written with --force', async () => {
    const mine = { 'agents/tasks.spec.js': 'mine', 'playwright.config.js': 'module.exports = {};' };
    const { taskproof, read } = suite(mine);
    const { code, out } = await taskproof(['init']);
    expect(code).toBe(0);
    expect(out).toContain('Kept     agents/tasks.spec.js');
    expect(out).toContain('Wrote    agents/tasks/home-page.yaml');
    expect(read('agents/tasks.spec.js')).toBe('mine');
    await taskproof(['init', '--force']);
    expect(read('agents/tasks.spec.js')).toContain('taskproofTests');
    expect(read('playwright.config.js')).toBe('module.exports = {};');
  });

  test('is compared with the address that is given now', async () => {
    const { taskproof, read } = suite({
      'playwright.config.js': "module.exports = { use: { baseURL: 'http://localhost:3000' } };",
    });
    await taskproof(['init']);
    const kept = read('agents/tasks/home-page.yaml');
    const { out } = await taskproof(['init', '--url', 'http://localhost:5173/shop']);
    for (const file of OURS.slice(1))
      expect(out).toContain(
        `Kept     ${file} (it exists; --force overwrites it)\n         It starts at http://localhost:3000/, not at http://localhost:5173/shop\n`,
      );
    expect(out).toContain('playwright.config.js has http://localhost:3000: change it there, too\n');
    expect(read('agents/tasks/home-page.yaml')).toBe(kept);
    const { out: same } = await taskproof(['init', '--url', 'http://localhost:3000/shop']);
    expect(same).not.toMatch(/It starts at|change it there/);
  });

  test('tells nothing to add to a config that has it all', async () => {
    const { taskproof } = suite();
    await taskproof(['init', '--yes']);
    const { out } = await taskproof(['init', '--yes']);
    expect(out).not.toContain('Add to');
    expect(out).toContain('Run them: npx playwright test --project=agents');
    expect((await taskproof(['init', '--yes', '--dir', 'flows'])).out).toContain(
      'Add to playwright.config.js',
    );
  });
});

describe('questions', () => {
  const answers = (given: string[], asked: string[]) => async (question: string, fallback: string) => {
    asked.push(`${question} ${fallback}`);
    return given.shift() ?? fallback;
  };

  test('are asked in a terminal, with what was found as the default', async () => {
    const asked: string[] = [];
    const { taskproof, read } = suite({ 'package.json': MANIFEST });
    await taskproof(['init'], { ask: answers(['flows', 'https://shop.example/'], asked) });
    expect(asked).toEqual([
      'Folder for the task specs? agents',
      'Where does the site run? http://localhost:5173',
    ]);
    expect(read('flows/tasks/home-page.yaml')).toContain("pattern: 'https://shop.example/**'");
    expect(read('playwright.config.ts')).not.toContain('webServer');
  });

  test('are not asked with --yes, nor for what options say', async () => {
    const asked: string[] = [];
    const { taskproof } = suite();
    await taskproof(['init', '--yes'], { ask: answers([], asked) });
    await taskproof(['init', '--dir', 'a', '--url', 'http://localhost:1'], { ask: answers([], asked) });
    expect(asked).toEqual([]);
  });
});

test.each<[string[], string]>([
  [['--dir', '../outside'], `"../outside" can't be the folder`],
  [['--dir', '/etc'], `"/etc" can't be the folder`],
  [['--dir', "a'b"], `can't be the folder`],
  [['--dir', 'a/*'], `can't be the folder`],
  [['--url', 'localhost:3000'], 'is not an http: or https: URL'],
  [['--url', 'http://user:secret@localhost/'], 'must not contain credentials'],
])('init %j is refused and writes nothing', async (args, message) => {
  const { taskproof, folder } = suite();
  const { code, err } = await taskproof(['init', ...args]);
  expect(code).toBe(1);
  expect(err).toContain(message);
  expect(readdirSync(folder)).toEqual([]);
});

test('a URL with a quote stays one string', async () => {
  const { taskproof } = suite();
  expect((await taskproof(['init', '--url', "http://localhost:1/it's?a='b'"])).code).toBe(0);
  expect((await taskproof(['validate'])).code).toBe(0);
});
