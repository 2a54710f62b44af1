// The end of a run: the verdicts, what was lost and why, errors, projects side by side, cost. In the terminal, and as a summary for
// $GITHUB_STEP_SUMMARY.
import { stdout } from 'node:process';
import { specName } from '../../data/plan';
import type { Results } from '../../data/results';
import type { ResultRow } from '../../data/verdict';
import { few, oneLine } from '../../text/line';
import { formatCost, formatDuration, formatRate, plural, useColour, withModel } from '../../text/print';
import { rateOf, sensitivityText } from '../../verdicts/statistics';
import { countsAtStop } from '../../verdicts/verdict';
import { comparisonDocument } from './comparison';
import {
  type Columns,
  type Document,
  gridOf,
  type Item,
  joined,
  projectOf,
  SIGNS,
  STYLES,
  specLabel,
  specsAndTests,
} from './document';
import { summaryWriter } from './markdown-writer';
import { atMost, terminalWriter } from './terminal-writer';
import {
  errorItems,
  isHealed,
  lastPicture,
  lostItem,
  partText,
  sharedLine,
  takenOverText,
  whyLines,
} from './trial-notes';

export function verdictTable(results: Results): string {
  const to = terminalWriter({ colour: useColour(stdout), indent: '  ' });
  return `\n${runDocument(results)(to)}`;
}

export const renderSummary = (results: Results) => `${runDocument(results)(summaryWriter)}\n`;

/** In a terminal, the run's error shows the lost specs. */
function runDocument(results: Results): Document {
  const { comparison, verdicts, findings = [], status } = results;
  const lost = verdicts.filter(({ verdict }) => verdict !== 'passed');
  const passed = verdicts.filter(({ verdict }) => verdict === 'passed');
  const all = verdictsOf([...lost, ...passed]);
  const ran = verdictsOf(verdicts.filter(({ trials }) => trials.length > 0));
  const shared = findings.map(each => ({ text: `${sharedLine(each)} (${few(each.specs, 10)})` }));
  const ks = verdicts.filter(({ replayed }) => !replayed).map(({ k }) => k);
  const foldedAll: Document = to => to.folded(`All ${plural(verdicts.length, 'verdict')}`, all);
  // The comparison is enough for most readers.
  const inMarkdown = comparison ? foldedAll : all;
  return to =>
    joined([
      to.heading(status, partText(results)),
      to.ranked([
        to.lines([countsLine(results)]),
        to.items([...judgeLines(results), ...apiLines(results)].map(text => ({ text }))),
        to.isMarkdown && to.section('In the way of several specs', to.items(shared)),
        to.isMarkdown && to.section('Not passed', to.items(lost.map(row => lostItem(row, lastPicture(row))))),
        to.section('Not counted against the site', to.items(errorItems(verdicts))),
        to.isMarkdown && sensitivityText(ks),
        comparison !== undefined && comparisonDocument(comparison)(to),
        to.items(tolerated(verdicts)),
        to.items(takenOver(verdicts)),
        to.items(otherShards(verdicts)),
        to.isMarkdown ? inMarkdown(to) : ran(to),
      ]),
    ]);
}

const COLUMNS: Columns<ResultRow> = {
  spec: specName,
  project: projectOf,
  verdict: row => ({
    text: `${SIGNS[row.verdict]} ${row.verdict}`,
    style: STYLES[row.verdict],
    strong: row.verdict !== 'passed',
  }),
  passes: ({ verdict, passes, k, minPasses, failures, errors, missing }) => {
    const tolerated = verdict === 'passed' && failures + errors;
    return `${passes}/${k}, needs ${minPasses}${tolerated ? `, ${tolerated} tolerated` : ''}${missing ? ` (${k - missing} ran)` : ''}`;
  },
  'rate (95%)': rateText,
  turns: ({ turns }) => String(turns ?? '-'),
  cost: ({ costUsd }) => formatCost(costUsd),
};

