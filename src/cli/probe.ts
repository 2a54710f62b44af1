import { z } from 'zod';
import type { ResultRow } from '../data/verdict';
import { namesOf } from '../report/render/document';
import { table } from '../report/render/terminal-writer';
import { plural, printableJson } from '../text/print';
import { EXIT_CODES } from '../verdicts/change';
import type { Io } from './io';
import { playChecked } from './play-suite';
import type { AddCommand } from './program';

const assertionsSchema = z.array(z.object({ title: z.string(), passed: z.boolean() }));

interface Probed {
  row: ResultRow;
  held: string[];
  assertions: number;
}

export const addProbe: AddCommand = (program, io, exit) => {
  program
    .command('probe')
    .description('Run every spec with an agent that does nothing: a spec that passes anyway proves nothing.')
    .option('--json', 'as JSON')
    .usage('[options] [-- arguments for playwright test]')
    .addHelpText(
      'after',
      `
Opens each spec's page with the suite's own Playwright config, does nothing, and checks the assertions
once. It does not use the suite's agent or judge, so it needs no key and costs nothing.

Exit code:
  0  every spec fails, as it should
  1  a spec passes although nothing was done
  2  the command failed (Playwright did not start)
  3  can't tell: a spec could not run (is the site up?), or there is no spec

Examples:
  taskproof probe
  taskproof probe -- --project=opus --grep @checkout`,
    )
    .action(async (options: { json?: boolean }) => {
      const { verdicts } = await playChecked(io, { purpose: 'probe' }, ['--repeat-each=1']);
      const probed = verdicts.map(probedOf);
      const vacuous = probed.filter(({ row }) => row.verdict === 'passed');
      const unclear = probed.filter(({ row }) => row.verdict !== 'passed' && row.verdict !== 'failed');
      const outcome = vacuous.length ? 'worse' : unclear.length || !probed.length ? 'unknown' : 'same';
      if (options.json) io.out(asJson(probed));
      else print(io, { probed, vacuous, unclear });
      exit(EXIT_CODES[outcome]);
    });
};

function probedOf(row: ResultRow): Probed {
  const assertions = assertionsSchema.safeParse((row as { assertions?: unknown }).assertions).data ?? [];
  const held = assertions.filter(({ passed }) => passed).map(({ title }) => title);
  return { row, held, assertions: assertions.length };
}

function print(
  io: Io,
  { probed, vacuous, unclear }: Record<'probed' | 'vacuous' | 'unclear', Probed[]>,
): void {
  const lines = vacuous.flatMap(({ row, held }) => [
    [{ text: namesOf([row]), style: 'red' as const }, row.file ?? ''],
    ...held.map(title => ['', `already holds: ${title}`]),
  ]);
  if (vacuous.length) {
    io.out(`${plural(vacuous.length, 'spec')} vacuous: passed although nothing was done\n`);
    io.out(`${table({ rows: lines }, { colour: io.colour, indent: '  ' })}\n`);
    io.out(
      'Assert something that only the task changes: a URL, a text or a request that is not there before.',
    );
  }
  if (unclear.length)
    io.out(
      `Can't tell for ${namesOf(unclear.map(({ row }) => row))}: ${unclear[0]!.row.reason ?? 'no verdict'}`,
    );
  const rest = probed.length - vacuous.length - unclear.length;
  io.out(
    probed.length
      ? `${rest} of ${plural(probed.length, 'spec')} fail without an agent, as they should.`
      : "Can't tell: no spec found.",
  );
}

function asJson(probed: readonly Probed[]): string {
  return printableJson({
    schemaVersion: '1',
    specs: probed.map(({ row, held, assertions }) => ({
      ...{ spec: row.spec, project: row.project, file: row.file, vacuous: row.verdict === 'passed' },
      ...{ verdict: row.verdict, held, assertions, reason: row.reason },
    })),
  });
}
