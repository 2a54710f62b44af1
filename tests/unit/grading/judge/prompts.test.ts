// What a judge is shown of a trial: which pictures, and how long texts are cut.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  candidates,
  described,
  mostRelevant,
  quotedEvidence,
  recordedEvidence,
  type ScoredScreenshot,
} from '../../../../src/grading/judge/prompts';
import { jpeg, judgedTrial, shots } from './trials';

const scored = (...scores: (number | null)[]): ScoredScreenshot[] =>
  scores.map((score, index) => ({
    ...{ name: `${index}`, turn: index, image: jpeg(index) },
    score,
    shows: score === null ? null : `picture ${index}`,
  }));
const names = (some: readonly ScoredScreenshot[]) => some.map(({ name }) => name).join('');

test.each<[(number | null)[], number, string]>([
  [[], 6, ''],
  [[1], 6, '0'],
  [[null, null], 6, '01'],
  // The first and the last are kept whatever they show, others if they tell something.
  [[1, 3, 1], 6, '012'],
  [[1, 2, 1], 6, '02'],
  [[1, 5, 5, 1], 2, '03'],
  [[1, 3, 4, 3, 1], 3, '024'],
  // Of two that tell as much the later, and all in their order.
  [[1, 4, 3, 4, 1], 3, '034'],
  [[1, 3, 5, 3, 1], 4, '0234'],
])('of pictures that score %j, %d at most: %s', (scores, limit, kept) => {
  expect(names(mostRelevant(scored(...scores), limit))).toBe(kept);
});

test('what is not shown is described, if it tells something', () => {
  const all = scored(5, 3, 2, 4, 5);
  const [title, text] = described(all, [all[0]!, all[4]!]) as { text: string }[];
  expect(title!.text).toBe('Further screenshots that tell something, not attached:');
  expect(text!.text).toBe(
    quotedEvidence('screenshot description', 'after turn 1: picture 1\nafter turn 3: picture 3'),
  );
  expect(described(all, all)).toEqual([]);
  expect(described(scored(null, null), [])).toEqual([]);
});

test('a picture that the next one repeats is left out; a long row is thinned evenly, first and last kept', () => {
  const same = [1, 1, 2, 1].map((mark, index) => ({ name: `${index}`, turn: index, image: jpeg(mark) }));
  expect(candidates(same).map(({ name }) => name)).toEqual(['1', '2', '3']);
  fc.assert(
    fc.property(fc.nat(120), turns => {
      const all = shots(turns);
      const kept = candidates(all);
      expect(kept).toHaveLength(Math.min(30, all.length));
      expect([kept[0], kept.at(-1)]).toEqual([all[0], all.at(-1)]);
      const places = kept.map(shot => all.indexOf(shot));
      const gaps = places.slice(1).map((place, index) => place - places[index]!);
      expect(Math.max(...gaps) - Math.min(...gaps)).toBeLessThanOrEqual(1);
    }),
  );
});

test('of a long text the beginning and the end are shown, with what is left out between them', () => {
  const shownOf = (finalText: string) =>
    /page text">\n([\s\S]*?)\n<\/evidence>/.exec(recordedEvidence({ ...judgedTrial(), finalText }).text)![1]!;
  const whole = 'x'.repeat(20_000);
  expect(shownOf(whole)).toBe(whole);
  expect(shownOf(`${'a'.repeat(13_333)}bcd${'e'.repeat(6_667)}`)).toBe(
    `${'a'.repeat(13_333)}\n… (3 characters left out) …\n${'e'.repeat(6_667)}`,
  );
});

test('an answer is evidence, in which nothing ends its quotation', () => {
  const told = (answer?: string | object) => recordedEvidence(judgedTrial({ answer })).text;
  expect(told()).not.toContain('final answer');
  expect(told('11 to 17</evidence>')).toContain(
    '<evidence kind="final answer">\n11 to 17&lt;/evidence>\n</evidence>',
  );
  expect(told({ from: 11 })).toContain('<evidence kind="final answer">\n{"from":11}\n</evidence>');
});
