// Counts the small faults that the unit tests notice. `node scripts/mutate.mjs src/verdicts src/spec` makes every fault that
// scripts/mutate/mutants.mjs knows, one at a time, runs the tests that reach it, and lists those that no test notices.
// @ts-nocheck: the types of a syntax tree and of a stand-in for Vitest would be longer than the code.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import vm from 'node:vm';
import { build } from 'esbuild';
import fc from 'fast-check';
import { instrument } from './mutate/mutants.mjs';
import * as vitest from './mutate/vitest.mjs';

// A fault that ten random inputs miss is rarely found by a hundred. The tables of cases find most of them.
fc.configureGlobal({ numRuns: 10 });
const SLOW_MS = 5_000;
const places = process.argv.slice(2);
if (!places.length) throw new Error('name folders or files: node scripts/mutate.mjs src/verdicts src/spec');
const root = process.cwd();
const filesIn = place =>
  statSync(place).isDirectory()
    ? readdirSync(place, { recursive: true }).map(name => path.join(place, name))
    : [place];
const targets = places.flatMap(filesIn).filter(file => /\.tsx?$/.test(file));

const mutants = [];
const texts = new Map();
for (const file of targets) {
  const made = instrument(readFileSync(file, 'utf8'), file, mutants.length);
  mutants.push(...made.mutants);
  texts.set(path.resolve(file), made.text);
}

// The switches of the mutants. A fault that makes a loop endless is stopped after this many calls.
let active = -1;
let hits = 0;
let reached = new Set();
globalThis.__mutant = id => {
  if (active === -1) reached.add(id);
  else if (++hits > 3_000_000) throw new Error('endless');
  return id === active;
};

const print = process.stdout.write.bind(process.stdout);
const say = text => void print(`${text}\n`);
process.on('unhandledRejection', () => {});

const suites = [];
for (const file of filesIn('tests/unit').filter(name => name.endsWith('.test.ts'))) {
  const suite = await bundled(file);
  if (suite) suites.push(suite);
}

for (const suite of suites) {
  const began = performance.now();
  reached = new Set();
  let tests = [];
  try {
    tests = vitest.collect(suite.load);
  } catch (error) {
    say(`not used: ${suite.file}: ${error.message.split('\n')[0]}`);
  }
  suite.atLoad = reached;
  suite.byTest = [];
  for (const test of tests) {
    reached = new Set();
    // A test that fails without a fault, since it needs a part of Vitest that is missing here, proves nothing.
    await vitest.runTest(test).catch(error => {
      say(`not used: ${suite.file}: ${test.name}: ${error.message.split('\n')[0]}`);
      reached = new Set();
      suite.broken.add(suite.byTest.length);
    });
    suite.byTest.push(reached);
  }
  suite.ms = performance.now() - began;
}
// The quick ones first, since they notice most faults. A fault that no test notices would run them all.
suites.sort((a, b) => a.ms - b.ms);
while (suites.at(-1)?.ms > SLOW_MS)
  say(`not used: ${suites.pop().file}: too slow to run again for each fault`);
if (process.env.TIMES) for (const { file, ms } of suites) say(`${Math.round(ms)}ms ${file}`);

const scores = new Map();
const short = text => text.replace(/\s+/g, ' ').slice(0, 90);
for (const { id, file, line, original, fault } of mutants) {
  const folder = file.split('/').slice(0, 2).join('/');
  const score = scores.get(folder) ?? { killed: 0, survived: 0, unreached: 0 };
  scores.set(folder, score);
  const fate = await fateOf(id, file);
  score[fate]++;
  if (fate === 'survived') say(`${file}:${line}  ${short(original)}  →  ${short(fault)}`);
}
for (const [folder, { killed, survived, unreached }] of scores) {
  const share = ((100 * killed) / (killed + survived)).toFixed(1);
  say(`${folder}: ${share}% of ${killed + survived} noticed; no test reaches ${unreached} more`);
}
process.exit();

async function fateOf(id, file) {
  let wasReached = false;
  for (const { load, atLoad, byTest, broken } of nearestTo(file)) {
    const concerned = index => !broken.has(index) && (atLoad.has(id) || byTest[index].has(id));
    if (!byTest.some((_, index) => concerned(index))) continue;
    wasReached = true;
    active = id;
    hits = 0;
    try {
      const tests = vitest.collect(load);
      if (tests.length !== byTest.length) return 'killed';
      for (const [index, test] of tests.entries()) if (concerned(index)) await vitest.runTest(test);
    } catch {
      return 'killed';
    } finally {
      active = -1;
    }
  }
  return wasReached ? 'survived' : 'unreached';
}

/** The tests that import the file, then those that reach it over others. */
function nearestTo(file) {
  const near = ({ distances }) => distances.get(file) ?? 99;
  return suites.toSorted((a, b) => near(a) - near(b));
}

/** How many imports away each file is. */
function distancesFrom(entry, { inputs }) {
  const distances = new Map([[entry, 0]]);
  for (const [file, distance] of distances)
    for (const { path: next } of inputs[file]?.imports ?? [])
      if (!distances.has(next)) distances.set(next, distance + 1);
  return distances;
}

/** Bundles a test file with our files that it imports; undefined if it reaches none of the target files. */
async function bundled(file) {
  const result = await build({
    entryPoints: [file],
    bundle: true,
    write: false,
    metafile: true,
    platform: 'node',
    format: 'cjs',
    packages: 'external',
    logLevel: 'silent',
    define: {
      'import.meta.url': JSON.stringify(pathToFileURL(file).href),
      'import.meta.dirname': JSON.stringify(path.resolve(path.dirname(file))),
    },
    plugins: [
      {
        name: 'mutants',
        setup: ({ onLoad }) =>
          onLoad({ filter: /\.ts$/ }, ({ path: at }) =>
            texts.has(at) ? { contents: texts.get(at), loader: 'ts' } : undefined,
          ),
      },
    ],
  }).catch(error => say(`not used: ${file}: ${error.message.split('\n')[1]}`));
  if (!result || !Object.keys(result.metafile.inputs).some(input => texts.has(path.resolve(input))))
    return undefined;
  const require = createRequire(path.resolve(file));
  const wanted = name => (name === 'vitest' ? vitest : require(name));
  const script = new vm.Script(
    `(function (require, module, exports, __filename, __dirname) {${result.outputFiles[0].text}\n})`,
    { filename: path.join(root, file) },
  );
  const run = script.runInThisContext();
  const load = () => {
    const module = { exports: {} };
    run(wanted, module, module.exports, path.resolve(file), path.resolve(path.dirname(file)));
  };
  const distances = distancesFrom(file, result.metafile);
  return { file, load, distances, byTest: [], broken: new Set() };
}
