import { expect, test } from 'vitest';
import { resultsFile, suite } from './suite';

const files = (before: string, after: string) => ({
  'taskproof-baseline.json': before,
  'taskproof-results.json': after,
});

test('a suite that is compared with itself, in one line', async () => {
  const steady = resultsFile({ cart: 'ppppp', docs: 'ppppp' });
  const { taskproof } = suite(files(steady, steady));
  const { code, out, err } = await taskproof(['aa']);
  expect([code, err]).toEqual([0, '']);
  expect(out).toMatch(
    /^If nothing changed, diff would be red in \d+\.\d% of runs, and confirm in \d\.\d% \(2 specs\)\.( With k \d+, diff would be red in at most 5%\.)?$/,
  );
  const json = JSON.parse((await taskproof(['aa', '--json'])).out);
  expect(json).toMatchObject({ schemaVersion: '1', specs: 2, pairs: 2_000 });
  expect(out).toContain(`red in ${(json.diff * 100).toFixed(1)}% of runs`);
});

test('runs that stop early are drawn as such', async () => {
  const specs = Array.from({ length: 4 }, (_, index) => [`s${index}`, 'pppffssssssss']);
  const whole = resultsFile(Object.fromEntries(specs));
  const stopped = whole.replaceAll('"verdict":', '"earlyStop":true,"verdict":');
  const { out } = await suite(files(stopped, stopped)).taskproof(['aa', '--json']);
  // With all trials on one of the sides 11.5%.
  expect(JSON.parse(out).diff).toBeLessThan(0.09);
});

test('where no k is enough, confirm decides', async () => {
  const shaky = resultsFile(
    Object.fromEntries(Array.from({ length: 3 }, (_, index) => [`s${index}`, 'pppff'])),
  );
  const { taskproof } = suite(files(shaky, shaky));
  expect((await taskproof(['aa'])).out).toContain('No k up to 25 brings diff under 5%');
});

test('sides without a spec in common', async () => {
  const { taskproof } = suite(files(resultsFile({ cart: 'pp' }), resultsFile({ docs: 'pp' })));
  const { code, err } = await taskproof(['aa']);
  expect([code, err]).toEqual([
    1,
    'taskproof-baseline.json and taskproof-results.json have no spec in common that was graded in both. Save one with `taskproof baseline save` after a run on the main branch.',
  ]);
});
