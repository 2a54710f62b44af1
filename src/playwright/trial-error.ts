import { readFileSync } from 'node:fs';
import type { TrialRecord } from '../trial/record';
import type { SourceLocation } from '../trial/stage';
import { harmless, oneLine } from '../trial/text';

/**
 * The error of a trial that did not pass. Its only stack frame is the place in the YAML file: the report and the terminal
 * show a frame of the spec there, not of our own code.
 */
export function trialError(record: TrialRecord, location: SourceLocation): Error {
  const kind = record.outcome === 'error' ? `error: ${record.errorKind}` : 'failed';
  const ordinal = `trial ${record.repeatIndex + 1}/${record.policy.k}`;
  // What did not hold and where the agent was, a line each.
  const [what, ...rest] = (record.reason ?? '').split('; the agent stopped on ');
  const where = rest.length ? [`The agent stopped on ${rest.join('; ')}.`] : [];
  const list =
    record.assertions.length > 1 || record.status !== 'completed'
      ? ['', ...record.assertions.map(checkLine)]
      : [];
  const message = harmless([`${record.specId}, ${ordinal}, ${kind}: ${what}`, ...where, ...list].join('\n'));
  const error = new Error(message);
  const frame = `\n    at ${record.specId} (${location.file}:${location.line}:${location.column})`;
  error.stack = `Error: ${message}${canBeShown(location.file) ? frame : ''}`;
  return error;
}

/** Playwright prints the file's lines as they are. */
function canBeShown(file: string): boolean {
  try {
    const source = readFileSync(file, 'utf8').replaceAll('\r\n', '\n');
    return harmless(source) === source;
  } catch {
    return false;
  }
}

function checkLine({ title, passed, reason }: TrialRecord['assertions'][number]): string {
  return passed || reason === null
    ? `  ✓ ${oneLine(title, 300)}`
    : `  ✗ ${oneLine(title, 300)}\n      ${oneLine(reason, 300)}`;
}
