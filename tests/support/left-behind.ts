// Everything that a run leaves behind: its output, its files, and the entries of zips in them.
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { unzip } from './unzip';

export interface Left {
  /** `output`, a path from the suite's folder, or `PATH: ENTRY` for what is packed in a file. */
  name: string;
  content: Buffer;
}

/** Playwright's HTML report contains a zip as text. */
function packedIn(name: string, content: Buffer): Buffer | undefined {
  if (name.endsWith('.zip')) return content;
  const data = name.endsWith('.html') && /data:application\/zip;base64,([A-Za-z0-9+/=]+)/.exec(`${content}`);
  return data ? Buffer.from(data[1]!, 'base64') : undefined;
}

/**
 * @param folder the suite's; its node_modules are left out
 * @param output what the run printed
 */
export function leftBehind(folder: string, output: string): Left[] {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => relative(folder, join(entry.parentPath, entry.name)))
    .filter(name => !name.includes('node_modules'));
  return [
    { name: 'output', content: Buffer.from(output) },
    ...files.flatMap(name => {
      const content = readFileSync(join(folder, name));
      const packed = packedIn(name, content);
      const entries = packed ? unzip(packed) : [];
      return [{ name, content }, ...entries.map(entry => ({ ...entry, name: `${name}: ${entry.name}` }))];
    }),
  ];
}

/** A text itself, and the middle of its base64 for each of its three possible alignments. */
function formsOf(text: string): string[] {
  const encoded = [0, 1, 2].map(offset =>
    Buffer.from(' '.repeat(offset) + text)
      .toString('base64')
      .slice(4, -4),
  );
  return [text, ...encoded];
}

/** @returns the names of the items that contain a text, plain or as base64 */
export function holding(left: readonly Left[], text: string): string[] {
  const forms = formsOf(text);
  return left.filter(({ content }) => forms.some(form => content.includes(form))).map(({ name }) => name);
}
