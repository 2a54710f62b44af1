// The twelve example tasks, played by claude() with a scripted model that answers as a good agent would. Turns and billed
// input tokens are compared with the same model on the library before actions reported what they changed. Those figures
// were recorded with this bench: `BENCH_LIBRARY=DIR npm run bench -- --only agent` plays any build.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startSite } from '../example-tasks/site/server.mjs';
import { load } from '../scripts/bundle.mjs';
import { BENCH } from './lib/packages.mjs';
import { claudeSuiteOf, ROOT } from './lib/processes.mjs';

/** Opus 5.5, US dollars per million tokens. */
const PRICE = { input: 4, read: 0.2, write: 5 };
const FEWER_TURNS = 0.65;
const LESS_INPUT = 0.6;

export async function agent() {
  const api = await load('bench-agent', `export * from './tests/support/messages-api';`);
  const site = await startSite({ port: 0 });
  const folder = join(ROOT, 'example-tasks/tasks');
  const specs = Object.fromEntries(
    readdirSync(folder).map(file => [
      file.replace('.yaml', ''),
      `${readFileSync(join(folder, file), 'utf8').replaceAll('http://127.0.0.1:4173', site.url)}`.replace(
        /^passPolicy:\n(?: .*\n)+/m,
        '',
      ),
    ]),
  );
  const server = await api.startMessagesApi({ script: api.playExamples });
  const suite = claudeSuiteOf(specs, server.url);
  try {
    const child = suite.playwright(['test', '--repeat-each=1']);
    if ((await child.ended) !== 0) throw new Error(child.output());
  } finally {
    await server.close();
    suite.remove();
    await site.close();
  }
  const refused = server.requests.find(({ status }) => status !== 200);
  if (refused) throw new Error(`the API refused a request: ${refused.problem}`);
  const now = perTask(server.requests, specs);
  const before = JSON.parse(readFileSync(join(BENCH, 'results/agent-before.json'), 'utf8'));
  const total = (side, what) => Object.values(side).reduce((sum, each) => sum + each[what], 0);
  const tasks = Object.keys(now);
  const row = (name, what, atMost) => ({
    name: `${name}: now / before`,
    value: total(now, what) / total(before.tasks, what),
    unit: 'x',
    target: { atMost },
    note: `${Math.round((total(now, what) / tasks.length) * 10) / 10} / ${Math.round((total(before.tasks, what) / tasks.length) * 10) / 10} a trial`,
  });
  return {
    title:
      'the example tasks by a scripted model that acts on what it is shown, against the same model before',
    rows: [
      row('turns', 'turns', FEWER_TURNS),
      row('billed input', 'billed', LESS_INPUT),
      ...tasks.map(task => ({
        name: `${task}: turns`,
        value: now[task].turns,
        unit: 'turns',
        note: `before: ${before.tasks[task]?.turns}; billed ${now[task].billed} tokens, before: ${before.tasks[task]?.billed}`,
      })),
    ],
    details: { price: PRICE, tasks: now },
  };
}

/** Turns and billed input by task. Billed input is in tokens at the price of uncached input. */
function perTask(requests, specs) {
  const found = Object.fromEntries(Object.keys(specs).map(id => [id, { turns: 0, billed: 0 }]));
  const squeeze = text => text.replace(/\s+/g, ' ').trim();
  for (const { body, usage } of requests) {
    const goal = squeeze(body.messages[0].content[0].text);
    const id = Object.keys(specs).find(each => squeeze(specs[each]).includes(goal));
    const { input_tokens: input, cache_creation_input_tokens: write, cache_read_input_tokens: read } = usage;
    found[id].turns++;
    found[id].billed += Math.round(input + (write * PRICE.write + read * PRICE.read) / PRICE.input);
  }
  return found;
}
