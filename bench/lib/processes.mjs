// Contestants run as processes of their own, started by the bench: none shares a Playwright, a browser or an event loop
// with another.
import { spawn } from 'node:child_process';

/** @type {Set<import('node:child_process').ChildProcess>} */
const running = new Set();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/**
 * @param {string} node
 * @param {string[]} args
 * @param {{ cwd?: string, env?: Record<string, string | undefined> }} options
 */
export function start(node, args, { cwd, env } = {}) {
  const child = spawn(node, args, {
    cwd,
    env: { ...process.env, NO_COLOR: '1', FORCE_COLOR: undefined, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.add(child);
  let output = '';
  const keep = (/** @type {Buffer} */ chunk) => {
    output = (output + chunk).slice(-20_000);
    if (process.env.TASKPROOF_BENCH_VERBOSE) process.stderr.write(chunk);
  };
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  /** @type {Promise<number | null>} */
  const ended = new Promise(resolve => {
    child.on('error', error => {
      output += String(error);
      resolve(null);
    });
    child.on('close', code => {
      running.delete(child);
      resolve(code);
    });
  });
  return {
    ended,
    output: () => output,
    /** Ends it, by force where it does not listen. */
    async stop() {
      if (child.exitCode !== null || child.signalCode) return;
      child.kill('SIGTERM');
      const timer = setTimeout(() => child.kill('SIGKILL'), 5_000);
      await ended;
      clearTimeout(timer);
    },
  };
}
