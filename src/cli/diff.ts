// Two runs compared: `taskproof diff`; and how often that is red if nothing changed: `taskproof aa`.
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Option } from 'commander';
import { countedRow, SAVE_ONE } from '../data/baseline';
import type { VerdictRow } from '../data/verdict';
import { diffDocument, outcomeLines } from '../report/render/diff';
import { specsAndTests } from '../report/render/document';
import { K_MAX } from '../spec/schema';
import { ALPHA, type Diff, DOUBTS, EXIT_CODES, outcomeOf } from '../verdicts/change';
import { comparedWith, type FalseAlarms, falseAlarms, isRarelyRed } from '../verdicts/confirm';
import { diffWithBaseline, pooledBaseline } from '../verdicts/history';
import {
  addSides,
  addTellOptions,
  CommandError,
  type Io,
  readBaseline,
  readRun,
  type TellOptions,
  tell,
} from './io';
import type { AddCommand } from './program';

export const addDiff: AddCommand = (program, io, exit) => {
  addTellOptions(addSides(program.command('diff')))
    .description('Compare a run with a baseline: what is worse, and whether there are enough trials to tell.')
    .addOption(allowOption())
    .helpEnd(`
Per spec and project, both sides with the later run's pass policy:
  regressed, fixed      the verdict went from passed to failed, or back
  worsened, improved    the verdict is the same, the pass rate is not
  unclear               a verdict is inconclusive, undecided, or missing from an incomplete run
  added, removed        only one of the two sides has it
  not run               the later run left it out, by --grep, --project or a file
p is the chance of a change this large if the pass rate were the same (Fisher's exact test, one-sided).
"too few trials to tell": worse, but p is not below ${ALPHA} after correction for the number of specs.
\`taskproof confirm\` runs such candidates again and decides. Replays are compared with replays only.

Exit code:
  0  compared, and nothing is worse
  1  a spec looks worse, or the suite as a whole; with --allow candidates only what is proven
  2  the comparison failed (a missing or broken file)
  3  can't tell: nothing to compare, no verdicts (the site was down), specs on one side only,
     or results of an earlier run, because the last one did not write its own

Examples:
  taskproof diff
  taskproof diff main.json branch.json --markdown > comment.md
  taskproof diff --allow added,no-baseline`)
    .action(async (beforeFile: string, afterFile: string, options: TellOptions & { allow: Allowed }) => {
      const compared = await compareFiles(io, beforeFile, afterFile, options.allow);
      if (!compared) return;
      const { before, after, diff } = compared;
      const outcome = outcomeOf(diff, options.allow);
      const lines = outcomeLines(outcome);
      const { startedAt, status, complete } = after;
      await tell(io, options, {
        lines,
        document: diffDocument(diff, lines),
        json: () => ({
          schemaVersion: '2',
          outcome: outcome.outcome,
          before: { runs: before.map(({ startedAt, partial }) => ({ startedAt, partial })) },
          after: { startedAt, status, complete },
          ...diffJson(diff),
        }),
      });
      exit(EXIT_CODES[outcome.outcome]);
    });
};

/** The sides without what their row says already. */
export function diffJson({ rows, ...diff }: Diff): object {
  return {
    rows: rows.map(row => ({ ...row, before: sideJson(row.before), after: sideJson(row.after) })),
    ...diff,
  };
}

export function sideJson(side: VerdictRow | null): object | null {
  if (!side) return null;
  const { spec, titlePath, describe, project, replayed, specHash, way, ...rest } = side;
  return rest;
}

type Allowed = ReadonlySet<string>;

export function allowOption(): Option {
  const known = [...DOUBTS, 'candidates', NO_BASELINE];
  return new Option(
    '--allow <list>',
    `what should not change the exit code, comma-separated: ${known.join(', ')}`,
  )
    .default(new Set<string>(), 'nothing')
    .argParser(text => {
      const given = text.split(',').map(name => name.trim());
      const unknown = given.filter(name => !known.includes(name as never));
      if (unknown.length)
        throw new CommandError(`--allow: unknown ${unknown.join(', ')}. Use any of ${known.join(', ')}.`);
      return new Set(given);
    });
}
const NO_BASELINE = 'no-baseline';

