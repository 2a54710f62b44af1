// The agent's process: its lines, what it said on standard error, and its end, whatever it does.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { StringDecoder } from 'node:string_decoder';
import { labelOf, lastWords, maskEnvironment } from './text';
import { unwatch, watch } from './watchdog';

/** Bytes of standard output in a trial: all of it may end up in the record. */
export const MAX_OUTPUT = 4 * 1024 * 1024;
/** Characters of standard error that are kept, the last ones. */
const MAX_STDERR = 4_000;
/** Milliseconds for the system to end what it was told to. */
const KILL_MS = 3_000;
/** Milliseconds for its last lines, after it went: a process that it left behind may hold its output open. */
const DRAIN_MS = 1_000;

export interface ProgramOptions {
  command: string;
  args: readonly string[];
  /** Beside the environment of this process. */
  env: Readonly<Record<string, string | undefined>>;
  cwd: string;
}

/** Who is told whether lines wait to be read. */
export interface Reading {
  /** A line has come. */
  busy(): void;
  /** All that came was read, and more is waited for. */
  idle(): void;
}

/** The program is missing, died, flooded its output or broke the protocol. */
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
  private readonly wakeUp = () => this.wake();
  /** Settles when the process is gone, or never came to be. */
  private readonly exited: Promise<void>;
  private draining: NodeJS.Timeout | undefined;

  /**
   * Starts it and writes `input` to its standard input.
   *
   * @param mask takes secrets out of what errors quote
   * @throws ProgramError where the system refuses at once; what it says later comes from `next`.
   */
  constructor(
    private readonly options: ProgramOptions,
    input: string,
    private readonly mask: (text: string) => string,
    private readonly reading: Reading = { busy: () => undefined, idle: () => undefined },
  ) {
    const { command, args, env, cwd } = options;
    // Playwright forces colours on its workers; here they would end up in errors.
    this.env = { ...process.env, FORCE_COLOR: undefined, ...env };
    try {
      this.child = spawn(command, [...args], {
        cwd,
        env: this.env,
        stdio: ['pipe', 'pipe', 'pipe'],
        // A group of its own, so that what it starts in turn ends with it.
        detached: process.platform !== 'win32',
        windowsHide: true,
      });
    } catch (error) {
      throw this.error(this.whyNotStarted(error as NodeJS.ErrnoException));
    }
    if (this.child.pid !== undefined) watch(this.child.pid);
    this.exited = new Promise(resolve => this.follow(resolve));
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
      this.reading.idle();
      await new Promise<void>(resolve => {
        this.wake = resolve;
        signal.addEventListener('abort', this.wakeUp, { once: true });
      });
      signal.removeEventListener('abort', this.wakeUp);
    }
  }

  /** An error about this program, with its last words on standard error. */
  error(problem: string): ProgramError {
    const { command, args } = this.options;
    // Masked before it is cut: half a secret is not found any more.
    const said = lastWords(this.masked(this.stderr));
    const about = said ? `. Standard error: ${said}` : '';
    return new ProgramError(`${labelOf(command, args).slice(-200)}: ${this.masked(problem)}${about}`);
  }

  /** Without secrets, keys in its environment among them. */
  masked(text: string): string {
    return maskEnvironment(this.mask(text), this.env);
  }

  /** Waits for it to go by itself, `ms` at most. */
  async goneWithin(ms: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>(resolve => {
      timer = setTimeout(resolve, ms);
    });
    await Promise.race([this.exited, late]);
    clearTimeout(timer);
  }

  /**
   * Ends the program and all that it started. Resolves when it is gone.
   *
   * @param graceMs how long it may take to go when it is asked to; then it is made to
   */
  async stop(graceMs: number): Promise<void> {
    if (!this.ended) {
      this.kill('SIGTERM');
      await this.goneWithin(graceMs);
    }
    // The leader may be gone and its children not.
    this.kill('SIGKILL');
    await this.goneWithin(KILL_MS);
    if (this.child.pid !== undefined) unwatch(this.child.pid);
    clearTimeout(this.draining);
    // What left its group may hold these open.
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
      this.draining = setTimeout(() => this.fail(problem), DRAIN_MS);
      this.child.once('close', () => {
        clearTimeout(this.draining);
        this.fail(problem);
      });
      gone();
    });
  }

  private read(): void {
    const decoder = new StringDecoder('utf8');
    this.child.stdout!.on('data', (chunk: Buffer) => {
      this.received += chunk.length;
      if (this.received > MAX_OUTPUT) {
        this.child.stdout!.destroy();
        this.lines.length = 0;
        this.fail(`it wrote more than ${MAX_OUTPUT / 1024 / 1024} MB to standard output`);
        return;
      }
      const lines = (this.partial + decoder.write(chunk)).split('\n');
      this.partial = lines.pop()!;
      this.arrived(lines);
    });
    this.child.stdout!.on('end', () => {
      this.arrived([this.partial]);
      this.partial = '';
    });
    const errors = new StringDecoder('utf8');
    this.child.stderr!.on('data', (chunk: Buffer) => {
      this.stderr = (this.stderr + errors.write(chunk)).slice(-MAX_STDERR);
    });
  }

  private arrived(lines: readonly string[]): void {
    const said = lines.filter(line => line.trim());
    if (!said.length) return;
    this.lines.push(...said);
    this.reading.busy();
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
      return `${start}: there is no folder ${cwd} (\`cwd\` is relative to the folder of the Playwright config)`;
    if (code === 'ENOENT')
      return `${start}: there is no such program. A path is relative to the folder of the Playwright config`;
    if (code === 'EACCES') return `${start}: it is not executable (${message})`;
    if (code === 'EINVAL' && process.platform === 'win32')
      return `${start}: Windows starts .cmd and .bat files through a shell only. Start what it starts: node with the script`;
    return `${start}: ${message}`;
  }

  private kill(signal: 'SIGTERM' | 'SIGKILL'): void {
    const { pid } = this.child;
    if (pid === undefined) return;
    try {
      if (process.platform !== 'win32') process.kill(-pid, signal);
      // Windows has no way to ask.
      else if (!this.ended) spawnSync('taskkill', ['/pid', String(pid), '/t', '/f'], { windowsHide: true });
    } catch {
      // Gone already.
    }
  }
}
