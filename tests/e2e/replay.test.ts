// replay() from end to end: recorded in one run, played in the next, on a site that changes in between.
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, renameSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest';
import { startSite as startExampleSite } from '../../example-tasks/site/server.mjs';
import type { Recording } from '../../src/agents/replay/recording';
import type { Results } from '../../src/report/results';
import { byRef, call, done, reply, startMessagesApi } from '../support/messages-api';
import { recordsIn } from '../support/records';
import { config, makeSuite, type Run, type Suite, spec, startSite, TASKS_TEST } from './suite';

type Shop = 'as recorded' | 'renamed' | 'gone' | 'broken';

/** A shop whose last button changes, or is as the request's `shop` header says. */
function shop(now: () => Shop = () => 'as recorded') {
  const button = (asked: Shop) =>
    ({
      'as recorded': `<button onclick="done.hidden=false">Place order</button>`,
      renamed: `<button onclick="done.hidden=false">Order now</button>`,
      gone: '',
      broken: `<button onclick="missing.hidden=false">Place order</button>`,
    })[asked];
  return startSite({
    '/': '<a href="/checkout">To checkout</a>',
    '/checkout': (request, response) => {
      const asked = (request.headers.shop as Shop | undefined) ?? now();
      response.setHeader('content-type', 'text/html; charset=utf-8');
      response.end(
        `<!doctype html><title>Checkout</title><label>Name <input id="name"></label><label>Card <input id="card"></label>${button(asked)}<p id="done" hidden>Thanks</p>`,
      );
    },
  });
}

const GOAL =
  'Click "To checkout", enter "Mira" into "Name", enter "{{CARD}}" into "Card" and click "Place order"';
const AFTER = 'Click "Order now"';

const WRONG = `  - type: dom\n    selector: '#done'\n    state: hidden\n`;

/** A project that replays, in front of a shop of this kind. */
const replaying = (name: string, kind: Shop = 'as recorded', more = '') =>
  `{ name: '${name}', testMatch, ...repeats('tasks/*.yaml'), use: { extraHTTPHeaders: { shop: '${kind}' }, taskproof: { agent: replay({ recordings: 'kept', turnTimeoutMs: ${kind === 'as recorded' ? 20_000 : 3000}, ${more} }), secrets } } }`;

