// That the benches run at all, without the neighbours' packages and with the fewest runs.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { compileCache } from '../support/compile-cache';

const script = resolve(import.meta.dirname, '../../bench/run.mjs');

async function bench(args: string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'bench-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const out = join(folder, 'results.json');
  const child = spawn(process.execPath, [script, ...args, '--out', out], {
    env: { ...process.env, ...compileCache() },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', chunk => (output += chunk));
  const status = await new Promise(done => child.on('close', done));
  return { status, output, results: () => JSON.parse(readFileSync(out, 'utf8')) };
}

test('turns and cost are measured, and written as a table and as JSON', async () => {
  const { status, output, results } = await bench(['--quick', '--only', 'turn,cost']);
  expect(status, output).toBe(0);
  expect(output).toMatch(/click on the shop of 60 cards: ours \/ bare call and picture +\d/);
  const [turn, cost] = results().sections;
  // Every kind of action did what it should: the page saw it.
  expect(turn.details.shop.problems).toEqual({});
  expect(turn.details.shop.done.ours).toEqual({ clicks: 2, scrolled: 1, typed: 1 });
  expect(turn.rows.length).toBeGreaterThan(7);
  expect(cost.rows[0]).toMatchObject({ unit: 'x', value: expect.any(Number) });
});

test('a bench that there is not is named, with those that there are', async () => {
  const { status, output } = await bench(['--only', 'turns']);
  expect(status).toBe(1);
  expect(output).toContain('unknown: turns. Known are trial, turn, size, cost, load, scale, remote');
});
