import { syncBuiltinESMExports } from 'node:module';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { planOf, policyAnnotation } from '../../../../src/playwright/run/plan';

test('a test has the same name on all systems', () => {
  const { sep } = path;
  const separate = (by: string) => {
    (path as { sep: string }).sep = by;
    syncBuiltinESMExports();
  };
  onTestFinished(() => separate(sep));
  separate('\\');
  const annotations = [policyAnnotation({ k: 2, minPasses: 1 })];
  const test = { title: 'buys', titlePath: ['e2e\\cart.spec.ts', 'buys'], annotations };
  expect(planOf(test as never, 'C:\\suite\\e2e\\cart.spec.ts', 'C:\\suite')).toMatchObject({
    file: 'e2e/cart.spec.ts',
    titlePath: ['e2e/cart.spec.ts', 'buys'],
  });
});
