import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { ReporterOptions } from './options';
import { RESULTS_SCHEMA_VERSION, type ResultRow, type Results, resultRow } from './results';
import type { SpecRun } from './spec-run';

export function resultsOf(
  runs: readonly SpecRun[],
  run: { startedAt: Date; durationMs: number; status: Results['status']; shard: boolean },
): Results {
  const verdicts = runs.map(rowOf).sort(bySpecAndProject);
  return {
    schemaVersion: RESULTS_SCHEMA_VERSION,
    startedAt: run.startedAt.toISOString(),
    durationMs: Math.round(run.durationMs),
    status: run.status,
    complete: !run.shard && run.status !== 'interrupted' && verdicts.every(row => !row.missing),
    verdicts,
  };
}

function rowOf(run: SpecRun): ResultRow {
  const { record, planned } = run;
  return resultRow(
    {
      spec: planned.id,
      project: run.project,
      agent: record?.agent ?? null,
      model: record?.model ?? null,
      replayed: record?.replayed ?? false,
      file: record?.specFile ?? planned.file,
      specHash: record?.specHash,
    },
    run.verdict,
  );
}

/** By code unit, so that the order is the same on every machine. */
function bySpecAndProject(a: ResultRow, b: ResultRow): number {
  const [left, right] = [`${a.spec}\0${a.project}`, `${b.spec}\0${b.project}`];
  return left < right ? -1 : left > right ? 1 : 0;
}

/** A file that can't be written costs a warning, not the verdicts: those stand in the terminal and in the exit status. */
export async function writeOutput(results: Results, options: ReporterOptions, folder: string): Promise<void> {
  await attempt(resolve(folder, options.outputFile), `${JSON.stringify(results, null, 2)}\n`);
}

async function attempt(file: string, text: string): Promise<void> {
  try {
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  } catch (error) {
    process.stderr.write(`taskproof: ${file} can't be written: ${(error as Error).message}\n`);
  }
}
