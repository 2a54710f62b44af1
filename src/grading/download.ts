// Looks for the files that a trial downloaded, and what they contain.
import { isUtf8 } from 'node:buffer';
import type { Download } from '@playwright/test';
import { within } from '../browser/waiting';
import type { DownloadAssertion } from '../spec';
import { urlGlob } from '../spec/url-glob';
import { few, shorten, textOfWindows } from '../text/line';
import { containing } from './dom';

/** Milliseconds for one look at a download, which may not have ended. */
const LOOK_MS = 2_000;
/** Bytes of a file in which a text is searched. */
const MAX_FILE = 10_000_000;

/** @returns why it does not hold, or null */
export async function lookAtDownload(
  { name, text }: DownloadAssertion,
  downloads: readonly Download[],
): Promise<string | null> {
  const names = downloads.map(each => `"${each.suggestedFilename()}"`);
  // macOS writes accents as characters of their own.
  const matches = urlGlob(name.normalize('NFC'));
  const named = downloads.filter(each => matches(each.suggestedFilename().normalize('NFC')));
  if (!named.length) return `no file "${name}" was downloaded${names.length ? `, but ${few(names, 3)}` : ''}`;
  const reasons = await Promise.all(named.map(each => whyNot(each, text)));
  return reasons.includes(null) ? null : reasons[0]!;
}

async function whyNot(download: Download, text: string | undefined): Promise<string | null> {
  const name = `"${download.suggestedFilename()}"`;
  const ending = download.failure().then(failure => ({ failure }));
  const ended = await within(ending, LOOK_MS);
  if (!ended) return `the download of ${name} has not ended`;
  if (ended.failure?.includes('acceptDownloads'))
    return `the download of ${name} was refused: the suite sets \`acceptDownloads: false\``;
  if (ended.failure !== null) return `the download of ${name} failed: ${ended.failure}`;
  if (text === undefined) return null;
  const bytes = await beginningOf(download);
  const content = decoded(bytes).normalize('NFC');
  if (containing(text.normalize('NFC')).test(content)) return null;
  const where = bytes.length < MAX_FILE ? '' : ` in its first ${MAX_FILE / 1_000_000} MB`;
  return `${name} does not contain "${text}"${where}; it ${content ? `begins with "${shorten(content.slice(0, 300), 80)}"` : 'is empty'}`;
}

/** As a stream, since the browser may be on another machine. */
async function beginningOf(download: Download): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of await download.createReadStream()) {
    chunks.push(chunk as Buffer);
    length += (chunk as Buffer).length;
    if (length >= MAX_FILE) break;
  }
  return Buffer.concat(chunks);
}

/** Excel writes UTF-16 with a byte order mark; older programs write Windows' single-byte encoding. */
function decoded(bytes: Buffer): string {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be').decode(bytes);
  // A file that was cut may end within a character.
  const cuts = bytes.length < MAX_FILE ? [0] : [0, 1, 2, 3];
  const isUtf = cuts.some(cut => isUtf8(bytes.subarray(0, bytes.length - cut)));
  return isUtf ? new TextDecoder().decode(bytes) : textOfWindows(bytes);
}
