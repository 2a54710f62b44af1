// Gives a replay the values of its own trial: what the suite's `prepare` returns differs from trial to trial.
import type { RecordedAction } from '../../data/action';
import type { RecordedTurn, Recording } from '../../data/recording';
import { escapePattern } from '../../text/line';
import { inTexts } from '../../text/mask';

/** A text that stands in single quotes in a locator. */
export const unescaped = (quoted: string) => quoted.replace(/\\(['\\])/g, '$1');

/** The turns of a recording, with this trial's values in place of the recorded trial's. */
export function turnsWith(
  { turns, data: recorded = {} }: Pick<Recording, 'turns' | 'data'>,
  data: Readonly<Record<string, string | number>> = {},
  goal = '',
): RecordedTurn[] {
  const values = new Map<string, string>();
  for (const [name, value] of Object.entries(recorded)) {
    const [was, is] = [String(value), String(data[name] ?? value)];
    // If the goal still has the old value, and not the new one, it is an ordinary word there.
    const isLiteral = goal.includes(was) && !goal.includes(is);
    // Recordings have the names of secrets, not their values. If two values were equal, one that changed counts.
    if (was && !isLiteral && !was.includes('<secret>') && (was !== is || !values.has(was)))
      values.set(was, is);
  }
  if (![...values].some(([was, is]) => was !== is)) return turns;
  const change = (text: string) => changed(text, values, goal);
  const inLocator = (locator: string) =>
    locator.replace(/'((?:\\.|[^'\\])*)'/g, (_, quoted: string) => {
      return `'${change(unescaped(quoted)).replace(/['\\]/g, '\\$&')}'`;
    });
  return turns.map(({ title, actions }) => ({
    title: change(title),
    actions: actions.map(({ title, recorded }) => ({
      title: change(title),
      recorded: recorded.map(action => withTexts(action, change, inLocator)),
    })),
  }));
}

/** Replaces all values at once: a new one may equal another's old one. Inside a text, single characters are too common to be replaced. */
function changed(text: string, values: ReadonlyMap<string, string>, goal: string): string {
  const whole = values.get(text);
  if (whole !== undefined) return whole;
  const found = [...values.keys()].filter(was => was.length > 1 && text.includes(was));
  if (!found.length) return text;
  const longestFirst = found.sort((one, other) => other.length - one.length).map(atBorders);
  return text.replace(new RegExp(longestFirst.join('|'), 'gu'), (was, at: number) => {
    // The goal may use the same word for something else: "User settings", while the role is User.
    const before = /[\p{L}\p{N}]+\s+$/u.exec(text.slice(0, at))?.[0];
    const after = /^\s+[\p{L}\p{N}]+/u.exec(text.slice(at + was.length))?.[0];
    const isOfGoal = (before && goal.includes(before + was)) || (after && goal.includes(was + after));
    return isOfGoal ? was : values.get(was)!;
  });
}

/** A pattern for the value, but not as a part of a longer word or number. */
function atBorders(value: string): string {
  const before = /^\d/.test(value)
    ? '(?<!\\d[.,]?)'
    : /^[a-z\u00c0-\u1fff]/i.test(value)
      ? '(?<!\\p{L})'
      : '';
  const after = /\d$/.test(value) ? '(?![.,]?\\d)' : /[a-z\u00c0-\u1fff]$/i.test(value) ? '(?!\\p{L})' : '';
  return before + escapePattern(value) + after;
}

/** Changes the texts in an action. Locators are code, so `inLocator` changes the texts in them. */
export function withTexts(
  action: RecordedAction,
  change: (text: string) => string,
  inLocator: (locator: string) => string,
): RecordedAction {
  const { locator, to } = action as { locator?: string; to?: string };
  return {
    ...inTexts(action, change),
    do: action.do,
    ...(locator && { locator: inLocator(locator) }),
    ...(to && { to: inLocator(to) }),
  } as RecordedAction;
}
