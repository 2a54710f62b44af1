#!/usr/bin/env node
import { processIo } from './cli/io';
import { run } from './cli/program';

// Not process.exit: what is still on its way to a pipe must arrive.
void run(process.argv.slice(2), processIo()).then(code => {
  process.exitCode = code;
});
