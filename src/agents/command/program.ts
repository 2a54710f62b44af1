// The process of an agent: starts it, reads its lines and its standard error, and ends it.
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { existsSync } from 'node:fs';
import type { Socket } from 'node:net';
import { stripVTControlCharacters } from 'node:util';
import type { CdpEndpoint } from '../../browser/cdp/endpoint';
import { within } from '../../browser/waiting';
import { type ProgramOptions, scriptOf } from '.';

/** The most bytes of standard output in a trial: all of it may end up in the record. */
const MAX_OUTPUT = 4 * 1024 * 1024;
/** Characters kept from the end of standard error. */
const MAX_STDERR = 4_000;
/** Milliseconds for the system to end a process. */
const KILL_MS = 3_000;
/** Milliseconds for the last lines after the program has exited: a process that it left behind may keep its output open. */
const DRAIN_MS = 1_000;
const SECRET_NAME = /(?:KEY|TOKEN|SECRET|PASSWORD|PASSPHRASE)$/i;
/** The fewest characters of a value that is masked: shorter ones may be part of ordinary words. */
const SECRET_LENGTH = 6;
/** Lines of an uncaught exception below its message, such as `code: 'MODULE_NOT_FOUND',`. */
const STACK = /^\s*$|^\s+at |^\s*\^+\s*$|^Node\.js v\d|^ {2}\w+: |^\}$/;

export class Program {
  private readonly child: ChildProcess;
  private readonly watcher: ChildProcess | undefined;
  private readonly env: NodeJS.ProcessEnv;
  private readonly lines: string[] = [];
  private partial = '';
  private received = 0;
  private stderr = '';
  private problem: string | undefined;
  private ended = false;
  private readonly events = new EventEmitter();
  /** Settles when the process is gone, or did not start. */
  readonly exited: Promise<void>;

  constructor(
    private readonly options: ProgramOptions,
    input: string,
    private readonly mask: (text: string) => string,
    private readonly endpoint?: Pick<CdpEndpoint, 'hold' | 'release'>,
  ) {
    const { command, args, env, cwd } = options;
    // Playwright forces colours on its workers; here they would end up in errors.
    this.env = { ...process.env, FORCE_COLOR: undefined, ...env, TASKPROOF_TRIAL: randomUUID() };
    try {
      this.child = spawn(command, [...args], {
        cwd,
        env: this.env,
        // In its own group, so that its child processes end with it.
        detached: process.platform !== 'win32',
        windowsHide: true,
      });
    } catch (error) {
      throw this.error(this.whyNotStarted(error as NodeJS.ErrnoException));
    }
    const { pid } = this.child;
    if (pid !== undefined) this.watcher = watcherOf(pid, `TASKPROOF_TRIAL=${this.env.TASKPROOF_TRIAL}`);
    this.exited = new Promise(resolve => this.follow(resolve));
    this.read();
    // The program may close its input before it has read the task.
    this.child.stdin!.on('error', () => undefined);
    this.child.stdin!.end(input);
  }

  /** The next line. @throws Error if there are no more, or the signal's reason once it is aborted */
  async next(signal: AbortSignal): Promise<string> {
    for (;;) {
      signal.throwIfAborted();
      const line = this.lines.shift();
      if (line !== undefined) return line;
      if (this.problem) throw this.error(this.problem);
      this.endpoint?.release();
      await once(this.events, 'told', { signal }).catch(() => undefined);
    }
  }

  /** An error about this program, with the end of its standard error. */
  error(problem: string): Error {
    const { command, args } = this.options;
    // Colours are removed first: they may split a value that has to be masked.
    const said = lastWords(this.masked(stripVTControlCharacters(this.stderr)));
    const about = said ? `. Standard error: ${said}` : '';
    // Only the script of the arguments is named: others may contain keys.
    const label = [command, scriptOf(args)].filter(Boolean).join(' ');
    return new Error(`${label.slice(-200)}: ${this.masked(problem)}${about}`);
  }

  /** Masks secrets, and the values of variables that look like keys and passwords. */
  masked(text: string): string {
    return Object.entries(this.env)
      .filter(([name, value = '']) => value.length >= SECRET_LENGTH && SECRET_NAME.test(name))
      .sort(([, a], [, b]) => b!.length - a!.length)
      .reduce((masked, [name, value]) => masked.replaceAll(value!, `<${name}>`), this.mask(text));
  }

  async stop(graceMs: number): Promise<void> {
    if (process.platform !== 'win32') {
      if (!this.ended) {
        this.signal('SIGTERM');
        await within(this.exited, graceMs);
      }
      // The program may be gone, but not the processes that it started.
      this.signal('SIGKILL');
    } else if (this.ended) this.watcher?.kill();
    if (this.watcher?.exitCode === null) {
      const swept = once(this.watcher, 'exit');
      this.watcher.stdin!.end();
      await within(swept, KILL_MS);
    }
    await within(this.exited, KILL_MS);
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
      const problem = 'it closed its standard output before it wrote {"type":"end"}';
      setTimeout(() => this.ended || this.fail(problem), DRAIN_MS).unref();
    });
    this.child.stderr!.setEncoding('utf8').on('data', (chunk: string) => {
      // Masked before it is cut: half a secret would not be found.
      this.stderr = this.masked(this.stderr + chunk).slice(-MAX_STDERR);
    });
  }

  private arrived(lines: readonly string[]): void {
    const said = lines.filter(line => line.trim());
    if (!said.length) return;
    this.lines.push(...said);
    this.endpoint?.hold();
    this.events.emit('told');
  }

  private fail(problem: string): void {
    this.problem ??= problem;
    this.events.emit('told');
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

  private signal(signal: 'SIGTERM' | 'SIGKILL'): void {
    try {
      process.kill(-this.child.pid!, signal);
    } catch {
      // Gone already, or never started.
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

// A text, not a function: built code may call helpers that are missing in the watcher.
const WATCHER = `
const { spawnSync } = require('node:child_process');
const { readdirSync, readFileSync } = require('node:fs');
const [pid, mark] = process.argv.slice(1);
process.stdin.resume().on('close', () => {
  try {
    if (process.platform === 'win32') spawnSync('taskkill', ['/pid', pid, '/t', '/f'], { windowsHide: true });
    else process.kill(-pid, 'SIGKILL');
  } catch {}
  if (process.platform === 'linux') sweep(50);
});
// Repeated, since one may have started another in the meantime.
function sweep(rounds) {
  let found = false;
  for (const id of readdirSync('/proc'))
    try {
      if (!/^\\d+$/.test(id) || !readFileSync('/proc/' + id + '/environ', 'latin1').split('\\0').includes(mark)) continue;
      process.kill(id, 'SIGKILL');
      found = true;
    } catch {}
  if (found && rounds) setTimeout(sweep, 20, rounds - 1);
}
`;

/** Starts a process that kills what is left of the program when its input closes, as it does if this process dies. */
function watcherOf(pid: number, mark: string): ChildProcess {
  const watcher = spawn(process.execPath, ['-e', WATCHER, String(pid), mark], {
    // The worker's own options may load a test runner's hooks.
    env: { ...process.env, NODE_OPTIONS: '' },
    stdio: ['pipe', 'ignore', 'ignore'],
    // Keeps Ctrl-C in the terminal from ending it.
    detached: true,
    windowsHide: true,
  });
  // If it can't be started, the trial goes on without it.
  watcher.on('error', () => undefined);
  watcher.stdin!.on('error', () => undefined);
  watcher.unref();
  (watcher.stdin as Socket).unref();
  return watcher;
}
