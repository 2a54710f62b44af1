// How many trials are played at once, and who decides.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FullConfig, Suite, TestCase } from '@playwright/test/reporter';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { PlannedTest } from '../../../src/report/planning';
import { chooseWorkers, mostWaiting } from '../../../src/report/workers';
import { fakeConfig, fakeProject, fakeTest } from '../../support/fake-suite';
import { tempFolder } from '../../support/temp-folder';

const GB = 2 ** 30;
const BIG = { cores: 64, memory: 512 * GB };
const argv = process.argv;
let write: { mock: { calls: unknown[][] } };

beforeEach(() => {
  process.argv = ['node', 'playwright', 'test'];
  write = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
});
afterEach(() => {
  process.argv = argv;
  vi.restoreAllMocks();
});

interface Given {
  name: string;
  /** Trials; those of the last index are left out. */
  trials?: number;
  ordinary?: number;
  excluded?: number;
  /** What the project says itself. */
  workers?: number;
  waits?: boolean;
  earlyStop?: boolean;
  k?: number;
}

async function chosen(given: readonly Given[], { own = 4, machine = BIG, config = '' } = {}) {
  const planned: PlannedTest[] = [];
  const excluded = new Set<TestCase>();
  const suites = given.map(({ name, trials = 0, ordinary = 0, k = 1, waits = true, ...more }) => {
    const project = fakeProject(name);
    const agent = { name: 'mine', waits, run: async () => undefined };
    const tests = Array.from({ length: trials + ordinary + (more.excluded ?? 0) }, () =>
      fakeTest({ project }),
    );
    for (const [i, each] of tests.slice(0, trials).entries()) {
      const plan = { id: `spec-${Math.floor(i / k)}`, ...(more.earlyStop ? { earlyStop: true } : {}) };
      planned.push({ test: each, plan, project, options: { known: true, value: { agent } } } as never);
    }
    for (const each of tests.slice(trials + ordinary)) excluded.add(each);
    return { project: () => project, allTests: () => tests, _fullProject: { workers: more.workers } };
  });
  const made: FullConfig = fakeConfig([], { workers: own, configFile: configFile(config) });
  await chooseWorkers(made, { suites } as unknown as Suite, planned, excluded, machine);
  const limits = Object.fromEntries(
    suites.map(({ project, _fullProject }) => [project().name, _fullProject.workers]),
  );
  return { workers: made.workers, limits, said: write.mock.calls.map(([text]) => String(text)).join('') };
}

function configFile(text: string): string {
  const file = join(tempFolder(), 'playwright.config.cjs');
  writeFileSync(file, `module.exports = {${text}};`);
  return file;
}

test.each([
  ['cores', { cores: 2, memory: 64 * GB }, 8],
  ['memory', { cores: 8, memory: 8 * GB }, 10],
  ['neither', BIG, 32],
])('what a machine can play at once is bounded by %s', (_, machine, most) => {
  expect(mostWaiting(machine)).toBe(most);
});

describe('workers', () => {
  test('trials that wait for a model get more', async () => {
    const { workers, said } = await chosen([{ name: 'opus', trials: 100 }]);
    expect(workers).toBe(32);
    expect(said).toContain('taskproof: 32 workers instead of 4: trials of mine mostly wait for a model');
  });

  test('no more than there are trials', async () => {
    expect((await chosen([{ name: 'opus', trials: 6, excluded: 3 }])).workers).toBe(6);
  });

  test.each<[string, Given]>([
    ['agents that do not wait', { name: 'lexical', trials: 100, waits: false }],
    ['a few trials among ordinary tests', { name: 'e2e', trials: 5, ordinary: 100 }],
    ['fewer trials than workers', { name: 'opus', trials: 3 }],
    ['a project that wants no more', { name: 'opus', trials: 100, workers: 2 }],
  ])("Playwright's own number stays for %s", async (_, given) => {
    expect(await chosen([given])).toMatchObject({ workers: 4, said: '' });
  });

  test("a project's own number bounds its trials", async () => {
    expect((await chosen([{ name: 'opus', trials: 100, workers: 12 }])).workers).toBe(12);
  });

  test('with earlyStop a spec has one trial at a time', async () => {
    expect((await chosen([{ name: 'opus', trials: 60, k: 6, earlyStop: true }])).workers).toBe(10);
  });

  test('other projects keep together what they had', async () => {
    const { workers, limits } = await chosen([
      { name: 'opus', trials: 100 },
      { name: 'chromium', ordinary: 60 },
      { name: 'replay', trials: 60, waits: false },
      { name: 'one', ordinary: 60, workers: 1 },
    ]);
    expect(workers).toBe(32);
    expect(limits).toEqual({ opus: undefined, chromium: 2, replay: 2, one: 1 });
  });
});

describe('the user decides', () => {
  test.each([[['--workers=1']], [['--workers', '1']], [['-j', '1']], [['-j1']]])(
    'on the command line: %j',
    async args => {
      process.argv.push(...args);
      expect(await chosen([{ name: 'opus', trials: 100 }], { own: 1 })).toMatchObject({
        workers: 1,
        said: '',
      });
    },
  );

  test('in the config, and the run says what it forgoes', async () => {
    const { workers, said } = await chosen([{ name: 'opus', trials: 100 }], { own: 1, config: 'workers: 1' });
    expect(workers).toBe(1);
    expect(said).toContain(
      'taskproof: 1 trial at once, although 32 could run: the config sets `workers`, but',
    );
  });

  test('not by a config whose `workers` is undefined', async () => {
    expect((await chosen([{ name: 'opus', trials: 9 }], { config: 'workers: undefined' })).workers).toBe(9);
  });
});
