import { expect, test } from 'vitest';
import { nearest } from '../../../src/text/nearest';

test.each<[string, string[], string | undefined]>([
  ['goal', ['goal'], 'goal'],
  // One letter in three may be wrong: inserted, left out, replaced, or swapped with its neighbour.
  ['goall', ['goal'], 'goal'],
  ['gol', ['goal'], 'goal'],
  ['goil', ['goal'], 'goal'],
  ['gaol', ['goal'], 'goal'],
  ['ogla', ['goal'], undefined],
  ['gxxl', ['goal'], undefined],
  ['abc', ['abd'], 'abd'],
  ['ab', ['ac'], undefined],
  ['abcdef', ['abcdxy'], 'abcdxy'],
  ['abcdef', ['abcxyz'], undefined],
  ['ab', ['abc'], 'abc'],
  // Case and separators don't count.
  ['MAX_STEPS', ['maxSteps'], 'maxSteps'],
  ['max steps', ['maxSteps'], 'maxSteps'],
  // The nearest of several; of equal ones the first.
  ['tags', ['bags', 'tag', 'tags'], 'tags'],
  ['cat', ['bat', 'hat'], 'bat'],
  ['x', [], undefined],
  ['', ['a'], undefined],
  // Longer words are no typos.
  ['a'.repeat(40), ['a'.repeat(40)], 'a'.repeat(40)],
  ['a'.repeat(41), ['a'.repeat(41)], undefined],
])('to %s among %j: %s', (word, known, expected) => expect(nearest(word, known)).toBe(expected));
