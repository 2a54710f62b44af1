import { InvalidArgumentError } from 'commander';
import { keyOf } from '../data/plan';
import { type Results, readResults } from '../data/results';
import type { Wanted } from '../playwright/run/settings';
import { confirmDocument, confirmLines, planText } from '../report/render/diff';
import { type Diff, type DiffRow, EXIT_CODES } from '../verdicts/change';
import { type Confirmation, conclude, DEFAULT_TRIALS, ruledCandidates } from '../verdicts/confirm';
import type { StopRule } from '../verdicts/policy';
import { atLeastOne } from './baseline';
import { allowOption, compareFiles, diffJson, sideJson } from './diff';
import { addSides, addTellOptions, CommandError, type Io, playChecked, type TellOptions, tell } from './io';
import type { AddCommand } from './program';

type ConfirmOptions = TellOptions & { trials: number; maxCost?: number; allow: ReadonlySet<string> };

export const addConfirm: AddCommand = (program, io, exit) => {
  const command = addSides(program.command('confirm'))
    .description('Run the specs again that look worse than the baseline, to find out which of them are.')
    .option('--trials <n>', 'at most this many fresh trials of each spec', atLeastOne, DEFAULT_TRIALS)
    .option('--max-cost <usd>', 'start no trial that could exceed this cost', dollars);
  addTellOptions(command)
    .addOption(allowOption())
    .usage('[options] [before] [after] [-- arguments for playwright test]')
    .helpEnd(`
Runs only the candidates of \`taskproof diff\`, with the suite's own Playwright config and
environment, each until the answer is clear or --trials have run. Only these fresh trials are
compared with the baseline, corrected for the number of candidates: fewer than 5% of unchanged
suites with rates from 0.7 are called worse. A fall of the suite as a whole is tested, too.

Exit code:
  0  nothing is worse
  1  a spec is worse on fresh trials, too, or the suite as a whole
  2  the command failed (a missing or broken file, Playwright did not start)
  3  can't tell: too few fresh trials, or \`taskproof diff\` can't tell

Examples:
  taskproof confirm
  taskproof confirm main.json branch.json --max-cost 5 --markdown > comment.md
  taskproof confirm --allow added,no-baseline -- --config=agents.config.ts --workers=4`)
    .action(async (before: string, after: string, options: ConfirmOptions) => {
      refuseArgs(io);
      const compared = await compareFiles(io, before, after, options.allow);
      if (!compared) return;
      const confirmation = await confirm(io, compared.diff, compared.after, options);
      await tell(io, options, {
        lines: confirmLines(confirmation),
        document: confirmDocument(confirmation),
        json: () => asJson(confirmation),
      });
      exit(EXIT_CODES[confirmation.outcome]);
    });
};

function refuseArgs({ playwrightArgs = [] }: Io): void {
  const wrong = playwrightArgs.find(arg => /^--(shard|repeat-each|list|ui)(=|$)/.test(arg))?.split('=')[0];
  if (wrong)
    throw new CommandError(
      `confirm can't be used with ${wrong}: it runs all candidates in one run. Remove ${wrong}. To set the number of fresh trials of each, use --trials.`,
    );
}

export function dollars(text: string): number {
  if (/^\d*\.?\d+$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be an amount in US dollars, such as 2.50.');
}

async function confirm(io: Io, diff: Diff, after: Results, options: ConfirmOptions): Promise<Confirmation> {
  const ruled = ruledCandidates(diff, options.trials);
  const candidates = ruled.map(each => ({ ...each, cost: trialCost(after, each.row) }));
  // If the baseline is too small for any answer, there is nothing to run.
  const playable = candidates.filter(({ rule }) => rule.enough !== null);
  if (options.maxCost !== undefined && playable.some(({ cost }) => cost === null))
    throw new CommandError(
      "--max-cost can't be kept: the price of a trial is unknown. Remove it, or set `pricing` of the agent.",
    );
  const played = playable.length ? (await play(io, playable, options)).verdicts : [];
  return conclude(diff, candidates, played, options);
}

/** US dollars of the later run's dearest trial; if none passed, at least of a trial in the baseline, since failing early is cheap. */
export function trialCost({ verdicts }: Results, row: DiffRow): number | null {
  const trials = verdicts.find(one => keyOf(one) === keyOf(row))?.trials ?? [];
  const known = trials.filter(({ outcome }) => outcome !== 'skipped').map(({ costUsd }) => costUsd);
  const hasPassed = trials.some(({ outcome }) => outcome === 'passed');
  const all = hasPassed ? known : [...known, row.before?.trialUsd ?? 0];
  return all.includes(null) ? null : Math.max(0, ...(all as number[]));
}

async function play(
  io: Io,
  candidates: readonly { row: DiffRow; rule: StopRule; cost: number | null }[],
  { trials, maxCost }: ConfirmOptions,
): Promise<Results> {
  const wanted = candidates.map(({ row, rule, cost }): Wanted => {
    const spec = row.titlePath?.join(' › ') ?? row.spec;
    return { project: row.project, spec, ...rule, trialUsd: cost ?? 0 };
  });
  const costs = candidates.map(({ cost }) => cost);
  io.err(planText(wanted, trials, costs, maxCost));
  const projects = [...new Set(wanted.map(({ project }) => project))].filter(Boolean);
  const args = [
    `--repeat-each=${trials}`,
    // A config with shards would leave candidates out.
    '--shard=1/1',
    // Trials that run at the same time can't stop each other.
    ...(wanted.length === 1 ? ['--workers=1'] : []),
    ...projects.map(project => `--project=${project}`),
  ];
  return playChecked(io, { purpose: 'confirm', wanted, maxCostUsd: maxCost }, args, readResults);
}

function asJson({ outcome, answers, suite, diff, costUsd }: Confirmation): object {
  const candidates = answers.map(({ row: { spec, project, ...sides }, rule, answer, played, fresh }) => {
    const [before, after] = [sideJson(sides.before), sideJson(sides.after)];
    return { spec, project, answer, played, fresh, before, after, ...rule };
  });
  return { schemaVersion: '1', costUsd, candidates, ...diffJson(diff), outcome, suite };
}
