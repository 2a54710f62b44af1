// The processes of one run, told by a mark in their environment, which children inherit. Linux only: elsewhere there is no such list.
import { readdirSync, readFileSync } from 'node:fs';

/** Name of the environment variable that carries the mark. */
export const MARK = 'TASKPROOF_TEST_MARK';

/** @returns command lines of the processes that carry the mark. */
export function processesMarked(mark: string): string[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .flatMap(pid => {
      try {
        if (!readFileSync(`/proc/${pid}/environ`, 'utf8').includes(`${MARK}=${mark}`)) return [];
        // A process that has ended and waits for its parent does no more harm.
        if (/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))) return [];
        return [readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').slice(0, 200)];
      } catch {
        return [];
      }
    });
}
