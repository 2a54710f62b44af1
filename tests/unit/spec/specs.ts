// A valid spec and its variations, for the tests of the format.
import {
  safeParseTaskSpec,
  type TaskSpecError,
  type TaskSpecIssue,
  TaskSpecValidationError,
} from '../../../src/spec';

/** The least that a spec can be. */
export const minimal = {
  specVersion: '0.1',
  id: 'pricing-trial',
  goal: 'Start a trial',
  entryUrl: 'https://example.com',
  assertions: [{ type: 'url', pattern: '**/trial**' }],
};

/** JSON is YAML: the minimal spec with some fields replaced (undefined takes one away), as a source. */
export function source(fields: Record<string, unknown> = {}): string {
  return JSON.stringify({ ...minimal, ...fields });
}

export function errorOf(text: unknown, filename?: string): TaskSpecError {
  const result = safeParseTaskSpec(text as string, { filename });
  if (result.ok) throw new Error(`parsed: ${JSON.stringify(result.spec)}`);
  return result.error;
}

export function issuesOf(text: unknown, filename?: string): readonly TaskSpecIssue[] {
  const error = errorOf(text, filename);
  if (!(error instanceof TaskSpecValidationError)) throw error;
  return error.issues;
}
