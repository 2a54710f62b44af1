// What the suite's `prepare` returns differs from trial to trial: a replay acts with the values of its own.
import type { RecordedAction } from '../../data/action';
import type { RecordedTurn, Recording } from '../../data/recording';
import { inTexts } from '../../text/mask';

/** Shorter ones are parts of other words, too. */
const MIN_LENGTH = 4;

/** The turns of a recording with the values of this trial in place of those of the recorded one. */
export function turnsWith(
  { turns, data: recorded = {} }: Pick<Recording, 'turns' | 'data'>,
  data: Readonly<Record<string, string | number>> = {},
): RecordedTurn[] {
  const values = Object.entries(recorded)
    .map(([name, value]) => [String(value), String(data[name] ?? value)] as const)
    // Secrets are in recordings by their names.
    .filter(([was, is]) => was.length >= MIN_LENGTH && was !== is && !was.includes('<secret>'))
    .sort(([one], [other]) => other.length - one.length);
  if (!values.length) return turns;
  const change = (text: string) => values.reduce((rest, [was, is]) => rest.replaceAll(was, is), text);
  return turns.map(({ title, actions }) => ({
    title: change(title),
    actions: actions.map(({ title, recorded }) => ({
      title: change(title),
      recorded: recorded.map(action => withTexts(action, change, locator => inQuotes(locator, values))),
    })),
  }));
}

/** An action with other texts, and with locators in which `inLocator` has put them: those are code. */
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

/** A locator is code: only its texts change. */
function inQuotes(locator: string, values: readonly (readonly [string, string])[]): string {
  const escaped = (text: string) => text.replace(/['\\]/g, '\\$&');
  return locator.replace(/'(?:\\.|[^'\\])*'/g, quoted =>
    values.reduce((rest, [was, is]) => rest.replaceAll(escaped(was), escaped(is)), quoted),
  );
}
