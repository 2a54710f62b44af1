// The key is in nothing that a run leaves behind, also where that is packed.
import { expect, onTestFinished, test } from 'vitest';
import { holding, leftBehind } from '../support/left-behind';
import { call, done, reply, startMessagesApi } from '../support/messages-api';
import { config, makeSuite, spec, startSite, TASKS_TEST } from './suite';

const KEY = 'sk-ant-the-key-of-this-suite';

test('neither a trace nor the report holds the key', async () => {
  const site = await startSite({ '/': '<h1>A page that greets</h1>' });
  const api = await startMessagesApi({
    script: ({ turn }) =>
      turn === 0 ? reply(call('read_page'), call('screenshot')) : done('the end of what the page says'),
    apiKey: KEY,
  });
  onTestFinished(() => api.close());
  const suite = makeSuite({
    'tasks/one.yaml': spec({ id: 'one', url: `${site.url}/` }),
    'agents.spec.ts': TASKS_TEST,
    'playwright.config.ts': config({
      imports: `import { claude } from '@taskproof/playwright';`,
      // Given in the config, the key is nearer to what is recorded than in the environment.
      taskproof: `{ agent: claude({ baseURL: '${api.url}', apiKey: process.env.KEY_OF_THE_SUITE }) }`,
      reporters: `[['list'], ['@taskproof/playwright/reporter'], ['html'], ['json', { outputFile: 'pw.json' }]]`,
    }),
  });
  const run = await suite.playwright(['test', '--trace=on'], { KEY_OF_THE_SUITE: KEY });
  expect(run.exitCode, 'the page has no #done: what failed is told, too').toBe(1);
  expect(api.requests.map(request => request.status)).toEqual([200, 200]);

  const left = leftBehind(suite.folder, run.output);
  const names = left.map(({ name }) => name);
  for (const name of ['output', 'taskproof-results.json', 'playwright-report/index.html', 'pw.json'])
    expect(names).toContain(name);
  for (const packed of ['test.trace', 'report.json']) expect(names.join('\n')).toContain(`: ${packed}`);
  // A search that finds nothing proves nothing: what the page said is in the trace and, as base64, in the JSON.
  expect(holding(left, 'A page that greets').join('\n')).toContain('.zip: ');
  expect(holding(left, 'the end of what the page says')).toContain('pw.json');
  expect(holding(left, KEY)).toEqual([]);
});
