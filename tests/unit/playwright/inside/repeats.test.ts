import type { TestCase } from '@playwright/test/reporter';
import { expect, test } from 'vitest';
import { shareWorkers } from '../../../../src/playwright/inside/repeats';

const declared = (modes: readonly string[], hooks: readonly string[] = []) => {
  const parent = modes.reduce<object | undefined>(
    (outer, _parallelMode) => ({ _parallelMode, _hooks: hooks.map(type => ({ type })), parent: outer }),
    undefined,
  );
  const planned = { parent, repeatEachIndex: 3, _workerHash: 'pool-agents-3', _planAnnotations: [] };
  return planned as unknown as TestCase & typeof planned;
};

test.each<[string, ReturnType<typeof declared>, boolean, string]>([
  ['of a parallel project', declared(['none', 'parallel', 'none']), true, 'pool-agents-taskproof'],
  ['with a hook of each test', declared(['parallel'], ['beforeEach']), true, 'pool-agents-taskproof'],
  ['with a hook of all tests', declared(['parallel'], ['beforeAll']), true, 'pool-agents-3'],
  ['with a hook after all tests', declared(['parallel'], ['afterAll']), true, 'pool-agents-3'],
  ['in a serial describe', declared(['parallel', 'serial']), true, 'pool-agents-3'],
  ['in a default describe', declared(['parallel', 'default']), true, 'pool-agents-3'],
  ['of a project that is not parallel', declared(['none', 'none']), true, 'pool-agents-3'],
  ['on a Playwright that was not checked', declared(['parallel']), false, 'pool-agents-3'],
])('the worker of a trial %s', (_, trial, isKnown, hash) => {
  shareWorkers([trial], isKnown);
  const isShared = hash.endsWith('taskproof');
  expect(trial._workerHash).toBe(hash);
  expect(trial._planAnnotations).toEqual(isShared ? [{ type: '_taskproof-repeat', description: '3' }] : []);
});
