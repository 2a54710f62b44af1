// The message of a failed expectation, as Playwright writes it, in one line.
import { stripVTControlCharacters } from 'node:util';
import { oneLine } from './line';

const MAX_VALUE = 100;
/** Of Playwright's messages, up to the next part. */
const VALUE = /^(Expected|Received)(?: [\w ]+)?: *([\s\S]+?)(?=\n\s*\n|\n(?:[A-Z][\w ]+:)|(?![\s\S]))/gm;
const DIFFERENCE = /^- Expected .*\n\+ Received .*$/m;
const DIFFERENT = [/^- +(?!Expected )(.+?),?$/m, /^\+ +(?!Received )(.+?),?$/m];
const NOT_FOUND = /^Error: (element\(s\) not found)$/m;

/** `expected "3", received "2"`; of objects and snapshots the first lines that differ. Empty if the message has none. */
export function valuesIn(text: string): string {
  const message = stripVTControlCharacters(text)
    .split(/\n[^\S\n]*Call log:/i)[0]!
    .trimEnd();
  const values = DIFFERENCE.test(message)
    ? DIFFERENT.map((line, index) => [index ? 'received' : 'expected', line.exec(message)?.[1] ?? 'nothing'])
    : [...message.matchAll(VALUE)].slice(0, 2).map(([, what, value]) => [what!.toLowerCase(), value!]);
  const found = values.map(([what, value]) => `${what} ${oneLine(value!, MAX_VALUE)}`);
  return [...found, ...(NOT_FOUND.exec(message)?.slice(1) ?? [])].join(', ');
}

/** `expect(locator).toHaveText(expected) failed: expected "3", received "2"` */
export function expectationInWords(message: string): string {
  const what = oneLine(message.split('\n')[0]!, 300).replace(/^Error: /, '');
  const values = valuesIn(message);
  return values ? `${what}: ${values}` : what;
}
