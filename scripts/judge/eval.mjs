// `npm run judge:eval`: runs a judge on the labelled trials and prints how often it agrees with the labels.
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { load } from '../bundle.mjs';
import { readTestSet, summary } from './test-set.mjs';

const { webJudge } = createRequire(import.meta.url)('../../dist/index.js');
const { agreementOf } = createRequire(import.meta.url)('../../dist/verdicts/agreement.js');
const { wilsonInterval } = createRequire(import.meta.url)('../../dist/verdicts/statistics.js');
const TIME_MS = 180_000;
const HELP = `npm run judge:eval -- [options]

  --model <name>       the judge's model (default: webJudge's)
  --votes <n>          decisions per trial, the majority counts (default 1)
  --judge <file>       a module whose default export is another judge
  --only <words>       trials whose name or kind contains these words
  --parallel <n>       trials at a time (default 2)
  --output <file>      writes each judgement as JSON
  --stand-in           uses a scripted model, even if there is a key`;

const { values } = parseArgs({
  options: {
    model: { type: 'string' },
    votes: { type: 'string' },
    judge: { type: 'string' },
    only: { type: 'string' },
    parallel: { type: 'string', default: '2' },
    output: { type: 'string' },
    'stand-in': { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

/** The Messages API server of the tests, with a model that believes whatever the agent says. */
async function standIn(/** @type {object} */ options) {
  const { startMessagesApi, believer } = await load(
    'judge-stand-in',
    `export { startMessagesApi } from './tests/support/messages-api';
     export { believer } from './tests/support/judge-model';`,
  );
  const api = await startMessagesApi({ script: believer() });
  console.log(
    [
      'STAND-IN: these figures do not come from a real model and say nothing about one. The server of the tests plays a',
      'model that believes every claim of the agent, to show that the evaluation works. To measure a real judge, set',
      'ANTHROPIC_API_KEY.',
      '',
    ].join('\n'),
  );
  return { judge: webJudge({ ...options, baseURL: api.url, apiKey: api.apiKey }), close: () => api.close() };
}

async function configured() {
  if (values.judge) {
    const loaded = await import(pathToFileURL(resolve(values.judge)).href);
    return { judge: loaded.default?.default ?? loaded.default, close: async () => undefined };
  }
  const options = {
    ...(values.model && { model: values.model }),
    ...(values.votes && { votes: Number(values.votes) }),
  };
  const key = process.env.ANTHROPIC_API_KEY || process.env.ANTHROPIC_AUTH_TOKEN;
  if (values['stand-in'] || !key) return standIn(options);
  return { judge: webJudge(options), close: async () => undefined };
}

/** @param {import('./test-set.mjs').LabelledTrial} labelled */
async function judged({ name, kind, passes, trial }, /** @type {any} */ judge) {
  try {
    const judgement = await judge.judge({
      ...trial,
      budgetUsd: undefined,
      signal: AbortSignal.timeout(TIME_MS),
      waiting: (/** @type {Promise<unknown>} */ promise) => promise,
    });
    const costUsd = judgement.usage?.costUsd ?? null;
    return { name, kind, passes, passed: judgement.passed, reason: judgement.reason, costUsd, judgement };
  } catch (error) {
    const { message, usage } = /** @type {any} */ (error);
    return { name, kind, passes, passed: null, reason: message, costUsd: usage?.costUsd ?? null };
  }
}

async function main() {
  const { only = '' } = values;
  const trials = readTestSet().filter(({ name, kind }) => name.includes(only) || kind.includes(only));
  if (!trials.length) throw new Error(`no trial has "${only}" in its name or kind`);
  const { judge, close } = await configured();
  await judge.preflight?.();
  const right = trials.filter(({ passes }) => passes).length;
  console.log(
    `${judge.name}${judge.model ? ` (${judge.model})` : ''} on ${trials.length} trials: ${right} that are right, ${trials.length - right} that are wrong\n`,
  );
  /** @type {any[]} */
  const results = [];
  const queue = trials.entries();
  const worker = async () => {
    for (const [index, trial] of queue) results[index] = await judged(trial, judge);
  };
  await Promise.all(Array.from({ length: Math.max(1, Number(values.parallel) || 1) }, worker));
  await close();
  console.log(summary(results, agreementOf, wilsonInterval));
  if (values.output) writeFileSync(values.output, `${JSON.stringify(results, null, 2)}\n`);
  if (results.some(({ passed }) => passed === null)) process.exitCode = 1;
}

if (values.help) console.log(HELP);
else
  await main().catch(error => {
    console.error(`judge:eval: ${error instanceof Error ? error.message : error}`);
    process.exitCode = 1;
  });
