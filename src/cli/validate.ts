// The format of task specs: `taskproof validate` checks specs, `taskproof schema` prints schemas.
import { statSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { Option } from 'commander';
import { convertPathToPattern } from 'tinyglobby';
import { protocolJsonSchema } from '../data/agent-protocol';
import { resultsJsonSchema } from '../data/results';
import { joined } from '../report/render/document';
import { table } from '../report/render/terminal-writer';
import type { TaskSpecError, TaskSpecIssue, TaskSpecLoadError } from '../spec/errors';
import { type LoadedSpec, loadTaskSpecs } from '../spec/load';
import { placeholdersIn } from '../spec/placeholders';
import { taskSpecJsonSchema } from '../spec/schema';
import { plural, printableJson } from '../text/print';
import { sensitivityText } from '../verdicts/statistics';
import { type Io, writeOutput } from './io';
import type { AddCommand } from './program';

const DEFAULT_GLOB = '**/tasks/**/*.{yaml,yml}';

/** One problem, as in `--json`. File, line and column are left out if it has no single place. */
type Problem = Partial<TaskSpecIssue> & { file?: string; message: string };

export const addValidate: AddCommand = (program, io, exit) => {
  program
    .command('validate')
    .description('Check task specs: each problem with its file, line and column.')
    .argument(
      '[globs...]',
      `files, folders or globs from this folder; "!glob" excludes files (default: "${DEFAULT_GLOB}")`,
    )
    .option('--json', 'as JSON: { valid, specs, problems, notes }')
    .helpEnd(`
Exit code: 0 all specs are valid, 1 at least one is not, two have one id, or nothing matches.

Examples:
  taskproof validate
  taskproof validate agents/tasks
  taskproof validate "agents/tasks/**/*.yaml" "!**/drafts/**"`)
    .action((globs: string[], options: { json?: boolean }) => {
      const given = globs.length > 0 ? globs.map(glob => toGlob(io, glob)) : [DEFAULT_GLOB];
      const { specs, error } = loadTaskSpecs(given, io.cwd);
      if (options.json) io.out(asJson(specs, error, io.cwd));
      else {
        const note = sensitivityText(specs.map(({ spec }) => spec.passPolicy.k));
        if (specs.length > 0) io.out(joined([listOf(specs, io.cwd), note]));
        if (error) io.err(`${specs.length > 0 ? '\n' : ''}${error.message}`);
      }
      exit(error ? 1 : 0);
    });
};

/** A shell may have expanded globs to file names with special characters; a folder stands for its specs. */
function toGlob(io: Io, given: string): string {
  const found = statSync(resolve(io.cwd, given), { throwIfNoEntry: false });
  if (!found) return given;
  const literal = convertPathToPattern(given);
  return found.isDirectory() ? `${literal.replace(/\/+$/, '')}/**/*.{yaml,yml}` : literal;
}

function listOf(specs: readonly LoadedSpec[], cwd: string): string {
  const rows = specs.map(({ spec: { id, passPolicy }, file }) => {
    return [id, `${passPolicy.minPasses} of ${passPolicy.k}`, relative(cwd, file)];
  });
  const notes = notesOn(specs, cwd).map(
    ({ file, line, column, path, message }) => `${file}:${line}:${column} ${path}: note: ${message}`,
  );
  const list = table({ head: ['spec', 'must pass', 'file'], rows });
  return joined([list, [plural(specs.length, 'valid spec'), ...notes].join('\n')]);
}

/** Placeholders that only a suite's `prepare` can replace. */
const notesOn = (specs: readonly LoadedSpec[], cwd: string) =>
  specs.flatMap(({ spec, file, locate }) => {
    const unknown = placeholdersIn(spec).filter(({ known }) => !known);
    return unknown.map(({ name, path }) => {
      const message = `{{${name}}} is only replaced if the suite's \`prepare\` returns a value for it. {{trial}} and {{unique}} are always replaced`;
      return { file: relative(cwd, file), ...locate(path), path, message };
    });
  });

function asJson(specs: readonly LoadedSpec[], error: TaskSpecLoadError | undefined, cwd: string): string {
  const problems = error ? (error.errors.length > 0 ? error.errors : [error]).flatMap(problemsOf) : [];
  const valid = specs.map(({ spec: { id, passPolicy, tags = [] }, file, hash }) => {
    return { id, file: relative(cwd, file), hash, passPolicy, tags };
  });
  const notes = notesOn(specs, cwd);
  return printableJson({ valid: problems.length === 0, specs: valid, problems, notes });
}

function problemsOf({ filename: file, issues, message }: TaskSpecError): Problem[] {
  return issues.length > 0 ? issues.map(issue => ({ file, ...issue })) : [{ file, message }];
}

export const addSchema: AddCommand = (program, io) => {
  program
    .command('schema')
    .description('Print the JSON Schema of task specs, for editors and other tools.')
    .option('--results', 'the schema of the results file (taskproof-results.json) instead')
    .addOption(
      new Option(
        '--agent-protocol',
        'the schema of the messages between command() and its program instead',
      ).conflicts('results'),
    )
    .option('-o, --output <file>', 'write it to a file')
    .helpEnd(`
An editor checks a spec if the first line names its schema:
  # yaml-language-server: $schema=../task-spec.schema.json

Examples:
  taskproof schema --output agents/task-spec.schema.json
  taskproof schema --results
  taskproof schema --agent-protocol`)
    .action(async ({ results, agentProtocol, output }: SchemaOptions) => {
      const other = (results && resultsJsonSchema()) || (agentProtocol && protocolJsonSchema());
      const text = JSON.stringify(other || taskSpecJsonSchema(), null, 2);
      if (output === undefined) return io.out(text);
      await writeOutput(io, output, `${text}\n`);
      io.out(`Wrote ${output}`);
    });
};

type SchemaOptions = { results?: boolean; agentProtocol?: boolean; output?: string };
