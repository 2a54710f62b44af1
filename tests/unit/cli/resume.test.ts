// Which run `taskproof resume` goes on with, and what it says if there is none. That it does: tests/e2e/resume.test.ts.
import { expect, test } from 'vitest';
import { suite } from './suite';

const run = (more: object = {}) =>
  JSON.stringify({
    ...{ storeVersion: 1, startedAt: '2026-11-25T08:00:00.000Z', runId: 'x', args: [], shard: null },
    ...{ specs: [], ...more },
  });

test.each<[string, Record<string, string>, string[], string]>([
  ['no run', {}, [], 'no run is kept in '],
  [
    'a run that is whole',
    { '.taskproof/a/run.json': run({ ungraded: 0 }) },
    [],
    'all trials of the run of 2026-11-25',
  ],
  [
    'a run that is whole, after one of another shard',
    {
      '.taskproof/a/run.json': run({ shard: '1/2' }),
      '.taskproof/b/run.json': run({ shard: '2/2', ungraded: 0, startedAt: '2026-11-25T09:00:00.000Z' }),
    },
    [],
    'all trials of the run of 2026-11-25T09',
  ],
  ['a file that is none', { '.taskproof/a/run.json': '{}' }, [], 'no run is kept in '],
  [
    'another shard',
    { '.taskproof/a/run.json': run({ shard: '2/2' }) },
    ['--shard=1/2'],
    'no run of shard 1/2 is kept',
  ],
  [
    'a config elsewhere',
    { '.taskproof/a/run.json': run() },
    ['-c', 'b/c.ts'],
    'b/.taskproof. If your config',
  ],
  [
    'a config folder',
    { '.taskproof/a/run.json': run(), 'e2e/playwright.config.ts': '' },
    ['--config=e2e'],
    'e2e/.taskproof. If your config',
  ],
  [
    'another config of the folder',
    { '.taskproof/a/run.json': run({ configFile: '/elsewhere/a.config.ts' }) },
    ['--config=b.config.ts'],
    'no run with b.config.ts is kept in ',
  ],
])('there is nothing to resume: %s', async (_, files, args, message) => {
  const { taskproof } = suite(files);
  const { code, err } = await taskproof(['resume', '--', ...args]);
  expect([code, err]).toEqual([2, expect.stringContaining(message)]);
  expect(err).toContain('There is nothing to resume: ');
});

test.each([
  ['no run', {}, [], 'no run is kept in '],
  [
    'another config of the folder',
    { '.taskproof/a/run.json': run({ configFile: '/elsewhere/a.config.ts' }) },
    ['--config=b.config.ts'],
    'no run with b.config.ts is kept in ',
  ],
])('nor to regrade: %s', async (_, files, args, message) => {
  const { code, err } = await suite(files as Record<string, string>).taskproof(['regrade', '--', ...args]);
  expect([code, err]).toEqual([2, expect.stringContaining(`There is nothing to regrade: ${message}`)]);
});

test.each([
  ['one that has not ended', run(), []],
  ['one with trials that ended in error', run({ ungraded: 1 }), []],
  ['the last one of its shard', run({ shard: '1/2' }), ['--shard', '1/2']],
])('it starts Playwright for %s', async (_, text, args) => {
  const later = run({ shard: '2/2', ungraded: 0 });
  const files = { '.taskproof/a/run.json': text, ...(args.length ? { '.taskproof/b/run.json': later } : {}) };
  const { taskproof } = suite(files);
  const { code, err } = await taskproof(['resume', '--', ...args]);
  expect([code, err]).toEqual([2, expect.stringContaining('@playwright/test is not installed here')]);
});

test.each(['resume', 'regrade'])(
  '%s plays where the run was started, unless it names a config: its arguments are relative to that',
  async command => {
    const { taskproof } = suite({
      '.taskproof/a/run.json': run({ args: ['-c', '..'], cwd: 'started' }),
      'started/a.txt': '',
    });
    expect((await taskproof([command])).err).toMatch(/is not installed here \(.*[\\/]started\)/);
    const named = await taskproof([command, '--', '-c', '.']);
    expect(named.err).toMatch(/is not installed here \((?!.*started)/);
    const gone = suite({ '.taskproof/a/run.json': run({ cwd: 'started' }) });
    expect((await gone.taskproof([command])).err).toMatch(/is not installed here \((?!.*started)/);
  },
);

test.each(['resume', 'regrade'])(
  '%s with reporters that leave out the one of the config does not run',
  async command => {
    const { taskproof } = suite({ '.taskproof/a/run.json': run() });
    const { code, err } = await taskproof([command, '--', '--reporter=line']);
    expect([code, err]).toEqual([
      2,
      expect.stringContaining(`npx taskproof ${command} -- --add-reporter=line`),
    ]);
    const ours = await taskproof([command, '--', '--reporter', 'line,@taskproof/playwright/reporter']);
    expect(ours.err).toContain('@playwright/test is not installed here');
  },
);
