import type { AssertionResult } from '../data/record';
import { readResults } from '../data/results';
import type { ResultRow } from '../data/verdict';
import { joined, namesOf, type Writer } from '../report/render/document';
import { oneLine } from '../text/line';
import { plural } from '../text/print';
import { EXIT_CODES } from '../verdicts/change';
import { isSettled } from '../verdicts/verdict';
import { playChecked, tell } from './io';
import type { AddCommand } from './program';

export const addProbe: AddCommand = (program, io, exit) => {
  program
    .command('probe')
    .description('Run every spec with an agent that does nothing: a spec that passes anyway proves nothing.')
    .option('--json', 'as JSON')
    .usage('[options] [-- arguments for playwright test]')
    .helpEnd(`
Opens each spec's page with the suite's own Playwright config, does nothing, and checks the assertions
once. An assertion on the answer is checked with guesses: no answer, the goal's own words, and each line
of the page. It does not use the suite's agent or judge, so it needs no key and costs nothing.

Exit code:
  0  every spec fails, as it should
  1  a spec passes although nothing was done, or a guess passes its check of the answer
  2  the command failed (Playwright did not start)
  3  can't tell: a spec could not run (is the site up?), or there is no spec

Examples:
  taskproof probe
  taskproof probe -- --project=opus --grep @checkout`)
    .action(async (options: { json?: boolean }) => {
      const results = await playChecked(io, { purpose: 'probe' }, ['--repeat-each=1'], readResults);
      const { verdicts, incompleteBecause } = results;
      const probed = verdicts.map(probedRow);
      await tell(io, options, {
        document: to => document(probed, incompleteBecause, to),
        json: () => ({ schemaVersion: '1', incompleteBecause, specs: probed }),
      });
      const isLacking = incompleteBecause !== undefined || !probed.length;
      const unclear = isLacking || probed.some(({ verdict }) => !isSettled(verdict));
      const isVacuous = probed.some(({ vacuous, guessed }) => vacuous || guessed.length > 0);
      exit(EXIT_CODES[isVacuous ? 'worse' : unclear ? 'unknown' : 'same']);
    });
};

function probedRow({ spec, project, file, verdict, reason, ...row }: ResultRow) {
  const { assertions = [] } = row as { assertions?: AssertionResult[] };
  const passed = assertions.filter(({ passed }) => passed);
  const held = passed.map(({ title }) => title);
  const guessed = passed.filter(({ type }) => type === 'answer').map(({ title }) => title);
  const vacuous = verdict === 'passed';
  return { spec, project, file, verdict, reason, held, guessed, assertions: assertions.length, vacuous };
}

type Probed = ReturnType<typeof probedRow>;

/** @param incompleteBecause why specs or trials are missing */
function document(probed: readonly Probed[], incompleteBecause: string | undefined, to: Writer): string {
  const vacuous = probed.filter(each => each.vacuous);
  const unclear = probed.filter(({ verdict }) => !isSettled(verdict));
  const guessed = probed.filter(each => each.guessed.length && !each.vacuous);
  const rowsOf = (each: Probed, titles: readonly string[], what: string) => [
    [{ text: namesOf([each]), style: 'red' as const }, each.file ?? ''],
    ...titles.map(title => ['', `${what}: ${title}`]),
  ];
  const rows = vacuous.flatMap(each => rowsOf(each, each.held, 'already holds'));
  const guesses = guessed.flatMap(each => rowsOf(each, each.guessed, 'a guess passes'));
  const rest = probed.length - vacuous.length - unclear.length;
  return joined([
    vacuous.length > 0 && `${plural(vacuous.length, 'spec')} passed although nothing was done:`,
    vacuous.length > 0 && to.table({ rows }),
    vacuous.length > 0 &&
      'Assert something that only the task changes: a URL, a text or a request that is not there before.',
    guessed.length > 0 &&
      `The goal's own words, or a line of the entry page, are the right answer to ${plural(guessed.length, 'spec')}:`,
    guessed.length > 0 && to.table({ rows: guesses }),
    unclear.length > 0 && `Can't tell for ${namesOf(unclear)}: ${unclear[0]!.reason ?? 'no verdict'}`,
    incompleteBecause !== undefined && `Can't tell of all specs: ${oneLine(incompleteBecause, 300)}`,
    probed.length
      ? `Without an agent, ${rest} of ${plural(probed.length, 'spec')} failed${rest ? ', as they should' : ''}.`
      : "Can't tell: no spec found.",
  ]);
}