/** Where trials stop early, only those up to the stop have a rate; if it lies outside of its interval, their share of passes is shown. */
function rateText(row: ResultRow): string {
  const { rate, interval, earlyStop } = row;
  if (!earlyStop || rate === null) return formatRate(rate, interval);
  const stop = interval && countsAtStop(row);
  if (!stop) return `${formatRate(rate)}, stops early`;
  const isInside = interval[0] <= rate && rate <= interval[1];
  const counted = stop.passes + stop.failures;
  const of = row.passes + row.failures > counted ? ` of the first ${counted === 1 ? 'trial' : counted}` : '';
  return `${formatRate(isInside ? rate : rateOf(stop), interval)}${of}, stops early`;
}

const verdictsOf =
  (rows: readonly ResultRow[]): Document =>
  to =>
    rows.length > 0 ? to.table(gridOf(rows, COLUMNS)) : '';

function takenOver(verdicts: readonly ResultRow[]): Item[] {
  return verdicts.flatMap(row =>
    row.trials.flatMap(trial => {
      const text = takenOverText(trial);
      return text === null ? [] : { row, text, style: 'yellow' };
    }),
  );
}

function otherShards(verdicts: readonly ResultRow[]): Item[] {
  const open = verdicts.filter(row => row.verdict === 'undecided' && row.inOtherShards !== undefined);
  const what = `${specsAndTests(open)} with trials in other shards. For the verdict`;
  const text = `${what} merge the blobs of all shards: npx playwright merge-reports --reporter=@taskproof/playwright/reporter <folder>`;
  return open.length ? [{ text }] : [];
}

function tolerated(rows: readonly ResultRow[]): Item[] {
  const passed = rows.filter(row => row.verdict === 'passed');
  const told = passed.flatMap(row => {
    // Ordinary tests have no diagnosis.
    const lost = row.trials.find(({ outcome }) => outcome === 'failed');
    const why = row.diagnosis
      ? whyLines(row)[0]
      : lost?.reason && `trial ${lost.index + 1}/${row.k}: ${lost.reason}`;
    return why ? `Tolerated in ${specLabel(specName(row), row.project)}: ${why}` : [];
  });
  return atMost(told).map(line => ({ text: oneLine(line, 300) }));
}

function judgeLines({ judges = [] }: Results): string[] {
  return judges.map(({ judge, model, labels, agreed }) => {
    const which = judges.length > 1 ? ` ${withModel(judge, model)}` : '';
    const said = labels ? `agrees with ${agreed} of ${plural(labels, 'label')}` : 'not calibrated';
    return oneLine(`judge${which}: ${said}`, 200);
  });
}

function apiLines({ api = [] }: Results): string[] {
  const slow = api.filter(({ refused, waitedMs }) => refused > 0 || waitedMs >= 1_000);
  return slow.map(({ model, refused, waitedMs, perMinute, limitPerMinute }) => {
    const used = limitPerMinute === null ? perMinute : `${perMinute} of ${limitPerMinute}`;
    const waited = `${Math.round(waitedMs / 1_000)} s of waiting in all trials`;
    const which = api.length > 1 ? ` (${model})` : '';
    const parts = [`${used} requests a minute used`, refused && `${refused} refused`, waited];
    return oneLine(`API${which}: ${parts.filter(Boolean).join(', ')}`, 200);
  });
}

/** `3 specs and 1 test: 3 passed, 1 failed; 2 replayed: 2 passed (1m 01s, $0.42)` */
function countsLine({ verdicts, durationMs, costUsd = null }: Results): string {
  const replayed = verdicts.filter(row => row.replayed);
  const measured = verdicts.filter(row => !row.replayed);
  const several = new Set(measured.map(specName)).size < measured.length;
  const what = several ? plural(measured.length, 'verdict') : specsAndTests(measured);
  const counts = [
    measured.length > 0 && `${what}: ${countsOf(measured)}`,
    replayed.length > 0 && `${replayed.length} replayed: ${countsOf(replayed)}`,
  ];
  return `${counts.filter(Boolean).join('; ') || 'no verdicts, since all trials were skipped'} (${formatDuration(durationMs)}, ${formatCost(costUsd)})`;
}

function countsOf(rows: readonly ResultRow[]): string {
  const told = rows.flatMap(row => [row.verdict as string, ...(row.trials.some(isHealed) ? ['healed'] : [])]);
  return [...Object.keys(SIGNS), 'healed']
    .filter(name => told.includes(name))
    .map(name => `${told.filter(one => one === name).length} ${name}`)
    .join(', ');
}
