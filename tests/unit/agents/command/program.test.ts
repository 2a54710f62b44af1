// Real processes that do what programs should not, without a browser: what `command()` makes of them.
import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { ProgramOptions } from '../../../../src/agents/command';
import { Program } from '../../../../src/agents/command/program';
import { tempFolder } from '../../../support/temp-folder';

const SECRET = 'a "quoted" sécret';
const mask = (text: string) => text.replaceAll(SECRET, '<secret>PASS</secret>');
let programs: Program[] = [];

afterEach(async () => {
  await Promise.all(programs.map(program => program.stop(3_000)));
  programs = [];
});

/** A Node program of this source. */
function node(source: string, more: Partial<ProgramOptions> = {}, input = '{}\n'): Program {
  return start({ command: process.execPath, args: ['-e', source], env: {}, cwd: tmpdir(), ...more }, input);
}

function start(options: ProgramOptions, input = '{}\n'): Program {
  const program = new Program(options, input, mask);
  programs.push(program);
  return program;
}

const never = new AbortController().signal;
const next = (program: Program) => program.next(never);

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  // What has ended and waits for its parent still has its id.
  return process.platform !== 'linux' || !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
}

const HANG = { timeout: 30_000 };
const gone = (pid: number) => vi.waitFor(() => expect(isAlive(pid)).toBe(false), HANG);

describe('lines', () => {
  test('come in order, whole, without blank ones, and the last one needs no newline', async () => {
    const program = node(
      `process.stdout.write('{"a":"\\xe4'); setTimeout(() => process.stdout.write('\\u20ac"}\\r\\n\\n  \\n{"b":1}\\n{"c":2}'), 20)`,
    );
    expect(JSON.parse(await next(program))).toEqual({ a: 'ä€' });
    expect(await next(program)).toBe('{"b":1}');
    expect(await next(program)).toBe('{"c":2}');
    await expect(next(program)).rejects.toThrow(/: it ended with code 0 before it wrote \{"type":"end"\}$/);
  });

  test('a program that closes its output and lives on has ended nothing', async () => {
    const program = node(
      `require('node:fs').writeSync(1, '{"a":1}'); require('node:fs').closeSync(1); setInterval(() => {}, 1000)`,
    );
    expect(await next(program)).toBe('{"a":1}');
    await expect(next(program)).rejects.toThrow(/: it closed its standard output before it wrote/);
  });

  test('the environment is that of the worker, with what is given, without what is taken away or forces colours', async () => {
    vi.stubEnv('FORCE_COLOR', '1').stubEnv('TAKEN', 'x').stubEnv('KEPT', 'kept');
    onTestFinished(() => void vi.unstubAllEnvs());
    const source = `const { FORCE_COLOR, TAKEN, KEPT, GIVEN } = process.env; console.log(JSON.stringify({ FORCE_COLOR, TAKEN, KEPT, GIVEN }))`;
    const program = node(source, { env: { TAKEN: undefined, GIVEN: 'given' } });
    expect(JSON.parse(await next(program))).toEqual({ KEPT: 'kept', GIVEN: 'given' });
  });

  test('the task arrives, as long as it may be', async () => {
    const input = JSON.stringify({ goal: 'ü'.repeat(500_000) });
    const program = node(
      `let text = ''; process.stdin.on('data', chunk => text += chunk).on('end', () => console.log(text.length))`,
      {},
      input,
    );
    expect(Number(await next(program))).toBeGreaterThanOrEqual(input.length);
  });

  test('a wait ends with the signal, with its reason, and leaves no listener', async () => {
    const program = node('setInterval(() => {}, 1000)');
    const stop = new AbortController();
    const waiting = program.next(stop.signal);
    stop.abort(new Error('time is up'));
    await expect(waiting).rejects.toThrow('time is up');
    await expect(program.next(stop.signal)).rejects.toThrow('time is up');
  });
});

describe('an end that no line told of', () => {
  test('is seen though a process that it left behind holds its output open', async () => {
    const program = node(
      `const { spawn } = require('node:child_process');
       const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'inherit', detached: true });
       process.stdout.write(child.pid + '\\n', () => process.exit(4));`,
    );
    const pid = Number(await next(program));
    // It made itself a group of its own, and so out of our reach but on Linux.
    if (process.platform !== 'linux') onTestFinished(() => void process.kill(pid, 'SIGKILL'));
    await expect(next(program)).rejects.toThrow(/it ended with code 4 before/);
    await program.stop(3_000);
  });
});

