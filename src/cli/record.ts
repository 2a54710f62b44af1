import { specName } from '../data/plan';
import { checkRecording, DEFAULT_RECORDINGS_DIR, recordingFile, recordingText } from '../data/recording';
import { DEFAULT_RESULTS_FILE } from '../data/results';
import type { ResultRow } from '../data/verdict';
import { plural } from '../text/print';
import { CommandError, type Io, readRun, writeOutput } from './io';
import type { AddCommand } from './program';

type RecordOptions = { output: string; project?: string; spec?: string[] };

export const addRecord: AddCommand = (program, io) => {
  program
    .command('record')
    .description('Save passed trials as recordings, which replay() plays without a model.')
    .argument('[results]', 'the results file of a run', DEFAULT_RESULTS_FILE)
    .option('-o, --output <folder>', 'where to save them', DEFAULT_RECORDINGS_DIR)
    .option('-p, --project <name>', 'only trials of this project')
    .option('-s, --spec <id...>', 'only these specs and tests')
    .helpEnd(`
Of each spec or test the shortest trial that passed is saved. Recordings are small text files: commit them.

Examples:
  taskproof record
  taskproof record --spec pricing-trial --project opus --output agents/recordings
Then play them:
  use: { taskproof: { agent: replay({ recordings: '${DEFAULT_RECORDINGS_DIR}' }) } }`)
    .action((file: string, options: RecordOptions) => record(io, file, options));
};

async function record(io: Io, file: string, options: RecordOptions): Promise<void> {
  const { output, project, spec: wanted } = options;
  const results = await readRun(io, file);
  const ofProject = results.verdicts.filter(row => project === undefined || row.project === project);
  const missing = wanted?.filter(id => !ofProject.some(row => row.spec === id)) ?? [];
  if (missing.length || (project !== undefined && !ofProject.length)) {
    const what = [...missing, ...(project === undefined ? [] : [`project "${project}"`])].join(', ');
    const kind = missing.length ? 'spec' : 'project';
    const names = [...new Set(results.verdicts.map(row => `"${row[kind]}"`))].join(', ');
    throw new CommandError(`${file} has no verdict on ${what}. Its ${kind}s: ${names || 'none'}.`);
  }
  const found = new Map<string, { project: string; text: string }>();
  for (const row of ofProject.filter(({ spec }) => !wanted || wanted.includes(spec))) {
    const name = row.titlePath?.join(' › ') ?? specName(row);
    if (row.recording === undefined) {
      io.err(`${name}${row.project && ` [${row.project}]`}: not saved: ${whyNot(row)}`);
      continue;
    }
    const other = found.get(name);
    if (other)
      throw new CommandError(
        `${name} passed in the projects "${other.project}" and "${row.project}". Choose one with --project.`,
      );
    found.set(name, { project: row.project, text: recordingText(checkRecording(row.recording, file)) });
  }
  if (found.size === 0)
    throw new CommandError(
      `${file} has no trial that could be saved. Run the specs until one passes, with an agent whose actions can be recorded.`,
    );
  for (const [name, { text }] of found) await writeOutput(io, recordingFile(output, name), text);
  io.out(`Saved ${plural(found.size, 'recording')} in ${output}`);
}

function whyNot(row: ResultRow): string {
  if (row.replayed) return 'it was itself replayed from a recording';
  if (row.passes === 0) return 'none of its trials passed';
  return row.notRecorded ?? 'its agent did not record its actions';
}
