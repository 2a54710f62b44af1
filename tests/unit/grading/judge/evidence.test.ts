// What a judge is shown of a trial: which pictures, and how long texts are cut.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  candidates,
  described,
  mostRelevant,
  pictures,
  quoted,
  recordedEvidence,
  type ScoredScreenshot,
  taskText,
} from '../../../../src/grading/judge/evidence';
import { jpeg, judgedTrial, shots } from './trials';

const scored = (...scores: (number | null)[]): ScoredScreenshot[] =>
  scores.map((score, index) => ({
    screenshot: { name: `${index}`, turn: index, image: jpeg(index) },
    score,
    shows: score === null ? null : `picture ${index}`,
  }));
const names = (some: readonly ScoredScreenshot[]) => some.map(({ screenshot }) => screenshot.name).join('');

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
    quoted('screenshot description', 'after turn 1: picture 1\nafter turn 3: picture 3'),
  );
  expect(described(all, all)).toEqual([]);
  expect(described(scored(null, null), [])).toEqual([]);
});

test('pictures are numbered, each with its turn and what it shows', () => {
  const [first, last] = scored(4, null);
  const content = pictures([first!, { ...last!, screenshot: { ...last!.screenshot, turn: null } }]);
  expect(content.map(block => (block.type === 'text' ? block.text : block.type))).toEqual([
    'Screenshot 1 of 2, after turn 0:',
    'image',
    quoted('screenshot description', 'picture 0'),
    'Screenshot 2 of 2, the state at the end:',
    'image',
  ]);
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

test('the task, with key points once they are known', () => {
  const trial = judgedTrial();
  expect(taskText(trial)).toBe(
    `<task>\n<goal>\n${trial.spec.goal}\n</goal>\n<rubric>\n${trial.rubric}\n</rubric>\n</task>`,
  );
  expect(taskText(trial, ['It is so', 'It was once'])).toBe(
    `${taskText(trial)}\n<key_points>\n1. It is so\n2. It was once\n</key_points>`,
  );
});

test('turns, the address, the page and the checks, each quoted', () => {
  const { text } = recordedEvidence({
    ...judgedTrial(),
    turns: [
      {
        ...{ number: 1, url: 'http://x/', narration: ' I look.\n Then I pay. ' },
        actions: [{ title: 'click "Pay"' }, { title: 'click "Send"', error: 'it is covered' }],
      },
      { number: 2, url: 'http://x/end', narration: ' \n', actions: [] },
    ],
    ...{ finalUrl: '', finalText: 'Thanks <3' },
    assertions: [
      { title: 'a', passed: true },
      { title: 'b', passed: false },
    ],
  });
  expect(text).toBe(
    [
      quoted(
        'turns',
        [
          'Turn 1, which ended at http://x/',
          '- did: click "Pay"',
          '- did: click "Send" (error: it is covered)',
          '- the agent said: I look.\n    Then I pay.',
          '',
          'Turn 2, which ended at http://x/end',
        ].join('\n'),
      ),
      '<evidence kind="final address">\n(nothing)\n</evidence>',
      '<evidence kind="final page text">\nThanks &lt;3\n</evidence>',
      quoted('automatic checks', 'held: a\ndid not hold: b'),
    ].join('\n\n'),
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
