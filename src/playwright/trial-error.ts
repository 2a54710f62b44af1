import type { SourceLocation } from '../trial/stage';
import type { TrialRecord } from '../trial/record';

/**
 * The error of a trial that did not pass. Its only stack frame is the place in the YAML file: the report and the terminal
 * show a frame of the spec there, not of our own code.
 */
export function trialError(record: TrialRecord, location: SourceLocation): Error {
  const kind = record.outcome === 'error' ? `error: ${record.errorKind}` : 'failed';
  const ordinal = `trial ${record.repeatIndex + 1}/${record.policy.k}`;
  const broken = record.assertions.filter(({ passed }) => !passed);
  const held = record.assertions.length - broken.length;
  const list = broken.length + held > 1 && broken.length
    ? [
        '',
        ...record.assertions.map(({ title, passed, reason }) => `  ${passed ? '✓' : '✗'} ${title}${reason ? `: ${reason}` : ''}`),
      ]
    : [];
  const message = [`${record.specId}, ${ordinal}, ${kind}: ${record.reason}`, ...list].join('\n');
  const error = new Error(message);
  error.stack = `Error: ${message}\n    at ${record.specId} (${location.file}:${location.line}:${location.column})`;
  return error;
}
