import { describe, expect, it } from 'vitest';
import { isUnfinished } from '../../../src/agents/model/conversation';
import { reasonIn } from '../../../src/browser/actions/perform';
import { inParagraphs } from '../../../src/browser/reading/page-tree';
import { controlInWords, MAX_LOCATOR } from '../../../src/data/action';
import { readRecording } from '../../../src/data/recording';
import { testTrial } from '../../../src/report/trials';
import { wordsIn } from '../../../src/text/goal-words';
import { beginning, shorten, thrownAt } from '../../../src/text/line';
import { fillSecrets } from '../../../src/text/mask';
import { factsOf, wayOfTurns } from '../../../src/verdicts/diagnosis/way';
import { madeAction, madeRecord, madeRecording } from '../../support/records';

// What a page, a model or a file from elsewhere may say, as long as it is let through. Where the work grows with the square of the
// length each of these takes minutes, and the limit of the test is the bound.
const MANY = 200_000;
const role = "getByRole('a', { name: 'b' ";

describe('a text of a page of any length takes no longer than it is long', () => {
  it('a path, also in a record and in a recording from elsewhere', () => {
    const path = `/${'1'.repeat(MANY)}z`;
    const looked = madeRecord({ finalUrl: `http://shop.test${path}` });
    expect(factsOf(looked).way.end).toMatch(/^\/1+…$/);
    const fingerprint = { url: path, content: '' };
    const reload = { do: 'reload', tab: 0, before: fingerprint, after: fingerprint } as const;
    const way = wayOfTurns([{ title: 't', actions: [{ title: 'a', recorded: [reload] }] }]);
    expect(way.actions[0]!.path).toMatch(/^\/1+…$/);
  });

  it.each([
    ['no-break spaces in a paragraph', `a${'\u00a0'.repeat(MANY)}b`],
    ['tabs and line breaks', `a\t\n${'\t'.repeat(MANY)}b`],
  ])('%s', (_, text) => {
    expect(inParagraphs(text)).toMatch(/^a\s+b$/);
  });

  it('a message of Playwright about a locator or an element', () => {
    expect(
      reasonIn(`locator.click: Timeout\n${'<s'.repeat(MANY)} intercepts pointer events`),
    ).toBeUndefined();
    expect(reasonIn(`waiting\n${'<s> '.repeat(MANY)} not enabled`)).toBe('it is disabled');
    expect(reasonIn(`${'<s\n'.repeat(MANY)}<p id="x">…</p> intercepts pointer events`)).toBe(
      'it is covered by <p id="x">',
    );
  });

  it('the error of an ordinary test', () => {
    const message = `Error: expect failed\n\nExpected: "1"\nReceived: "a${'\n'.repeat(MANY)}b"\n \nCall log:\n  - x`;
    const result = {
      errors: [{ message }],
      status: 'failed',
      attachments: [],
      annotations: [],
      steps: [],
      duration: 1,
    };
    expect(testTrial(0, result as never).trial.reason).toContain('expected "1"');
  });

  it('words without blanks', () => {
    expect(wordsIn('\u6f22'.repeat(MANY))).toHaveLength(MANY - 1);
  });

  it('the stack of an error that quotes it', () => {
    expect(thrownAt({ stack: `Error: ${'\n at '.repeat(9)}${'a:1'.repeat(MANY)}` })).toBe('');
    expect(thrownAt({ stack: 'Error\n    at go (/suite (1)/agent.ts:6:3)\n    at /x.ts:1:1' })).toBe(
      ' (agent.ts:6)',
    );
    expect(
      thrownAt({ stack: 'Error\n    at run (/a/node_modules/@taskproof/x.js:1:2)\n    at /x.ts:1:1' }),
    ).toBe('');
  });

  it('a line of which little is kept', () => {
    expect(shorten('\u{1F600}'.repeat(MANY), 3)).toBe('\u{1F600}\u{1F600}…');
    expect(shorten('\u{1F600}'.repeat(3), 3)).toBe('\u{1F600}'.repeat(3));
    expect(beginning('a'.repeat(MANY), 3)).toBe('aaa…');
  });
});

describe('so does what a model says', () => {
  it('with the beginning of a secret', () => {
    const text = `<secret>${' '.repeat(MANY)}`.repeat(2);
    expect(fillSecrets(text, { A: 'b' })).toBe(text);
    expect(fillSecrets('<secret> A </secret>', { A: 'b' })).toBe('b');
  });

  it('with one announcement after another', () => {
    expect(isUnfinished(`${'let me '.repeat(MANY)}say it. Done`)).toBe(false);
    expect(isUnfinished(`${'It is done. '.repeat(MANY)}Next, let me click`)).toBe(true);
  });
});

describe('so does a locator of a file from elsewhere', () => {
  it.each([
    ['getByRole(...', role.repeat(MANY)],
    ['with a name', "getByRole('a', { name: 'b', ".repeat(MANY)],
    ['that ends and goes on', "getByRole('a', { name: 'b' })".repeat(MANY)],
    ['by label', "getByLabel('a'".repeat(MANY)],
    ['with escapes', `getByLabel('${"\\'getByLabel('".repeat(MANY)}`],
  ])('in words: %s', (_, locator) => {
    expect(controlInWords(locator).length).toBeLessThanOrEqual(locator.length);
  });

  it('and a long one is refused', () => {
    const file = (locator: string) => JSON.stringify(madeRecording([madeAction({ do: 'click', locator })]));
    expect(readRecording(file('a'.repeat(MAX_LOCATOR)), 'a.json').turns).toHaveLength(1);
    expect(() => readRecording(file('a'.repeat(MAX_LOCATOR + 1)), 'a.json')).toThrow(/not a recording/);
  });
});
