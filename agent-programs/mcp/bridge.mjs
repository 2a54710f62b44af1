// What a command line starts as its MCP server: its standard input and output, joined to the program that plays the trial.
import { connect } from 'node:net';

const socket = connect(/** @type {string} */ (process.argv[2]));
socket.on('error', () => process.exit(1));
socket.on('close', () => process.exit(0));
process.stdin.pipe(socket).pipe(process.stdout);
