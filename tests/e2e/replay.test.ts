// replay() from end to end: recorded in one run, played in the next, on a site that changes in between.
import { cpSync, readdirSync, renameSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startSite as startExampleSite } from '../../example-tasks/site/server.mjs';
import type { Recording } from '../../src/data/recording';
import type { Results } from '../../src/data/results';
import { byRef, call, done, reply, startMessagesApi } from '../support/messages-api';
import { recordsIn } from '../support/records';
import { config, makeSuite, type Run, type Suite, spec, startSite, TASKS_TEST, taskproof } from './suite';

const SECRET = '4000-0566';
/** An order needs the card's number, of which the page knows only the form. */
const ORDER = 'done.hidden = !/^\\d{4}-\\d{4}$/.test(card.value)';
const BUTTONS = {
  'as recorded': `<button onclick="${ORDER}">Place order</button>`,
  renamed: `<button onclick="${ORDER}">Order now</button>`,
  gone: '',
};
type Shop = keyof typeof BUTTONS;

/** A shop whose last button is as the request's `shop` header says. */
function shop() {
  return startSite({
    '/': '<a href="/checkout">To checkout</a>',
    '/checkout': (request, response) => {
      const button = BUTTONS[(request.headers.shop as Shop | undefined) ?? 'as recorded'];
      response.setHeader('content-type', 'text/html; charset=utf-8');
      response.end(
        `<!doctype html><title>Checkout</title><label>Name <input id="name"></label><label>Card <input id="card"></label>${button}<p id="done" hidden>Thanks</p>`,
      );
    },
  });
}

const GOAL =
  'Click "To checkout", enter "Mira" into "Name", enter "{{CARD}}" into "Card" and click "Place order"';
const WRONG = `  - type: dom\n    selector: '#done'\n    state: hidden\n`;

/** Says what it will do, but for the first turn of the spec `silent`. */
const MINE = `defineAgent({ name: 'mine', async run(task) {
    await task.turn('open the checkout', async turn => {
      const link = task.page.getByText('To checkout');
      if (task.specId !== 'silent') await turn.record({ do: 'click' }, link);
      await link.click();
    });
    await task.turn('look', turn => turn.readOnly());
    await task.turn('fill and order', async turn => {
      for (const [label, text] of [['Name', 'Mira'], ['Card', task.secrets.CARD]]) {
        await turn.record({ do: 'fill', text }, task.page.getByLabel(label));
        await task.page.getByLabel(label).fill(text);
      }
      await turn.record({ do: 'click' }, task.page.getByText('Place order'));
      await task.page.getByText('Place order').click();
    });
  } })`;

/** Source of an agent that replays. What is not there any more is not waited for long. */
const agent = (recordings: string, more = '') => `replay({ recordings: '${recordings}', ${more} })`;
const SOON = 'turnTimeoutMs: 3000';

/** A project that replays, in front of a shop of this kind. */
const replaying = (
  name: string,
  agent: string,
  { kind = 'as recorded' as Shop, files = ['tasks.spec.ts'], secrets = 'secrets' } = {},
) =>
  `{ name: '${name}', testMatch: ${JSON.stringify(files)}, ...repeats('t*/*.yaml'), use: { extraHTTPHeaders: { shop: '${kind}' }, taskproof: { agent: ${agent}, secrets: ${secrets} } } }`;

/** One project for several shops, with a folder of recordings for each describe. Failures that are expected start no new workers. */
const SHOPS = `import { replay, taskproofTests, test } from '@taskproof/playwright';
test.beforeEach(({}, { titlePath }) => test.fail(/gone|changed/.test(titlePath.join())));
const secrets = { CARD: '${SECRET}' };
test.use({ taskproof: { secrets } });
taskproofTests('tasks/*.yaml');
test.describe('changed', () => taskproofTests('changed/*.yaml'));
test.describe('gone', () => {
  test.use({ extraHTTPHeaders: { shop: 'gone' }, taskproof: { secrets, agent: ${agent('kept', SOON)} } });
  taskproofTests('tasks/*.yaml');
});`;
const POOR = `import { taskproofTests, test } from '@taskproof/playwright';
test.beforeEach(() => test.fail());
test.describe('poor', () => taskproofTests('tasks/*.yaml'));`;

