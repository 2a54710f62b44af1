// What errors may say of a program: which one it is and its last words, without its secrets.
import { stripVTControlCharacters } from 'node:util';

const SCRIPT = /\.(?:[cm]?[jt]s|py|rb|php|pl|sh|jar|dll|exe)$/i;
const SECRET_NAME = /(?:KEY|TOKEN|SECRET|PASSWORD|PASSPHRASE)$/i;
/** Characters: shorter ones are found in ordinary words. */
const SECRET_LENGTH = 8;

/** The first argument that looks like a program's file: `agent.py` of `python -u agent.py`. */
export function scriptOf(args: readonly string[]): string | undefined {
  return args.find(arg => !arg.startsWith('-') && SCRIPT.test(arg));
}

/** `python agent.py`. Other arguments are left out: some carry keys. */
export function labelOf(command: string, args: readonly string[]): string {
  const script = scriptOf(args);
  return script === undefined ? command : `${command} ${script}`;
}

/** Replaces values of variables that are named like keys and passwords by the names. */
export function maskEnvironment(text: string, env: Readonly<Record<string, string | undefined>>): string {
  let masked = text;
  const byLength = Object.entries(env).sort(([, a = ''], [, b = '']) => b.length - a.length);
  for (const [name, value = ''] of byLength)
    if (value.length >= SECRET_LENGTH && SECRET_NAME.test(name))
      masked = masked.replaceAll(value, `<${name}>`);
  return masked;
}

/** Lines of an uncaught exception that say less than its message, which stands above them. */
const STACK = /^\s*$|^\s+at |^\s*\^+\s*$|^Node\.js v\d/;

/** The end of what a program wrote to standard error, as one line. */
export function lastWords(text: string): string {
  const lines = stripVTControlCharacters(text)
    .split(/\r?\n/)
    .filter(line => !STACK.test(line));
  return lines.slice(-3).join(' | ').slice(-300).trim();
}
