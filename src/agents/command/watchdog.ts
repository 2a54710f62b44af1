// Ends programs whose worker died without a chance to do it (killed, out of memory, crashed): one small process beside
// the worker holds the other end of a pipe, which breaks with the worker.
import { spawn } from 'node:child_process';
import type { Socket } from 'node:net';
import type { Writable } from 'node:stream';

// Plain text, not a function: built code may lean on helpers that are not there.
const SOURCE = `
const { spawnSync } = require('node:child_process');
const pids = new Set();
let partial = '';
process.stdin.setEncoding('utf8').on('data', text => {
  const lines = (partial + text).split('\\n');
  partial = lines.pop();
  for (const line of lines) pids[line[0] === '+' ? 'add' : 'delete'](Number(line.slice(1)));
});
process.stdin.on('close', () => {
  for (const pid of pids)
    try {
      if (process.platform === 'win32') spawnSync('taskkill', ['/pid', String(pid), '/t', '/f'], { windowsHide: true });
      else process.kill(-pid, 'SIGKILL');
    } catch {}
});
`;

let pipe: Writable | undefined;

/** @param pid leader of a process group (on Windows: root of a process tree) that shall not outlive this process */
export function watch(pid: number): void {
  pipe ??= start();
  pipe.write(`+${pid}\n`);
}

/** To be called as soon as it is gone: its id may come to be another's. */
export function unwatch(pid: number): void {
  pipe?.write(`-${pid}\n`);
}

function start(): Writable {
  const child = spawn(process.execPath, ['-e', SOURCE], {
    // The worker's own options may load a test runner's hooks.
    env: { ...process.env, NODE_OPTIONS: '' },
    stdio: ['pipe', 'ignore', 'ignore'],
    // Not ended by a Ctrl-C in the terminal.
    detached: true,
    windowsHide: true,
  });
  // Without it programs are ended all the same, but for those of a worker that is killed.
  child.on('error', () => undefined);
  child.stdin!.on('error', () => undefined);
  child.unref();
  (child.stdin as Socket).unref();
  return child.stdin!;
}
