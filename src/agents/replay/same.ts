// Tells whether a replay found the control that was recorded. A locator alone does not: it may leave out numbers, match a part of a name,
// or count among equal controls.
import type { Standing } from '../../browser/actions/record';
import type { Neighbour, RecordedAction } from '../../data/action';
import { type GoalWords, keepsWords, soughtIn } from '../../text/goal-words';

/** What a recording has of a control, to know it again. */
export type Told = Pick<RecordedAction, 'place' | 'isOn' | 'isEmpty' | 'beside' | 'hints'> & {
  locator?: string;
};

/** @returns `why` it is another control, or how the same control `differs` in numbers or its name; neither if nothing differs */
export function otherControl(
  recorded: Told,
  found: Omit<Standing, 'isConnected' | 'hints'> & { hints?: string },
  goal: GoalWords,
): { why?: string; differs?: string } {
  const [was, is] = [recorded.place?.control, found.place?.control];
  const { hasTestId, counts } = locatorKind(recorded.locator ?? '');
  const [before = '', now = ''] = [nameIn(was), nameIn(is)];
  const hasLost = !keepsWords(before, 'row', [now], goal);
  const isNamed = was !== undefined && is !== undefined && before !== '' && before !== now;
  const differs = isNamed ? `${was} is now ${is}` : undefined;
  if (differs && (hasLost || (!hasTestId && !haveSameWords(before, now)))) return { why: differs };
  const here = was ?? 'the control';
  if (recorded.hints !== undefined && recorded.hints !== found.hints && counts)
    return {
      why: `${here} is another one: ${hintsInWords(found.hints)} instead of ${hintsInWords(recorded.hints)}`,
    };
  // Texts beside a control with a test id may change, but must not lose a name that the goal has.
  const sought = hasTestId ? { ...goal, others: [] } : goal;
  for (const { scope, text } of recorded.beside ?? []) {
    const there = found.beside.filter(each => each.scope === scope).map(each => each.text);
    if (!keepsWords(text, scope, [...there, before, now], sought))
      return { why: `${here} is no longer beside "${text}"` };
  }
  const state = otherState(recorded, found);
  return state ? { why: `${here} ${state}` } : { differs };
}

const STEPS = /(?<=\))\.(?=(?:getBy\w+|locator|first|last|nth|filter)\()/;
const COUNTS = /^(?:first|last|nth)\(|nth-child/;
/** The kind of the control, and below which element: no class, attribute or name. */
const NAMES_NOTHING = /^(?:locator\('(?:[#\w-]+[ >]+)*[a-z][\w-]*'\)|getByRole\('\w+'\))$/;

/** Whether the control has a test id of its own, or is only counted: then it depends on the page what is found. */
function locatorKind(locator: string) {
  const steps = locator.split(STEPS);
  const own = steps.findLast(step => !/^(?:first|last|nth|filter)\(/.test(step)) ?? '';
  const isNamed = /\b(?:hasText|name): /.test(locator);
  const counts = (NAMES_NOTHING.test(own) && !isNamed) || steps.some(step => COUNTS.test(step));
  return { hasTestId: own.startsWith('getByTestId('), counts };
}

const hintsInWords = (hints: string | undefined) => (hints ? `"${hints}"` : 'one without a class');

/** In which the action would do something else: turn off what it turned on, or add to a text that is there already. */
function otherState({ isOn, isEmpty }: Told, found: Pick<Standing, 'isOn' | 'isEmpty'>) {
  if (isOn !== undefined && found.isOn === !isOn)
    return `is ${isOn ? 'off' : 'on'}, and was ${isOn ? 'on' : 'off'} in the recording`;
  return isEmpty && found.isEmpty === false ? 'holds a text, and was empty in the recording' : undefined;
}

/** A recorded text beside a control that no longer shares a word with the goal. */
export const leftOut = (beside: readonly Neighbour[], goal: GoalWords) =>
  beside.find(({ text }) => !text.includes('<secret>') && !soughtIn(text, 'row', goal, true).length)?.text;

/** `button "Pay $9"`: `Pay $9` */
const nameIn = (control: string | undefined) => /"(.*)"$/s.exec(control ?? '')?.[1];

/** Compares the words of two names, without those that have digits, such as `2nd`. Long names end with an ellipsis. */
export function haveSameWords(...names: [string, string]): boolean {
  const [one, other] = names.map(name => {
    const whole = name.toLowerCase().replace(/[\p{L}\d]*…$/u, '');
    const words = whole.match(/[\p{L}\d]+/gu) ?? [];
    return words.filter(word => !/\d/.test(word)).join(' ');
  }) as [string, string];
  if (!names.some(name => name.endsWith('…'))) return one === other;
  return one.startsWith(other) || other.startsWith(one);
}
