// use.taskproof of the config, of a project and of test.use together, in the main process and in workers.
import { expect, test } from 'vitest';
import { recordsIn } from '../support/records';
import { config, makeSuite, type Suite, spec, startSite, tasksTest, WITH_JSON } from './suite';

const FORM = `<form action="/in">
<label>One <input name="one"></label><label>Two <input name="two"></label><label>Three <input name="three"></label>
<button>Send</button></form>`;

const enter = (names: string[]) =>
  `${names.map((name, index) => `enter "<secret>${name}</secret>" into "${['One', 'Two', 'Three'][index]}"`).join(', ')} and click "Send"`;

/** None of them exists: `origin` moves them. */
const elsewhere = (id: string, goal: string) =>
  spec({
    id,
    goal,
    url: 'https://shop.example.test/',
    assertions: `  - type: url\n    pattern: 'https://shop.example.test/in?**'`,
  });

const USING = `
import { taskproofTests, test } from '@taskproof/playwright';
test.use({ taskproof: { secrets: { C: 'value-c' } } });
taskproofTests('tasks/three.yaml', { test });
test('by hand', async ({ page, agent, baseURL }) => {
  await page.goto(baseURL);
  await agent.run('${enter(['A', 'B', 'C'])}');
});
`;
const MADE = `
import { taskproofTests, test as base } from '@taskproof/playwright';
const test = base.extend({ taskproof: async ({ taskproof }, use) => use({ ...taskproof, earlyStop: false }) });
taskproofTests('tasks/*.yaml', { test, filter: ({ id }) => id !== 'three' });
`;

function suiteOf(site: string): { suite: Suite; text: string } {
  const text = config({
    imports: `import { appendFileSync } from 'node:fs';\nappendFileSync('loads.txt', process.pid + '\\n');`,
    reporters: WITH_JSON,
    taskproof: `{ origin: 'baseURL', secrets: { A: 'value-a', B: 'of the config', GONE: undefined, LOST: undefined } }`,
    projects: `['adds', 'nowhere', 'made'].map(name => ({
      name, testMatch: name === 'adds' ? 'using.spec.ts' : name === 'made' ? 'made.spec.ts' : 'tasks.spec.ts',
      use: { ...(name === 'nowhere' ? {} : { baseURL: '${site}/app/' }), taskproof: { secrets: { B: 'value-b' } } },
    }))`,
  });
  const suite = makeSuite({
    'tasks/three.yaml': elsewhere('three', enter(['A', 'B', 'C'])),
    'tasks/plain.yaml': elsewhere('plain', enter(['A', 'B'])),
    // What fails is the last: a new worker starts after it.
    'tasks/z-needy.yaml': elsewhere('needy', enter(['A', 'GONE', 'LOST'])),
    'using.spec.ts': USING,
    'made.spec.ts': MADE,
    'tasks.spec.ts': tasksTest('tasks/**/plain.yaml'),
    'playwright.config.ts': text,
    'as-module.config.mjs': text,
  });
  return { suite, text };
}

test('options add up, origin is the baseURL, and secrets that are missing concern those who name them', async () => {
  const sent: string[] = [];
  const site = await startSite({
    '/': FORM,
    '/app/': FORM,
    '/in': (request, response) => {
      sent.push([...new URL(request.url!, 'http://x').searchParams.values()].join(' '));
      response.end('Thanks');
    },
  });
  const { suite } = suiteOf(site.url);
  const all = 'value-a value-b value-c';
  const lacking = `project "adds": secrets without a value: GONE, LOST. The agent can't use them. No goal of this run names them.`;
  const plain = await suite.playwright(['test', '--config=as-module.config.mjs', '--project=adds']);
  expect(plain.exitCode, plain.output).toBe(0);
  expect(sent).toEqual([all, all]);
  expect(plain.output).toContain(lacking);
  expect(plain.results().verdicts).toMatchObject([{ project: 'adds', spec: 'three', verdict: 'passed' }]);
  const plainRecords = suite.read('report.json');
  expect(plainRecords).not.toContain('value-a');

  // A fixture makes the options: only the worker knows them, and what is missing. This config is no module.
  sent.length = 0;
  const failing = await suite.playwright(['test', '--project=nowhere', '--project=made']);
  expect(failing.exitCode).toBe(1);
  expect(sent, failing.output).toEqual(['value-a value-b ']);
  const said = suite.read('report.json');
  expect(said).not.toContain('value-a');
  const loads = suite.read('loads.txt').trim().split('\n');
  expect(loads.length).toBeGreaterThanOrEqual(4);
  expect(new Set(loads).size, 'no process ran the config twice').toBe(loads.length);

  expect(
    failing
      .results()
      .verdicts.map(({ spec, project, verdict }) => `${project} ${spec} ${verdict}`)
      .sort(),
  ).toEqual(['made needy inconclusive', 'made plain passed', 'nowhere plain inconclusive']);
  expect(failing.output).toMatch(/GONE, LOST have no value, but "needy" needs them\./);
  expect(failing.output).toMatch(
    /project "nowhere": use\.taskproof\.origin is 'baseURL', but there is no baseURL/,
  );
  expect(failing.output).not.toMatch(/at .*dist/);
  const ends = [plainRecords, said].flatMap(recordsIn).map(({ finalUrl }) => finalUrl);
  expect(ends).toEqual(Array(3).fill(expect.stringContaining(`${site.url}/in?`)));
});
