// Finds a Python that has browser-use, and installs one in agent-programs/browser-use/.venv if there is none. Only that
// agent's own test needs it.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { argv } from 'node:process';
import { fileURLToPath } from 'node:url';

const FOLDER = resolve(import.meta.dirname, '../agent-programs/browser-use');
const VENV = join(FOLDER, '.venv');
const VENV_PYTHON =
  process.platform === 'win32' ? join(VENV, 'Scripts/python.exe') : join(VENV, 'bin/python');
const REQUIREMENTS = join(FOLDER, 'requirements.txt');
const NEW_ENOUGH = 'import sys; sys.exit(sys.version_info < (3, 11))';
const COMMANDS = ['python3', 'python', 'python3.13', 'python3.12', 'python3.11'];

/** @param {string} python @param {string[]} args */
function succeeds(python, ...args) {
  return spawnSync(python, args, { stdio: 'ignore' }).status === 0;
}

/** @returns {string | undefined} TASKPROOF_BROWSER_USE_PYTHON, else the one of the virtual environment; undefined if it lacks browser-use. */
export function findBrowserUsePython() {
  const python = process.env.TASKPROOF_BROWSER_USE_PYTHON || (existsSync(VENV_PYTHON) ? VENV_PYTHON : '');
  return python &&
    succeeds(python, '-c', `import importlib.metadata as m; m.version("browser-use"); ${NEW_ENOUGH}`)
    ? python
    : undefined;
}

function install() {
  const base = COMMANDS.find(python => succeeds(python, '-c', NEW_ENOUGH));
  if (!base) return fail(`no Python 3.11 or newer found (tried ${COMMANDS.join(', ')})`);
  const run = (/** @type {string} */ python, /** @type {string[]} */ ...args) =>
    spawnSync(python, args, { stdio: ['ignore', 'inherit', 'inherit'] }).status === 0;
  if (!existsSync(VENV_PYTHON) && !run(base, '-m', 'venv', VENV))
    return fail(`${base} -m venv ${VENV} failed`);
  const quiet = ['--quiet', '--no-input', '--disable-pip-version-check'];
  if (!run(VENV_PYTHON, '-m', 'pip', 'install', ...quiet, '-r', REQUIREMENTS))
    return fail('pip install failed');
  console.log(`browser-use: ${VENV_PYTHON}`);
}

/** @param {string} why */
function fail(why) {
  console.error(`browser-use could not be installed: ${why}`);
  process.exitCode = 1;
}

if (argv[1] === fileURLToPath(import.meta.url)) install();
