import { lstatSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** Writes a file and the folders above it. A full disk or a killed process leaves the old file or the new one, never half of one. */
export function writeText(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  const known = lstatSync(file, { throwIfNoEntry: false });
  // Links, pipes and devices stay what they are.
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
