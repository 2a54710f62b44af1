// The limiter of a whole run: a main process, and workers that ask it. Workers are real processes, so that one can be killed.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { laneOf, type OpenLimiter, openLimiter } from '../../../src/limiter/shared';

const WORKER = `
import { admission, laneOf } from ${JSON.stringify(join(import.meta.dirname, '../../../src/limiter/shared.ts'))};
const [most] = process.argv.slice(2).map(Number);
process.on('message', async what => {
  if (what === 'end') process.exit();
  if (what === 'answered') held.answered({ as: 'served' });
  if (what !== 'ask') return;
  globalThis.held = await admission(laneOf('a model', ['key'], most), new AbortController().signal);
  process.send('admitted');
});
process.send('ready');
`;

let folder: string;
let limiter: OpenLimiter;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'limiter-test-'));
  writeFileSync(join(folder, 'worker.ts'), WORKER);
  const entry = { entryPoints: [join(folder, 'worker.ts')], outfile: join(folder, 'worker.cjs') };
  buildSync({ ...entry, bundle: true, platform: 'node', format: 'cjs' });
  limiter = await openLimiter(folder);
});

afterAll(() => {
  limiter.close();
  rmSync(folder, { recursive: true });
});

async function worker(env: NodeJS.ProcessEnv = process.env) {
  const child = fork(join(folder, 'worker.cjs'), ['1'], { env });
  await once(child, 'message');
  return {
    ask: () => {
      child.send('ask');
      return once(child, 'message');
    },
    answered: () => child.send('answered'),
    kill: () => child.kill('SIGKILL'),
    end: () => child.send('end'),
  };
}

test('one request at a time in two processes; what a killed worker held goes to the next', async () => {
  const [first, second] = await Promise.all([worker(), worker()]);
  await first.ask();
  let isAdmitted = false;
  const admitted = second.ask().then(() => {
    isAdmitted = true;
  });
  const third = await worker();
  expect(isAdmitted).toBe(false);
  first.kill();
  await admitted;
  const waiting = third.ask();
  second.answered();
  await waiting;
  expect(limiter.traffic).toMatchObject([{ model: 'a model', served: 1, refused: 0 }]);
  second.end();
  third.end();
});

test('a worker whose main process is gone goes on by itself', async () => {
  const alone = await worker({ ...process.env, TASKPROOF_LIMITER: join(folder, 'gone.sock') });
  await alone.ask();
  alone.answered();
  await alone.ask();
  alone.end();
});

test('a lane has no key in it, and differs by key, address and model', () => {
  const lanes = [
    laneOf('m', ['secret-key-1', 'https://a.test']),
    laneOf('m', ['secret-key-2', 'https://a.test']),
    laneOf('m', ['secret-key-1', 'https://b.test']),
    laneOf('n', ['secret-key-1', 'https://a.test']),
  ];
  expect(new Set(lanes.map(({ id }) => id)).size).toBe(4);
  expect(JSON.stringify(lanes)).not.toContain('secret');
});
