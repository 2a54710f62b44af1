// Code of the suite around its trials: prepare, check, and what hooks and fixtures expect after a trial.
import { beforeAll, describe, expect, test } from 'vitest';
import type { TrialRecord } from '../../src/data/record';
import type { Results } from '../../src/data/results';
import {
  CLICKS_GO,
  config,
  makeSuite,
  PAGE,
  type Run,
  recordsOf,
  type Suite,
  spec,
  startSite,
  WITH_JSON,
} from './suite';

const verdictsOf = (run: Run) =>
  new Map<string, Results['verdicts'][number]>(run.results().verdicts.map(row => [row.spec, row]));
const recordOf = (suite: Suite, id: string) => recordsOf(suite)[id]!;

describe('check, prepare and hooks', () => {
  let suite: Suite;
  let run: Run;
  let rows: ReturnType<typeof verdictsOf>;

  beforeAll(async () => {
    const file = '<a role="button" href="data:text/csv,rose" download="order.csv">Go</a>';
    const site = await startSite({ '/': PAGE, '/ada': `ada ${PAGE}`, '/file': file });
    const url = `${site.url}/`;
    const user = "  - type: dom\n    selector: body\n    state: text\n    text: '{{user}}'\n";
    const ids = ['once', 'twice', 'soft', 'breaks', 'unmet', 'away', 'hangs', 'judged'];
    const hooked = ['hook', 'fixture', 'soft-hook', 'broken', 'both', 'fine'];
    suite = makeSuite({
      'playwright.config.ts': config({
        taskproof: `{ judge: { name: 'tells', judge: async ({ finalUrl, finalText }) => ({ passed: true, reason: finalUrl + ' says ' + finalText }) }, agent: ${CLICKS_GO.replace('click());', "click());\n  return { answer: 'Done!' };")}, earlyStop: true }`,
        globs: "'{tasks,prepared,hooked,late}/*.yaml'",
        reporters: WITH_JSON,
      }),
      ...Object.fromEntries(ids.map(id => [`tasks/${id}.yaml`, spec({ id, url })])),
      'tasks/judged.yaml': `${spec({ id: 'judged', url })}judge: It is done.\n`,
      'tasks/unmet.yaml': spec({
        ...{ id: 'unmet', url },
        assertions: "  - type: url\n    pattern: '**/nowhere'\n",
      }),
      'tasks/file.yaml': spec({
        ...{ id: 'file', url: `${url}file` },
        assertions: "  - { type: download, name: '*.csv', text: rose }\n  - { type: answer, equals: done }\n",
      }).replace("'0.1'", 'playwright/1'),
      ...Object.fromEntries(
        hooked.map(id => [
          `hooked/${id}.yaml`,
          spec({ id, url, k: /^(hook|broken)$/.test(id) ? 2 : 1, minPasses: 1 }),
        ]),
      ),
      // Its document stays the one that a hook opened: the address differs in its fragment alone.
      'hooked/fine.yaml': spec({
        ...{ id: 'fine', url: `${url}#here` },
        assertions: '  - { type: dom, selector: body, state: text, text: Go Done }\n',
      }).replace("'0.1'", 'playwright/1'),
      'hooked.spec.ts': `
import { expect, test as base } from '@playwright/test';
import { taskproofTests } from '@taskproof/playwright';
const test = base.extend<{ orders: void }>({ orders: [async ({}, use, { title }) => {
  await use();
  if (/^(fixture|both)/.test(title)) expect([1, 2], 'one order').toHaveLength(1);
}, { auto: true }] });
test.beforeEach(async ({ page }, { title }) => {
  test.fail(/^(fixture|soft|both)/.test(title));
  if (title.startsWith('soft')) expect.soft(1).toBe(3);
  if (title.startsWith('fine')) await page.goto('${url}').then(() => expect(page.locator('button')).toBeVisible());
});
test.afterEach(({}, { title, repeatEachIndex }) => {
  if (title.startsWith('hook') && !repeatEachIndex) expect(3).toBe(4);
  if (/^(broken|both)/.test(title) && !repeatEachIndex) throw new TypeError('no database');
});
taskproofTests('hooked/*.yaml', { test });
`,
      'prepared/ada.yaml': spec({ id: 'ada', url: `${url}{{user}}`, assertions: user }),
      'late/late.yaml': spec({ id: 'late', url }),
      // The last of the run: Playwright lets it go on to its end.
      'zlate.spec.ts': `
import { taskproofTests } from '@taskproof/playwright';
taskproofTests('late/*.yaml', { prepare: () => void Promise.reject(new Error('no telemetry')) });
`,
      'prepared/bob.yaml': spec({ id: 'bob', url: `${url}{{usr}}`, assertions: user }),
      'tasks.spec.ts': `
import { expect, test as base } from '@playwright/test';
import { taskproofTests } from '@taskproof/playwright';
interface Orders { of(id: string): { total: number }[] }
const test = base.extend<{ db: Orders }, { orders: number[] }>({
  orders: [async ({}, use) => use([12]), { scope: 'worker' }],
  db: async ({ orders }, use, testInfo) => { await use({ of: id => [...orders, ...(id === 'twice' ? [34] : [])].map(total => ({ total })) }); console.log('timeout of ' + testInfo.title + ': ' + testInfo.timeout); },
});
async function oneOrder({ db: database, page, spec, answer, network, record }: any) {
  await expect(page.getByText('Done')).toBeVisible();
  expect(network.map((event: { url: string }) => event.url)).toContain(spec.entryUrl);
  expect(answer).toBe('Done!');
  expect(record.status).toBe('completed');
  expect(() => spec.assertions.pop()).toThrow(TypeError);
  expect(database.of(spec.id)).toHaveLength(1);
}
taskproofTests('tasks/*.yaml', { test, check: {
  once: oneOrder,
  twice: oneOrder,
  soft: async ({ db, spec }) => {
    expect.soft(db.of(spec.id).length).toBe(2);
    expect.soft(spec.id).toBe('soft');
  },
  breaks: async ({ db }) => { db.of('once')[3].total.toFixed(); },
  // The trial has failed already: what breaks in its check then says nothing. Nor does it change the record by what it does to its own.
  unmet: async ({ db, record, network }) => { record.assertions.splice(0); network.fill(null); db.of('once')[3].total.toFixed(); },
  hangs: () => new Promise(() => {}),
  judged: async ({ page }) => { await page.goto('${site.url}/ada'); },
  away: async ({ page }) => { await page.goto('${site.url}/ada'); expect(1).toBe(2); },
} });
test.describe(() => {
  test.use({ baseURL: '${site.url}' });
  taskproofTests('prepared/*.yaml', { test, prepare: async ({ request, spec, trial, unique, orders }) => {
    expect(trial).toBe(1);
    expect(unique).toMatch(/^[a-z][a-z0-9]{7}$/);
    expect(spec.goal).toBe('Click "Go"');
    expect(() => spec.assertions.pop()).toThrow(TypeError);
    await expect(await request.get('/ada')).toBeOK();
    return { user: 'ada', order: orders[0] };
  } });
});
// Failures that are expected start no new workers.
test.beforeEach(({}, { title }) => {
  test.fail(/^(unmet|away|file)$/.test(title));
  if (title === 'hangs') test.setTimeout(8_000);
});
`,
    });
    run = await suite.playwright(['test']);
    rows = verdictsOf(run);
  });

  test('a check that holds is one more assertion of the trial', () => {
    expect(rows.get('once'), run.output).toMatchObject({ verdict: 'passed', passes: 1 });
    expect(recordOf(suite, 'once').assertions).toMatchObject([
      { type: 'dom', passed: true },
      { type: 'check', title: 'check oneOrder', passed: true, reason: null },
    ]);
  });

  test('hooks and fixtures after a trial do not get the time that it left', () => {
    const [, timeout] = /^timeout of once: (\d+)$/m.exec(run.output) ?? [];
    // Their own half a minute, what the trial took, and a minute for its end.
    expect(Number(timeout), run.output).toBeGreaterThan(89_000);
    expect(Number(timeout)).toBeLessThan(300_000);
  });

  test('a failed expect fails the trial, with its own message, line and code frame', () => {
    const reason = 'check oneOrder: expect(received).toHaveLength(expected)';
    expect(rows.get('twice'), run.output).toMatchObject({ verdict: 'failed', failures: 1, errors: 0 });
    expect(rows.get('twice')!.diagnosis!.headline).toContain(reason);
    expect(recordOf(suite, 'twice')).toMatchObject({ status: 'completed', outcome: 'failed' });
    expect(run.output).toMatch(/Error: expect\(received\)\.toHaveLength\(expected\)/);
    expect(run.output).toMatch(/> 15 \| +expect\(database\.of\(spec\.id\)\)\.toHaveLength\(1\);/);
    // No frame of ours follows.
    expect(run.output).toMatch(/at oneOrder \(.*tasks\.spec\.ts:15:\d+\)\n\s*\n/);
  });

  test('so does a soft one, once; the check goes on after it', () => {
    expect(rows.get('soft'), run.output).toMatchObject({ verdict: 'failed', failures: 1 });
    expect(recordOf(suite, 'soft').assertions.at(-1)).toMatchObject({
      ...{ title: 'check', type: 'check', passed: false },
      reason: 'check: expect(received).toBe(expected) // Object.is equality: expected 2, received 1',
    });
    expect(run.output.match(/Expected: 2\n +Received: 1/g)).toHaveLength(2);
    // No frame of ours follows.
    expect(run.output).toMatch(/at (?:Object\.)?soft \(.*tasks\.spec\.ts:2\d:\d+\)\n\s*\n/);
  });

  test('a check that breaks makes the trial an error, unless it has failed before', () => {
    expect(rows.get('breaks'), run.output).toMatchObject({ verdict: 'inconclusive', errors: 1 });
    expect(rows.get('breaks')!.trials[0]).toMatchObject({
      ...{ outcome: 'error', errorKind: 'internal' },
      reason: expect.stringContaining('check threw: Cannot read properties of undefined'),
    });
    expect(run.output).toMatch(/TypeError: Cannot read properties of undefined \(reading 'total'\)/);
    expect(rows.get('unmet')).toMatchObject({ verdict: 'failed', failures: 1 });
    expect(recordOf(suite, 'unmet').assertions).toMatchObject([{ type: 'url' }, { type: 'check' }]);
  });

  test('where a check goes is not where the agent ended', () => {
    expect(rows.get('away'), run.output).toMatchObject({ verdict: 'failed' });
    const { finalUrl, network } = recordOf(suite, 'away');
    expect(finalUrl).toMatch(/:\d+\/$/);
    // Regrading would take its requests for the agent's.
    expect(network.events.map(({ url }) => url)).toEqual([finalUrl]);
    expect(recordOf(suite, 'judged').judge!.reason).toMatch(/^http:[\w./]+:\d+\/ says Go Done$/);
  });

  test('a check has the time of the test, not what the agent left of its own', () => {
    expect(rows.get('hangs'), run.output).toMatchObject({ verdict: 'inconclusive', errors: 1 });
    const { errorKind, reason } = rows.get('hangs')!.trials[0]!;
    expect(errorKind).toBe('internal');
    expect(reason).toBe(
      "check threw: it took longer than 8 s, the test's timeout. Raise `timeout` in the config.",
    );
  });

  test('an error that nobody awaits says nothing about the site', () => {
    const [trial] = rows.get('late')!.trials;
    expect(trial, run.output).toMatchObject({
      outcome: 'error',
      reason: expect.stringContaining('no telemetry'),
    });
  });

  test('without a check, a file and an answer of the agent are graded as the spec says', () => {
    expect(rows.get('file'), run.output).toMatchObject({ verdict: 'failed', failures: 1, errors: 0 });
    expect(recordOf(suite, 'file').assertions).toMatchObject([
      { type: 'download', passed: true, reason: null },
      { type: 'answer', passed: false, reason: 'the answer is "Done!", not "done"' },
    ]);
  });

  test('what prepare returns fills placeholders, and one without a value is named', () => {
    expect(rows.get('ada'), run.output).toMatchObject({ verdict: 'passed' });
    const { data, finalUrl } = recordOf(suite, 'ada') as TrialRecord;
    expect(data).toEqual({ user: 'ada', order: 12 });
    expect(finalUrl).toMatch(/\/ada$/);
    expect(rows.get('bob')!.trials[0]).toMatchObject({ outcome: 'error', errorKind: 'setup' });
    const said =
      'entryUrl: {{usr}} has no value: prepare did not return it. Known placeholders: trial, unique, user, order.';
    expect(run.output).toContain(said);
    expect(run.output).toMatch(/at bob \(prepared\/bob\.yaml:4|prepared\/bob\.yaml:4:/);
  });

  test('a hook that expects in vain fails a passed trial; one that breaks makes it an error', () => {
    // Its first trial has not settled the verdict: the worker can't know how its test ends.
    expect(rows.get('hook'), run.output).toMatchObject({ verdict: 'passed', passes: 1, failures: 1 });
    expect(rows.get('hook')!.trials[0]).toMatchObject({
      ...{ outcome: 'failed', status: 'completed' },
      reason: expect.stringMatching(
        /^hook: expect\(received\)\.toBe\(expected\).*: expected 4, received 3; the agent stopped on /,
      ),
    });
    expect(rows.get('fixture')).toMatchObject({ verdict: 'failed', failures: 1, errors: 0 });
    expect(rows.get('fixture')!.diagnosis!.headline).toContain('hook: one order');
    expect(rows.get('soft-hook')).toMatchObject({ verdict: 'failed', failures: 1 });
    expect(rows.get('broken')).toMatchObject({ verdict: 'passed', passes: 1, errors: 1 });
    // The fixture's expectation may be unmet because its hook broke before.
    expect(rows.get('both')).toMatchObject({ verdict: 'inconclusive', failures: 0, errors: 1 });
    expect(rows.get('fine')).toMatchObject({ verdict: 'passed' });
  });
});
