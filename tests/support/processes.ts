// Finds the processes of one run by a mark in their environment, which children inherit. Linux only: it reads /proc.
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { expect, vi } from 'vitest';

/** Name of the environment variable with the mark. */
export const MARK = 'TASKPROOF_TEST_MARK';

/** @returns the command lines of the processes with the mark */
function processesMarked(mark: string): string[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .flatMap(pid => {
      try {
        if (!readFileSync(`/proc/${pid}/environ`, 'utf8').includes(`${MARK}=${mark}`)) return [];
        // A process that has ended, and only waits for its parent, is harmless.
        if (/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))) return [];
        return [readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').slice(0, 200)];
      } catch {
        return [];
      }
    });
}

/** A mark for a run: its environment, and what is left of it. */
export function marked() {
  const mark = randomUUID();
  const running = () => processesMarked(mark);
  return {
    env: { [MARK]: mark },
    running,
    /** The processes of the run are gone, and those that its programs started. */
    gone: () => vi.waitFor(() => expect(running()).toEqual([]), { timeout: 60_000, interval: 200 }),
  };
}
