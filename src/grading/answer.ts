// Checks what the agent says at its end.
import { type Answer, answerText } from '../data/record';
import type { AnswerAssertion } from '../spec';
import { problemsIn } from '../spec/errors';
import { inTime, TOO_LONG, valuesOf } from '../spec/value-schema';
import { flat, parsedJson, readable, shorten } from '../text/line';
import { dateIn, type Given, numberIn } from './answer-values';

/** @returns why it does not hold, or null */
export function lookAtAnswer(assertion: AnswerAssertion, answer: Answer | null): string | null {
  const said = answerText(answer ?? '');
  if (said.trim() === '') return 'the agent gave no answer';
  const { text, regex, number, date, matches } = assertion;
  const shown = `"${shorten(said, 200)}"`;
  if (text !== undefined)
    return plain(said).includes(plain(text)) ? null : `the answer ${shown} does not contain "${text}"`;
  const choices = choicesOf(assertion);
  if (choices) {
    const bare = bareOf(said);
    const isOne = choices.some(each => bareOf(each) === bare);
    return isOne ? null : `the answer is ${shown}, not ${anyOf(choices)}`;
  }
  if (regex !== undefined) {
    const isMatch = inTime(() => new RegExp(regex, 'u').test(said));
    return isMatch
      ? null
      : `the answer ${shown} ${isMatch === undefined ? TOO_LONG : `does not match /${regex}/`}`;
  }
  if (number !== undefined) {
    // `1,299` is 1299 first, and 1.299 only if the spec has decimals. `5,000` is never 5.
    const isIt = (each: number, at: number) =>
      !(at && [each, number].some(Number.isInteger)) && isNear(each, number, assertion.tolerance);
    return wrongValue('number', said, numberIn, isIt, numberInWords(assertion), shown);
  }
  if (date !== undefined) {
    const isIt = (each: string) => each === (each.length === 5 ? date.slice(5) : date);
    return wrongValue('date', said, dateIn, isIt, date, shown);
  }
  return whyNoMatch(matches!, answer!, shown);
}

/** The assertion as a sentence. */
export function answerTitle(assertion: AnswerAssertion): string {
  const { text, regex, number, date, matches } = assertion;
  if (text !== undefined) return `the answer contains "${text}"`;
  const choices = choicesOf(assertion);
  if (choices) return `the answer is ${anyOf(choices)}`;
  if (regex !== undefined) return `the answer matches /${regex}/`;
  if (number !== undefined) return `the answer gives ${numberInWords(assertion)}`;
  return date === undefined ? `the answer fits ${JSON.stringify(matches)}` : `the answer gives ${date}`;
}

/** The whole answers that `equals` or `oneOf` accept. */
const choicesOf = ({ equals, oneOf }: AnswerAssertion) => (equals === undefined ? oneOf : [equals]);
const anyOf = (choices: readonly string[]) => choices.map(each => `"${each}"`).join(' or ');

function numberInWords({ number, tolerance }: AnswerAssertion): string {
  return `${number}${tolerance ? ` ± ${tolerance}` : ''}`;
}

/** As Playwright compares texts: without the case, and with all white space alike. Quotes are made straight: models use both. */
function plain(text: string): string {
  return flat(readable(text)).toLowerCase().replace(/[‘’]/g, "'").replace(/[“”„]/g, '"');
}

/** The search for numbers takes long in long texts, and a model may say anything. */
const MAX_SEARCHED = 10_000;
const MAX_LAYERS = 20;
/** Around a whole answer. */
const AROUND = /^(?:"(.*)"|'(.*)'|«(.*)»|»(.*)«|`(.*)`|\*(.*)\*|_(.*)_|(.*)[.。])$/s;

/** Without quotes, emphasis and a full stop around it. */
function bareOf(text: string, layers = MAX_LAYERS): string {
  const inner = plain(text);
  const parts = layers ? AROUND.exec(inner)?.slice(1) : undefined;
  const around = parts?.find(each => each !== undefined && each.trim() !== '');
  return around === undefined ? inner : bareOf(around, layers - 1);
}

/** Ignores rounding: 0.1 + 0.2 is 0.3, and 1.1 million is 1,100,000. */
function isNear(value: number, wanted: number, tolerance = 0): boolean {
  const isWhole = Number.isInteger(value) && Number.isInteger(wanted);
  const rounding = isWhole ? 0 : 4 * Number.EPSILON * Math.max(1, Math.abs(wanted));
  return Math.abs(value - wanted) <= tolerance + rounding;
}

function wrongValue<T>(
  kind: 'number' | 'date',
  said: string,
  find: (said: string) => Given<T>,
  isIt: (reading: T, at: number) => boolean,
  wanted: string,
  shown: string,
): string | null {
  if (said.length > MAX_SEARCHED)
    return `the answer is longer than the 10,000 characters in which a ${kind} is looked for (${shown})`;
  const { value, mentioned } = find(said);
  if (value?.readings.some(isIt)) return null;
  if (value) return `the answer gives ${value.readings[0]} (${shown}), not ${wanted}`;
  const all = mentioned.map(({ text }) => text.trim());
  if (!all.length) return `the answer gives no ${kind} (${shown}), expected ${wanted}`;
  return `the answer gives several ${kind}s, and marks none as the result: ${shorten(all.join(', '), 100)} (${shown}), expected ${wanted}`;
}

function whyNoMatch(schema: Record<string, unknown>, answer: Answer, shown: string): string | null {
  const found = typeof answer === 'string' ? jsonIn(answer) : [answer];
  const checked = valuesOf(schema);
  // If the schema allows a text, the answer need not be JSON.
  if (typeof answer === 'string' && checked.safeParse(answer).success) return null;
  if (!found.length) return `the answer is not JSON (${shown})`;
  const problems = found.map(value => checked.safeParse(value).error);
  // All of several code fences must fit, since none is marked.
  const first = problems.find(problem => problem !== undefined);
  return first === undefined
    ? null
    : `the answer does not fit its schema: ${problemsIn(first, 'the answer')[0]} (${shown})`;
}

/** The JSON of a text: all of it, else what is in code fences, else what is between the outermost brackets. */
function jsonIn(text: string): unknown[] {
  const fences = [...text.matchAll(/```\w*\n(.*?)```/gs)].map(fence => fence[1]!);
  const inside = /[{[].*[}\]]/s.exec(text)?.[0] ?? '';
  const found = [[text], fences, [inside]].map(parts => parts.map(parsedJson));
  return found.map(all => all.filter(value => value !== undefined)).find(all => all.length) ?? [];
}
