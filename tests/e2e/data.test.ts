// k trials of one spec on a site that takes each name once: each trial has a name of its own, which the record tells.
import { beforeAll, expect, test } from 'vitest';
import type { TrialRecord } from '../../src/data/record';
import { recordsIn } from '../support/records';
import {
  config,
  makeSuite,
  type Run,
  type Suite,
  spec,
  startSite,
  TASKS_TEST,
  tasksTest,
  WITH_JSON,
} from './suite';

const FORM = `<form action="/create"><label>Name <input name="name"></label><button>Create</button></form>`;
const signUp = (url: string, id: string, name: string) =>
  spec({
    id,
    url: `${url}/?for={{trial}}`,
    goal: `Enter "${name}" into "Name" and click "Create"`,
    k: 2,
    assertions: `  - type: dom
    selector: '#created-${name}'
    state: text
    text: Created ${name}
  - type: network
    urlPattern: '**/?for={{trial}}'
  - type: url
    pattern: '**/create?name=${name}'`,
  });

let suite: Suite;
let first: Run;
let report: string;
let records: TrialRecord[];
const created: string[] = [];

const passes = (result: Run) =>
  Object.fromEntries(
    result.results().verdicts.map(each => [`${each.project} ${each.spec}`, `${each.passes}/${each.k}`]),
  );

beforeAll(async () => {
  const site = await startSite({
    '/': FORM,
    '/create': (request, response) => {
      const name = new URL(request.url!, 'http://x').searchParams.get('name')!;
      const isNew = !created.includes(name);
      created.push(name);
      response.writeHead(isNew ? 200 : 409, { 'content-type': 'text/html; charset=utf-8' });
      response.end(isNew ? `<h1 id="created-${name}">Created ${name}</h1>` : `<h1>${name} exists</h1>`);
    },
  });
  suite = makeSuite({
    'tasks/unique.yaml': signUp(site.url, 'unique', 'baker-{{unique}}'),
    // Its second trial fails: as the last one it costs no further worker.
    'tasks/without.yaml': signUp(site.url, 'without', 'baker'),
    'tasks.spec.ts': TASKS_TEST,
    'playwright.config.ts': config({
      reporters: WITH_JSON,
      projects: `[
        { name: 'agents', ...repeats('tasks/*.yaml'), use: { taskproof: { agent: lexical(), record: true } } },
        { name: 'replay', grep: /unique/, ...repeats('tasks/*.yaml'), use: { taskproof: { agent: replay() } } },
      ]`,
    }),
  });
  first = await suite.playwright(['test', '--project=agents']);
  report = suite.read('report.json');
  records = recordsIn(report).filter(({ specId }) => specId === 'unique');
});

test('each trial has a name of its own, and the record says which', () => {
  expect(passes(first), first.output).toEqual({ 'agents unique': '2/2', 'agents without': '1/2' });
  const names = records.map(({ unique }) => `baker-${unique}`);
  expect(new Set(names).size).toBe(2);
  expect(created).toEqual(expect.arrayContaining(names));
  for (const [index, { unique, assertions, turns, runId, seed }] of records.entries()) {
    expect(unique).toMatch(/^[a-z][a-z0-9]{7}$/);
    expect(assertions[0]!.title).toContain(names[index]);
    expect(assertions[1]!.title).toMatch(/for=[12]"/);
    expect(JSON.stringify(turns)).toContain(names[index]);
    expect([typeof runId, typeof seed]).toEqual(['string', 'number']);
  }
  for (const name of names) expect(report).toContain(`"description": "Enter \\"${name}\\"`);
});

test('a recording keeps the placeholder, a replay has a value of its own, and the run id of a record brings its values back', async () => {
  const recording = suite.read('recordings/unique.json');
  expect(recording).toContain('{{unique}}');
  for (const { unique } of records) expect(recording).not.toContain(unique);
  const [{ runId, unique } = { runId: '', unique: '' }] = records;
  suite.write({ 'tasks.spec.ts': tasksTest('tasks/**/unique.yaml') });
  const before = [...created];
  // A first trial shows it, and a second one is a worker more.
  const again = await suite.playwright(['test', '--repeat-each=1'], { TASKPROOF_RUN_ID: runId! });
  expect(passes(again), again.output).toEqual({ 'agents unique': '0/1', 'replay unique': '1/1' });
  const now = created.slice(before.length);
  expect(now).toHaveLength(2);
  expect(now).toContain(`baker-${unique}`);
  const [own] = now.filter(name => name !== `baker-${unique}`);
  expect(own).toMatch(/^baker-[a-z][a-z0-9]{7}$/);
  expect(before).not.toContain(own);
});
