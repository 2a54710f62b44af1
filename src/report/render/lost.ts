// The blocks of lost specs, and where to look further.
import { relative, resolve } from 'node:path';
import type { FullConfig } from '@playwright/test/reporter';
import type { Results } from '../../data/results';
import { few, oneLine } from '../../text/line';
import type { Diagnosed } from '../diagnose';
import type { SpecRun } from '../spec-run';
import { SIGNS, specLabel, specsAndTests } from './document';
import { atMost, SHOWN, TEXT_WIDTH, wrapped } from './terminal-writer';
import { sharedLine, whyLines } from './trial-notes';

const INDENT = '  ';
const DETAIL = '      ';

/**
 * The blocks of lost specs, below the findings that several specs share. Printed last, and shown at the top of the HTML report.
 *
 * @param more lines at the end
 */
export function lostSummary(
  lost: readonly SpecRun[],
  { specs }: Pick<Diagnosed, 'specs'>,
  { findings = [] }: Pick<Results, 'findings'>,
  more: readonly string[] = [],
): string {
  const shared = atMost(findings.map(sharedLine)).map(line => wrapped(line, TEXT_WIDTH, INDENT));
  const blocks = lost
    .filter(run => run.verdict.trials.length)
    .map(run => {
      const { verdict, passes, k, minPasses } = run.verdict;
      const why = whyLines({ ...run.verdict, diagnosis: specs.get(run) }, findings);
      return [
        `${INDENT}${SIGNS[verdict]} ${nameOf(run)} ${verdict}: ${passes}/${k} passed, needs ${minPasses}`,
        ...[...why, ...placeOf(run)].map(line => wrapped(oneLine(line, 600), TEXT_WIDTH - 4, DETAIL)),
      ].join('\n');
    });
  return [
    `taskproof: ${specsAndTests(lost.map(({ planned }) => planned))} did not pass`,
    ...shared,
    ...blocks,
    ...notRunLine(lost.filter(run => !run.verdict.trials.length)),
    ...more.map(line => INDENT + line),
  ].join('\n');
}

/** One line for all specs without a trial: a block for each would only repeat the reason. */
function notRunLine(runs: readonly SpecRun[]): string[] {
  if (!runs.length) return [];
  const causes = new Set(runs.flatMap(({ missingBecause }) => missingBecause ?? []));
  const why = causes.size ? `: ${oneLine([...causes].join('; '), 300)}` : '';
  const count = specsAndTests(runs.map(({ planned }) => planned));
  return [`${INDENT}${SIGNS.undecided} ${count} did not run${why} (${few(runs.map(nameOf), SHOWN)})`];
}

/** Where the first failed trial broke; without one, the first trial with an error. */
function placeOf({ entries }: SpecRun): string[] {
  const first = (outcome: string) => entries.find(({ trial }) => trial.outcome === outcome);
  const { result, test } = first('failed') ?? first('error') ?? {};
  const { file, line } = result?.error?.location ?? test?.location ?? {};
  return file === undefined ? [] : [`at ${relative('', file)}:${line}`];
}

export function whereToLook(
  { reporter }: Pick<FullConfig, 'reporter'>,
  outputFile: string,
  folder: string,
): string[] {
  const html = reporter.find(([name]) => name === 'html');
  const { outputFolder } = (html?.[1] ?? {}) as { outputFolder?: string };
  const report = outputFolder ? ` ${relative('', resolve(folder, outputFolder))}` : '';
  return [
    ...(html ? [`Each trial, step by step: npx playwright show-report${report}`] : []),
    `All verdicts as JSON: ${relative('', resolve(folder, outputFile))}`,
  ];
}

const nameOf = ({ name, project, replayed }: SpecRun) =>
  `${specLabel(name, project)}${replayed ? ', replayed,' : ''}`;
