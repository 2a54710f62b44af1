import { Option } from 'commander';
import { protocolJsonSchema } from '../data/agent-protocol';
import { resultsJsonSchema } from '../data/results';
import { taskSpecJsonSchema } from '../spec/schema';
import { writeOutput } from './io';
import type { AddCommand } from './program';

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
    .addHelpText(
      'after',
      `
An editor checks a spec if the first line names its schema:
  # yaml-language-server: $schema=../task-spec.schema.json

Examples:
  taskproof schema --output agents/task-spec.schema.json
  taskproof schema --results
  taskproof schema --agent-protocol`,
    )
    .action(async (options: SchemaOptions) => {
      const text = JSON.stringify(schemaOf(options), null, 2);
      if (options.output === undefined) return io.out(text);
      await writeOutput(io, options.output, `${text}\n`);
      io.out(`Wrote ${options.output}`);
    });
};

interface SchemaOptions {
  results?: boolean;
  agentProtocol?: boolean;
  output?: string;
}

function schemaOf({ results, agentProtocol }: SchemaOptions): unknown {
  if (results) return resultsJsonSchema();
  return agentProtocol ? protocolJsonSchema() : taskSpecJsonSchema();
}
