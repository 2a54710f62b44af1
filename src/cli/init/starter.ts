// What `init` writes: a schema for editors, two specs, a test file, and a config if there is none. To an existing config nothing is
// written: `init` prints the lines to add.

import { safeParseTaskSpec } from '../../spec/parse';
import { taskSpecJsonSchema } from '../../spec/schema';
import { CommandError } from '../io';
import type { ModelProject, PlaywrightConfig, Suite } from './detect';

const SCHEMA_FILE = 'task-spec.schema.json';

/**
 * @returns paths relative to the suite's folder, with forward slashes
 * @throws CommandError if no spec can start at `url`.
 */
export function starterFiles(suite: Suite, folder: string, url: string): { path: string; text: string }[] {
  const files = [
    { path: `${folder}/${SCHEMA_FILE}`, text: `${JSON.stringify(taskSpecJsonSchema(), null, 2)}\n` },
    { path: `${folder}/tasks/home-page.yaml`, text: homePage(url) },
    { path: `${folder}/tasks/home-page-twice.yaml`, text: homePageTwice(url) },
    { path: `${folder}/tasks.spec.${suite.language}`, text: testFile(suite) },
  ];
  for (const { path, text } of files.filter(({ path }) => path.endsWith('.yaml'))) {
    const parsed = safeParseTaskSpec(text, { filename: path });
    if (!parsed.ok) throw new CommandError(`No spec can start at ${url}: ${parsed.error.message}`);
  }
  const config = suite.config
    ? []
    : [{ path: `playwright.config.${suite.language}`, text: newConfig(suite, folder, url) }];
  return [...files, ...config];
}

const loadLine = (style: PlaywrightConfig['style'] | undefined, names: string, from: string) =>
  style === 'require' ? `const { ${names} } = require('${from}');` : `import { ${names} } from '${from}';`;

function testFile({ config }: Suite): string {
  return `${loadLine(config?.style, 'taskproofTests', '@taskproof/playwright')}

// One Playwright test per task spec. To use the suite's own fixtures, pass its \`test\`:
// taskproofTests('tasks/**/*.yaml', { test });
taskproofTests('tasks/**/*.yaml');
`;
}

const HEADER = `# yaml-language-server: $schema=../${SCHEMA_FILE}`;

function homePage(url: string): string {
  return `${HEADER}
# A first spec that holds on nearly any site. Copy it, and say what a visitor should manage to do on yours.
specVersion: '0.1'
id: home-page
# Handed to the agent word for word.
goal: 'Open ${quoted(visit(url, 1))}'
entryUrl: '${quoted(url)}'
maxSteps: 5
# All must hold for a trial to pass, and one of them only once the goal is reached: npx taskproof probe checks that.
assertions:
  # A request that only reaching the goal sends. ** is any run of characters, ? is one.
  - type: network
    urlPattern: '${quoted(visited(url, 1))}'
    method: GET
  # The last address. * is any run of characters without a slash.
  - type: url
    pattern: '${quoted(new URL(url).origin)}/**'
  # Something on the page can be seen.
  - type: dom
    selector: 'body *'
    state: visible
`;
}

function homePageTwice(url: string): string {
  return `${HEADER}
# Agents don't act the same way each time: run a spec k times, and set how many trials must pass.
specVersion: '0.1'
id: home-page-twice
goal: 'Open ${quoted(visit(url, 2))}'
entryUrl: '${quoted(url)}'
maxSteps: 5
passPolicy:
  k: 2
  minPasses: 1
assertions:
  - type: network
    urlPattern: '${quoted(visited(url, 2))}'
    method: GET
`;
}

/** An address of the same page that no trial begins at. */
function visit(url: string, number: number): string {
  const visited = new URL(url);
  visited.search += `${visited.search ? '&' : '?'}visit=${number}`;
  return visited.href;
}

/** The glob of its request. */
const visited = (url: string, number: number) => `${new URL(url).origin}/**?visit=${number}**`;

/** For a YAML string in single quotes. */
const quoted = (text: string) => text.replace(/'/g, "''");

const REPORTER = "['@taskproof/playwright/reporter']";

function newConfig(suite: Suite, folder: string, url: string): string {
  const server = webServer(suite, url);
  const existing = suite.testDir ? [`    { name: 'e2e', testDir: '${suite.testDir}' },`] : [];
  return `import { defineConfig, devices } from '@playwright/test';
import { lexical, repeats } from '@taskproof/playwright';

export default defineConfig({
  reporter: [['list'], ${REPORTER}, ['html']],
${server ? `  ${server}\n` : ''}  projects: [
${[...existing, ...project(folder, null)].join('\n')}
  ],
});
`;
}

/** Lines to add to an existing config, for the terminal. */
export function configLines(config: PlaywrightConfig, suite: Suite, folder: string, url: string): string {
  const load = (names: string, from: string) => loadLine(config.style, names, from);
  const blocks = [
    `At the top (\`devices\` may be there already):\n\n${load('devices', '@playwright/test')}\n${load('lexical, repeats', '@taskproof/playwright')}`,
    config.hasReporter
      ? `In \`reporter\`, before the HTML reporter (a single name becomes a list, as 'html' does: [['list'], ${REPORTER}, ['html']]):\n\n    ${REPORTER},`
      : `In the config:\n\n  reporter: [['list'], ${REPORTER}, ['html']],`,
    projects(config, suite, folder),
  ];
  const server = config.hasWebServer ? undefined : webServer(suite, url);
  if (server) blocks.push(`If nothing else starts the site:\n\n  ${server}`);
  return blocks.join('\n\n');
}

function projects(config: PlaywrightConfig, suite: Suite, folder: string): string {
  const ours = project(folder, config.model).join('\n');
  const sameFolder = suite.testDir === null || suite.testDir === '.';
  if (config.hasProjects) {
    const ignore = `\n\nIn each other project that has no \`testDir\`:\n\n    testIgnore: '${folder}/**',`;
    return `In \`projects\`:\n\n${ours}${sameFolder ? ignore : ''}`;
  }
  const others = sameFolder
    ? `    { name: 'e2e', testIgnore: '${folder}/**' },`
    : `    { name: 'e2e', testDir: '${suite.testDir}' },`;
  return `In the config (the first project is what the suite runs today):\n\n  projects: [\n${others}\n${ours}\n  ],`;
}

function project(folder: string, model: ModelProject | null): string[] {
  const use = model?.use.length ? model.use : ["...devices['Desktop Chrome']"];
  const entries = [...use, 'taskproof: { agent: lexical() }'];
  return [
    '    {',
    "      name: 'agents',",
    `      testDir: '${folder}',`,
    `      ...repeats('${folder}/tasks/**/*.yaml'),`,
    ...(model?.dependencies ? [`      dependencies: ${model.dependencies},`] : []),
    '      // lexical() needs no model and no key; claude() takes its key from ANTHROPIC_API_KEY',
    ...(entries.length < 3
      ? [`      use: { ${entries.join(', ')} },`]
      : ['      use: {', ...entries.map(entry => `        ${entry},`), '      },']),
    '    },',
  ];
}

function webServer({ devServer }: Suite, url: string): string | undefined {
  const isLocal = /^(localhost|127\.\d+\.\d+\.\d+|.*\.localhost)$/.test(new URL(url).hostname);
  if (!devServer || !isLocal) return undefined;
  return `webServer: { command: '${devServer.command}', url: '${url.replace(/'/g, '%27')}', reuseExistingServer: !process.env.CI },`;
}
