// The agent's process: its lines, its standard error, and its end.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import type { Socket } from 'node:net';
import type { Writable } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import type { CdpEndpoint } from '../../browser/cdp/endpoint';
import { abortable, within } from '../../browser/waiting';
import { type ProgramOptions, scriptOf } from '.';

/** The most bytes of standard output in a trial, since all of it may end up in the record. */
export const MAX_OUTPUT = 4 * 1024 * 1024;
/** Characters kept from the end of standard error. */
const MAX_STDERR = 4_000;
/** Milliseconds for the system to end a process. */
const KILL_MS = 3_000;
/** Milliseconds for its last lines after it has exited: a process that it left behind may keep its output open. */
const DRAIN_MS = 1_000;
const SECRET_NAME = /(?:KEY|TOKEN|SECRET|PASSWORD|PASSPHRASE)$/i;
/** Characters. Shorter values may be part of ordinary words. */
const SECRET_LENGTH = 8;
/** Lines of an uncaught exception below its message. */
const STACK = /^\s*$|^\s+at |^\s*\^+\s*$|^Node\.js v\d/;

/** The program is missing, died, wrote too much or broke the protocol. */
export class ProgramError extends Error {
  override name = 'ProgramError';
}

export class Program {
  private readonly child: ChildProcess;
  private readonly env: NodeJS.ProcessEnv;
  private readonly lines: string[] = [];
  private partial = '';
  private received = 0;
  private stderr = '';
  private problem: string | undefined;
  private ended = false;
  private wake: () => void = () => undefined;
  /** Settles when the process is gone, or did not start. */
  private readonly exited: Promise<void>;

  /**
   * Starts it and writes `input` to its standard input.
   *
   * @param mask takes secrets out of what errors quote
   * @param endpoint is held while lines are waiting to be read
   * @throws ProgramError if it can't be started. Later errors are thrown by `next`.
   */
  constructor(
    private readonly options: ProgramOptions,
    input: string,
    private readonly mask: (text: string) => string,
    private readonly endpoint?: Pick<CdpEndpoint, 'hold' | 'release'>,
  ) {
    const { command, args, env, cwd } = options;
    // Playwright forces colours on its workers; here they would end up in errors.
    const trial = randomUUID();
    this.env = { ...process.env, FORCE_COLOR: undefined, ...env, [TRIAL_VARIABLE]: trial };
    try {
      this.child = spawn(command, [...args], {
        cwd,
        env: this.env,
        stdio: ['pipe', 'pipe', 'pipe'],
        // In its own group, so that its child processes end with it.
        detached: process.platform !== 'win32',
        windowsHide: true,
      });
    } catch (error) {
      throw this.error(this.whyNotStarted(error as NodeJS.ErrnoException));
    }
    if (this.child.pid !== undefined) watch(this.child.pid, trial);
    this.exited = new Promise(resolve => this.follow(resolve));
    this.read();
    // The program may close its input before it has read the task.
    this.child.stdin!.on('error', () => undefined);
    this.child.stdin!.end(input);
  }

  /** The next line. @throws ProgramError if there are no more; the signal's reason once it is aborted. */
  async next(signal: AbortSignal): Promise<string> {
    for (;;) {
      signal.throwIfAborted();
      const line = this.lines.shift();
      if (line !== undefined) return line;
      if (this.problem) throw this.error(this.problem);
      this.endpoint?.release();
      const arrived = new Promise<void>(resolve => {
        this.wake = resolve;
      });
      await abortable(() => arrived, signal);
    }
  }

  /** An error about this program, with the end of its standard error. */
  error(problem: string): ProgramError {
    const { command, args } = this.options;
    const said = lastWords(this.masked(this.stderr));
    const about = said ? `. Standard error: ${said}` : '';
    // Other arguments than the script are left out, since they may contain keys.
    const label = [command, scriptOf(args)].filter(Boolean).join(' ');
    return new ProgramError(`${label.slice(-200)}: ${this.masked(problem)}${about}`);
  }

