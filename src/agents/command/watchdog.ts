// Kills programs whose worker died (killed, out of memory, crashed): a small process beside the worker holds the other
// end of a pipe, which closes with the worker. On Linux it also kills processes that left the program's group (`setsid`):
// it finds them by the trial's mark in their environment, in /proc.
import { spawn } from 'node:child_process';
import type { Socket } from 'node:net';
import type { Writable } from 'node:stream';

// A text, not a function: built code may call helpers that would be missing there.
const SOURCE = `
const { spawnSync } = require('node:child_process');
const { readdirSync, readFileSync } = require('node:fs');
const marks = new Map();
let partial = '';
process.stdin.setEncoding('utf8').on('data', text => {
  const lines = (partial + text).split('\\n');
  partial = lines.pop();
  for (const line of lines) {
    const [pid, mark] = line.slice(1).split(' ');
    if (line[0] === '+') marks.set(pid, mark);
    else {
      sweep(marks.get(pid), 50);
      marks.delete(pid);
    }
  }
});
process.stdin.on('close', () => {
  for (const [pid, mark] of marks) {
    try {
      if (process.platform === 'win32') spawnSync('taskkill', ['/pid', pid, '/t', '/f'], { windowsHide: true });
      else process.kill(-pid, 'SIGKILL');
    } catch {}
    sweep(mark, 50);
  }
});
// Repeated, since one may have started another in the meantime.
function sweep(mark, rounds) {
  if (process.platform !== 'linux') return;
  let found = false;
  for (const pid of readdirSync('/proc'))
    try {
      if (!/^\\d+$/.test(pid) || !readFileSync('/proc/' + pid + '/environ', 'latin1').split('\\0').includes(mark)) continue;
      process.kill(pid, 'SIGKILL');
      found = true;
    } catch {}
  if (found && rounds) setTimeout(sweep, 20, mark, rounds - 1);
}
`;

/** The environment variable that marks the processes of a trial. */
export const TRIAL_VARIABLE = 'TASKPROOF_TRIAL';

let pipe: Writable | undefined;

/**
 * @param pid leader of a process group (on Windows: root of a process tree) that must not outlive this process
 * @param trial value of TRIAL_VARIABLE in its environment
 */
export function watch(pid: number, trial: string): void {
  pipe ??= start();
  pipe.write(`+${pid} ${TRIAL_VARIABLE}=${trial}\n`);
}

/** Call it as soon as the program is gone, since its id may be reused. Kills what the program left behind. */
export function unwatch(pid: number): void {
  pipe?.write(`-${pid}\n`);
}

function start(): Writable {
  const child = spawn(process.execPath, ['-e', SOURCE], {
    // The worker's own options may load a test runner's hooks.
    env: { ...process.env, NODE_OPTIONS: '' },
    stdio: ['pipe', 'ignore', 'ignore'],
    // So that Ctrl-C in the terminal does not end it.
    detached: true,
    windowsHide: true,
  });
  // Without it, only the programs of a killed worker go on.
  child.on('error', () => undefined);
  child.stdin!.on('error', () => undefined);
  child.unref();
  (child.stdin as Socket).unref();
  return child.stdin!;
}
