// The key is in nothing that a run leaves behind, also where that is packed.
import { expect, onTestFinished, test } from 'vitest';
import { holding, leftBehind } from '../support/left-behind';
import { call, done, reply, startMessagesApi } from '../support/messages-api';
import { config, makeSuite, spec, startSite, TASKS_TEST } from './suite';

const KEY = 'sk-ant-the-key-of-this-suite';
const SECRET = 'the-aws-secret-of-this-suite';
const PROJECT = "testDir: '.', testMatch: '**/*.spec.*', ...repeats('tasks/**/*.yaml')";

test('neither a trace nor the report holds the key', async () => {
  const site = await startSite({ '/': '<h1>A page that greets</h1>' });
  const api = await startMessagesApi({
    script: ({ turn, body }) => {
      if (turn === 0) return reply(call('read_page'), call('screenshot'));
      if (body.model === 'claude-opus-5-5') return done('the end of what the page says');
      return {
        fault: 'status',
        status: 400,
        type: 'odd',
        message: `an odd request of ${KEY} with ${SECRET}`,
      };
    },
    apiKey: KEY,
  });
  onTestFinished(() => api.close());
  const suite = makeSuite({
    'tasks/one.yaml': spec({ id: 'one', url: `${site.url}/` }),
    'agents.spec.ts': TASKS_TEST,
    'playwright.config.ts': config({
      imports: `import { AnthropicBedrock } from '@anthropic-ai/bedrock-sdk';
        import { claude } from '@taskproof/playwright';
        const baseURL = '${api.url}';
        const { KEY_OF_THE_SUITE, SECRET_OF_THE_SUITE } = process.env;
        const client = new AnthropicBedrock({ baseURL, awsAccessKey: KEY_OF_THE_SUITE, awsSecretKey: SECRET_OF_THE_SUITE });
        const agents = { key: claude({ baseURL, apiKey: KEY_OF_THE_SUITE }), client: claude({ client, model: 'us.anthropic.claude-opus-5-5-v1' }) };`,
      // Given in the config, the key is nearer to what is recorded than in the environment.
      projects: `['key', 'client'].map(name => ({ name, ${PROJECT}, use: { taskproof: { agent: agents[name] } } }))`,
      reporters: `[['list'], ['@taskproof/playwright/reporter'], ['html'], ['json', { outputFile: 'pw.json' }]]`,
    }),
  });
  const run = await suite.playwright(['test', '--trace=on'], {
    KEY_OF_THE_SUITE: KEY,
    SECRET_OF_THE_SUITE: SECRET,
  });
  expect(run.exitCode, 'the page has no #done: what failed is told, too').toBe(1);
  expect(api.requests.map(request => request.status)).toEqual([200, 200, 200, 400]);

  const left = leftBehind(suite.folder, run.output);
  const names = left.map(({ name }) => name);
  for (const name of ['output', 'taskproof-results.json', 'playwright-report/index.html', 'pw.json'])
    expect(names).toContain(name);
  for (const packed of ['test.trace', 'report.json']) expect(names.join('\n')).toContain(`: ${packed}`);
  // A search that finds nothing proves nothing: what the page said is in the trace and, as base64, in the JSON.
  expect(holding(left, 'A page that greets').join('\n')).toContain('.zip: ');
  expect(holding(left, 'the end of what the page says')).toContain('pw.json');
  expect(holding(left, 'an odd request of').join('\n')).toContain('.zip: ');
  for (const held of [KEY, SECRET]) expect(holding(left, held)).toEqual([]);
});