describe('stop()', () => {
  test('ends what it left behind', async () => {
    const program = node(
      `const { spawn } = require('node:child_process');
       const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
       child.unref(); console.log(child.pid)`,
    );
    const pid = Number(await next(program));
    await expect(next(program)).rejects.toThrow(/code 0/);
    await program.stop(3_000);
    await gone(pid);
  });

  test.skipIf(process.platform !== 'linux')(
    'ends what went into a session of its own, what that started, and nothing of another trial',
    async () => {
      const away = (inner: string) =>
        `const { spawn } = require('node:child_process');
         const child = spawn(process.execPath, ['-e', ${JSON.stringify(inner)}], { stdio: ['ignore', 'inherit', 'ignore'], detached: true });
         child.unref(); console.log(child.pid);`;
      const program = node(away(`${away('setInterval(() => {}, 1000)')} setInterval(() => {}, 1000)`));
      const other = node(away('setInterval(() => {}, 1000)'));
      const [pids, kept] = [
        [Number(await next(program)), Number(await next(program))],
        Number(await next(other)),
      ];
      await program.stop(3_000);
      await Promise.all(pids.map(gone));
      expect(isAlive(kept)).toBe(true);
      await other.stop(3_000);
      await gone(kept);
    },
  );

  test.skipIf(process.platform === 'win32')('asks first, and ends it where it does not listen', async () => {
    const polite = node(
      `process.on('SIGTERM', () => { console.log('bye'); process.exit(0) }); console.log('ready'); setInterval(() => {}, 1000)`,
    );
    expect(await next(polite)).toBe('ready');
    await polite.stop(3_000);
    expect(await next(polite)).toBe('bye');
    const deaf = node(
      `process.on('SIGTERM', () => {}); console.log(process.pid); setInterval(() => {}, 1000)`,
    );
    const pid = Number(await next(deaf));
    await deaf.stop(300);
    expect(isAlive(pid)).toBe(false);
  });
});

describe('that can not be started', () => {
  const options = { command: process.execPath, args: [], env: {}, cwd: tmpdir() };

  test.each<[string, (file: string) => Partial<ProgramOptions>, RegExp]>([
    ['a file for a folder', cwd => ({ cwd }), /could not be started/],
    ['one that is not executable', command => ({ command }), /could not be started: it is not executable/],
    ['a byte that no argument can have', () => ({ args: ['\0'] }), /could not be started: .*null bytes/],
  ])('%s', async (_, more, message) => {
    const file = join(tempFolder(), 'agent.txt');
    writeFileSync(file, 'text');
    chmodSync(file, 0o644);
    const tried = async () => next(start({ ...options, ...more(file) }));
    await expect(tried()).rejects.toThrow(message);
  });
});

describe('errors', () => {
  test('name the program and its script, and no other argument', async () => {
    const program = start({
      command: process.execPath,
      args: ['--no-warnings', 'nowhere/agent.mjs', '--key', 'sk-live-123'],
      env: {},
      cwd: tmpdir(),
    });
    const { message } = program.error('said');
    expect(message).toBe(`${process.execPath} nowhere/agent.mjs: said`);
  });

  test('hold no secret, not even a part of one, and no key of its environment', async () => {
    const program = node(
      `console.error('x'.repeat(150) + process.env.SHOWN + 'y'.repeat(265)); console.error(process.env.MY_API_KEY.replace('live', 'li\\x1b[31mve'), process.env.SHORT_KEY, process.env.DB_PASSWORD)`,
      { env: { SHOWN: SECRET, MY_API_KEY: 'sk-live-0123456789', SHORT_KEY: 'word', DB_PASSWORD: 'hunter2' } },
    );
    const { message } = await next(program).then(
      () => expect.unreachable(),
      (error: Error) => error,
    );
    expect(message).toContain('<MY_API_KEY> word <DB_PASSWORD>');
    expect(message).not.toContain('écret');
    expect(message).not.toContain('0123456789');
  });
});

describe('a worker that dies', () => {
  /** A process in the worker's place: starts a program and prints its pid. */
  function worker(end: string, source: string): ChildProcess {
    const file = join(tempFolder(), 'worker.cjs');
    buildSync({
      stdin: {
        contents: `import { Program } from ${JSON.stringify(join(__dirname, '../../../../src/agents/command/program'))};
          const program = new Program({ command: process.execPath, args: ['-e', ${JSON.stringify(source)}], env: {}, cwd: '.' }, '', text => text);
          void program.next(new AbortController().signal).then(pid => { console.log(pid); ${end} });`,
        resolveDir: __dirname,
        loader: 'ts',
      },
      bundle: true,
      platform: 'node',
      outfile: file,
    });
    return spawn(process.execPath, [file], { stdio: ['ignore', 'pipe', 'inherit'] });
  }

  const deaf = `process.on('SIGTERM', () => {}); console.log(process.pid); setInterval(() => {}, 1000)`;
  // Its own end comes with its worker's output; what it started is in another session by then.
  const leaver = `const child = require('node:child_process').spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore', detached: true }); console.log(child.pid)`;
  test.each([
    ['killed', `process.kill(process.pid, 'SIGKILL')`, deaf],
    ['by process.exit', 'process.exit(0)', deaf],
    ...(process.platform === 'linux'
      ? [['killed, with what left it,', `process.kill(process.pid, 'SIGKILL')`, leaver]]
      : []),
  ])('%s takes its program along', async (_, end, source) => {
    const child = worker(end!, source!);
    const pid = await new Promise<number>(resolve =>
      child.stdout!.once('data', data => resolve(Number(data))),
    );
    await gone(pid);
  });
});
