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

/** @typedef {(passes: number, n: number) => [number, number] | null} Interval */

/** @param {readonly Judged[]} all */
export function agreement(all) {
  const judged = all.filter(({ passed }) => passed !== null);
  const bad = judged.filter(({ passes }) => !passes);
  const good = judged.filter(({ passes }) => passes);
  const count = (/** @type {readonly Judged[]} */ list, /** @type {boolean} */ agree) =>
    list.filter(({ passes, passed }) => (passes === passed) === agree).length;
  return {
    agreement: { count: count(judged, true), of: judged.length },
    falsePasses: { count: count(bad, false), of: bad.length },
    falseFails: { count: count(good, false), of: good.length },
    errors: all.length - judged.length,
  };
}

/**
 * @param {readonly Judged[]} all
 * @param {Interval} interval
 * @returns {string} for the terminal
 */
export function summary(all, interval) {
  const { agreement: agreed, falsePasses, falseFails, errors } = agreement(all);
  const percent = (/** @type {number} */ share) => `${Math.round(share * 100)}%`;
  const line = (
    /** @type {string} */ title,
    /** @type {{ count: number, of: number }} */ { count, of },
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
    line('agreement', agreed),
    line('false passes', falsePasses, ', of those that are wrong'),
    line('false fails', falseFails, ', of those that are right'),
    ...(errors ? [`  ${'no judgement'.padEnd(20)}${`${errors}/${all.length}`.padStart(7)}`] : []),
    '',
    'Agreement by kind',
    ...kinds.map(kind => line(kind, agreement(all.filter(each => each.kind === kind)).agreement)),
    ...(wrong.length ? ['', 'Where they differ'] : []),
    ...wrong.map(
      ({ name, passed, passes, reason }) =>
        `  ${name}: ${passed === null ? 'no judgement' : passed ? 'passed' : 'failed'} instead of ${passes ? 'passed' : 'failed'}: ${reason}`,
    ),
    '',
    `Cost: ${Number.isNaN(cost) ? 'unknown' : `$${cost.toFixed(4)}`}`,
  ].join('\n');
}
