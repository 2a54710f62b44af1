import { compileFunction } from 'node:vm';
import { expect, test } from 'vitest';
import { sourceOfCall } from '../../../../src/playwright/inside/calls';

test.each([
  '/repo/a.spec.ts',
  '/repo/app/(group)/a.spec.ts',
  '/repo/two words/a.spec.ts',
  'C:\\Program Files (x86)\\app\\a.spec.ts',
])('a call in %s is found there', async file => {
  const helper = () => sourceOfCall(helper);
  const called = (code: string) => compileFunction(`\n${code}`, ['helper'], { filename: file })(helper);
  for (const code of [
    'helper()',
    '(async () => { await 1; return helper() })()',
    'new (class A { b = helper() })().b',
  ])
    expect(await called(`return ${code}`)).toMatchObject({ file, line: 2 });
});
