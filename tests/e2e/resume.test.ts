// A run that is killed half way, and what goes on with it: each trial is graded once, and every report shows the whole.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Results } from '../../src/data/results';
import { testsIn } from '../support/json-report';
import { marked } from '../support/processes';
import {
  config,
  hangingPage,
  inProcess,
  interrupt,
  makeSuite,
  PAGE,
  type Suite,
  spec,
  startSite,
  TASKS_TEST,
  taskproof,
} from './suite';

const SECRET = 'Hunter2-of-the-shop';

/** Says which trial it plays and with what; the second one fails, the third hangs if the environment says so. */
const AGENT = `defineAgent({ name: 'tells', async run(task) {
  const index = test.info().repeatEachIndex;
  appendFileSync('played.txt', 'trial ' + index + ' ' + task.unique + '\\n');
  await task.turn('say ' + task.secrets.PASSWORD, async () => {
    if (index !== 1) await task.page.getByText('Go').click();
  });
  if (index === 1) return { status: 'gave_up', reason: 'not with ' + task.secrets.PASSWORD };
  if (index === 2 && process.env.HANG) await task.turn('hang', async () => { await fetch(task.entryUrl + 'hanging'); await new Promise(() => {}); });
} })`;

const TESTS = `import { test, expect } from '@playwright/test';
import { passPolicy } from '@taskproof/playwright';
import { appendFileSync } from 'node:fs';
test('answers', passPolicy({ k: 2, minPasses: 1 }), () => {
  const { repeatEachIndex } = test.info();
  appendFileSync('played.txt', 'test ' + repeatEachIndex + '\\n');
  expect(repeatEachIndex, 'the answer names the policy').toBe(0);
});`;

const TASKS = `import { taskproofTests } from '@taskproof/playwright';
import { test } from '@taskproof/playwright';
test.beforeEach(({ page }) => {});
taskproofTests('tasks/*.yaml');`;

/** Ends once nothing of the run is left. */
async function killRun(suite: Suite, args: string[], env: Record<string, string>, started: Promise<void>) {
  const processes = marked();
  const killed = suite.start(args, { ...env, ...processes.env });
  await started;
  killed.process.kill('SIGKILL');
  await killed.done;
  await processes.gone();
}

/** Attachments of a trial that is kept. */
function bodiesIn(text: string): string[] {
  if (!text.startsWith('{')) return [];
  const { attachments = [] } = JSON.parse(text) as { attachments?: { body: string }[] };
  return attachments.map(({ body }) => Buffer.from(body, 'base64').toString('utf8'));
}

