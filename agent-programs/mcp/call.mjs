// What `playwright-cli` starts in the agent's shell: sends its arguments to the program that plays the trial, and prints the answer.
import { connect } from 'node:net';
import { json } from 'node:stream/consumers';

const [path = '', ...args] = process.argv.slice(2);
const socket = connect(path);
socket.write(`${JSON.stringify(args)}\n`);
const { text, code } = /** @type {{ text: string, code: number }} */ (await json(socket));
process.stdout.write(`${text}\n`);
process.exitCode = code;
