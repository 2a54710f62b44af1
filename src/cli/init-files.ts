// The files that `init` writes, and the lines that it prints for a config that exists.
import { safeParseTaskSpec } from '../spec/parse';
import { taskSpecJsonSchema } from '../spec/schema';
import type { Suite } from './init';
import { CommandError } from './io';

const REPORTER = "['@taskproof/playwright/reporter']";

/** Texts by path, relative to the suite's folder. @throws CommandError if no spec can start at `url`. */
export function starterFiles(suite: Suite, folder: string, url: string): Record<string, string> {
  const specs = {
    [`${folder}/tasks/home-page.yaml`]: spec('home-page', FIRST, addresses(url, 1)),
    [`${folder}/tasks/home-page-twice.yaml`]: spec('home-page-twice', TWICE, addresses(url, 2), POLICY),
  };
  for (const [filename, text] of Object.entries(specs)) {
    const parsed = safeParseTaskSpec(text, { filename });
    if (!parsed.ok) throw new CommandError(`No spec can start at ${url}: ${parsed.error.message}`);
  }
  return {
    [`${folder}/task-spec.schema.json`]: `${JSON.stringify(taskSpecJsonSchema(), null, 2)}\n`,
    ...specs,
    [`${folder}/tasks.spec.${suite.language}`]: TEST_FILE,
    ...(suite.config ? {} : { [`playwright.config.${suite.language}`]: newConfig(suite, folder, url) }),
  };
}

const TEST_FILE = `import { taskproofTests } from '@taskproof/playwright';

// One Playwright test per task spec. To use the suite's own fixtures, pass its \`test\`: { test }
taskproofTests('tasks/**/*.yaml');
`;

const FIRST =
  'A first spec for nearly any site. Copy it, and say what a visitor should manage to do on yours.';
const TWICE =
  "Agents don't act the same way each time: run a spec k times, and set how many trials must pass.";
const POLICY = 'passPolicy: { k: 2, minPasses: 1 }\n';

const spec = (id: string, note: string, [start, goal, glob, site]: string[], policy = '') =>
  `# yaml-language-server: $schema=../task-spec.schema.json
# ${note}
specVersion: '0.1'
id: ${id}
# Handed to the agent word for word.
goal: 'Go to ${goal}'
entryUrl: '${start}'
maxSteps: 5
${policy}# All must hold for a trial to pass, and one of them only once the goal is reached: npx taskproof probe checks that.
assertions:
  # A request that only reaching the goal sends. ** is any run of characters, ? is one.
  - type: network
    urlPattern: '${glob}'
    method: GET
  # The last address. * is any run of characters without a slash.
  - type: url
    pattern: '${site}'
  # Something on the page can be seen.
  - type: dom
    selector: 'body *'
    state: visible
`;

/** Where a trial begins, an address of the same page where none does, and the globs of its request and of the site. */
function addresses(url: string, number: number): string[] {
  const other = new URL(url);
  other.search += `${other.search ? '&' : '?'}visit=${number}`;
  const globs = [`${other.origin}/**?visit=${number}**`, `${other.origin}/**`];
  // For YAML in single quotes.
  return [url, other.href, ...globs].map(text => text.replace(/'/g, "''"));
}

const newConfig = (suite: Suite, folder: string, url: string) => `${IMPORTS}

export default defineConfig({
  reporter: [['list'], ${REPORTER}, ['html']],
${webServer(suite, url)}  projects: [
${suite.testDir ? `    { name: 'e2e', testDir: '${suite.testDir}' },\n` : ''}${project(folder)}
  ],
});
`;

const IMPORTS = `import { defineConfig, devices } from '@playwright/test';
import { lexical, repeats } from '@taskproof/playwright';`;

/** For the terminal. */
export function configLines(suite: Suite, folder: string, url: string): string {
  const server = webServer(suite, url);
  return `At the top (or by \`require\`):

${IMPORTS}

In the config, the reporter before the HTML reporter:

  reporter: [['list'], ${REPORTER}, ['html']],

In \`projects\`, with the login (dependencies, storageState) and the browser that the others have:

${project(folder)}

In each other project that has no \`testDir\` (without projects, the suite itself becomes one: { name: 'e2e' }):

    testIgnore: '${folder}/**',${server && `\n\nIf nothing else starts the site:\n\n${server.trimEnd()}`}`;
}

const project = (folder: string) => `    {
      name: 'agents',
      testDir: '${folder}',
      ...repeats('${folder}/tasks/**/*.yaml'),
      // lexical() needs no model and no key; claude() takes its key from ANTHROPIC_API_KEY
      use: { ...devices['Desktop Chrome'], taskproof: { agent: lexical() } },
    },`;

/** Empty if nothing starts the site, or it is elsewhere. */
function webServer({ devServer }: Suite, url: string): string {
  const isLocal = /^(localhost|127\.\d+\.\d+\.\d+|.*\.localhost)$/.test(new URL(url).hostname);
  if (!devServer || !isLocal) return '';
  return `  webServer: { command: '${devServer.command}', url: '${url.replace(/'/g, '%27')}', reuseExistingServer: !process.env.CI },\n`;
}