test('after SIGKILL, resume plays what is missing and reports the whole; regrade grades it anew', async () => {
  const { started, hanging } = hangingPage();
  const site = await startSite({ '/': PAGE, '/hanging': hanging });
  const go = spec({ id: 'go', goal: 'Click {{unique}}', url: `${site.url}/`, k: 4, minPasses: 3 });
  const suite = makeSuite({
    'playwright.config.ts': config({
      imports: `import { appendFileSync } from 'node:fs';`,
      reporters: `[['list'], ['json', { outputFile: 'report.json' }], ['@taskproof/playwright/reporter']]`,
      taskproof: `{ agent: ${AGENT}, secrets: { PASSWORD: '${SECRET}' } }`,
      projects: `[{ name: 'agents', testDir: '.', testMatch: '**/*.spec.*', ...repeats('tasks/*.yaml') }]`,
    }),
    'tasks/go.yaml': go,
    'answers.spec.ts': TESTS,
    'tasks.spec.ts': TASKS,
  });
  await killRun(suite, ['test', '--project=agents'], { HANG: '1' }, started);
  const before = suite.read('played.txt');

  const store = readdirSync(join(suite.folder, '.taskproof'), { recursive: true, withFileTypes: true });
  const kept = store.filter(each => each.isFile()).map(each => join(each.parentPath, each.name));
  // A .gitignore, the run, two trials of each.
  expect(kept).toHaveLength(6);
  const texts = kept.map(file => readFileSync(file, 'utf8')).flatMap(text => [text, ...bodiesIn(text)]);
  expect(texts.filter(text => text.includes('<secret>PASSWORD</secret>'))).not.toEqual([]);
  expect(texts.filter(text => text.includes(SECRET))).toEqual([]);
  expect(suite.read('.taskproof/.gitignore')).toBe('*\n');
  const saved = await inProcess(suite, ['baseline', 'save']);
  expect([saved.code, saved.err]).toEqual([
    1,
    expect.stringContaining('its trials are kept: npx taskproof resume'),
  ]);

  suite.write({ 'tasks/go.yaml': go.replace('Click {{unique}}', 'Press {{unique}}') });
  const refused = await taskproof(suite, ['resume']);
  expect(refused.code, refused.err).toBe(2);
  expect(refused.err).toContain('go [agents]: the spec has changed (tasks/go.yaml)');
  expect(suite.read('played.txt')).toBe(before);

  suite.write({ 'tasks/go.yaml': go });
  const resumed = await taskproof(suite, ['resume']);
  expect(resumed.code, resumed.err).toBe(0);
  expect(resumed.err).toContain('4 trials kept from the run of');
  const played = suite.read('played.txt').trim().split('\n').sort();
  const uniques = played.map(line => line.split(' ')[2]);
  expect(played.map(line => line.split(' ').slice(0, 2).join(' '))).toEqual([
    ...['test 0', 'test 1', 'trial 0', 'trial 1', 'trial 2', 'trial 2', 'trial 3'],
  ]);
  expect(uniques[4]).toBe(uniques[5]);

  const whole = {
    complete: true,
    verdicts: [
      { spec: 'answers', verdict: 'passed', passes: 1, failures: 1 },
      { spec: 'go', verdict: 'passed', passes: 3, failures: 1, errors: 0 },
    ],
  };
  const results = () => JSON.parse(suite.read('taskproof-results.json'));
  expect(results()).toMatchObject(whole);
  const save = async () => (await inProcess(suite, ['baseline', 'save'])).out;
  expect(await save()).toContain('holds 1 run');
  const tests = testsIn(suite.read('report.json'));
  expect(tests.map(({ status }) => status)).toEqual(Array(6).fill('expected'));
  const failed = tests.flatMap(({ results }) => results).filter(({ status }) => status === 'failed');
  expect(failed).toMatchObject([
    { workerIndex: -1, errors: [{ message: expect.stringContaining('the answer names the policy') }] },
    {
      workerIndex: -1,
      errors: [{ message: expect.stringContaining('the agent gave up: not with <secret>PASSWORD</secret>') }],
    },
  ]);
  expect(failed[1]!.errors[0]!.location?.file).toContain('go.yaml');
  expect(failed[1]!.attachments.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['turn-1.jpg', 'end.jpg', 'transcript', '_taskproof']),
  );
  const notes = failed.flatMap(({ annotations }) => annotations.filter(({ type }) => type === 'kept'));
  expect(notes).toHaveLength(2);

  // Graded anew, by what is kept and another policy: nothing is played.
  const other = "  - type: url\n    pattern: '**/nowhere'\n";
  const stricter = go
    .replace('assertions:\n', `assertions:\n${other}`)
    .replace('minPasses: 3', 'minPasses: 4');
  suite.write({ 'tasks/go.yaml': stricter });
  const regraded = await taskproof(suite, ['regrade']);
  expect(regraded.code, regraded.err).toBe(1);
  expect(regraded.err).toContain(`the URL ${site.url}/ does not match "**/nowhere"`);
  expect(results().verdicts).toMatchObject([
    whole.verdicts[0],
    { spec: 'go', minPasses: 4, passes: 0, failures: 4 },
  ]);
  // A run of its own would count its trials twice.
  expect(await save()).toContain('holds 1 run');
  const errors = testsIn(suite.read('report.json')).at(-1)!.results[0]!.errors;
  expect(errors[0]!.location?.file).toContain('go.yaml');
  expect(suite.read('played.txt').trim().split('\n')).toHaveLength(7);
});

