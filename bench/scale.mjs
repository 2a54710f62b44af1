// How our part of a run grows: collecting specs with a real `playwright test --list`, and the reporter, fed with trials.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { BENCH } from './lib/packages.mjs';
import { builtLibrary, makeSuite } from './lib/processes.mjs';
import { median, ratios } from './lib/report.mjs';

const K = 5;
/** A trial with a browser takes at least this long: a page, a navigation, a turn, a picture, assertions. */
const SHORTEST_TRIAL_MS = 500;
const REPORTER_SHARE_PERCENT = 5;
const REPORTER_MB = 300;

export async function scale({ quick }) {
  const specs = quick ? 200 : 2_000;
  const rounds = quick ? 1 : 5;
  const small = await collect(specs / 10, rounds);
  const large = await collect(specs, rounds);
  const sizes = [1, 2.5, 5, 10].map(part => (part * specs * K) / 10);
  const reports = sizes.map(trials => ({ trials, ...report(trials, quick ? 1 : 3) }));
  const [tenth, , , whole] = reports;
  const trials = specs * K;
  const linear = value => ({ value, unit: 'x', note: '10 is linear' });
  const n = count => count.toLocaleString('en');
  return {
    title: `${n(specs)} specs with k ${K}, ${n(trials)} trials`,
    rows: [
      {
        name: `collection of ${n(specs)} specs / as many plain tests`,
        ...ratios(large.ours, large.plain),
        unit: 'x',
      },
      {
        name: `collection of ${n(specs)} / ${n(specs / 10)} specs`,
        ...ratios(large.ours, small.ours),
        unit: 'x',
        note: '10 is linear',
      },
      {
        name: `reporter: ${n(trials)} / ${n(trials / 10)} trials`,
        ...linear((whole?.ms ?? 0) / (tenth?.ms ?? 1)),
      },
      {
        name: `reporter's share of a run whose trials take ${SHORTEST_TRIAL_MS} ms`,
        value: (100 * (whole?.ms ?? 0)) / trials / SHORTEST_TRIAL_MS,
        unit: '%',
        target: { atMost: REPORTER_SHARE_PERCENT },
      },
      ...reports.map(({ trials, ms, heapMb, peakMb }) => ({
        name: `reporter, ${n(trials)} trials: memory kept`,
        value: heapMb,
        unit: 'MB',
        target: { atMost: REPORTER_MB },
        note: `${ms.toFixed(0)} ms; peak of the process ${peakMb.toFixed(0)} MB`,
      })),
    ],
    details: { collection: { small, large }, reports },
  };
}

function report(trials, rounds) {
  const runs = Array.from({ length: rounds }, () => {
    const args = [
      '--expose-gc',
      join(BENCH, 'feed-reporter.mjs'),
      String(trials),
      join(builtLibrary(), 'dist/reporter.js'),
    ];
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    if (status !== 0) throw new Error(stderr);
    return JSON.parse(stdout);
  });
  const middle = key => median(runs.map(run => run[key]));
  return { ms: middle('ms'), heapMb: middle('heapMb'), peakMb: middle('peakMb') };
}

/** Milliseconds of `--list`, ours and plain in turn. */
async function collect(specs, rounds) {
  const yaml = i =>
    `specVersion: '0.1'\nid: spec-${i}\ngoal: Click "Go"\nentryUrl: http://127.0.0.1:9/\npassPolicy: { k: ${K}, minPasses: 3 }\nassertions:\n  - { type: url, pattern: '**/done' }\n  - { type: dom, selector: '#done' }\n`;
  const suite = makeSuite({
    ...Object.fromEntries(Array.from({ length: specs }, (_, i) => [`tasks/spec-${i}.yaml`, yaml(i)])),
    'ours.config.js': `const { repeats } = require('@taskproof/playwright');
module.exports = { testMatch: 'ours.spec.js', reporter: [['dot'], ['@taskproof/playwright/reporter']], projects: [{ name: 'p', ...repeats('tasks/*.yaml') }] };`,
    'ours.spec.js': `require('@taskproof/playwright').taskproofTests('tasks/*.yaml');`,
    'plain.config.js': `module.exports = { testMatch: 'plain.spec.js', reporter: 'dot', repeatEach: ${K} };`,
    'plain.spec.js': `const { test } = require('@playwright/test'); for (let i = 0; i < ${specs}; i++) test('spec-' + i, () => {});`,
  });
  const list = async config => {
    const began = performance.now();
    const child = suite.playwright(['test', '--list', '-c', config]);
    if ((await child.ended) !== 0) throw new Error(child.output());
    return performance.now() - began;
  };
  const times = { ours: [], plain: [] };
  try {
    for (let round = 0; round < rounds; round++) {
      times.ours.push(await list('ours.config.js'));
      times.plain.push(await list('plain.config.js'));
    }
  } finally {
    suite.remove();
  }
  return times;
}
