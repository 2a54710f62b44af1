// The key is in nothing that a run leaves behind, also where that is packed.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { call, done, reply, startMessagesApi } from '../support/messages-api';
import { unzip } from '../support/unzip';
import { config, makeSuite, spec, startSite, TASKS_TEST } from './suite';

const KEY = 'sk-ant-the-key-of-this-suite';

test('neither a trace nor the report holds the key', async () => {
  const site = await startSite({ '/': 'Hello' });
  const api = await startMessagesApi({
    script: ({ turn }) => (turn === 0 ? reply(call('read_page'), call('screenshot')) : done()),
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
    }),
  });
  await suite.playwright(['test', '--trace=on'], { KEY_OF_THE_SUITE: KEY });
  expect(api.requests.map(request => request.status)).toEqual([200, 200]);

  const files = readdirSync(suite.folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name));
  const report = suite.read('playwright-report/index.html');
  const data = /data:application\/zip;base64,([A-Za-z0-9+/=]+)/.exec(report)![1]!;
  const packed = files.filter(file => file.endsWith('.zip')).map(file => readFileSync(file));
  expect(packed.length).toBeGreaterThan(0);
  const entries = [...packed, Buffer.from(data, 'base64')].flatMap(unzip);
  expect(entries.map(entry => entry.name)).toContain('test.trace');
  expect(entries.map(entry => entry.name)).toContain('report.json');
  for (const file of files) expect(readFileSync(file).includes(KEY), file).toBe(false);
  for (const { name, content } of entries) expect(content.includes(KEY), name).toBe(false);
});
