import { Option } from 'commander';
import { diffTable } from '../report/diff-text';
import { printableJson } from '../report/format';
import { renderDiff } from '../report/markdown';
import { DEFAULT_BASELINE_FILE, DEFAULT_RESULTS_FILE, type Results, readResults } from '../report/results';
import { ALPHA, type Diff, diffVerdicts } from '../verdicts/diff';
import { type Io, readInput, writeOutput } from './io';
import type { AddCommand } from './program';

interface DiffOptions {
  markdown?: boolean;
  json?: boolean;
  output?: string;
}

export const addDiff: AddCommand = (program, io, exit) => {
  program
    .command('diff')
    .description('Compare the verdicts of two runs.')
    .argument('[before]', 'a baseline, or the results file of an earlier run', DEFAULT_BASELINE_FILE)
    .argument('[after]', 'the results file of the later run', DEFAULT_RESULTS_FILE)
    .addOption(new Option('--markdown', 'as a pull-request comment').conflicts('json'))
    .option('--json', 'as JSON')
    .option('-o, --output <file>', 'write it to a file')
    .addHelpText(
      'after',
      `
Per spec and project:
  regressed, fixed      the verdict went from passed to failed, or back
  worsened, improved    the verdict is the same, the pass rate is not
  unclear               a verdict is inconclusive or undecided: nothing to compare
  added, removed        only one of the two runs has it
p is the chance of a change this large, were the pass rate the same (Fisher's exact test,
one-sided); above ${ALPHA} chance explains the change. Replayed trials are compared with replayed ones.

Exit code: 0 no spec regressed, 1 at least one did, 2 the comparison itself failed.

Examples:
  taskproof diff
  taskproof diff main.json branch.json --markdown > comment.md`,
    )
    .action(async (beforeFile: string, afterFile: string, options: DiffOptions) => {
      const before = await read(io, beforeFile);
      const after = await read(io, afterFile);
      const diff = diffVerdicts(before.verdicts, after.verdicts);
      const text = render(diff, before, after, options, io.colour && options.output === undefined);
      if (options.output === undefined) io.out(text.trimEnd());
      else await writeOutput(io, options.output, `${text.trimEnd()}\n`);
      for (const [file, { complete }] of [
        [beforeFile, before],
        [afterFile, after],
      ] as const)
        if (!complete)
          io.err(`Note: ${file} is of an incomplete run; what it lacks shows as removed, added or unclear.`);
      exit(diff.counts.regressed > 0 ? 1 : 0);
    });
};

async function read(io: Io, file: string): Promise<Results> {
  const remedy = `Save a baseline with \`taskproof baseline save\`, or name a ${DEFAULT_RESULTS_FILE}.`;
  return readResults(await readInput(io, file, remedy), file);
}

function render(diff: Diff, before: Results, after: Results, options: DiffOptions, colour: boolean): string {
  if (options.markdown) return renderDiff(diff);
  if (!options.json) return diffTable(diff, { colour });
  const run = ({ startedAt, status, complete }: Results) => ({ startedAt, status, complete });
  return printableJson({ schemaVersion: '1', before: run(before), after: run(after), ...diff });
}
