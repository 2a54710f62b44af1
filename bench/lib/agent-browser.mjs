// agent-browser's command line, for what it shows of a page. Its launcher asks for Node 24, its program is native.
import { execFile } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { launchOptions } from '../../scripts/browser.mjs';
import { BENCH, QUIET } from './neighbours.mjs';

export function agentBrowser() {
  const system = process.platform === 'win32' ? 'win32' : process.platform;
  const name = `agent-browser-${system}-${process.arch}${process.platform === 'win32' ? '.exe' : ''}`;
  const program = join(BENCH, 'node_modules/agent-browser/bin', name);
  if (!existsSync(program)) return undefined;
  // An install without scripts leaves the program without its permission.
  chmodSync(program, 0o755);
  const home = mkdtempSync(join(tmpdir(), 'taskproof-bench-agent-browser-'));
  const { executablePath, args } = launchOptions();
  // Not waited for synchronously: the page that it opens is served by this process.
  const run = async (/** @type {string[]} */ ...command) => {
    const { stdout } = await promisify(execFile)(program, command, {
      timeout: 60_000,
      maxBuffer: 64 * 1024 * 1024,
      env: {
        ...process.env,
        ...QUIET,
        HOME: home,
        AGENT_BROWSER_SESSION: `bench-${process.pid}`,
        ...(executablePath ? { AGENT_BROWSER_EXECUTABLE_PATH: executablePath } : {}),
        ...(args.length > 0 ? { AGENT_BROWSER_ARGS: args.join(',') } : {}),
      },
    });
    return stdout;
  };
  return {
    /** @param {string} url */
    async show(url) {
      await run('open', url);
      await run('set', 'viewport', '1280', '720');
      return run('snapshot', '-i');
    },
    async stop() {
      try {
        await run('close');
      } finally {
        rmSync(home, { recursive: true, force: true });
      }
    },
  };
}
