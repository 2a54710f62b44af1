// Everything that we print: colours, numbers, and texts and JSON without commands to a terminal or a CI runner.
import * as util from 'node:util';
import { harmless } from './line';

export type Style = 'red' | 'green' | 'yellow' | 'dim' | 'bold';

/** Whether to colour the output: FORCE_COLOR and NO_COLOR decide, else whether the stream is a terminal. */
export function useColour(
  stream: NodeJS.WritableStream & { isTTY?: boolean },
  env: NodeJS.ProcessEnv = process.env,
): boolean {
  if (env.FORCE_COLOR) return env.FORCE_COLOR !== '0' && env.FORCE_COLOR !== 'false';
  if (env.NO_COLOR || env.TERM === 'dumb') return false;
  return stream.isTTY === true;
}

/** Colours a text. Before Node 20.12 there is no `styleText`. It would check stdout itself, which we don't want. */
export const paint = (style: Style | undefined, text: string, colour: boolean) =>
  style && colour && util.styleText ? util.styleText(style, text, { validateStream: false }) : text;

// biome-ignore lint/suspicious/noControlCharactersInRegex: a colour begins with it
const COLOUR = /(\u001b\[[\d;]*m)/;

/** Everything that we print goes through it. @param colour keeps colours: `oneLine` has removed those that are not ours */
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
    .replace(/(?<!\S):(?=:)|#(?=#(?:vso|teamcity)?\[)/gi, escaped);
}

export function print(stream: NodeJS.WritableStream & { isTTY?: boolean }, text: string): void {
  stream.write(`${printable(text, useColour(stream))}\n`);
}

/** US dollars: `$1.20`, `$0.0042` below a cent, `unknown` for null. */
export function formatCost(usd: number | null): string {
  if (usd === null) return 'unknown';
  if (usd === 0) return '$0';
  return usd < 0.01 ? `$${Number(usd.toPrecision(2))}` : `$${usd.toFixed(2)}`;
}

/** Milliseconds: `850ms`, `12.3s`, `2m 05s`, `1h 02m`. */
export function formatDuration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)}ms`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${(Math.floor(ms / 100) / 10).toFixed(1)}s`;
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60)];
  const two = (n: number) => String(n).padStart(2, '0');
  return hours > 0 ? `${hours}h ${two(minutes)}m` : `${minutes}m ${two(seconds % 60)}s`;
}

/** A pass rate with its interval, 0 to 1 each: `80% (38-96%)`; `-` if nothing was graded. */
export function formatRate(rate: number | null, interval: readonly [number, number] | null = null): string {
  if (rate === null) return '-';
  const percent = (share: number) => Math.round(share * 100);
  const around = interval ? ` (${percent(interval[0])}-${percent(interval[1])}%)` : '';
  return `${percent(rate)}%${around}`;
}

/** `claude (claude-opus-5-5)`; the name alone if the model is not known. */
export const withModel = (name: string, model: string | null | undefined) =>
  model ? `${name} (${model})` : name;

export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
