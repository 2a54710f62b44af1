// replay() from end to end: recorded in one run, played in the next, on a site that changes in between.
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, renameSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, inject, onTestFinished, test } from 'vitest';
import { startSite as startExampleSite } from '../../example-tasks/site/server.mjs';
import type { Recording } from '../../src/agents/replay/recording';
import { byRef, call, done, reply, startMessagesApi } from '../support/messages-api';
import { recordsIn } from '../support/records';
import { config, makeSuite, type Suite, spec, startSite, TASKS_TEST } from './suite';

type Shop = 'as recorded' | 'renamed' | 'gone' | 'broken';

/** A shop whose last button changes. */
function shop(now: () => Shop) {
  const button = () =>
    ({
      'as recorded': `<button onclick="done.hidden=false">Place order</button>`,
      renamed: `<button onclick="done.hidden=false">Order now</button>`,
      gone: '',
      broken: `<button onclick="missing.hidden=false">Place order</button>`,
    })[now()];
  return startSite({
    '/': '<a href="/checkout">To checkout</a>',
    '/checkout': (_, response) => {
      response.setHeader('content-type', 'text/html; charset=utf-8');
      response.end(
        `<!doctype html><title>Checkout</title><label>Name <input id="name"></label><label>Card <input id="card"></label>${button()}<p id="done" hidden>Thanks</p>`,
      );
    },
  });
}

const GOAL =
  'Click "To checkout", enter "Mira" into "Name", enter "{{CARD}}" into "Card" and click "Place order"';
const AFTER = 'Click "Order now"';

function suiteFor(url: string, extra: Record<string, string> = {}): Suite {
  const lexically = (
    goal: string,
  ) => `{ ...lexical(), run: task => lexical().run(new Proxy(task, { get: (of, key) =>
    key === 'goal' ? ${goal} : typeof of[key] === 'function' ? of[key].bind(of) : of[key] })) }`;
  return makeSuite({
    'playwright.config.ts': config({
      imports: `import { replay } from '@taskproof/playwright';
const secrets = { CARD: '4000-0566' };
const shopper = ${lexically(`of.goal.replace('{{CARD}}', secrets.CARD)`)};
const healer = ${lexically(JSON.stringify(AFTER))};`,
      reporters: `process.env.BLOB ? [['@taskproof/playwright/reporter'], ['blob']] : [['list'], ['@taskproof/playwright/reporter'], ['json', { outputFile: 'pw.json' }]]`,
      projects: `[
        { name: 'shopper', ...repeats('tasks/*.yaml'), use: { taskproof: { agent: shopper, secrets, record: 'kept' } } },
        { name: 'replay', ...repeats('tasks/*.yaml'), use: { taskproof: { agent: replay({ recordings: 'kept', turnTimeoutMs: 1500 }), secrets } } },
        { name: 'poor', ...repeats('tasks/*.yaml'), use: { taskproof: { agent: replay({ recordings: 'kept' }) } } },
        { name: 'healing', ...repeats('tasks/*.yaml'), use: { taskproof: { agent: replay({ recordings: 'kept', turnTimeoutMs: 1500, fallback: healer }), secrets } } },
      ]`,
    }),
    'tasks.spec.ts': TASKS_TEST,
    'tasks/order.yaml': spec({ id: 'order', url: `${url}/`, goal: GOAL, k: 3, minPasses: 2 }),
    ...extra,
  });
}

const exec = promisify(execFile);

async function taskproof(suite: Suite, ...args: string[]) {
  const cli = join(inject('installed'), 'node_modules/@taskproof/playwright/dist/cli.js');
  const ended = await exec(process.execPath, [cli, ...args], { cwd: suite.folder }).catch(error => error);
  return { exitCode: ended.code ?? 0, output: `${ended.stdout}${ended.stderr}` };
}

const readJson = <T>(suite: Suite, file: string) => JSON.parse(suite.read(file)) as T;