  /** Masks secrets, and the values of variables that look like keys and passwords. */
  masked(text: string): string {
    return Object.entries(this.env)
      .filter(([name, value = '']) => value.length >= SECRET_LENGTH && SECRET_NAME.test(name))
      .sort(([, a], [, b]) => b!.length - a!.length)
      .reduce((masked, [name, value]) => masked.replaceAll(value!, `<${name}>`), this.mask(text));
  }

  /** Waits at most `ms` for it to end by itself. */
  async goneWithin(ms: number): Promise<void> {
    await within(this.exited, ms);
  }

  /**
   * Ends the program and all processes of its group. Resolves when it is gone.
   *
   * @param graceMs milliseconds that it has to exit when it is asked to, before it is killed
   */
  async stop(graceMs: number): Promise<void> {
    if (!this.ended) {
      this.kill('SIGTERM');
      await this.goneWithin(graceMs);
    }
    // The program may be gone while processes that it started are not.
    this.kill('SIGKILL');
    await this.goneWithin(KILL_MS);
    if (this.child.pid !== undefined) unwatch(this.child.pid);
    // A process that left its group may keep these open.
    for (const stream of this.child.stdio) stream?.destroy();
  }

  private follow(gone: () => void): void {
    this.child.on('error', (error: NodeJS.ErrnoException) => {
      if (this.child.pid !== undefined) return;
      this.ended = true;
      this.fail(this.whyNotStarted(error));
      gone();
    });
    this.child.once('exit', (code, signal) => {
      this.ended = true;
      const problem = `it ended with ${signal ?? `code ${code}`} before it wrote {"type":"end"}`;
      setTimeout(() => this.fail(problem), DRAIN_MS).unref();
      this.child.once('close', () => this.fail(problem));
      gone();
    });
  }

  private read(): void {
    this.child.stdout!.setEncoding('utf8').on('data', (chunk: string) => {
      this.received += Buffer.byteLength(chunk);
      if (this.received > MAX_OUTPUT) {
        this.child.stdout!.destroy();
        this.lines.length = 0;
        this.fail(`it wrote more than ${MAX_OUTPUT / 1024 / 1024} MB to standard output`);
        return;
      }
      const lines = (this.partial + chunk).split('\n');
      this.partial = lines.pop()!;
      this.arrived(lines);
    });
    this.child.stdout!.on('end', () => {
      this.arrived([this.partial]);
      this.partial = '';
    });
    this.child.stderr!.setEncoding('utf8').on('data', (chunk: string) => {
      // Mask before cutting, since half a secret would not be found.
      this.stderr = this.masked(this.stderr + chunk).slice(-MAX_STDERR);
    });
  }

  private arrived(lines: readonly string[]): void {
    const said = lines.filter(line => line.trim());
    if (!said.length) return;
    this.lines.push(...said);
    this.endpoint?.hold();
    this.wake();
  }

  private fail(problem: string): void {
    this.problem ??= problem;
    this.wake();
  }

  private whyNotStarted({ code, message }: NodeJS.ErrnoException): string {
    const { cwd } = this.options;
    const start = 'it could not be started';
    if (!existsSync(cwd))
      return `${start}: the folder ${cwd} does not exist (\`cwd\` is relative to the folder of the Playwright config)`;
    if (code === 'ENOENT')
      return `${start}: the program was not found. A path is relative to the folder of the Playwright config`;
    if (code === 'EACCES') return `${start}: it is not executable (${message})`;
    if (code === 'EINVAL' && process.platform === 'win32')
      return `${start}: Windows starts .cmd and .bat files only in a shell. Start the program in that file instead: node with its script`;
    return `${start}: ${message}`;
  }

  private kill(signal: 'SIGTERM' | 'SIGKILL'): void {
    const { pid } = this.child;
    if (pid === undefined) return;
    try {
      if (process.platform !== 'win32') process.kill(-pid, signal);
      // Windows can't ask a process to exit.
      else if (!this.ended) spawnSync('taskkill', ['/pid', String(pid), '/t', '/f'], { windowsHide: true });
    } catch {
      // Gone already.
    }
  }
}

/** The end of what a program wrote to standard error, as one line. */
export function lastWords(text: string): string {
  const lines = stripVTControlCharacters(text)
    .split(/\r?\n/)
    .filter(line => !STACK.test(line));
  return lines.slice(-3).join(' | ').slice(-300).trim();
}

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
