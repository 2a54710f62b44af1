import { lstatSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** Writes a file, and makes its folders. If the disk is full or the process is killed, the file is the old or the new one, never half. */
export function writeText(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  const known = lstatSync(file, { throwIfNoEntry: false });
  // Links, pipes and devices are written to, not replaced.
  if (known && !known.isFile()) {
    writeFileSync(file, text);
    return;
  }
  const temporary = `${file}.${process.pid}.tmp`;
  try {
    writeFileSync(temporary, text);
    moveOver(temporary, file);
  } catch (error) {
    rmSync(temporary, { force: true, recursive: true });
    throw error;
  }
}

const TRIES = 10;
const PAUSE_MS = 20;

/** Renames a file to one that may exist. Windows refuses that while another program, such as a virus scanner, reads one of them. */
export function moveOver(from: string, to: string): void {
  for (let tries = 1; ; tries++)
    try {
      renameSync(from, to);
      return;
    } catch (error) {
      const { code = '' } = error as NodeJS.ErrnoException;
      if (tries === TRIES || !['EACCES', 'EBUSY', 'EPERM'].includes(code)) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS * tries);
    }
}

/** A folder of ours that can't be removed, since another program reads it, is no error of the run. */
export function removeFolder(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  } catch {}
}