/** Prints what failed below a test: in a test that passes, too. */
const STEPS = `module.exports = class {
  onStepEnd(test, result, step) { if (step.error && !step.parent) console.log('a step failed: ' + step.title); }
};`;

function suiteFor(url: string, modelUrl: string, exampleUrl: string) {
  const order = (id: string, more = {}) => spec({ id, url: `${url}/`, goal: GOAL, ...more });
  /** The config of a run. */
  const configOf = (...projects: string[]) => ({
    'playwright.config.ts': config({
      imports: `import { claude, replay } from '@taskproof/playwright';
const secrets = { CARD: '${SECRET}' };
const testMatch = 'tasks.spec.ts';
const shopper = { ...lexical(), run: task => lexical().run(new Proxy(task, { get: (of, key) =>
  key === 'goal' ? of.goal.replace('{{CARD}}', secrets.CARD) : typeof of[key] === 'function' ? of[key].bind(of) : of[key] })) };
const fallback = claude({ baseURL: '${modelUrl}', apiKey: 'key', maxRetries: 0 });`,
      reporters: `[['list'], ['@taskproof/playwright/reporter'], ['./steps.cjs'], ['json', { outputFile: 'pw.json' }], ...(process.env.BLOB ? [['blob']] : [])]`,
      projects: `[${projects}]`,
    }),
  });
  const suite = makeSuite({
    'steps.cjs': STEPS,
    'tasks.spec.ts': TASKS_TEST,
    'tasks/order.yaml': order('order', { k: 2, minPasses: 1 }),
    'more.spec.ts': TASKS_TEST.replace('tasks/**', 'more'),
    'more/gift.yaml': order('gift'),
    'more/silent.yaml': order('silent'),
    'shops.spec.ts': SHOPS,
    'poor.spec.ts': POOR,
    'changed/order.yaml': order('order', { assertions: WRONG }),
    'examples.spec.ts': `import { taskproofTests, test } from '@taskproof/playwright';
test.use({ taskproof: { origin: '${exampleUrl}' } });
taskproofTests('examples/*.yaml');`,
  });
  return { suite, configOf };
}

