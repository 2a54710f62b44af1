// Which controls a failed trial was about: those that it used last, those that it looked for, and those that its goal names next. A
// finding is relevant if it touches one of them.
import type { Box } from '../browser/driver/tree';
import type { Sighting } from '../browser/examine/rules';
import { sameFingerprint } from '../browser/fingerprint';
import type { RecordedAction } from '../browser/page-action';
import type { TurnRecord } from './record';

/** How many of the last turns count. */
const LAST_TURNS = 3;
const MAX_TEXTS = 12;
const MAX_USED = 12;
/** Most quoted texts of the goal, from where the trial stopped following it. */
const MAX_NEXT = 3;

export interface Use {
  locator: string;
  /** The action failed. */
  failed: boolean;
  /** Something was typed into it, but nothing on the page changed. */
  unkept: boolean;
}

export interface Aims {
  /** Names that were looked for but not found or not usable, in lower case. */
  sought: string[];
  /** Names that the goal mentions next. */
  next: string[];
  /** Controls that were tried on the page where the trial ended, by locator. */
  used: Use[];
}

/** The part of a trial that shows what it was about. */
export interface Course {
  goal: string;
  turns: readonly TurnRecord[];
  /** Why the agent stopped; null if it gives no reason. */
  reason: string | null;
  /** Path, query and fragment of the page where it ended. */
  url: string;
}

export function aimsOf({ goal, turns, reason, url }: Course): Aims {
  const path = pathIn(url);
  const last = turns.slice(-LAST_TURNS);
  const tried = turns.flatMap(turn =>
    turn.actions.flatMap(({ steps = [], error }) => steps.map(step => ({ turn, step, error }))),
  );
  const used = tried.flatMap(({ turn, step, error }) => {
    if (pathIn(step.before.url) !== path || !('locator' in step && step.locator)) return [];
    const unkept = isUnkept(step);
    const counts = unkept || last.includes(turn);
    return counts ? [{ locator: step.locator, failed: error !== undefined || unkept, unkept }] : [];
  });
  // An agent may go on long after it failed.
  const here = turns.filter(turn => last.includes(turn) || pathIn(turn.url) === path);
  const failures = here.flatMap(({ title, error, actions }) => [
    ...(error === undefined ? [] : [title, error]),
    ...actions.flatMap(action => (action.error === undefined ? [] : [action.title, action.error])),
  ]);
  const sought = [reason ?? '', ...failures].flatMap(soughtIn);
  return { sought: distinct(sought), next: distinct(nextIn(goal, turns)), used: used.slice(-MAX_USED) };
}

function isUnkept(step: RecordedAction): boolean {
  const isTyped = (step.do === 'fill' || step.do === 'type') && step.text !== '';
  return isTyped && step.before.content !== '' && sameFingerprint(step.before, step.after);
}

/** The name of the control that was looked for, not of what is there instead. */
function soughtIn(text: string): string[] {
  const before = text.split(/; there (?:is|are) |\n\s*- waiting for |Call log:/)[0]!;
  return quoted(before).filter(each => !ROLES.test(each));
}

const ROLES =
  /^(?:button|link|textbox|checkbox|radio|combobox|option|dialog|heading|searchbox|tab|menuitem|switch|row)$/;

/** The quoted texts of the goal after the last one that turns mention; all that they don't mention if they mention none. */
function nextIn(goal: string, turns: readonly TurnRecord[]): string[] {
  const told = turns
    .filter(({ outcome }) => outcome === 'ok')
    .flatMap(({ title, actions }) => [title, ...actions.map(action => action.title)])
    .join('\n')
    .toLowerCase();
  const texts = quoted(goal);
  const done = texts.findLastIndex(text => told.includes(text.toLowerCase()));
  return texts.slice(done + 1, done + 1 + MAX_NEXT);
}

