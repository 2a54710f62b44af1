// The commands of the command line, made from their --help.
import { cell, item } from './docs-table.mjs';

/** @typedef {(args: string[], io: object) => Promise<number>} Run the program of the command line */

/** @param {Run} run */
export async function commandLine(run) {
  // Commander breaks lines at the terminal's width; without a terminal, at 80 characters.
  process.stdout.isTTY = false;
  return (await lines(run, [])).join('\n');
}

/**
 * The lines of a command's subcommands, or of the command itself if it has none.
 *
 * @param {Run} run
 * @param {string[]} command
 * @returns {Promise<string[]>}
 */
async function lines(run, command) {
  const text = await help(run, command);
  const [, list = ''] = text.split('\nCommands:\n');
  const names = [...list.matchAll(/^ {2}([a-z]+)/gm)].map(([, name = '']) => name);
  if (!names.length) return [line(text)];
  const parts = [];
  for (const name of names) if (name !== 'help') parts.push(...(await lines(run, [...command, name])));
  return parts;
}

/** @param {string} text of --help */
function line(text) {
  const [usage = '', description = ''] = text.split('\n\n');
  const named = usage
    .replace('Usage: taskproof ', '')
    .replace(/ ?\[options\]/, '')
    .replace(/(?<=-- )arguments.*(?=])/, '...');
  return item(named, [], cell(description.replaceAll('\n', ' ')));
}

/**
 * @param {Run} run
 * @param {string[]} command
 */
async function help(run, command) {
  let text = '';
  /** @param {string} written */
  const out = written => {
    text += `${written}\n`;
  };
  const code = await run([...command, '--help'], { cwd: process.cwd(), out, err: out, colour: false });
  if (code !== 0) throw new Error(`taskproof ${command.join(' ')} --help: ${text}`);
  return text.trim();
}