const EXAMPLE = resolve('example-tasks');

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
  /** By shopper, of one's own agent, and as healed. */
  let recording: Recording;
  let own: Recording;
  let healed: Recording;
  let model: Awaited<ReturnType<typeof startMessagesApi>>;
  let exampleSite: Awaited<ReturnType<typeof startExampleSite>>;

  beforeAll(async () => {
    const site = await shop();
    model = await startMessagesApi({
      apiKey: 'key',
      script: request => {
        if (request.turn === 0) return reply(call('read_page', { filter: 'interactive' }));
        return request.turn === 1
          ? reply(call('left_click', { target: byRef(request.ref('Order now')) }))
          : done();
      },
    });
    exampleSite = await startExampleSite({ port: 0 });
    const made = suiteFor(site.url, model.url, exampleSite.url);
    suite = made.suite;
    const play = async (projects: string[], args: string[] = [], env = {}): Promise<Moment> => {
      suite.write(made.configOf(...projects));
      const run = await suite.playwright(['test', ...args], env);
      return { run, results: run.results(), json: suite.read('pw.json') };
    };
    const copy = (from: string, to: string) => cpSync(from, join(suite.folder, to), { recursive: true });
    const kept = agent('kept', 'turnTimeoutMs: 20_000');
    first = await play(
      [
        "{ name: 'shopper', testMatch, use: { taskproof: { agent: shopper, secrets, record: 'kept' } } }",
        `{ name: 'mine', testMatch: [testMatch, 'more.spec.ts'], use: { taskproof: { agent: ${MINE}, secrets, record: true } } }`,
        replaying('replay', kept),
        replaying('skipping', agent('kept', "withoutRecording: 'skip'")),
      ],
      ['--repeat-each=1'],
      { BLOB: '1' },
    );
    recording = readJson(suite, 'kept/order.json');
    own = readJson(suite, 'recordings/order.json');

    for (const describe of ['poor', 'gone', 'changed'])
      copy(join(suite.folder, 'kept/order.json'), `kept/${describe}/order.json`);
    second = await play([
      replaying('replay', kept, { files: ['shops.spec.ts', 'poor.spec.ts'], secrets: '{}' }),
      replaying('healing', agent('recordings', `${SOON}, fallback`), { kind: 'renamed' }),
    ]);
    expect(readJson(suite, 'recordings/order.json'), 'healing leaves it for review').toEqual(own);
    healed = readJson(suite, 'recordings/order.healed.json');

    const reviewed = join(suite.folder, 'recordings/order.healed.json');
    renameSync(reviewed, join(suite.folder, 'recordings/order.json'));
    copy(join(EXAMPLE, 'tasks'), 'examples');
    copy(join(EXAMPLE, 'recordings'), 'recordings');
    third = await play([
      replaying('reviewed', agent('recordings'), {
        kind: 'renamed',
        files: ['tasks.spec.ts', 'examples.spec.ts'],
      }),
    ]);
  });
  afterAll(() => Promise.all([model.close(), exampleSite.close()]));

  /** The verdict on `order` in a project, in no describe or in this one. */
  const rowOf = ({ results }: Moment, project: string, describe?: string) =>
    results.verdicts.find(
      row => row.spec === 'order' && row.project === project && row.describe === describe,
    )!;

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
    const recorded = recording.turns.flatMap(({ actions }) => actions.flatMap(each => each.recorded));
    expect(recorded.map(each => ('locator' in each ? `${each.do} ${each.locator}` : each.do))).toEqual([
      "click getByRole('link', { name: 'To checkout' })",
      "click getByRole('textbox', { name: 'Name' })",
      "type getByRole('textbox', { name: 'Name' })",
      "click getByRole('textbox', { name: 'Card' })",
      "type getByRole('textbox', { name: 'Card' })",
      "click getByRole('button', { name: 'Place order' })",
    ]);
    expect(JSON.stringify(recording)).not.toContain(SECRET);
    // The config that Playwright's JSON report holds is no way out for it either.
    expect(first.json).toContain('<secret>CARD</secret>');
    expect(first.json).not.toContain(SECRET);
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
    const row = rowOf(second, 'replay', 'poor');
    expect(row.reason).toMatch(/the recording types the secret CARD, which this project does not have/);
    expect(row).toMatchObject({ verdict: 'inconclusive' });
  });

  test("an agent of one's own is recorded where it says what it will do", () => {
    expect(rowOf(first, 'mine'), first.run.output).toMatchObject({ verdict: 'passed' });
    expect(first.run.output).toContain(
      "no recording of silent: turn 1: `open the checkout` can't be replayed",
    );
    expect(suite.exists('recordings/silent.json')).toBe(false);
    expect(
      own.turns.map(({ title, actions }) => [
        title,
        actions.flatMap(({ recorded }) => recorded.map(each => each.do)),
      ]),
    ).toEqual([
      ['open the checkout', ['click']],
      ['fill and order', ['fill', 'fill', 'click']],
    ]);
  });

  test('a control that is gone fails at its step', () => {
    expect(second.run.exitCode).toBe(1);
    expect(rowOf(second, 'replay', 'gone')).toMatchObject({ verdict: 'failed', replayed: true });
    expect(rowOf(second, 'replay', 'gone').reason).toContain(
      'action 6: button "Place order" not found on /checkout',
    );
  });

  test('a fallback heals, and leaves the new recording for review', () => {
    expect(rowOf(second, 'healing'), second.run.output).toMatchObject({
      verdict: 'passed',
      replayed: true,
      healed: 1,
    });
    expect(second.run.output).toContain(
      'healed: review recordings/order.healed.json, then replace recordings/order.json with it',
    );
    expect(recordsIn(second.json).find(({ healed }) => healed)!.healed).toEqual({
      turn: 3,
      reason: 'action 4: button "Place order" not found on /checkout',
      recording: 'recordings/order.json',
    });
  });

  test('Claude as the fallback plays on where the recording ends', () => {
    expect(rowOf(second, 'healing').costUsd).toBeGreaterThan(0);
    const told = JSON.stringify(model.requests[0]!.body);
    expect(told).toContain('Done already, in this order');
    expect(told).toContain('This no longer worked: action 4: ');
    const recorded = healed.turns.flatMap(({ actions }) => actions.flatMap(each => each.recorded));
    expect(recorded.map(each => each.do)).toEqual(['click', 'fill', 'fill', 'click']);
    expect(recorded.at(-1)).toMatchObject({ locator: "getByRole('button', { name: 'Order now' })" });
  });

  test('a healed recording holds secrets by name only, and Claude sees no more of them', () => {
    const recorded = healed.turns.flatMap(({ actions }) => actions.flatMap(each => each.recorded));
    expect(recorded[2]).toMatchObject({ do: 'fill', text: '<secret>CARD</secret>' });
    expect(JSON.stringify(healed)).not.toContain(SECRET);
    expect(JSON.stringify(model.requests.map(({ body }) => body))).not.toContain(SECRET);
  });

  test('what was healed replays once it is put in place', () => {
    expect(third.run.exitCode, third.run.output).toBe(0);
    expect(third.run.output).not.toContain(' order has changed since');
    expect(rowOf(third, 'reviewed')).toMatchObject({ verdict: 'passed', turns: 3 });
    expect(rowOf(third, 'reviewed').healed).toBeUndefined();
  });

  test('the recordings of all example tasks play', () => {
    const { exitCode, output } = third.run;
    expect(exitCode, output).toBe(0);
    const rows = third.results.verdicts.filter(({ spec }) => spec !== 'order');
    const specs = readdirSync(join(EXAMPLE, 'tasks')).map(file => file.replace('.yaml', ''));
    expect(rows.map(row => row.spec)).toEqual(specs.sort());
    expect(rows.every(row => row.verdict === 'passed' && row.replayed && row.k === 1)).toBe(true);
    // A dialog that was answered is not answered once more: that would be a red step in a green test.
    expect(output).not.toContain('a step failed');
  });

  test('a replayed trial is graded like any other', () => {
    expect(second.run.output).toMatch(
      /taskproof: changed › order has changed since kept.changed.order\.json was recorded\. Record it again/,
    );
    expect(rowOf(second, 'replay', 'changed')).toMatchObject({ verdict: 'failed', replayed: true });
  });

  test('`taskproof record` saves from a results file, also of merged reports', async () => {
    const merged = await suite.playwright([
      'merge-reports',
      '--reporter=@taskproof/playwright/reporter',
      'blob-report',
    ]);
    expect(
      merged.results().verdicts.map(({ spec, project }) => `${spec} ${project}`),
      merged.output,
    ).toEqual(['gift mine', 'order mine', 'order replay', 'order shopper', 'silent mine']);
    const saved = await taskproof(suite, ['record', '--output', 'again', '--project', 'mine']);
    expect(saved.code, saved.err).toBe(0);
    expect(saved.err).toContain('silent [mine]: not saved: turn 1: `open the checkout`');
    expect(saved.out).toContain('Saved 2 recordings in again');
    expect(readdirSync(join(suite.folder, 'again')).sort()).toEqual(['gift.json', 'order.json']);
    expect(readJson(suite, 'again/order.json')).toEqual(own);
    const unknown = await taskproof(suite, ['record', '--spec', 'nothing']);
    expect(unknown.code).toBe(1);
    expect(unknown.err).toContain('has no verdict on nothing');
  });
});
