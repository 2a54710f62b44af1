// What we print: colours, and texts and JSON without commands to a terminal or a CI runner.
import * as util from 'node:util';
import { harmless } from './line';

export type Style = 'red' | 'green' | 'yellow' | 'dim' | 'bold';

/** Whether to colour the output of this stream: as FORCE_COLOR and NO_COLOR say, else as the terminal can. */
export function useColour(
  stream: NodeJS.WritableStream & { isTTY?: boolean },
  env: NodeJS.ProcessEnv = process.env,
): boolean {
  if (env.FORCE_COLOR) return env.FORCE_COLOR !== '0' && env.FORCE_COLOR !== 'false';
  if (env.NO_COLOR || env.TERM === 'dumb') return false;
  return stream.isTTY === true;
}

/** Colours a text. Before Node 20.12 it stays plain. */
export function paint(style: Style | undefined, text: string, colour: boolean): string {
  return style && colour && typeof styleText === 'function'
    ? styleText(style, text, { validateStream: false })
    : text;
}

// Later Node versions check stdout themselves unless told not to. The types of Node 20 don't know the option.
const styleText = util.styleText as (
  style: Style,
  text: string,
  options: { validateStream: boolean },
) => string;

// biome-ignore lint/suspicious/noControlCharactersInRegex: it is what begins a colour
const COLOUR = /(\u001b\[[\d;]*m)/;

/**
 * Makes a text harmless. All that we print goes through it.
 *
 * @param colour keep colours: `oneLine` has removed those that are not ours
 */
export function printable(text: string, colour = false): string {
  if (!colour) return harmless(text);
  const parts = text.split(COLOUR);
  return parts.map((part, index) => (index % 2 ? part : harmless(part))).join('');
}

/** JSON that is harmless in a log and parses to the same value. */
export function printableJson(value: unknown): string {
  const escaped = (found: string) =>
    found.replace(/./gs, unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
  return JSON.stringify(value, null, 2)
    .replace(/(?!\n)[\p{Cc}\p{Cf}\u2028\u2029]/gu, escaped)
    .replace(/(?<!\S):(?=:)|#(?=#(?:\[|vso\[))/gi, escaped);
}

export function print(stream: NodeJS.WritableStream & { isTTY?: boolean }, text: string): void {
  stream.write(`${printable(text, useColour(stream))}\n`);
}
