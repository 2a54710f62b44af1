// `npm run bench`: all benches, or those that `--only turn,size` names. `--quick`: the fewest runs and none of the other
// tools, to check that everything works. `--part NAME` runs one part of throughput or diagnosis-apps, or one task of
// local-model, which runs only if it is named: it needs a server with a model.
// `--markdown FILE` prints a results file as tables, each row with its quartiles.
import { mkdirSync, readFileSync } from 'node:fs';
import os from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { versions } from './lib/other-tools.mjs';
import { BENCH, install } from './lib/packages.mjs';
import { markdown, table, write } from './lib/report.mjs';

const BENCHES = {
  trial: async () => (await import('./trial.mjs')).trial,
  turn: async () => (await import('./turn.mjs')).turn,
  size: async () => (await import('./size.mjs')).size,
  cost: async () => (await import('./cost.mjs')).cost,
  load: async () => (await import('./load.mjs')).load,
  throughput: async () => (await import('./throughput.mjs')).throughput,
  scale: async () => (await import('./scale.mjs')).scale,
  remote: async () => (await import('./remote.mjs')).remote,
  alarms: async () => (await import('./alarms.mjs')).alarms,
  diagnosis: async () => (await import('./diagnosis.mjs')).diagnosis,
  'diagnosis-apps': async () => (await import('./diagnosis-apps.mjs')).diagnosisApps,
  agent: async () => (await import('./agent.mjs')).agent,
  'local-model': async () => (await import('./local-model.mjs')).localModel,
};

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    quick: { type: 'boolean', default: false },
    part: { type: 'string' },
    markdown: { type: 'string' },
    out: { type: 'string', default: join(BENCH, 'results.json') },
  },
});
if (values.markdown) {
  console.log(markdown(JSON.parse(readFileSync(values.markdown, 'utf8'))));
  process.exit(0);
}
const wanted =
  values.only?.split(',').map(name => name.trim()) ??
  Object.keys(BENCHES).filter(name => name !== 'local-model');
const unknown = wanted.filter(name => !(name in BENCHES));
if (unknown.length > 0) {
  console.error(`bench: unknown: ${unknown.join(', ')}. Known benches: ${Object.keys(BENCHES).join(', ')}.`);
  process.exit(1);
}

const needed = !values.quick && wanted.some(name => ['turn', 'size'].includes(name));
const missing = needed ? install() : null;
if (missing) console.error(`bench: the other tools are left out: ${missing}`);

const out = resolve(values.out);
mkdirSync(dirname(out), { recursive: true });
const sections = [];
for (const bench of wanted) {
  const before = os.loadavg();
  const began = performance.now();
  console.log(`bench: ${bench} ...`);
  const found = await BENCHES[bench]?.()
    .then(run => run({ quick: values.quick, part: values.part, others: needed && !missing }))
    .catch(failed);
  if (!found) continue;
  const seconds = Math.round((performance.now() - began) / 1000);
  const section = { bench, ...found, load: { before, after: os.loadavg() }, seconds };
  sections.push(section);
  console.log(table(section));
  // After each bench, so that a later one can't lose its results.
  write(out, sections, { ...versions() });
}
console.log(`bench: written to ${out}`);
process.exit(process.exitCode ?? 0);

/** @param {unknown} error */
function failed(error) {
  process.exitCode = 1;
  console.error(error);
  const note = String(error).split('\n')[0];
  return { title: 'FAILED', rows: [{ name: 'failed', value: null, unit: '', note }] };
}
