// Whether a replay found the control of its recording: locators leave numbers out, match parts of names, and count among equals.
import type { Standing } from '../../browser/actions/record';
import type { RecordedAction } from '../../data/action';

type Told = Pick<RecordedAction, 'place' | 'beside'> & { locator?: string };

/** @returns in one clause why it is another control, `differs` if it is the same with other numbers or another name; neither if nothing differs */
export function otherControl(
  recorded: Told,
  found: Standing,
  goal: string,
): { why?: string; differs?: string } {
  const [was, is] = [recorded.place?.control, found.place?.control];
  const inGoal = new Set(partsOf(goal));
  const lacks = (before: string, now: string, partsIn = partsOf) => {
    const parts = new Set(partsOf(now));
    return partsIn(before).some(each => inGoal.has(each) && !parts.has(each));
  };
  const hasTestId = /getByTestId\(/.test(recorded.locator ?? '');
  const [before, now] = [nameIn(was), nameIn(is)];
  if (was !== undefined && is !== undefined && before !== undefined && before !== now) {
    const differs = `${was} is now ${is}`;
    const isOther = lacks(before, now ?? '') || (!hasTestId && !haveSameWords(before, now ?? ''));
    return isOther ? { why: differs } : { differs };
  }
  // Others may be found by what does not tell them apart: the second button, `cancel-2`.
  const isCounted = /\.(?:nth|first|last)\(/.test(recorded.locator ?? '');
  const { beside } = recorded;
  if (!beside || (!isCounted && !hasTestId)) return {};
  if (lacks(beside, found.beside, isCounted ? partsOf : numbersOf))
    return { why: `${was ?? 'the control'} beside "${beside}" is now one beside "${found.beside}"` };
  return {};
}

/** `button "Pay $9"`: `Pay $9` */
const nameIn = (control: string | undefined) => /"(.*)"$/s.exec(control ?? '')?.[1];
const numbersOf = (text: string) => text.match(/\d+(?:[.,]\d+)*/g) ?? [];
const partsOf = (text: string) => [...numbersOf(text), ...namesOf(text)];
/** Words that can name something. */
const namesOf = (text: string) =>
  (text.toLowerCase().match(/\p{L}{3,}/gu) ?? []).filter(
    each => !/^(?:the|and|for|with|from|into|one)$/.test(each),
  );

/** Without numbers and what has digits in it, such as `2nd`. Long names are cut. */
export function haveSameWords(...names: [string, string]): boolean {
  const [one, other] = names.map(name => {
    const words =
      name
        .toLowerCase()
        .replace(/[\p{L}\d]*…$/u, '')
        .match(/[\p{L}\d]+/gu) ?? [];
    return words.filter(word => !/\d/.test(word)).join(' ');
  }) as [string, string];
  if (!names.some(name => name.endsWith('…'))) return one === other;
  return one.startsWith(other) || other.startsWith(one);
}
