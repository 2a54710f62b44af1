// What the reporter prints at the end of a run: a table of verdicts, and a block for each lost spec.
import { relative, resolve } from 'node:path';
import { stdout } from 'node:process';
import { stripVTControlCharacters } from 'node:util';
import type { FullConfig } from '@playwright/test/reporter';
import type { Results } from '../../data/results';
import { specName } from '../../data/row-names';
import type { ResultRow } from '../../data/verdict';
import { formatCost, formatDuration, plural } from '../../text/figures';
import { oneLine } from '../../text/line';
import { paint, useColour } from '../../text/print';
import { few } from '../../text/shorten';
import type { Diagnosed } from '../diagnose';
import type { SpecRun } from '../spec-run';
import { comparisonText } from './comparison';
import { type Columns, gridOf, haveAgents, SIGNS, STYLES, specLabel, specsAndTests } from './document';
import { displayWidth, table, wrapped } from './terminal-writer';
import {
  errorGroups,
  healings,
  isOpenElsewhere,
  NOT_YET,
  partsOf,
  partText,
  sharedLine,
  VERDICT_COLUMNS,
  verdictText,
  whyLines,
} from './trial-notes';

/** Characters in a line if the output goes to a log instead of a terminal. */
const DEFAULT_WIDTH = 100;
const INDENT = '  ';
const DETAIL = '      ';
/** The HTML report shows the blocks, too, and scrolls longer lines. */
const TEXT_WIDTH = 78;
/** Names of specs that did not run, findings that several specs met, and tolerated failures. */
const SHOWN = 5;

/**
 * The end of a run: a table of verdicts, projects side by side if they share specs, and a line that counts the verdicts. A
 * spec that passed and is compared is in the comparison only, and one that did not run in the summary of lost specs.
 */
export function verdictTable(results: Results, width = stdout.columns ?? DEFAULT_WIDTH): string {
  const colour = useColour(stdout);
  const { comparison } = results;
  const compared = new Set(comparison?.specs.map(({ spec }) => spec));
  const measured = results.verdicts.filter(row => !row.replayed);
  const ran = measured.filter(row => row.trials.length > 0);
  const rows = ran.filter(row => row.verdict !== 'passed' || !compared.has(specName(row)));
  const replayed = results.verdicts.filter(row => row.replayed);
  const part = partText(results);
  return [
    '',
    paint('bold', `Taskproof${part && ` (${oneLine(part, 300)})`}`, colour),
    ...tablesOf(rows, colour),
    ...otherShardsLines(results),
    ...toleratedLines(ran),
    ...(replayed.length ? replayedLines(replayed, colour) : []),
    ...errorLines(results),
    ...(comparison ? ['', comparisonText(comparison, { colour, width, indent: INDENT })] : []),
    '',
    `${INDENT}${countsLine(results)}`,
  ].join('\n');
}

/** Specs that no shard alone can judge. */
function otherShardsLines({ verdicts }: Results): string[] {
  const open = verdicts.filter(isOpenElsewhere);
  if (!open.length) return [];
  const one = open.length === 1;
  const text = `${specsAndTests(open)} ${one ? 'has its' : 'have their'} other trials in other shards. For the ${one ? 'verdict' : 'verdicts'} merge the blobs of all shards: npx playwright merge-reports --reporter=@taskproof/playwright/reporter <folder>`;
  return ['', wrapped(text, TEXT_WIDTH, INDENT)];
}

function tablesOf(rows: readonly ResultRow[], colour: boolean): string[] {
  const { specs, tests } = partsOf(rows);
  const parts = [specs, tests].filter(part => part.length).map(part => rowTable(part, colour));
  return parts.flatMap((part, index) => (index ? ['', part] : [part]));
}

const { spec, project, rate, turns, cost } = VERDICT_COLUMNS;
const COLUMNS: Columns<ResultRow> = {
  ...{ spec, project },
  verdict: row => ({ text: `${SIGNS[row.verdict]} ${verdictText(row)}`, style: STYLES[row.verdict] }),
  passes: ({ passes, k, minPasses, missing }) =>
    `${passes}/${k}, needs ${minPasses}${missing ? ` (${k - missing} ran)` : ''}`,
  ...{ rate, turns, cost },
};
/** Columns to leave out, one after the other, until the table fits the terminal. The results file has them all. */
const DISPENSABLE = ['turns', 'cost', 'rate'];

