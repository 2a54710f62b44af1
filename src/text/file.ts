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
    renameSync(temporary, file);
  } catch (error) {
    rmSync(temporary, { force: true, recursive: true });
    throw error;
  }
}
