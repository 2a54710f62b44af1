import { afterEach, expect, test, vi } from 'vitest';
import { secretMask } from '../../../src/text/mask';

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

/** What is written of one line on each of these topics. */
async function linesWith(DEBUG: string | undefined, said = () => 'it was so') {
  vi.stubEnv('DEBUG', DEBUG);
  vi.resetModules();
  const written: string[] = [];
  vi.spyOn(process.stderr, 'write').mockImplementation(text => Boolean(written.push(String(text))));
  const { debug, maskDebugLines } = await import('../../../src/text/debug');
  maskDebugLines(secretMask({ PASSWORD: 'violet' }));
  for (const topic of ['guard', 'tool'] as const) debug(topic, said);
  return written;
}

test.each([
  [undefined, ''],
  ['', ''],
  ['pw:*', ''],
  ['taskproof', ''],
  ['taskproof*', 'guard tool'],
  ['taskproof:*', 'guard tool'],
  ['*', 'guard tool'],
  ['pw:api,taskproof:tool', 'tool'],
  ['taskproof:guard taskproof:retry', 'guard'],
])('DEBUG=%s shows: %s', async (value, topics) => {
  const lines = await linesWith(value);
  expect(lines.map(line => /^ {2}taskproof:(\w+) it was so \+\d+ms\n$/.exec(line)?.[1]).join(' ')).toBe(
    topics,
  );
});

test('a line is one line, short and without secrets, and is only made if it is shown', async () => {
  const [line] = await linesWith('taskproof:tool', () => `fill "violet"\n::error::${'x'.repeat(600)}`);
  expect(line).toMatch(/^ {2}taskproof:tool fill "<secret>PASSWORD<\/secret>" : :error\S*x+… \+\d+ms\n$/);
  expect(line!.length).toBeLessThan(540);
  const said = vi.fn(() => '');
  await linesWith('pw:*', said);
  expect(said).not.toHaveBeenCalled();
});