function quoted(text: string): string[] {
  const found = text
    .slice(0, 20_000)
    .matchAll(/"([^"\n]{1,80})"|“([^”\n]{1,80})”|(?<![\p{L}\p{N}])'([^'\n]{2,80})'(?![\p{L}\p{N}])/gu);
  return [...found].map(([, double, curly, single]) => (double ?? curly ?? single)!.trim());
}

function distinct(texts: string[]): string[] {
  return [...new Set(texts.map(text => text.toLowerCase()).filter(text => /[\p{L}\p{N}]/u.test(text)))].slice(
    0,
    MAX_TEXTS,
  );
}

/** A place where something was tried. */
export type Touched = Box & Omit<Use, 'locator'>;

/** What is known to be on the page, to recognise what has no name. */
export interface Known {
  touched: readonly Touched[];
  /** Names of the controls that can be used, in lower case. */
  usable: readonly string[];
}

/** What keeps a control from being used. If it was used, that may be the effect: a button is disabled while it works. */
const BARRIERS = ['covered', 'out_of_reach', 'disabled'];
/** Kinds of findings for which a control can't be found by its name. */
const NAMELESS = ['no_name', 'no_label', 'no_role', 'picture_only'];
/** If a page has more of them, none can be identified. */
const MAX_NAMELESS = 3;

/** Whether each sighting touches what the trial was about. */
export function relevantOf(
  sightings: readonly Sighting[],
  aims: Aims,
  { touched, usable }: Known,
): boolean[] {
  const aimed = [...aims.sought, ...aims.next];
  const nameless = sightings.filter(({ kind }) => NAMELESS.includes(kind));
  const isMissing =
    aims.sought.length > 0 && !aims.sought.some(text => usable.some(name => matches(name, text)));
  return sightings.map(sighting => {
    // Nothing else on the page can be used.
    if (sighting.kind === 'dialog_trap') return true;
    const tried = touched.filter(box => sighting.boxes.some(each => meets(each, box)));
    if (tried.length && BARRIERS.includes(sighting.kind)) return tried.at(-1)!.failed;
    if (tried.length) return true;
    if (aimed.some(text => isCalled(sighting, text, usable))) return true;
    return isMissing && NAMELESS.includes(sighting.kind) && nameless.length <= MAX_NAMELESS;
  });
}

function isCalled({ kind, names, hints }: Sighting, text: string, usable: readonly string[]): boolean {
  if (names.some(name => matches(name, text))) return true;
  // The author's name for it counts only if nothing on the page has that name.
  if (!NAMELESS.includes(kind) || usable.some(name => matches(name, text))) return false;
  const words = text.match(/[\p{L}\p{N}]{3,}/gu) ?? [];
  return words.some(word => ` ${hints} `.includes(` ${word} `));
}

/** Whether the name contains the text, or is at least half of it, by whole words: "Basket" is not "Add to basket". */
function matches(name: string, text: string): boolean {
  const wordsOf = (each: string): string[] => each.match(/[\p{L}\p{N}]+/gu) ?? [];
  const [one, other] = [wordsOf(name), wordsOf(text)];
  if (!one.length || !other.length) return false;
  const isIn = (part: string[], whole: string[]) => ` ${whole.join(' ')} `.includes(` ${part.join(' ')} `);
  const isMost = one.length * 2 >= other.length && one.join(' ').length > 3;
  return isIn(other, one) || (isMost && isIn(one, other));
}

/** Whether both are at nearly the same place: a control and what is drawn in it, but not its container. */
function meets(one: Box, other: Box): boolean {
  const [small, large] = [one, other].sort((a, b) => a.width * a.height - b.width * b.height) as [Box, Box];
  const [x, y] = [small.x + small.width / 2, small.y + small.height / 2];
  const isIn = x >= large.x && y >= large.y && x <= large.x + large.width && y <= large.y + large.height;
  return isIn && (small.width === 0 || large.width * large.height < 6 * small.width * small.height);
}

function pathIn(url: string): string {
  return url.replace(/^https?:\/\/[^/]*/, '').replace(/[?#].*$/, '') || '/';
}
