// The judge's test set, as a judge is given it.
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
      const { kind, passes, why, ...trial } = JSON.parse(text);
      const screenshots = trial.screenshots.map((/** @type {any} */ { file, ...shot }) => ({
        ...shot,
        image: readFileSync(join(folder, name, file)),
      }));
      return { name, kind, passes, why, trial: { ...trial, rubric: trial.spec.judge, screenshots } };
    });
}
