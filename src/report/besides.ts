// What makes a run red besides its verdicts: ordinary tests, hooks and set-ups.
import type { FullResult, TestCase, TestError } from '@playwright/test/reporter';
import { wasLeftOut } from '../playwright/inside/results';
import { oneLine } from '../text/line';
import { fileAndLine } from './render/trial-notes';
import { firstError } from './trials';

const inWords = ({ title, location }: TestCase) => `"${title}" at ${fileAndLine(location)}`;

interface Besides {
  ordinary: readonly TestCase[];
  /** Outside of tests, such as a global set-up's. */
  errors: readonly TestError[];
  config: { failOnFlakyTests?: boolean };
  /** Specs that did not pass. */
  lost: readonly unknown[];
  ended: FullResult['status'];
}

export function failedBesides({ ordinary, errors, config, lost, ended }: Besides): string[] {
  const red = config.failOnFlakyTests ? ['unexpected', 'flaky'] : ['unexpected'];
  const failed = ordinary.filter(test => red.includes(test.outcome()));
  const told = failed.map(
    test => `${inWords(test)}: ${test.outcome() === 'flaky' ? 'flaky' : errorOf(test)}`,
  );
  const outside = errors.map(({ message, value = '' }) => message ?? value);
  const idle = ordinary.filter(test => wasLeftOut(test)).map(test => `${inWords(test)} did not run`);
  const all = [...told, ...outside, ...idle].map(text => oneLine(text, 300));
  const isExplained = all.length || lost.length || ended !== 'failed';
  return isExplained ? all : ['it failed for another reason: see its output'];
}

const errorOf = (test: TestCase) => firstError(test.results.at(-1)!);

/** If ordinary tests did not run although the run passed, a tolerated failure is why. */
export function leftOutOf(ordinary: readonly TestCase[], { status }: FullResult): string[] {
  return ordinary.filter(test => status === 'passed' && wasLeftOut(test)).map(inWords);
}
