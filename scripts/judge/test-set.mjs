// Loads the judge's test set, and counts how often a judge agrees with its labels.
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

export const FOLDER = resolve(import.meta.dirname, '../../tests/data/judge');

/**
 * @typedef {object} LabelledTrial
 * @property {string} name
 * @property {string} kind what is right or wrong with it
 * @property {boolean} passes the right verdict
 * @property {string} why
 * @property {any} trial without its budget and its signal
 */

/** @returns {LabelledTrial[]} */
export function readTestSet(folder = FOLDER) {
  return readdirSync(folder)
    .sort()
    .map(name => {
      const text = readFileSync(join(folder, name, 'trial.json'), 'utf8');
      const { kind, passes, why, shows: _, ...trial } = JSON.parse(text);
      const screenshots = trial.screenshots.map((/** @type {any} */ { file, ...shot }) => ({
        ...shot,
        image: readFileSync(join(folder, name, file)),
      }));
      return { name, kind, passes, why, trial: { ...trial, rubric: trial.spec.judge, screenshots } };
    });
}

/**
 * @typedef {object} Judged
 * @property {string} name
 * @property {string} kind
 * @property {boolean} passes the right verdict
 * @property {boolean | null} passed the judge's verdict; null if there is none
 * @property {string} reason
 * @property {number | null} costUsd
 */

/**
 * @param {readonly Judged[]} all
 * @param {typeof import('../../src/verdicts/agreement').agreementOf} agreementOf
 * @param {typeof import('../../src/verdicts/statistics').wilsonInterval} interval
 * @returns {string} for the terminal
 */
export function summary(all, agreementOf, interval) {
  const counts = (/** @type {readonly Judged[]} */ some) =>
    agreementOf(some.map(({ passes, passed }) => ({ label: passes, passed })));
  const { labels, agreed, right, falsePasses, falseFails, alpha, alphaInterval } = counts(all);
  const errors = all.length - labels;
  const percent = (/** @type {number} */ share) => `${Math.round(share * 100)}%`;
  const line = (
    /** @type {string} */ title,
    /** @type {number} */ count,
    /** @type {number} */ of,
    note = '',
  ) => {
    const bounds = interval(count, of);
    const share = bounds
      ? `${percent(count / of)} (95%: ${percent(bounds[0])} to ${percent(bounds[1])})`
      : '';
    return `  ${title.padEnd(20)}${`${count}/${of}`.padStart(7)}  ${share}${note}`;
  };
  const kinds = [...new Set(all.map(({ kind }) => kind))];
  const wrong = all.filter(({ passes, passed }) => passes !== passed);
  const cost = all.reduce((sum, { costUsd }) => sum + (costUsd ?? Number.NaN), 0);
  return [
    line('agreement', agreed, labels),
    line('false passes', falsePasses, labels - right, ', of those that are wrong'),
    line('false fails', falseFails, right, ', of those that are right'),
    `  ${"Krippendorff's alpha".padEnd(20)}${(alpha ?? Number.NaN).toFixed(2).padStart(7)}  (95%: ${alphaInterval?.map(each => each.toFixed(2)).join(' to ')})`,
    ...(errors ? [`  ${'no judgement'.padEnd(20)}${`${errors}/${all.length}`.padStart(7)}`] : []),
    '',
    'Agreement by kind',
    ...kinds.map(kind => {
      const { agreed, labels } = counts(all.filter(each => each.kind === kind));
      return line(kind, agreed, labels);
    }),
    ...(wrong.length ? ['', 'Where they differ'] : []),
    ...wrong.map(
      ({ name, passed, passes, reason }) =>
        `  ${name}: ${passed === null ? 'no judgement' : passed ? 'passed' : 'failed'} instead of ${passes ? 'passed' : 'failed'}: ${reason}`,
    ),
    '',
    `Cost: ${Number.isNaN(cost) ? 'unknown' : `$${cost.toFixed(4)}`}`,
  ].join('\n');
}
