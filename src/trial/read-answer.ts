// An agent's answer as it is graded: a text or a JSON value.
import type { Answer } from '../data/record';
import type { JsonSchema } from '../spec/value-schema';
import type { WantedAnswer } from '../spec/wanted-answer';
import { parsedJson } from '../text/line';
import { inTexts, type Mask } from '../text/mask';

/** @returns null if the answer is empty, undefined if it is not JSON */
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

/** The value of an answer that was written as JSON: some agents can only return text. */
function valueIn(text: string, { type }: JsonSchema): Answer | undefined {
  const value = parsedJson(text.replace(/^```\w*\n|\n```$/g, ''));
  if (typeof value === 'object' && value) return value;
  const types = [type].flat();
  const isWanted =
    typeof value === 'number' ? /number|integer/ : typeof value === 'boolean' ? /boolean/ : /^$/;
  return isWanted.test(types.join()) && !types.includes('string') ? (value as number | boolean) : undefined;
}

/** Masks texts, and numbers that are secrets. */
export function maskAnswer(answer: Answer, mask: Mask): Answer {
  const masked = (_: string, value: unknown) => {
    const text = String(value);
    return typeof value === 'number' && mask(text) !== text ? mask(text) : value;
  };
  return inTexts(JSON.parse(JSON.stringify(answer), masked) as Answer, mask, 'changed');
}
