// Installs the coding agents' command lines in agent-programs/mcp (800 MB, half a minute), in
// the versions of its lockfile. Only their own test needs them.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { argv } from 'node:process';
import { fileURLToPath } from 'node:url';

const CLAUDE = process.platform === 'win32' ? 'claude.exe' : 'claude';
const FOLDER = resolve(import.meta.dirname, '../agent-programs/mcp');

/** @returns {{ claude: string, codex: string } | undefined} their files; undefined if one is missing. */
export function findCodingAgents() {
  const packages = join(FOLDER, 'node_modules');
  const found = {
    // Its install script would copy this file to `claude`.
    claude: join(packages, `@anthropic-ai/claude-code-${process.platform}-${process.arch}`, CLAUDE),
    codex: join(packages, '@openai/codex/bin/codex.js'),
  };
  return Object.values(found).every(file => existsSync(file)) ? found : undefined;
}

function install() {
  const { status } = spawnSync('npm', ['ci', '--silent', '--ignore-scripts', '--no-audit', '--no-fund'], {
    cwd: FOLDER,
    stdio: ['ignore', 'inherit', 'inherit'],
    // npm is a .cmd file on Windows.
    shell: process.platform === 'win32',
  });
  if (status === 0) console.log(`coding agents: ${FOLDER}`);
  else console.error('The coding agents could not be installed: npm ci failed');
  process.exitCode = status ?? 1;
}

if (argv[1] === fileURLToPath(import.meta.url)) install();
