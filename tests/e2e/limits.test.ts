// A run against an API with a limit, which is also gone for a while: no trial is lost to it.
import { afterAll, expect, test } from 'vitest';
import { byRef, call, done, reply, type Script, startMessagesApi, status } from '../support/messages-api';
import { config, makeSuite, PAGE, spec, startSite, TASKS_TEST } from './suite';

const K = 4;
/** Requests a second, and at once. */
const LIMIT = 3;
const GONE_MS = 2_000;

const closers: (() => Promise<void>)[] = [];
afterAll(() => Promise.all(closers.map(close => close())));

/** Plays a model that clicks "Go"; counts what it refuses. */
function limited() {
  let [left, at, served, goneUntil] = [LIMIT, Date.now(), 0, Number.POSITIVE_INFINITY];
  const seen = { refused: 0, gone: 0 };
  const script: Script = ({ turn, ref }) => {
    const now = Date.now();
    left = Math.min(LIMIT, left + ((now - at) / 1_000) * LIMIT);
    at = now;
    if (served === K && goneUntil > now + GONE_MS) goneUntil = now + GONE_MS;
    if (served === K && now < goneUntil) {
      seen.gone++;
      return status(503);
    }
    if (left < 1) {
      seen.refused++;
      return status(429);
    }
    left--;
    served++;
    return turn === 0 ? reply(call('left_click', { target: byRef(ref('button "Go"')) })) : done();
  };
  return { script, seen };
}

test('two workers share a limit and their requests, wait for the API, and lose no trial', async () => {
  const { script, seen } = limited();
  const [site, api] = [await startSite({ '/': PAGE }), await startMessagesApi({ script })];
  closers.push(api.close);
  const agent = `claude({ apiKey: '${api.apiKey}', baseURL: '${api.url}', maxRetries: 0 })`;
  const suite = makeSuite({
    'tasks/go.yaml': spec({ id: 'go', url: `${site.url}/`, k: K }),
    'agents.spec.ts': TASKS_TEST,
    'playwright.config.ts': config({
      taskproof: `{ agent: ${agent}, maxRequests: 1 }`,
      workers: 2,
      reporters: `[['list'], ['@taskproof/playwright/reporter', { summary: 'summary.md' }]]`,
    }),
  });
  const run = await suite.playwright(['test']);
  expect(run.exitCode, run.output).toBe(0);
  const { verdicts, api: traffic } = run.results();
  expect(verdicts, run.output).toMatchObject([{ passes: K, errors: 0, failures: 0 }]);
  expect(seen.gone, 'the API was gone').toBeGreaterThan(0);
  expect(seen.refused).toBeLessThan(K);
  expect(traffic).toMatchObject([{ model: 'claude-opus-5-5', served: 2 * K, refused: seen.refused }]);
  const told = /API: \d+(?: of \d+)? requests a minute used, .*\d+ s of waiting in all trials/;
  expect(run.output.replace(/\s+/g, ' ')).toMatch(told);
  expect(suite.read('summary.md')).toMatch(told);
});
