// The command line's --help, command by command.

/** @typedef {(args: string[], io: object) => Promise<number>} Run the program of the command line */

/** @param {Run} run */
export async function commandLine(run) {
  // Commander breaks lines at the terminal's width; without a terminal at 80 characters.
  process.stdout.isTTY = false;
  const parts = await sections(run, []);
  return parts.join('\n\n');
}

/**
 * Those of a command's own commands, or of the command if it has none.
 *
 * @param {Run} run
 * @param {string[]} command
 * @returns {Promise<string[]>}
 */
async function sections(run, command) {
  const text = await help(run, command);
  const [, list = ''] = text.split('\nCommands:\n');
  const names = [...list.matchAll(/^ {2}([a-z]+)/gm)].map(([, name = '']) => name);
  if (!names.length) return [`### \`taskproof ${command.join(' ')}\`\n\n\`\`\`text\n${text}\n\`\`\``];
  const parts = [];
  for (const name of names) if (name !== 'help') parts.push(...(await sections(run, [...command, name])));
  return parts;
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