test('a killed shard resumes by itself, and merges with the other as if nothing had happened', async () => {
  const { started, hanging } = hangingPage();
  const site = await startSite({ '/': PAGE, '/hanging': hanging });
  const suite = makeSuite({
    'playwright.config.ts': config({
      imports: `import { appendFileSync } from 'node:fs';`,
      reporters: `[['blob'], ['list'], ['@taskproof/playwright/reporter']]`,
      taskproof: `{ agent: defineAgent({ name: 'tells', async run(task) {
        const index = test.info().repeatEachIndex;
        appendFileSync('played.txt', index + '\\n');
        if (index === 0) return { status: 'gave_up', reason: 'not the first time' };
        if (process.env.HANG) await fetch(task.entryUrl + 'hanging').then(() => new Promise(() => {}));
        await task.turn('click Go', () => task.page.getByText('Go').click());
      } }) }`,
    }),
    'merge.config.ts': `export default { reporter: [['list'], ['@taskproof/playwright/reporter']] };`,
    'tasks/go.yaml': spec({ id: 'go', url: `${site.url}/`, k: 4, minPasses: 3 }),
    'tasks.spec.ts': TASKS_TEST,
  });
  const shard = (number: number) => ({
    args: ['test', `--shard=${number}/2`],
    env: { PLAYWRIGHT_BLOB_OUTPUT_FILE: join(suite.folder, 'blobs', `report-${number}.zip`) },
  });
  const [first, second] = [shard(1), shard(2)];
  await killRun(suite, first.args, { ...first.env, HANG: '1' }, started);
  const other = await suite.playwright(second.args, second.env);
  expect(other.exitCode, other.output).toBe(0);

  const resumed = await taskproof(suite, ['resume', '--', '--shard=1/2'], first.env);
  expect(resumed.code, resumed.err).toBe(0);
  expect(resumed.err).toContain('1 trial kept from the run of');
  expect(resumed.err).toContain('Taskproof (shard 1 of 2)');
  // Only the trial that hung is played twice.
  expect(suite.read('played.txt').trim().split('\n').sort()).toEqual(['0', '1', '1', '2', '3']);

  suite.remove('taskproof-results.json');
  const merged = await suite.playwright(['merge-reports', '--config=merge.config.ts', 'blobs']);
  expect(merged.exitCode, merged.output).toBe(0);
  const [, began] = /kept from the run of (\S+)/.exec(resumed.err)!;
  expect(JSON.parse(suite.read('taskproof-results.json'))).toMatchObject({
    ...{ complete: true, trialsSince: began },
    verdicts: [
      { spec: 'go', verdict: 'passed', passes: 3, failures: 1, errors: 0, trials: Array(4).fill({}) },
    ],
  });
});

test('a trial whose hooks were broken off by an interruption is played again: they may fail', async () => {
  const { started, hanging } = hangingPage();
  const site = await startSite({ '/': PAGE, '/hanging': hanging });
  const suite = makeSuite({
    'playwright.config.ts': config({
      imports: `import { appendFileSync } from 'node:fs';`,
      taskproof: `{ agent: defineAgent({ name: 'counts', async run(task) {
  appendFileSync('played.txt', task.specId + ' ');
  await task.turn('go', () => task.page.getByText('Go').click());
} }) }`,
    }),
    'tasks/first.yaml': spec({ id: 'first', url: `${site.url}/` }),
    'tasks/second.yaml': spec({ id: 'second', url: `${site.url}/` }),
    'tasks.spec.ts': `import { test } from '@taskproof/playwright';
test.afterEach(async () => {
  if (process.env.HANG) await fetch('${site.url}/hanging');
  throw new Error('not logged out');
});${TASKS_TEST}`,
  });
  await interrupt(suite, () => started, { HANG: '1' });
  const resumed = await taskproof(suite, ['resume']);
  expect(suite.read('played.txt')).toBe('first first second ');
  expect(resumed.code, resumed.err).toBe(1);
  expect(resumed.out + resumed.err).toContain(
    'the trial passed, but the test did not: Error: not logged out',
  );
});

test('a run that a failure stopped goes on: what is kept does not count as a failure again', async () => {
  const suite = makeSuite({
    'playwright.config.ts': config({ projects: `[{ name: 'main', ...repeats({ atLeast: 1 }) }]` }),
    'tests.spec.ts': `import { test, expect } from '@playwright/test';
import { passPolicy } from '@taskproof/playwright';
for (const title of ['lost 1', 'lost 2', 'lost 3', 'save'])
  test(title, passPolicy({ k: 1, minPasses: 1 }), () => { expect(title).toBe('save'); });`,
  });
  const verdicts = () => {
    const { verdicts } = JSON.parse(suite.read('taskproof-results.json')) as Results;
    return verdicts.map(({ verdict }) => verdict);
  };
  await suite.playwright(['test', '-x']);
  expect(verdicts()).toEqual(['failed', 'undecided', 'undecided', 'undecided']);
  // It counts instead of the -x of that run.
  const { code, out } = await taskproof(suite, ['resume', '--', '--max-failures=2']);
  expect(code, out).toBe(1);
  expect(verdicts()).toEqual(['failed', 'failed', 'failed', 'undecided']);
});
