// The MCP server that a command line starts. It connects its standard input and output to the program that plays the trial.
import { connect } from 'node:net';

const socket = connect(/** @type {string} */ (process.argv[2]));
socket.on('error', () => process.exit(1));
socket.on('close', () => process.exit(0));
process.stdin.pipe(socket).pipe(process.stdout);
