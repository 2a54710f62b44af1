// The files that `init` writes: a schema for editors, two specs, a test file, and a config where there is none.

import { safeParseTaskSpec } from '../../spec/parse';
import { taskSpecJsonSchema } from '../../spec/schema';
import { CommandError } from '../io';
import { newConfig } from './config';
import type { Suite } from './detect';

export interface StarterFile {
  /** Relative to the suite's folder, with forward slashes. */
  path: string;
  text: string;
}

const SCHEMA_FILE = 'task-spec.schema.json';

/** @throws CommandError where no spec can start at `url`. */
export function starterFiles(suite: Suite, folder: string, url: string): StarterFile[] {
  const files: StarterFile[] = [
    { path: `${folder}/${SCHEMA_FILE}`, text: `${JSON.stringify(taskSpecJsonSchema(), null, 2)}\n` },
    { path: `${folder}/tasks/home-page.yaml`, text: homePage(url) },
    { path: `${folder}/tasks/home-page-twice.yaml`, text: homePageTwice(url) },
    { path: `${folder}/tasks.spec.${suite.language}`, text: testFile(suite) },
  ];
  for (const { path, text } of files) if (path.endsWith('.yaml')) check(path, text, url);
  const config = suite.config
    ? []
    : [{ path: `playwright.config.${suite.language}`, text: newConfig(suite, folder, url) }];
  return [...files, ...config];
}

function check(path: string, text: string, url: string): void {
  const parsed = safeParseTaskSpec(text, { filename: path });
  if (!parsed.ok) throw new CommandError(`No spec can start at ${url}: ${parsed.error.message}`);
}

function testFile({ config }: Suite): string {
  const load =
    config?.style === 'require'
      ? "const { taskproofTests } = require('@taskproof/playwright');"
      : "import { taskproofTests } from '@taskproof/playwright';";
  return `${load}

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
goal: 'Open ${quoted(url)}'
entryUrl: '${quoted(url)}'
maxSteps: 5
# All must hold for a trial to pass.
assertions:
  # ** is any run of characters, * any without a slash
  - type: url
    pattern: '${quoted(new URL(url).origin)}/**'
  - type: dom
    selector: body
    state: visible
`;
}

function homePageTwice(url: string): string {
  return `${HEADER}
# Agents don't do the same each time: run a spec k times, and say how many trials must pass.
specVersion: '0.1'
id: home-page-twice
goal: 'Open ${quoted(url)}'
entryUrl: '${quoted(url)}'
maxSteps: 5
passPolicy:
  k: 2
  minPasses: 1
assertions:
  # any request of the trial, in all of its tabs
  - type: network
    urlPattern: '${quoted(new URL(url).origin)}/**'
    method: GET
    status: '2xx'
`;
}

/** Inside single quotes of YAML. */
const quoted = (text: string) => text.replace(/'/g, "''");