test('recorded, replayed, broken by the site, healed, and replayed as healed', async () => {
  let now: Shop = 'as recorded';
  const site = await shop(() => now);
  const suite = suiteFor(site.url);
  const run = async (project: string, ...more: string[]) => {
    const { exitCode, output, results } = await suite.playwright(['test', '--project', project, ...more]);
    return { exitCode, output, row: results().verdicts[0]! };
  };

  const unrecorded = await run('replay');
  expect(unrecorded.exitCode).toBe(1);
  expect(unrecorded.row).toMatchObject({ verdict: 'inconclusive', errors: 1 });
  expect(unrecorded.row.reason).toMatch(
    /there is no recording .*kept.order\.json\. Make one: .*`record: true`/,
  );

  const recorded = await run('shopper');
  expect(recorded.exitCode, recorded.output).toBe(0);
  expect(recorded.output).toContain('taskproof: recorded 1 spec in kept');
  const recording = readJson<Recording>(suite, 'kept/order.json');
  const steps = recording.turns.flatMap(({ actions }) => actions.flatMap(each => each.steps));
  expect(steps.map(step => ('locator' in step ? `${step.do} ${step.locator}` : step.do))).toEqual([
    "click getByRole('link', { name: 'To checkout' })",
    "fill getByRole('textbox', { name: 'Name' })",
    "fill getByRole('textbox', { name: 'Card' })",
    "click getByRole('button', { name: 'Place order' })",
  ]);
  expect(JSON.stringify(recording)).not.toContain('4000-0566');

  // The config that Playwright's JSON report holds is no way out for it either.
  expect(suite.read('pw.json')).toContain('<secret>CARD</secret>');
  expect(suite.read('pw.json')).not.toContain('4000-0566');

  const replayed = await run('replay');
  expect(replayed.output).not.toContain('has changed since');
  expect(replayed.exitCode, replayed.output).toBe(0);
  expect(replayed.row).toMatchObject({
    replayed: true,
    verdict: 'passed',
    k: 1,
    passes: 1,
    turns: 4,
    costUsd: 0,
    agent: 'replay',
  });
  expect(recordsIn(suite.read('pw.json'))[0]).toMatchObject({
    replayed: true,
    turns: [{}, {}, {}, { title: 'click button "Place order"' }],
  });
  expect((await run('replay', '--repeat-each=2')).row).toMatchObject({ k: 2, passes: 2 });

  const poor = await run('poor');
  expect(poor.row.reason).toMatch(/the recording types the secret CARD, which this project does not have/);
  expect(poor.row).toMatchObject({ verdict: 'inconclusive' });

  now = 'gone';
  const gone = await run('replay');
  expect(gone.exitCode).toBe(1);
  expect(gone.row).toMatchObject({ verdict: 'failed', replayed: true });
  expect(gone.row.reason).toContain('step 4: button "Place order" not found on /checkout');
  now = 'broken';
  expect((await run('replay')).row.reason).toContain(
    'step 4: click button "Place order" had no effect on /checkout',
  );

  now = 'renamed';
  const healed = await run('healing');
  expect(healed.exitCode, healed.output).toBe(0);
  expect(healed.row).toMatchObject({ verdict: 'passed', replayed: true, healed: 1 });
  expect(healed.output).toContain(
    'healed: look at kept/order.healed.json, and put it in the place of kept/order.json',
  );
  expect(readJson(suite, 'kept/order.json')).toEqual(recording);
  expect(recordsIn(suite.read('pw.json'))[0]!.healed).toEqual({
    turn: 5,
    reason: 'step 4: button "Place order" not found on /checkout',
    recording: 'kept/order.json',
  });
  renameSync(join(suite.folder, 'kept/order.healed.json'), join(suite.folder, 'kept/order.json'));
  const reviewed = await run('replay');
  expect(reviewed.exitCode, reviewed.output).toBe(0);
  expect(reviewed.row.turns).toBe(4);
  expect(reviewed.row.healed).toBeUndefined();
});

test("an agent of one's own is recorded where it says what it will do, and Claude plays on where its recording ends", async () => {
  let now: Shop = 'as recorded';
  const site = await shop(() => now);
  const server = await startMessagesApi({
    apiKey: 'key',
    script: request => {
      if (request.turn === 0) return reply(call('read_page', { filter: 'interactive' }));
      return request.turn === 1
        ? reply(call('left_click', { target: byRef(request.ref('Order now')) }))
        : done();
    },
  });
  onTestFinished(() => server.close());
  const mine = (says: boolean) => `defineAgent({ name: 'mine', async run(task) {
    await task.turn('open the checkout', async turn => {
      const link = task.page.getByText('To checkout');
      ${says ? `await turn.record({ do: 'click' }, link);` : ''}
      await link.click();
    });
    await task.turn('look', turn => turn.readOnly());
    await task.turn('fill and order', async turn => {
      for (const [label, text] of [['Name', 'Mira'], ['Card', '1']]) {
        await turn.record({ do: 'fill', text }, task.page.getByLabel(label));
        await task.page.getByLabel(label).fill(text);
      }
      await turn.record({ do: 'click' }, task.page.getByText('Place order'));
      await task.page.getByText('Place order').click();
    });
  } })`;
  const suite = makeSuite({
    'playwright.config.ts': config({
      imports: `import { claude, replay } from '@taskproof/playwright';
const fallback = claude({ baseURL: '${server.url}', apiKey: 'key', maxRetries: 0 });`,
      projects: `[
        { name: 'mine', use: { taskproof: { agent: ${mine(true)}, record: true } } },
        { name: 'silent', use: { taskproof: { agent: ${mine(false)}, record: 'elsewhere' } } },
        { name: 'healing', use: { taskproof: { agent: replay({ recordings: 'recordings', turnTimeoutMs: 1500, fallback }) } } },
      ]`,
    }),
    'tasks.spec.ts': TASKS_TEST,
    'tasks/order.yaml': spec({ id: 'order', url: `${site.url}/` }),
  });
  const recorded = await suite.playwright(['test', '--project=mine', '--project=silent']);
  expect(recorded.exitCode, recorded.output).toBe(0);
  expect(recorded.output).toContain(
    "no recording of order: turn 1: `open the checkout` can't be done again by a recording",
  );
  expect(suite.exists('elsewhere')).toBe(false);
  const { turns } = readJson<Recording>(suite, 'recordings/order.json');
  expect(
    turns.map(({ title, actions }) => [title, actions.flatMap(({ steps }) => steps.map(step => step.do))]),
  ).toEqual([
    ['open the checkout', ['click']],
    ['fill and order', ['fill', 'fill', 'click']],
  ]);

  now = 'renamed';
  const healed = await suite.playwright(['test', '--project=healing']);
  expect(healed.exitCode, healed.output).toBe(0);
  expect(healed.results().verdicts[0]).toMatchObject({ verdict: 'passed', replayed: true, healed: 1 });
  expect(healed.results().verdicts[0]!.costUsd).toBeGreaterThan(0);
  const told = JSON.stringify(server.requests[0]!.body);
  expect(told).toContain('Done already, in this order');
  expect(told).toContain('This could not be done any more: step 4: ');
  const steps = readJson<Recording>(suite, 'recordings/order.healed.json').turns.flatMap(({ actions }) =>
    actions.flatMap(each => each.steps),
  );
  expect(steps.map(step => step.do)).toEqual(['click', 'fill', 'fill', 'click']);
  expect(steps.at(-1)).toMatchObject({ locator: "getByRole('button', { name: 'Order now' })" });
});

