// The files inside a zip, for tests that look for what must not be there.
import { inflateRawSync } from 'node:zlib';

const END = 0x06054b50;
const ENTRY = 0x02014b50;

/** Entries of a zip without zip64: name and content. */
export function unzip(zip: Buffer): { name: string; content: Buffer }[] {
  let end = zip.length - 22;
  while (end >= 0 && zip.readUInt32LE(end) !== END) end--;
  if (end < 0) throw new Error('not a zip');
  const entries: { name: string; content: Buffer }[] = [];
  let offset = zip.readUInt32LE(end + 16);
  for (let left = zip.readUInt16LE(end + 10); left > 0; left--) {
    if (zip.readUInt32LE(offset) !== ENTRY) throw new Error('broken zip');
    const [nameLength, extraLength, commentLength] = [28, 30, 32].map(at => zip.readUInt16LE(offset + at));
    const local = zip.readUInt32LE(offset + 42);
    const start = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28);
    const packed = zip.subarray(start, start + zip.readUInt32LE(offset + 20));
    entries.push({
      name: zip.toString('utf8', offset + 46, offset + 46 + nameLength!),
      content: zip.readUInt16LE(offset + 10) === 8 ? inflateRawSync(packed) : packed,
    });
    offset += 46 + nameLength! + extraLength! + commentLength!;
  }
  return entries;
}
