// Text of others that is shown: it moves no terminal, turns no line, and is no command to a CI runner.
import { expect } from 'vitest';

/** What moves a terminal's cursor or colours it, turns the direction of a line or joins words unseen, and what no XML may hold. */
export const CONTROL = /(?![\u200d\t\n])[\p{Cc}\p{Cf}\u2028\u2029\ufffe\uffff]/u;

/** @param text in which a text with "boom" is shown */
export function expectHarmless(text: string): void {
  expect(text, 'the text was shown').toContain('boom');
  for (const line of text.split('\n')) {
    expect(line, JSON.stringify(line)).not.toMatch(CONTROL);
    expect(line, JSON.stringify(line)).not.toMatch(/^\s*::|##((vso|teamcity)?\[)/i);
  }
}
