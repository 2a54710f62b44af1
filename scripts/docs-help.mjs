// The command line's --help, command by command.

const COMMANDS = ['init', 'validate', 'schema', 'record', 'baseline save', 'diff'];

/** @typedef {(args: string[], io: object) => Promise<number>} Run the program of the command line */

/** @param {Run} run */
export async function commandLine(run) {
  // Commander breaks lines at the terminal's width; without a terminal at 80 characters.
  process.stdout.isTTY = false;
  const overview = await help(run, []);
  const missing = [...overview.matchAll(/^ {2}([a-z]+) /gm)]
    .map(([, name]) => name)
    .filter(name => name !== 'help' && !COMMANDS.some(command => command.split(' ')[0] === name));
  if (missing.length)
    throw new Error(`scripts/docs-help.mjs does not know the command ${missing.join(', ')}`);
  const parts = [];
  for (const command of COMMANDS)
    parts.push(`### \`taskproof ${command}\`\n\n\`\`\`text\n${await help(run, command.split(' '))}\n\`\`\``);
  return parts.join('\n\n');
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
