// Feeds the reporter with trials, in a separate process: node --expose-gc feed-reporter.mjs TRIALS DIST/reporter.js
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const require = createRequire(import.meta.url);
const { planAnnotations } = require(join(dirname(process.argv[3] ?? ''), 'playwright/run/plan.js'));
const K = 5;
const trials = Number(process.argv[2]);
const Reporter = require(process.argv[3] ?? '').default;

async function report() {
  const folder = mkdtempSync(join(tmpdir(), 'taskproof-bench-'));
  const project = { name: 'p', repeatEach: K, outputDir: folder, use: {} };
  const tests = Array.from({ length: trials }, (_, i) => ({
    id: `t${i}`,
    title: `spec-${Math.floor(i / K)}`,
    repeatEachIndex: i % K,
    expectedStatus: 'passed',
    tags: [],
    parent: { project: () => project },
    titlePath: () => ['', 'p', 'x.spec.ts', `spec-${Math.floor(i / K)}`],
    annotations: planAnnotations({
      id: `spec-${Math.floor(i / K)}`,
      file: 'x.yaml',
      policy: { k: K, minPasses: 3 },
      replayed: false,
    }),
  }));
  const reporter = new Reporter({ outputFile: join(folder, 'results.json') });
  const write = process.stdout.write;
  process.stdout.write = () => true;
  globalThis.gc?.();
  const heap = process.memoryUsage().heapUsed;
  const start = performance.now();
  reporter.onBegin(
    { configFile: join(folder, 'x.ts'), shard: null, metadata: {}, projects: [project] },
    { allTests: () => tests },
  );
  for (const test of tests) reporter.onTestEnd(test, result(test));
  await reporter.onEnd({ status: 'failed', duration: 1 }).catch(() => undefined);
  const ms = performance.now() - start;
  globalThis.gc?.();
  const heapMb = (process.memoryUsage().heapUsed - heap) / 1024 / 1024;
  process.stdout.write = write;
  const { verdicts } = JSON.parse(readFileSync(join(folder, 'results.json'), 'utf8'));
  rmSync(folder, { recursive: true, force: true });
  // One trial in five fails. If the reporter could not read the records, it would be too fast.
  if (verdicts.length !== trials / K || verdicts.some(({ passes }) => passes !== K - 1))
    throw new Error(`the reporter did not read the trials: ${JSON.stringify(verdicts[0])}`);
  return { ms, heapMb, peakMb: process.resourceUsage().maxRSS / 1024 };
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

console.log(JSON.stringify(await report()));