function rowTable(rows: readonly ResultRow[], colour: boolean): string {
  const interval = rows.some(row => row.replayed) ? '' : ' (95%)';
  const without = (left: readonly string[]) => {
    const columns = Object.entries(COLUMNS).filter(([name]) => !left.includes(name));
    const grid = gridOf(rows, Object.fromEntries(columns), ({ agent }) => agent);
    const right = ['turns', 'cost'].map(name => grid.head.indexOf(name));
    const head = grid.head.map(name => (name === 'rate' ? name + interval : name));
    return table({ ...grid, head }, { colour, right, indent: INDENT });
  };
  const several = new Set(rows.map(({ project }) => project)).size > 1;
  const dispensable = several ? DISPENSABLE : ['project', ...DISPENSABLE];
  const tables = [...dispensable, ''].map((_, count) => without(dispensable.slice(0, count)));
  return tables.find(fitsTerminal) ?? tables.at(-1)!;
}

/** Without a terminal there is no limit. */
function fitsTerminal(text: string): boolean {
  const { columns = Number.POSITIVE_INFINITY } = stdout;
  return text.split('\n').every(line => displayWidth(stripVTControlCharacters(line)) <= columns);
}

/** Failures that a passed verdict tolerates. Each lost spec has a block of its own instead. */
function toleratedLines(rows: readonly ResultRow[]): string[] {
  const told = rows
    .filter(row => row.verdict === 'passed' && row.diagnosis)
    .map(row => `Tolerated in ${specLabel(specName(row), row.project)}: ${whyLines(row)[0]}`);
  const lines = atMost(told).map(line => wrapped(oneLine(line, 300), TEXT_WIDTH, INDENT));
  return lines.length ? ['', ...lines] : [];
}

function atMost(lines: readonly string[]): string[] {
  const more = lines.length > SHOWN ? [`and ${lines.length - SHOWN} more in the results file`] : [];
  return [...lines.slice(0, SHOWN), ...more];
}

/** Replays have their own table: they show that the site still works as recorded, and measure no agent. */
function replayedLines(rows: readonly ResultRow[], colour: boolean): string[] {
  const healed = healings(rows).map(({ row, text }) =>
    paint('yellow', `${INDENT}${specLabel(specName(row), row.project)} ${text}`, colour),
  );
  return ['', `${INDENT}Replayed from recordings (measures no agent):`, rowTable(rows, colour), ...healed];
}

function errorLines({ verdicts }: Results): string[] {
  const groups = errorGroups(verdicts);
  if (!groups.length) return [];
  return [
    '',
    '  Not counted against the site:',
    ...groups.map(({ kind, trials, hint }) =>
      wrapped(`${plural(trials, 'trial')} with error: ${oneLine(kind, 100)}. ${hint}`, TEXT_WIDTH, INDENT),
    ),
  ];
}

function countsLine(results: Results): string {
  const { verdicts, durationMs, costUsd = null } = results;
  const { specs, tests, replayed } = partsOf(verdicts);
  const several = new Set(specs.map(({ spec }) => spec)).size < specs.length;
  const counts = [
    specs.length > 0 && `${plural(specs.length, several ? 'verdict' : 'spec')}: ${countsOf(specs)}`,
    tests.length > 0 && `${plural(tests.length, 'test')}: ${countsOf(tests)}`,
    replayed.length > 0 && `${replayed.length} replayed: ${countsOf(replayed)}`,
  ];
  const spent = haveAgents(verdicts, ({ agent }) => agent) ? `, ${formatCost(costUsd)}` : '';
  return `${counts.filter(Boolean).join('; ')} (${formatDuration(durationMs)}${spent})`;
}

function countsOf(rows: readonly ResultRow[]): string {
  const told = rows.flatMap(row => [verdictText(row), ...(row.healed ? ['healed'] : [])]);
  return [...Object.keys(SIGNS), NOT_YET, 'healed']
    .filter(name => told.includes(name))
    .map(name => `${told.filter(one => one === name).length} ${name}`)
    .join(', ');
}

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
      const { verdict, passes, k, minPasses, reason } = run.verdict;
      const why = whyLines({ verdict, reason, diagnosis: specs.get(run) }, findings);
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
