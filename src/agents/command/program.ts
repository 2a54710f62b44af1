// The agent's process: its lines, what it said on standard error, and its end, whatever it does.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { StringDecoder } from 'node:string_decoder';
import { setTimeout as after } from 'node:timers/promises';

/** Bytes of standard output in a trial: all of it may end up in the record. */
const MAX_OUTPUT = 4 * 1024 * 1024;
/** Characters of standard error that are kept, the last ones. */
const MAX_STDERR = 4_000;
/** Milliseconds to go by itself, after it said its end or was asked to stop. */
const GRACE_MS = 3_000;

export interface ProgramOptions {
  command: string;
  args: readonly string[];
  env: Readonly<Record<string, string | undefined>>;
  cwd: string;
}

/** The program is missing, died, flooded its output or said nothing of its end. */
export class ProgramError extends Error {
  override name = 'ProgramError';
}

export class Program {
  private readonly child: ChildProcess;
  private readonly lines: string[] = [];
  private partial = '';
  private received = 0;
  private stderr = '';
  private problem: string | undefined;
  private ended = false;
  private wake: () => void = () => undefined;
  private readonly wakeUp = () => this.wake();
  private readonly exited: Promise<void>;
  private readonly killAtExit = () => this.kill('SIGKILL');

  constructor(
    private readonly options: ProgramOptions,
    input: string,
  ) {
    const { command, args, env, cwd } = options;
    this.child = spawn(command, [...args], {
      cwd,
      env: { ...process.env, ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
      // A group of its own, so that what it starts in turn ends with it.
      detached: process.platform !== 'win32',
      windowsHide: true,
    });
    process.once('exit', this.killAtExit);
    this.exited = new Promise(resolve => {
      this.child.once('error', error => {
        this.fail(this.whyNotStarted(error as NodeJS.ErrnoException));
        resolve();
      });
      // After `exit`, what was written may still be on its way.
      this.child.once('close', (code, signal) => {
        this.fail(`it ended with ${signal ?? `code ${code}`} before it wrote {"type":"end"}`);
        resolve();
      });
    });
    this.read();
    // It need not read its task to the end, or at all.
    this.child.stdin!.on('error', () => undefined);
    this.child.stdin!.end(input);
  }

  /** The next line. @throws ProgramError where there is none any more; the signal's reason once that is aborted. */
  async next(signal: AbortSignal): Promise<string> {
    for (;;) {
      signal.throwIfAborted();
      const line = this.lines.shift();
      if (line !== undefined) return line;
      if (this.problem) throw this.error(this.problem);
      await new Promise<void>(resolve => {
        this.wake = resolve;
        signal.addEventListener('abort', this.wakeUp, { once: true });
      });
      signal.removeEventListener('abort', this.wakeUp);
    }
  }

  error(problem: string): ProgramError {
    const said = this.stderr.trim().split('\n').slice(-3).join(' | ').slice(-300);
    const { command, args } = this.options;
    const about = said ? `. Standard error: ${said}` : '';
    return new ProgramError(`${[command, ...args].join(' ').slice(0, 200)}: ${problem}${about}`);
  }

  /** Ends the program and all that it started. Resolves when it is gone. */
  async stop({ patiently }: { patiently: boolean }): Promise<void> {
    if (patiently) await this.goneWithin(GRACE_MS);
    if (!this.ended) {
      this.kill('SIGTERM');
      await this.goneWithin(GRACE_MS);
    }
    // The leader may be gone and its children not.
    this.kill('SIGKILL');
    await this.exited;
    process.off('exit', this.killAtExit);
  }

  private read(): void {
    const decoder = new StringDecoder('utf8');
    this.child.stdout!.on('data', (chunk: Buffer) => {
      this.received += chunk.length;
      if (this.received > MAX_OUTPUT) {
        this.child.stdout!.destroy();
        this.fail(`it wrote more than ${MAX_OUTPUT / 1024 / 1024} MB to standard output`);
        return;
      }
      const lines = (this.partial + decoder.write(chunk)).split('\n');
      this.partial = lines.pop()!;
      for (const line of lines) if (line.trim()) this.lines.push(line);
      this.wake();
    });
    this.child.stdout!.on('end', () => {
      if (this.partial.trim()) this.lines.push(this.partial);
      this.partial = '';
    });
    const errors = new StringDecoder('utf8');
    this.child.stderr!.on('data', (chunk: Buffer) => {
      this.stderr = (this.stderr + errors.write(chunk)).slice(-MAX_STDERR);
    });
  }

  private fail(problem: string): void {
    this.problem ??= problem;
    this.wake();
  }

  private whyNotStarted({ code, message }: NodeJS.ErrnoException): string {
    if (code === 'ENOENT')
      return `it could not be started: no such program, or no such folder as ${this.options.cwd}. Paths are relative to the folder of the Playwright config`;
    return `it could not be started: ${message}`;
  }

  private async goneWithin(ms: number): Promise<void> {
    const stop = new AbortController();
    const gone = this.exited.then(() => {
      this.ended = true;
    });
    await Promise.race([gone, after(ms, undefined, { signal: stop.signal })]).catch(() => undefined);
    stop.abort();
  }

  private kill(signal: 'SIGTERM' | 'SIGKILL'): void {
    const { pid } = this.child;
    if (pid === undefined) return;
    try {
      if (process.platform !== 'win32') process.kill(-pid, signal);
      else if (!this.ended) spawnSync('taskkill', ['/pid', String(pid), '/t', '/f'], { windowsHide: true });
    } catch {
      // Gone already.
    }
  }
}
