// What a file costs in time of a processor, its own and that of the processes it started and saw end: unlike its seconds it is much
// the same on a busy machine. ./slowest.ts prints it. Not in it: a browser that files share, and what Chromium's own processes take
// after their parent has ended, which is about as much again. Linux only: elsewhere the children's is not told.
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll } from 'vitest';

declare module 'vitest' {
  interface TaskMeta {
    /** Seconds. */
    cpu?: number;
  }
}

function cpuSeconds(): number {
  if (process.platform !== 'linux') return 0;
  // After the name in brackets: user and system time of the process, then of its children, in hundredths of a second.
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1]!.split(' ');
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / 100;
}

let before = 0;
beforeAll(() => {
  before = cpuSeconds();
});
// biome-ignore lint/correctness/noEmptyPattern: Vitest reads the first argument's names
afterAll(({}, file) => {
  file.meta.cpu = cpuSeconds() - before;
});
