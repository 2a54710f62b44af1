// How our part of a run grows: collection of specs through a real `playwright test --list`, and the reporter fed with trials.
// Each figure is a ratio between things run in turn in one process tree; times alone say more about the machine than about us.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

const require = createRequire(import.meta.url);
const root = resolve(import.meta.dirname, '..');
const Reporter = require(join(root, 'dist/reporter.js')).default;
const { planAnnotation } = require(join(root, 'dist/playwright/plan-annotation.js'));

const SPECS = 2_000;
const K = 5;
/** A trial with a browser takes at least this long here: a page, a navigation, a turn, a picture, assertions. */
const SHORTEST_TRIAL_MS = 500;

/** @param {number[]} values */
const median = values => values.sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

/** @param {number} specs */
function collect(specs) {
  const folder = mkdtempSync(join(tmpdir(), 'taskproof-bench-'));
  try {
    mkdirSync(join(folder, 'node_modules/@taskproof'), { recursive: true });
    symlinkSync(root, join(folder, 'node_modules/@taskproof/playwright'), 'junction');
    symlinkSync(join(root, 'node_modules/@playwright'), join(folder, 'node_modules/@playwright'), 'junction');
    mkdirSync(join(folder, 'tasks'));
    for (let i = 0; i < specs; i++)
      writeFileSync(
        join(folder, `tasks/spec-${i}.yaml`),
        `specVersion: '0.1'\nid: spec-${i}\ngoal: Click "Go"\nentryUrl: http://127.0.0.1:9/\npassPolicy: { k: ${K}, minPasses: 3 }\nassertions:\n  - { type: url, pattern: '**/done' }\n  - { type: dom, selector: '#done' }\n`,
      );
    writeFileSync(
      join(folder, 'ours.config.js'),
      `const { repeats } = require('@taskproof/playwright');
module.exports = { testMatch: 'ours.spec.js', reporter: [['dot'], ['@taskproof/playwright/reporter']], projects: [{ name: 'p', ...repeats('tasks/*.yaml') }] };`,
    );
    writeFileSync(
      join(folder, 'ours.spec.js'),
      `require('@taskproof/playwright').taskproofTests('tasks/*.yaml');`,
    );
    writeFileSync(
      join(folder, 'plain.config.js'),
      `module.exports = { testMatch: 'plain.spec.js', reporter: 'dot', repeatEach: ${K} };`,
    );
    writeFileSync(
      join(folder, 'plain.spec.js'),
      `const { test } = require('@playwright/test'); for (let i = 0; i < ${specs}; i++) test('spec-' + i, () => {});`,
    );
    const cli = join(dirname(require.resolve('@playwright/test/package.json')), 'cli.js');
    /** @param {string} config */
    const list = config => {
      const start = performance.now();
      const { status, stderr, stdout } = spawnSync(process.execPath, [cli, 'test', '--list', '-c', config], {
        cwd: folder,
        encoding: 'utf8',
      });
      if (status !== 0) throw new Error(stdout + stderr);
      return performance.now() - start;
    };
    const pairs = [0, 1, 2].map(() => ({ ours: list('ours.config.js'), plain: list('plain.config.js') }));
    return { ours: median(pairs.map(pair => pair.ours)), plain: median(pairs.map(pair => pair.plain)) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @param {number} trials */
async function report(trials) {
  const folder = mkdtempSync(join(tmpdir(), 'taskproof-bench-'));
  const project = { name: 'p', repeatEach: K, outputDir: folder };
  const tests = Array.from({ length: trials }, (_, i) => ({
    id: `t${i}`,
    title: `spec-${Math.floor(i / K)}`,
    repeatEachIndex: i % K,
    expectedStatus: 'passed',
    parent: { project: () => project },
    annotations: [
      planAnnotation({
        id: `spec-${Math.floor(i / K)}`,
        file: 'x.yaml',
        line: 1,
        declared: { k: K, minPasses: 3 },
        policy: { k: K, minPasses: 3 },
      }),
    ],
  }));
  const reporter = new Reporter({ outputFile: join(folder, 'results.json') });
  const write = process.stdout.write;
  process.stdout.write = /** @type {any} */ (() => true);
  globalThis.gc?.();
  const heap = process.memoryUsage().heapUsed;
  const start = performance.now();
  reporter.onBegin(
    { configFile: join(folder, 'x.ts'), shard: null, metadata: {}, projects: [project] },
    { allTests: () => tests },
  );
  for (const test of tests) reporter.onTestEnd(test, result(test));
  // The run fails on purpose: one trial in four does.
  await reporter.onEnd({ status: 'failed', duration: 1 }).catch(() => undefined);
  const ms = performance.now() - start;
  globalThis.gc?.();
  const heapMb = (process.memoryUsage().heapUsed - heap) / 1024 / 1024;
  process.stdout.write = write;
  rmSync(folder, { recursive: true, force: true });
  return { ms, heapMb };
}

/** @param {{ title: string, repeatEachIndex: number }} test */
function result({ title, repeatEachIndex }) {
  const failed = repeatEachIndex === 3;
  const usage = {
    inputTokens: 900,
    outputTokens: 90,
    cacheReadTokens: 9000,
    cacheCreationTokens: 90,
    costUsd: 0.01,
  };
  const record = {
    schemaVersion: '1',
    specId: title,
    specHash: 'x',
    specFile: 'x.yaml',
    agent: 'a',
    model: 'm',
    replayed: false,
    repeatIndex: repeatEachIndex,
    retry: 0,
    seed: 1,
    policy: { k: K, minPasses: 3 },
    status: 'completed',
    errorKind: null,
    outcome: failed ? 'failed' : 'passed',
    reason: failed ? 'the URL does not match' : null,
    turns: Array.from({ length: 7 }, (_, i) => ({
      number: i + 1,
      title: 'click button "Go"',
      actions: [{ title: 'click button "Go"' }],
      narration: 'I click Go.',
      outcome: 'ok',
      notices: [],
      url: 'http://127.0.0.1/',
      usage,
      startedAtMs: i,
      durationMs: 1,
      screenshot: `turn-${i + 1}.jpg`,
    })),
    network: {
      events: Array.from({ length: 40 }, (_, i) => ({
        url: `http://127.0.0.1/${i}`,
        method: 'GET',
        status: 200,
        resourceType: 'fetch',
        startedAtMs: i,
      })),
      dropped: 0,
    },
    guard: 'protocol',
    refusals: [],
    assertions: [],
    judge: null,
    usage,
    costUsd: 0.01,
    finalUrl: 'http://127.0.0.1/',
    startedAt: new Date(0).toISOString(),
    durationMs: 1,
  };
  return {
    status: failed ? 'failed' : 'passed',
    retry: 0,
    duration: 1,
    errors: [],
    annotations: [],
    attachments: [
      { name: '_taskproof', contentType: 'application/json', body: Buffer.from(JSON.stringify(record)) },
    ],
  };
}

const small = collect(SPECS / 10);
const large = collect(SPECS);
await report(1_000);
const tenth = await report((SPECS * K) / 10);
const whole = await report(SPECS * K);
const perTrialMs = whole.ms / (SPECS * K);
const figures = {
  [`collection of ${SPECS} specs, k ${K}, against as many plain tests`]: `${(large.ours / large.plain).toFixed(2)} x`,
  [`collection of ${SPECS} against ${SPECS / 10} specs (10 is linear)`]: `${(large.ours / small.ours).toFixed(1)} x`,
  [`reporter: ${SPECS * K} against ${(SPECS * K) / 10} trials (10 is linear)`]: `${(whole.ms / tenth.ms).toFixed(1)} x`,
  [`reporter's share of a run whose trials take ${SHORTEST_TRIAL_MS} ms (target 5%)`]: `${((100 * perTrialMs) / SHORTEST_TRIAL_MS).toFixed(3)}%`,
  [`reporter's memory for ${SPECS * K} trials (target 300 MB)`]: `${whole.heapMb.toFixed(0)} MB`,
};
console.table(figures);
writeFileSync(join(root, 'bench/scale.json'), `${JSON.stringify(figures, null, 2)}\n`);
