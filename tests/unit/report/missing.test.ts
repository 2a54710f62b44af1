// Why trials that were planned did not run, as far as the run itself can tell.
import type { FullResult } from '@playwright/test/reporter';
import { expect, test } from 'vitest';
import { whyMissing } from '../../../src/report/missing';
import { fakeConfig, fakeProject, fakeSuite, fakeTest } from '../../support/fake-suite';

const PROJECTS = [
  fakeProject('data'),
  fakeProject('login', { dependencies: ['data'] }),
  fakeProject('agents', { dependencies: ['login'] }),
];

interface Ran {
  project: string;
  /** Null for a test that did not run. */
  ok: boolean | null;
}

function why(ran: readonly Ran[], { status = 'failed', maxFailures = 0 } = {}): string | null {
  const tests = ran.map(({ project, ok }) =>
    fakeTest({
      project: fakeProject(project),
      inside: {
        results: ok === null ? [] : [{ status: ok ? 'passed' : 'failed', errors: [] }],
        ok: () => ok === true,
      },
    }),
  );
  const config = fakeConfig(PROJECTS, { maxFailures, globalTimeout: 90_000 });
  const waiting = new Set(tests.filter(({ results }) => !results.length));
  return whyMissing({ project: 'agents', tests: waiting }, fakeSuite(tests), config, {
    status,
  } as FullResult);
}

const failed = (project: string) => ({ project, ok: false });
const waiting = { project: 'agents', ok: null };

test.each<[string, Ran[], Parameters<typeof why>[1], string | null]>([
  ['interrupted', [failed('login')], { status: 'interrupted' }, 'the run was interrupted'],
  ['out of time', [], { status: 'timedout' }, 'the run reached its globalTimeout of 90 s'],
  ['a set-up failed', [failed('login'), waiting], {}, 'project "login" failed, which "agents" depends on'],
  [
    'the set-up of a set-up',
    [failed('data'), waiting],
    {},
    'project "data" failed, which "agents" depends on',
  ],
  ['another project failed', [failed('e2e'), { project: 'login', ok: true }, waiting], {}, null],
  ['-x', [failed('e2e'), waiting], { maxFailures: 1 }, 'the run stopped at its first failure (maxFailures)'],
  ['fewer than allowed', [failed('e2e'), waiting], { maxFailures: 2 }, null],
  [
    'so many failures',
    [failed('e2e'), failed('x')],
    { maxFailures: 2 },
    'the run stopped at 2 failures (maxFailures)',
  ],
  [
    'a hook of the file failed, and Playwright tolerates it',
    [failed('agents'), waiting],
    {},
    'Playwright skipped tests of tasks.spec.ts after a failure in "cart": the test ended as "failed"',
  ],
  ['a set-up that did not run', [{ project: 'login', ok: null }, waiting], {}, null],
])('%s', (_, ran, run, reason) => {
  expect(why(ran, run)).toBe(reason);
});
