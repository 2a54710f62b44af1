#!/usr/bin/env node
import { processIo } from './cli/io';
import { run } from './cli/program';

// process.exit() would lose output that is still in a pipe.
void run(process.argv.slice(2), processIo()).then(code => {
  process.exitCode = code;
});
