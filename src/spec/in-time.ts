// A pattern of a spec or of a page's schema can take years for some texts of a model, and nothing else ends it.
import { runInNewContext } from 'node:vm';

/** Milliseconds: what can be checked takes a few, on a busy machine a few hundred. */
const LIMIT_MS = 1_000;
export const TOO_LONG = `can't be checked within ${LIMIT_MS} ms: simplify the pattern, it tries too many ways`;

/** What `check` returns; undefined if it takes longer than a second. */
export function inTime<T>(check: () => T): T | undefined {
  try {
    return runInNewContext('check()', { check }, { timeout: LIMIT_MS });
  } catch (error) {
    if ((error as { code?: unknown }).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return undefined;
    throw error;
  }
}
