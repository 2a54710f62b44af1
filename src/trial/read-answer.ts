// What an agent gave as its answer, as it is graded: text, or a value of JSON.
import type { Answer } from '../data/record';
import type { WantedAnswer } from '../spec/wanted-answer';
import { parsedJson } from '../text/line';

/** @returns null if it says nothing; undefined if it can't be kept */
export function readAnswer(given: unknown, wanted: WantedAnswer): Answer | null | undefined {
  try {
    const value: unknown = JSON.parse(JSON.stringify(given) ?? 'null');
    if (typeof value === 'object') return value;
    const text = String(value).trim();
    return (typeof wanted === 'object' && valueIn(text)) || text || null;
  } catch {
    return undefined;
  }
}

/** The object or list of a text that is its JSON: some agents can only write. */
function valueIn(text: string): object | undefined {
  const value = parsedJson(text.replace(/^```\w*\n|\n```$/g, ''));
  return typeof value === 'object' && value ? value : undefined;
}
