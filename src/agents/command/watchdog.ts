// Ends programs whose worker died before it could (killed, out of memory, crashed): one small process beside
// the worker holds the other end of a pipe, which breaks with the worker. On Linux it also ends what a program left in
// another session (`setsid`), out of reach of its group: /proc tells a process's environment, in which the trial's mark is.
import { spawn } from 'node:child_process';
import type { Socket } from 'node:net';
import type { Writable } from 'node:stream';

// Plain text, not a function: built code may lean on helpers that are not there.
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
// Again and again, since one may have started another while they were looked for.
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
 * @param pid leader of a process group (on Windows: root of a process tree) that shall not outlive this process
 * @param trial value of TRIAL_VARIABLE in its environment
 */
export function watch(pid: number, trial: string): void {
  pipe ??= start();
  pipe.write(`+${pid} ${TRIAL_VARIABLE}=${trial}\n`);
}

/** Call it as soon as the program is gone, since its id may be reused. Ends what the program left behind. */
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