test('a replayed trial is graded like any other', async () => {
  const site = await shop(() => 'as recorded');
  const suite = suiteFor(site.url);
  await suite.playwright(['test', '--project', 'shopper', '--repeat-each=1']);
  const wrong = `  - type: dom\n    selector: '#done'\n    state: hidden\n`;
  suite.write({
    'tasks/order.yaml': spec({ id: 'order', url: `${site.url}/`, goal: GOAL, assertions: wrong }),
  });
  const { exitCode, output, results } = await suite.playwright(['test', '--project', 'replay']);
  expect(exitCode).toBe(1);
  expect(output).toMatch(/taskproof: order has changed since kept.order\.json was recorded: record it again/);
  expect(results().verdicts[0]).toMatchObject({ verdict: 'failed', replayed: true });
});

test('`taskproof record` saves from a results file, also of merged shards', async () => {
  const site = await shop(() => 'as recorded');
  const second = {
    'tasks/look.yaml': spec({ id: 'look', url: `${site.url}/checkout`, goal: 'Click "Place order"' }),
  };
  const suite = suiteFor(site.url, second);
  mkdirSync(join(suite.folder, 'blobs'));
  for (const part of ['1/2', '2/2']) {
    await suite.playwright(['test', '--project', 'shopper', '--repeat-each=1', `--shard=${part}`], {
      BLOB: '1',
    });
    for (const file of readdirSync(join(suite.folder, 'blob-report')))
      cpSync(join(suite.folder, 'blob-report', file), join(suite.folder, 'blobs', file));
  }
  await suite.playwright(['merge-reports', '--config', 'playwright.config.ts', 'blobs']);
  const saved = await taskproof(suite, 'record', '--output', 'again');
  expect(saved).toMatchObject({ exitCode: 0 });
  expect(saved.output).toContain('Saved 2 recordings in again');
  expect(suite.read('again/order.json')).toContain('"do": "fill"');
  expect(readdirSync(join(suite.folder, 'again')).sort()).toEqual(['look.json', 'order.json']);
  const unknown = await taskproof(suite, 'record', '--spec', 'nothing');
  expect(unknown).toMatchObject({ exitCode: 1 });
  expect(unknown.output).toContain('has no verdict of nothing');
});

test('the recordings of all example tasks play', async () => {
  const site = await startExampleSite({ port: 0 });
  try {
    const example = resolve('example-tasks');
    const suite = makeSuite({
      'playwright.config.ts': config({
        imports: `import { replay } from '@taskproof/playwright';`,
        reporters: `[['list'], ['@taskproof/playwright/reporter'], ['./steps.cjs']]`,
        taskproof: `{ agent: replay({ recordings: 'recordings' }), origin: '${site.url}' }`,
      }),
      'tasks.spec.ts': TASKS_TEST,
      'steps.cjs': `module.exports = class {
  onStepEnd(test, result, step) { if (step.error && !step.parent) console.log('a step failed: ' + step.title); }
};`,
    });
    for (const folder of ['tasks', 'recordings'])
      cpSync(join(example, folder), join(suite.folder, folder), { recursive: true });
    const { exitCode, output, results } = await suite.playwright(['test']);
    expect(exitCode, output).toBe(0);
    const { verdicts } = results();
    const specs = readdirSync(join(example, 'tasks')).map(file => file.replace('.yaml', ''));
    expect(verdicts.map(row => row.spec)).toEqual(specs.sort());
    expect(verdicts.every(row => row.verdict === 'passed' && row.replayed && row.k === 1)).toBe(true);
    // A dialog that was answered is not answered once more: that would be a red step in a green test.
    expect(output).not.toContain('a step failed');
  } finally {
    await site.close();
  }
});
