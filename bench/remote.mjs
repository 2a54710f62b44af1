// Two shards with remote browsers (`playwright run-server`), as in docs/environments.md, and their merged results; and one
// of the shards with a local browser.
import { createServer } from 'node:http';
import { join } from 'node:path';
import { LAUNCH, makeSuite } from './lib/processes.mjs';

const K = 5;
const SHARDS = 2;

export async function remote({ quick }) {
  const specs = quick ? 4 : 100;
  const site = createServer((_, response) => response.end(PAGE));
  await new Promise(resolve => site.listen(0, '127.0.0.1', () => resolve(undefined)));
  const suite = makeSuite(files(`http://127.0.0.1:${site.address().port}/`, specs));
  const servers = Array.from({ length: SHARDS }, () =>
    suite.playwright(['run-server', '--host=127.0.0.1', '--port=0', '--unsafe']),
  );
  try {
    const endpoints = await Promise.all(servers.map(async server => (await server.says(/ws:\S+/))[0]));
    const shards = await timed(
      endpoints.map((endpoint, index) => shard(suite, index + 1, { PW_TEST_CONNECT_WS_ENDPOINT: endpoint })),
    );
    const merged = await timed([suite.playwright(['merge-reports', '-c', 'merge.config.mjs', 'blobs'])]);
    const { verdicts } = JSON.parse(suite.read('taskproof-results.json'));
    const local = await timed([shard(suite, 1)]);
    const trials = specs * K;
    const judged = verdicts.reduce((sum, row) => sum + row.passes + row.failures + row.errors, 0);
    const passed = verdicts.filter(row => row.verdict === 'passed').length;
    const perTrial = ms => ((ms * SHARDS) / trials).toFixed(0);
    return {
      title: `${trials.toLocaleString('en')} trials of one turn in ${SHARDS} shards, each with a remote browser`,
      rows: [
        { name: 'trials in the merged results', value: judged, unit: '', target: { atLeast: trials } },
        { name: 'specs that passed', value: passed, unit: '', target: { atLeast: specs } },
        {
          name: 'both shards beside each other / one shard alone with a local browser',
          value: shards / local,
          unit: 'x',
          note: `${perTrial(shards)} ms / ${perTrial(local)} ms a trial of a shard`,
        },
        { name: 'merging the blobs', value: merged, unit: 'ms' },
      ],
      details: { shards, merged, local },
    };
  } finally {
    await Promise.all(servers.map(server => server.stop('SIGINT')));
    site.close();
    suite.remove();
  }
}

const PAGE = '<button onclick="done.hidden=false">Go</button><p id="done" hidden>Done</p>';

/** @param {string} url @param {number} specs */
function files(url, specs) {
  const tasks = Array.from({ length: specs }, (_, index) => [
    `tasks/t${index}.yaml`,
    `specVersion: '0.1'\nid: t${index}\ngoal: Click "Go".\nentryUrl: ${url}\nmaxSteps: 3\npassPolicy: { k: ${K}, minPasses: ${K} }\nassertions:\n  - { type: dom, selector: '#done', state: visible }\n`,
  ]);
  return {
    ...Object.fromEntries(tasks),
    'tasks.spec.mjs': `import { taskproofTests } from '@taskproof/playwright'; taskproofTests('tasks/*.yaml');`,
    'playwright.config.mjs': `import { defineAgent, repeats } from '@taskproof/playwright';
const agent = defineAgent({ name: 'clicks', run: task => task.turn('click Go', () => task.page.getByText('Go').click()) });
export default { workers: 1, fullyParallel: true, testMatch: 'tasks.spec.mjs', reporter: [['blob'], ['@taskproof/playwright/reporter']],
  projects: [{ name: 'bench', ...repeats('tasks/*.yaml'), use: { launchOptions: ${LAUNCH}, taskproof: { agent } } }] };`,
    'merge.config.mjs': `export default { reporter: [['@taskproof/playwright/reporter']] };`,
  };
}

/** @param {ReturnType<typeof makeSuite>} suite @param {number} index @param {Record<string, string>} remote */
function shard(suite, index, remote = {}) {
  const blob = join(suite.folder, remote.PW_TEST_CONNECT_WS_ENDPOINT ? 'blobs' : 'local', `${index}.zip`);
  const env = { ...remote, PLAYWRIGHT_BLOB_OUTPUT_FILE: blob };
  return suite.playwright(['test', `--shard=${index}/${SHARDS}`], env);
}

/** @returns milliseconds until the last of them has ended */
async function timed(children) {
  const began = performance.now();
  for (const child of children) if ((await child.ended) !== 0) throw new Error(child.output());
  return performance.now() - began;
}
