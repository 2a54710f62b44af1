// What makes a run red besides its verdicts: ordinary tests, hooks and set-ups.
import type { FullResult, TestCase, TestError } from '@playwright/test/reporter';
import { wasLeftOut } from '../playwright/inside/results';
import { oneLine } from '../text/line';
import { fileAndLine } from './render/trial-notes';
import { firstError } from './trials';

const inWords = ({ title, location }: TestCase) => `"${title}" at ${fileAndLine(location)}`;

/** @param errors outside of tests, such as a global set-up's */
export function failedBesides(ordinary: readonly TestCase[], errors: readonly TestError[]): string[] {
  const failed = ordinary.filter(test => test.outcome() === 'unexpected');
  const told = failed.map(test => `${inWords(test)}: ${firstError(test.results.at(-1)!)}`);
  const idle = ordinary.filter(test => wasLeftOut(test)).map(test => `${inWords(test)} did not run`);
  return [...told, ...errors.map(({ message = '' }) => message), ...idle].map(text => oneLine(text, 300));
}

/** If ordinary tests did not run although the run passed, a tolerated failure is why. */
export function leftOutOf(ordinary: readonly TestCase[], { status }: FullResult): string[] {
  return ordinary.filter(test => status === 'passed' && wasLeftOut(test)).map(inWords);
}
