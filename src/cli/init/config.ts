// The Playwright config: a new one, or the lines that an existing one needs. An existing config is program text
// and stays in its owner's hands.
import type { PlaywrightConfig, Suite } from './detect';

const REPORTER = "['@taskproof/playwright/reporter']";

/** A whole config, for a suite that has none. */
export function newConfig(suite: Suite, folder: string, url: string): string {
  const server = webServer(suite, url);
  const existing = suite.testDir ? [`    { name: 'e2e', testDir: '${suite.testDir}' },`] : [];
  return `import { defineConfig, devices } from '@playwright/test';
import { lexical, repeats } from '@taskproof/playwright';

export default defineConfig({
  reporter: [['list'], ${REPORTER}, ['html']],
${server ? `  ${server}\n` : ''}  projects: [
${[...existing, ...project(folder)].join('\n')}
  ],
});
`;
}

/** What to add to an existing config, as lines for the terminal. */
export function configLines(config: PlaywrightConfig, suite: Suite, folder: string, url: string): string {
  const load = (names: string, from: string) =>
    config.style === 'require'
      ? `const { ${names} } = require('${from}');`
      : `import { ${names} } from '${from}';`;
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
  const ours = project(folder).join('\n');
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

function project(folder: string): string[] {
  return [
    '    {',
    "      name: 'agents',",
    `      testDir: '${folder}',`,
    `      ...repeats('${folder}/tasks/**/*.yaml'),`,
    '      // lexical() needs no model and no key; claude() takes its key from ANTHROPIC_API_KEY',
    "      use: { ...devices['Desktop Chrome'], taskproof: { agent: lexical() } },",
    '    },',
  ];
}

function webServer({ devServer }: Suite, url: string): string | undefined {
  const isLocal = /^(localhost|127\.\d+\.\d+\.\d+|.*\.localhost)$/.test(new URL(url).hostname);
  if (!devServer || !isLocal) return undefined;
  return `webServer: { command: '${devServer.command}', url: '${url.replace(/'/g, '%27')}', reuseExistingServer: !process.env.CI },`;
}