/** @returns undefined if there is no baseline yet and --allow has no-baseline. */
export async function compareFiles(io: Io, beforeFile: string, afterFile: string, allowed: Allowed) {
  if (allowed.has(NO_BASELINE) && !(await stat(resolve(io.cwd, beforeFile)).catch(() => undefined))) {
    // A run that left no results must not pass.
    await readRun(io, afterFile);
    io.out(`There is no baseline yet (${beforeFile}), so nothing was compared. ${SAVE_ONE}`);
    return undefined;
  }
  const before = await readBaseline(io, beforeFile, ' To allow a first run without one: --allow no-baseline');
  const after = await readRun(io, afterFile);
  if (!after.complete)
    io.err(`Note: ${afterFile} is from an incomplete run. What it lacks is shown as unclear.`);
  // Only specs are compared, but `playwright test` was red for another reason.
  if (after.status === 'failed' && after.verdicts.every(({ verdict }) => verdict === 'passed'))
    io.err(
      `Note: the run of ${afterFile} failed outside of its verdicts: an ordinary test, a hook or a set-up.`,
    );
  return { before, after, diff: diffWithBaseline(before, after) };
}

const PAIRS = 2_000;
/** Enough to find the number of trials. */
const PAIRS_PER_K = 400;
const TARGET = 0.05;

export const addAa: AddCommand = (program, io) => {
  addTellOptions(addSides(program.command('aa')))
    .description('Compare the suite with itself: how often diff and confirm would be red if nothing changed.')
    .helpEnd(`
Runs no trials: it draws ${PAIRS} pairs of runs from the suite's pass rates so far, with as many trials as
both sides have now, and compares them as \`taskproof diff\` and \`taskproof confirm\` do.

Examples:
  taskproof aa
  taskproof aa main.json branch.json --json`)
    .action(async (beforeFile: string, afterFile: string, options: TellOptions) => {
      const history = await readBaseline(io, beforeFile);
      const verdicts = (await readRun(io, afterFile)).verdicts.map(countedRow);
      const compared = comparedWith(pooledBaseline(history, verdicts), verdicts);
      if (!compared.length)
        throw new CommandError(
          `${beforeFile} and ${afterFile} have no spec in common that was graded in both. ${SAVE_ONE}`,
        );
      const found = falseAlarms(compared, PAIRS);
      const enough = found.diff > TARGET ? enoughTrials(compared) : undefined;
      const specs = compared.map(({ row }) => row);
      await tell(io, options, {
        json: () => ({
          schemaVersion: '1',
          specs: specs.length,
          pairs: PAIRS,
          ...found,
          ...(enough && { enough }),
        }),
        document: () => `${sentence(specs, found)} ${advice(enough)}`.trim(),
      });
    });
};

/** The least number of trials of each spec with which `diff` is rarely red; null if none is. */
function enoughTrials(compared: Parameters<typeof falseAlarms>[0]): { k: number | null } {
  const least = Math.max(...compared.map(({ row }) => row.k)) + 1;
  for (let k = least; k <= K_MAX; k++) if (isRarelyRed(compared, k, TARGET, PAIRS_PER_K)) return { k };
  return { k: null };
}

const percent = (share: number) => `${(share * 100).toFixed(1)}%`;

const sentence = (specs: readonly object[], { diff, confirm }: FalseAlarms) =>
  `If nothing changed, diff would be red in ${percent(diff)} of runs, and confirm in ${percent(confirm)} (${specsAndTests(specs)}).`;

function advice(enough: { k: number | null } | undefined): string {
  if (!enough) return '';
  return enough.k === null
    ? `No k up to ${K_MAX} brings diff under 5%: let confirm decide.`
    : `With k ${enough.k}, diff would be red in at most 5%.`;
}
