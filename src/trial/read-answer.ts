// What an agent gave as its answer, as it is graded: text, or a value of JSON.
import type { Answer } from '../data/record';
import type { JsonSchema } from '../spec/value-schema';
import type { WantedAnswer } from '../spec/wanted-answer';
import { parsedJson } from '../text/line';
import { inTexts, type Mask } from '../text/mask';

/** @returns null if it says nothing; undefined if it can't be kept */
export function readAnswer(given: unknown, wanted: WantedAnswer): Answer | null | undefined {
  try {
    const value: unknown = JSON.parse(JSON.stringify(given) ?? 'null');
    if (typeof value === 'object') return value;
    const hasShape = typeof wanted === 'object';
    if (hasShape && typeof value !== 'string') return value as number | boolean;
    const text = String(value).trim();
    return (hasShape ? valueIn(text, wanted) : undefined) ?? (text || null);
  } catch {
    return undefined;
  }
}

/** The value of a text that is its JSON: some agents can only write. */
function valueIn(text: string, { type }: JsonSchema): Answer | undefined {
  const value = parsedJson(text.replace(/^```\w*\n|\n```$/g, ''));
  if (typeof value === 'object' && value) return value;
  const types = [type].flat();
  const isWanted =
    typeof value === 'number' ? /number|integer/ : typeof value === 'boolean' ? /boolean/ : /^$/;
  return isWanted.test(types.join()) && !types.includes('string') ? (value as number | boolean) : undefined;
}

/** A number that is a secret becomes its name. */
export function maskAnswer(answer: Answer, mask: Mask): Answer {
  const masked = (_: string, value: unknown) => {
    const text = String(value);
    return typeof value === 'number' && mask(text) !== text ? mask(text) : value;
  };
  return inTexts(JSON.parse(JSON.stringify(answer), masked) as Answer, mask, 'changed');
}
