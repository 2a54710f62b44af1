import Anthropic from '@anthropic-ai/sdk';
import { afterEach, expect, test, vi } from 'vitest';
import { webJudge } from '../../../../src/grading/judge';
import { readyOptions } from '../../../../src/playwright/run/options';

afterEach(() => vi.unstubAllEnvs());

test.each([
  [{ votes: 2 }, /votes: must be odd/],
  [{ votes: 0 }, /votes/],
  [{ screenshots: 1 }, /screenshots: must be at least 2/],
  [
    { modle: 'x' },
    /^webJudge\(\): modle: unknown option. Known options: model, client, apiKey, .*Did you mean model/,
  ],
  [{ baseURL: 'nowhere' }, /baseURL/],
])('%j is refused, and named', (options, message) => {
  expect(() => webJudge(options as never)).toThrow(message);
});

test('it is a judge to the configuration, and shows no key', () => {
  const judge = webJudge({ model: 'claude-haiku-5-5', apiKey: 'sk-ant-secret' });
  expect(() =>
    readyOptions({ judge, agent: { name: 'mine', run: async () => undefined } }, 'project "p"'),
  ).not.toThrow();
  expect(judge).toMatchObject({ name: 'webJudge', model: 'claude-haiku-5-5' });
  expect(JSON.stringify(judge)).not.toContain('secret');
});

test('a missing key is said before a browser opens', async () => {
  for (const name of ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'ANTHROPIC_PROFILE']) vi.stubEnv(name, '');
  vi.stubEnv('ANTHROPIC_CONFIG_DIR', '/nowhere');
  await expect(webJudge().preflight!()).rejects.toThrow(
    /webJudge: no API key found\. Set .* ANTHROPIC_API_KEY/,
  );
  await webJudge({ apiKey: 'k' }).preflight!();
  await webJudge({ client: new Anthropic({ apiKey: 'k' }) }).preflight!();
  vi.stubEnv('ANTHROPIC_AUTH_TOKEN', 't');
  await webJudge().preflight!();
});
