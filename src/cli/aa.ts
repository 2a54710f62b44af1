import { joined, specsAndTests } from '../report/render/document';
import { K_MAX } from '../spec/schema';
import { pooledBaseline } from '../verdicts/history';
import { comparedWith, type FalseAlarms, falseAlarms } from '../verdicts/unchanged';
import {
  addSides,
  addTellOptions,
  CommandError,
  readBaseline,
  readRun,
  SAVE_ONE,
  type TellOptions,
  tell,
} from './io';
import type { AddCommand } from './program';

const PAIRS = 2_000;
/** So many are enough to find the number of trials. */
const PAIRS_PER_K = 400;
const TARGET = 0.05;

export const addAa: AddCommand = (program, io) => {
  addTellOptions(addSides(program.command('aa')))
    .description('Compare the suite with itself: how often diff and confirm would be red if nothing changed.')
    .addHelpText(
      'after',
      `
Runs no trials: it draws ${PAIRS} pairs of runs from the suite's pass rates so far, with as many trials as
both sides have now, and compares them as \`taskproof diff\` and \`taskproof confirm\` do.

Examples:
  taskproof aa
  taskproof aa main.json branch.json --json`,
    )
    .action(async (beforeFile: string, afterFile: string, options: TellOptions) => {
      const history = await readBaseline(io, beforeFile);
      const { verdicts } = await readRun(io, afterFile);
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
        document: () => joined([`${sentence(specs, found)} ${advice(enough)}`.trim()]),
      });
    });
};

/** The least number of trials of each spec with which `diff` is rarely red; null if none is. */
function enoughTrials(compared: Parameters<typeof falseAlarms>[0]): { k: number | null } {
  const least = Math.max(...compared.map(({ row }) => row.k)) + 1;
  for (let k = least; k <= K_MAX; k++) if (falseAlarms(compared, PAIRS_PER_K, k).diff <= TARGET) return { k };
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
