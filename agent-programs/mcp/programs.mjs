// Finds the programs that a trial needs, picks their environment variables, and ends them.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';

/** @typedef {import('./preset').Preset} Preset */

/** Variables that every program may need. Others are passed on by name. */
const ENVIRONMENT =
  /^(?:PATH|PATHEXT|COMSPEC|SYSTEMROOT|SYSTEMDRIVE|WINDIR|USER|LOGNAME|USERNAME|LANG|LC_\w+|TZ|TMPDIR|TEMP|TMP|SHELL|TERM|(?:HTTPS?|NO|ALL)_PROXY|NODE_EXTRA_CA_CERTS|SSL_CERT_(?:FILE|DIR)|TASKPROOF_TRIAL)$/i;
const HOME =
  /^(?:HOME|USERPROFILE|HOMEDRIVE|HOMEPATH|APPDATA|LOCALAPPDATA|XDG_\w+|\w+_HOME|\w+_CONFIG_DIR)$/i;

/** Milliseconds for a command line to exit when it is asked to. */
const GRACE_MS = 1_500;

/** An error that the user can fix. */
export class SetupError extends Error {}

/** @param {readonly string[]} names with a `*` at the end for any ending @param {string | undefined} home */
export function environment(names, home) {
  /** @param {string} name */
  const isWanted = name =>
    ENVIRONMENT.test(name) ||
    (home === undefined && HOME.test(name)) ||
    names.some(wanted => (wanted.endsWith('*') ? name.startsWith(wanted.slice(0, -1)) : name === wanted));
  const kept = Object.entries(process.env).filter(([name]) => isWanted(name));
  return { ...Object.fromEntries(kept), ...(home && { HOME: home, USERPROFILE: home }) };
}

/** The folder of a package: the suite's, else the one beside this program. @param {string} name */
function packageFolder(name) {
  for (const from of [join(process.cwd(), 'x'), process.argv[1] ?? '']) {
    try {
      return dirname(createRequire(from).resolve(`${name}/package.json`));
    } catch {
      // The next one.
    }
  }
  return undefined;
}

/** @param {string} folder @returns {string | undefined} the file of a package's command */
function binOf(folder) {
  const { bin } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const file = typeof bin === 'string' ? bin : Object.values(bin ?? {})[0];
  return file && join(folder, /** @type {string} */ (file));
}

/** Playwright's command line, which has its MCP server and its command line for agents: the suite's own. */
export function playwrightScript() {
  const folder = packageFolder('@playwright/test');
  if (folder) return join(folder, 'cli.js');
  throw new SetupError('@playwright/test is not installed here: npm install --save-dev @playwright/test');
}

/** What `--cli` needs of a Playwright: files that it has for itself, seen in 1.65.1. @param {string} script */
export function cliFiles(script = playwrightScript()) {
  const playwright = createRequire(createRequire(script).resolve('playwright/package.json'));
  const manifest = playwright.resolve('playwright-core/package.json');
  const { version } = playwright(manifest);
  const inCore = (/** @type {string} */ file) => join(dirname(manifest), file);
  const daemon = inCore('lib/entry/cliDaemon.js');
  const skill = inCore('lib/tools/skills/playwright-cli/SKILL.md');
  // In 1.64 a page to which a navigation was refused never gets ready.
  if (/^1\.64\./.test(version) || !existsSync(daemon) || !existsSync(skill))
    throw new SetupError(
      `--cli does not work with Playwright ${version}: install @playwright/test@1.65, or remove --cli`,
    );
  return { script, daemon, skill };
}

/** The MCP server's script and first arguments. @param {string | undefined} given */
export function serverArgs(given) {
  const script = given && resolve(given);
  if (script && !existsSync(script)) throw new SetupError(`--server: there is no file ${script}`);
  return script ? [script] : [playwrightScript(), 'mcp'];
}

/** The program and its first arguments. @param {Preset} preset @param {string | undefined} given @returns {string[]} */
export function programOf({ package: name, command }, given) {
  const folder = name === undefined ? undefined : packageFolder(name);
  const isPath = given?.includes('/') || given?.includes('\\');
  const program =
    given === undefined ? (folder && binOf(folder)) || command : isPath ? resolve(given) : given;
  return /\.[cm]?js$/.test(program) ? [process.execPath, program] : [program];
}

/** readline repeats an error of its input, which would end this process: closing follows. @param {import('node:stream').Readable} input */
export function linesOf(input) {
  return createInterface({ input }).on('error', () => undefined);
}

/** @param {string} line @returns {any} undefined for other lines than JSON's, such as a warning of Node */
export function messageIn(line) {
  try {
    const message = JSON.parse(line);
    return typeof message === 'object' && message !== null ? message : undefined;
  } catch {
    return undefined;
  }
}

/** @param {import('node:child_process').ChildProcess | undefined} child */
export async function endProcess(child) {
  if (!child?.pid || child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise(resolve => child.once('exit', resolve));
  if (process.platform === 'win32')
    spawnSync('taskkill', ['/pid', String(child.pid), '/t', '/f'], { windowsHide: true });
  else child.kill();
  const timer = setTimeout(() => child.kill('SIGKILL'), GRACE_MS);
  await gone;
  clearTimeout(timer);
}
