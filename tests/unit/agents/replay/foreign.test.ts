// Recordings, records and results that someone else wrote: a pull request, the CI of a fork.
import { existsSync, mkdirSync, readdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { SessionTask } from '../../../../src/agents/agent';
import { replay } from '../../../../src/agents/replay';
import { resolved } from '../../../../src/agents/replay/resolve';
import type { TrialRecord } from '../../../../src/data/record';
import { readRecording } from '../../../../src/data/recording';
import { planAnnotations } from '../../../../src/playwright/run/plan';
import { recordingOf, writeRecordings } from '../../../../src/report/recordings';
import TaskproofReporter from '../../../../src/report/reporter';
import { fakeConfig, fakeProject, fakeResult, fakeSuite, fakeTest } from '../../../support/fake-suite';
import { madeAction, madeRecord, madeRecording, madeTurn } from '../../../support/records';
import { tempFolder } from '../../../support/temp-folder';
import { resultsFile, suite } from '../../cli/suite';

const click = madeAction({ do: 'click', locator: `getByRole('button')` });

const recordOf = (recorded: object[], more: Partial<TrialRecord> = {}): TrialRecord =>
  madeRecord({
    ...{ specId: 'order', specHash: 'abc', specFile: 'order.yaml', agent: 'claude' },
    policy: { k: 1, minPasses: 1 },
    turns: [madeTurn({ actions: [{ title: 'act', recorded: recorded as never }] })],
    ...more,
  });

/** A config's folder with a folder beside it, and a link that leads there. */
function folders() {
  const above = tempFolder();
  const [config, beside] = [join(above, 'config'), join(above, 'beside')];
  mkdirSync(join(config, 'kept'), { recursive: true });
  mkdirSync(beside);
  writeFileSync(join(beside, 'key.pem'), 'private');
  writeFileSync(join(config, 'bill.pdf'), 'bill');
  symlinkSync(beside, join(config, 'link'));
  symlinkSync(join(beside, 'key.pem'), join(config, 'key.pem'));
  symlinkSync(join(beside, 'none.json'), join(config, 'none.healed.json'));
  return { above, config, beside };
}

const filesBelow = (folder: string) => readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();

test.each([
  '../../x',
  '/tmp/taskproof-x',
  'a/b',
  'a\\b',
  '..',
  'Order',
  'order\n',
  'order\0',
  'x'.repeat(65),
])('taskproof record writes no file for %j', async id => {
  const results = JSON.parse(resultsFile({ order: 'p' }));
  Object.assign(results.verdicts[0], { spec: id, recording: madeRecording([click]) });
  const { taskproof, folder } = suite({ 'deep/er/r.json': JSON.stringify(results) });
  const before = filesBelow(folder);
  const { code, err } = await taskproof(['record', 'deep/er/r.json', '-o', 'deep/er/out']);
  expect(err).toMatch(/is not the id of a task spec/);
  expect(code).toBe(1);
  expect(filesBelow(folder)).toEqual(before);
  expect(existsSync(`${id.replaceAll('\0', '')}.json`)).toBe(false);
});

test('a results file of gigabytes is not read', async () => {
  const { taskproof, folder } = suite({ 'r.json': '{}' });
  truncateSync(join(folder, 'r.json'), 3_000_000_000);
  expect(await taskproof(['record', 'r.json'])).toMatchObject({
    code: 1,
    err: expect.stringMatching(/r\.json can't be read \(more than 200 MB\)/),
  });
});

test('a recording that types a secret into an address is refused, and none is made', () => {
  const goto = madeAction({ do: 'goto', url: '/?q=<secret>SHOP_PASSWORD</secret>' });
  expect(() => readRecording(JSON.stringify(madeRecording([click, goto])), 'order.json')).toThrow(
    /order\.json: .*recorded\[1\]\.url: must not hold a secret/,
  );
  expect(recordingOf(recordOf([goto]))).toEqual({
    problem: expect.stringMatching(/^turn 1: .*an address that holds a secret/),
  });
});

test('a recording has bounds', () => {
  const many = { ...madeRecording([click]), turns: Array(1_001).fill(madeRecording([click]).turns[0]) };
  expect(() => readRecording(JSON.stringify(many), 'order.json')).toThrow(/turns: /);
  expect(() => readRecording(' '.repeat(20_000_001), 'order.json')).toThrow(/order\.json: .*too large/);
});

test.each(['', '{'])(
  'a file that is no recording, %o, is an error, not a failure of the site',
  async text => {
    const { config } = folders();
    writeFileSync(join(config, 'order.json'), text);
    const task = { configDir: config, specName: 'order' } as unknown as SessionTask;
    const { run } = replay({ recordings: '.' });
    await expect(run(task)).rejects.toThrow(/order\.json: not JSON/);
  },
);

test.each([
  '../beside/key.pem',
  '/etc/passwd',
  'C:\\keys.pem',
  'link/key.pem',
  'key.pem',
  'kept/../../beside/key.pem',
])('a recording uploads nothing from outside the config’s folder: %s', file => {
  const { config } = folders();
  const task = { configDir: config, secrets: {}, entryUrl: 'http://shop.test/' } as unknown as SessionTask;
  const upload = madeAction({ do: 'upload', locator: 'x', files: ['bill.pdf', file] });
  expect(() => resolved(upload, task)).toThrow(/^the recording uploads ".*", which is outside .*config/);
  expect(resolved({ ...upload, files: ['./bill.pdf'] }, task)).toMatchObject({
    files: [join(config, 'bill.pdf')],
  });
  expect(recordingOf(recordOf([{ ...upload, files: ['../x'] }]))).toEqual({
    problem: expect.stringMatching(/^turn 1: .*"\.\.\/x", which is outside/),
  });
});

const healing = (file: string) =>
  recordOf([click], { replayed: true, healed: { turn: 1, reason: 'gone', recording: file } });

test.each([
  '../beside/order.json',
  '/tmp/taskproof-healed.json',
  'link/order.json',
  'none.json',
  'kept/order.js',
  'kept/order',
])('a healed recording is not written as %s', file => {
  const { above, config } = folders();
  const before = filesBelow(above);
  const spec = { planned: { id: 'order' }, project: 'a', tests: [], pick: recordingOf(healing(file)) };
  const lines = writeRecordings([spec], fakeConfig(), config);
  expect(lines).toEqual([
    expect.stringMatching(/^no recording of order \[a\]: .* is not a \.json file below/),
  ]);
  expect(filesBelow(above)).toEqual(before);
});

test('only the process that ran the trials writes recordings: merging reports writes none', async () => {
  const { config, above } = folders();
  const before = filesBelow(above);
  const project = fakeProject('a');
  const planned = { id: 'order', file: 'order.yaml', policy: { k: 1, minPasses: 1 }, replayed: true };
  const annotations = planAnnotations(planned);
  const hostile = fakeTest({ title: 'order · replay 1/1', project, annotations });
  const result = fakeResult({ annotations, record: healing('kept/order.json') });
  const out = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  onTestFinished(() => out.mockRestore());
  const reporter = new TaskproofReporter({ outputFile: 'results.json' });
  reporter.onBegin(fakeConfig([project], { configFile: join(config, 'c.ts') }), fakeSuite([hostile]));
  reporter.onTestEnd(hostile, result);
  await reporter.onEnd({ status: 'passed', duration: 1, startTime: new Date() });
  expect(out.mock.calls.join('')).toContain('healed at turn 1');
  expect(filesBelow(above).filter(file => !before.includes(file))).toEqual([
    relative(above, join(config, 'results.json')),
  ]);
});