function suiteFor(url: string, extra: Record<string, string> = {}): Suite {
  const lexically = (
    goal: string,
  ) => `{ ...lexical(), run: task => lexical().run(new Proxy(task, { get: (of, key) =>
    key === 'goal' ? ${goal} : typeof of[key] === 'function' ? of[key].bind(of) : of[key] })) }`;
  return makeSuite({
    'playwright.config.ts': config({
      imports: `import { replay } from '@taskproof/playwright';
const secrets = { CARD: '4000-0566' };
const testMatch = 'tasks.spec.ts';
const shopper = ${lexically(`of.goal.replace('{{CARD}}', secrets.CARD)`)};
const healer = ${lexically(JSON.stringify(AFTER))};`,
      reporters: `process.env.BLOB ? [['@taskproof/playwright/reporter'], ['blob']] : [['list'], ['@taskproof/playwright/reporter'], ['json', { outputFile: 'pw.json' }]]`,
      projects: `[
        { name: 'shopper', testMatch, ...repeats('tasks/*.yaml'), use: { taskproof: { agent: shopper, secrets, record: 'kept' } } },
        { name: 'poor', testMatch, ...repeats('tasks/*.yaml'), use: { taskproof: { agent: replay({ recordings: 'kept' }) } } },
        ${replaying('replay')},
        ${replaying('skipping', 'as recorded', "withoutRecording: 'skip'")},
        ${replaying('gone', 'gone')},
        ${replaying('broken', 'broken')},
        ${replaying('healing', 'renamed', 'fallback: healer')},
        ${replaying('changed').replace('testMatch', "testMatch: 'changed.spec.ts'")},
        ${replaying('reviewed', 'renamed')},
      ]`,
    }),
    'changed.spec.ts': TASKS_TEST.replace('tasks/**', 'changed'),
    'changed/order.yaml': spec({ id: 'order', url: `${url}/`, goal: GOAL, assertions: WRONG }),
    'tasks.spec.ts': TASKS_TEST,
    'tasks/order.yaml': spec({ id: 'order', url: `${url}/`, goal: GOAL, k: 2, minPasses: 1 }),
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

describe('recorded, replayed, broken by the site, healed, and replayed as healed', () => {
  interface Moment {
    run: Run;
    results: Results;
    json: string;
  }
  let suite: Suite;
  /** A run that records, one that replays in front of several shops, and one of what was healed. */
  let first: Moment;
  let second: Moment;
  let third: Moment;
  let recording: Recording;

  beforeAll(async () => {
    const site = await shop();
    suite = suiteFor(site.url);
    const projects = async (...names: string[]): Promise<Moment> => {
      const run = await suite.playwright(['test', ...names.map(name => `--project=${name}`)]);
      return { run, results: run.results(), json: suite.read('pw.json') };
    };
    first = await projects('shopper', 'replay', 'skipping');
    recording = readJson<Recording>(suite, 'kept/order.json');
    second = await projects('poor', 'replay', 'gone', 'broken', 'healing', 'changed');
    expect(readJson(suite, 'kept/order.json'), 'healing leaves it for review').toEqual(recording);
    renameSync(join(suite.folder, 'kept/order.healed.json'), join(suite.folder, 'kept/order.json'));
    third = await projects('reviewed');
  });

  const rowOf = ({ results }: Moment, project: string) =>
    results.verdicts.find(row => row.project === project)!;

  test('without a recording a replay says how to make one, or skips the spec', () => {
    const { exitCode, output } = first.run;
    expect(exitCode, output).toBe(1);
    const row = rowOf(first, 'replay');
    expect(row).toMatchObject({
      verdict: 'inconclusive',
      trials: [{ outcome: 'error', errorKind: 'setup' }],
    });
    expect(row.reason).toMatch(/no recording: .*kept.order\.json/);
    for (const project of ['replay', 'skipping'])
      expect(output.split(`project "${project}": no recording: kept/order.json. To make one,`)).toHaveLength(
        2,
      );
    expect(output).not.toMatch(/\bat .*dist/);
    expect(rowOf(first, 'skipping')).toBeUndefined();
  });

  test('what passed is recorded, without its secrets', () => {
    expect(rowOf(first, 'shopper'), first.run.output).toMatchObject({ verdict: 'passed' });
    expect(first.run.output).toContain('taskproof: recorded 1 spec in kept');
    const steps = recording.turns.flatMap(({ actions }) => actions.flatMap(each => each.steps));
    expect(steps.map(step => ('locator' in step ? `${step.do} ${step.locator}` : step.do))).toEqual([
      "click getByRole('link', { name: 'To checkout' })",
      "click getByRole('textbox', { name: 'Name' })",
      "type getByRole('textbox', { name: 'Name' })",
      "click getByRole('textbox', { name: 'Card' })",
      "type getByRole('textbox', { name: 'Card' })",
      "click getByRole('button', { name: 'Place order' })",
    ]);
    expect(JSON.stringify(recording)).not.toContain('4000-0566');
    // The config that Playwright's JSON report holds is no way out for it either.
    expect(first.json).toContain('<secret>CARD</secret>');
    expect(first.json).not.toContain('4000-0566');
  });

  test('a replay on the site as recorded passes at no cost', () => {
    expect(rowOf(second, 'replay'), second.run.output).toMatchObject({
      replayed: true,
      verdict: 'passed',
      k: 1,
      passes: 1,
      turns: 4,
      costUsd: 0,
      agent: 'replay',
    });
    expect(recordsIn(second.json)).toContainEqual(
      expect.objectContaining({
        replayed: true,
        outcome: 'passed',
        turns: [1, 2, 3, 4].map(n =>
          expect.objectContaining(n === 4 ? { title: 'click "Place order"' } : {}),
        ),
      }),
    );
  });

  test('a project without the secret that a recording types says so', () => {
    const row = rowOf(second, 'poor');
    expect(row.reason).toMatch(/the recording types the secret CARD, which this project does not have/);
    expect(row).toMatchObject({ verdict: 'inconclusive' });
  });

  test('a control that is gone, or does nothing, fails at its step', () => {
    expect(second.run.exitCode).toBe(1);
    expect(rowOf(second, 'gone')).toMatchObject({ verdict: 'failed', replayed: true });
    expect(rowOf(second, 'gone').reason).toContain('step 6: button "Place order" not found on /checkout');
    expect(rowOf(second, 'broken').reason).toContain(
      'step 6: click button "Place order" had no effect on /checkout',
    );
  });

  test('a fallback heals, and leaves the new recording for review', () => {
    expect(rowOf(second, 'healing'), second.run.output).toMatchObject({
      verdict: 'passed',
      replayed: true,
      healed: 1,
    });
    expect(second.run.output).toContain(
      'healed: review kept/order.healed.json, then replace kept/order.json with it',
    );
    expect(recordsIn(second.json).find(({ healed }) => healed)!.healed).toEqual({
      turn: 5,
      reason: 'step 6: button "Place order" not found on /checkout',
      recording: 'kept/order.json',
    });
  });

  test('what was healed replays once it is put in place', () => {
    expect(third.run.exitCode, third.run.output).toBe(0);
    expect(third.run.output).not.toContain('has changed since');
    expect(rowOf(third, 'reviewed').turns).toBe(4);
    expect(rowOf(third, 'reviewed').healed).toBeUndefined();
  });

  test('a replayed trial is graded like any other', () => {
    expect(second.run.output).toMatch(
      /taskproof: order has changed since kept.order\.json was recorded\. Record it again/,
    );
    expect(rowOf(second, 'changed')).toMatchObject({ verdict: 'failed', replayed: true });
  });
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
        { name: 'healing', use: { taskproof: { agent: replay({ recordings: 'recordings', turnTimeoutMs: 3000, fallback }) } } },
      ]`,
    }),
    'tasks.spec.ts': TASKS_TEST,
    'tasks/order.yaml': spec({ id: 'order', url: `${site.url}/` }),
  });
  const recorded = await suite.playwright(['test', '--project=mine', '--project=silent']);
  expect(recorded.exitCode, recorded.output).toBe(0);
  expect(recorded.output).toContain("no recording of order: turn 1: `open the checkout` can't be replayed");
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
  expect(told).toContain('This no longer worked: step 4: ');
  const steps = readJson<Recording>(suite, 'recordings/order.healed.json').turns.flatMap(({ actions }) =>
    actions.flatMap(each => each.steps),
  );
  expect(steps.map(step => step.do)).toEqual(['click', 'fill', 'fill', 'click']);
  expect(steps.at(-1)).toMatchObject({ locator: "getByRole('button', { name: 'Order now' })" });
});

test('`taskproof record` saves from a results file, also of merged shards', async () => {
  const site = await shop();
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
  expect(suite.read('again/order.json')).toContain('"do": "type"');
  expect(readdirSync(join(suite.folder, 'again')).sort()).toEqual(['look.json', 'order.json']);
  const unknown = await taskproof(suite, 'record', '--spec', 'nothing');
  expect(unknown).toMatchObject({ exitCode: 1 });
  expect(unknown.output).toContain('has no verdict on nothing');
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
