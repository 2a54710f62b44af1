// Examines the page on which a failed trial ended. Findings go into the record and the report. One is relevant if it touches a control
// that the trial was about: one that it used last, one that it looked for, or one that its goal names next.
import type { Page } from '@playwright/test';
import { locatorOf } from '../browser/actions/locate';
import { sameFingerprint } from '../browser/actions/record';
import type { Box } from '../browser/injected/elements';
import type { Sighting } from '../browser/injected/look';
import { within } from '../browser/waiting';
import { pathOf, type RecordedAction } from '../data/action';
import type { Action, Examination, Finding, TurnRecord } from '../data/record';
import { hostAllowed } from '../spec/url';
import { oneLine } from '../text/line';
import type { Attach, GradedPlan, TrialContext } from './run-agent';

/** Milliseconds for the examination, and how many more if the page does not answer. */
export const EXAMINATION_MS = 5_000;
const PATIENCE_MS = 3_000;
const MAX_FINDINGS = 100;
const MAX_PICTURES = 4;

/** @returns null if there is no page to examine. Never rejects. */
export async function examine(
  trial: TrialContext<GradedPlan>,
  turns: readonly TurnRecord[],
  reason: string | null,
): Promise<Examination | null> {
  const { plan, session, output } = trial;
  const { page } = session;
  const allowed = (url: string) => url === 'about:srcdoc' || hostAllowed(url, plan.allowedDomains);
  if (page.isClosed() || !allowed(page.url())) return null;
  const examined = output.step(
    "look for what stood in the agent's way",
    attach => session.onAdmitted(() => lookAt(page, { trial, turns, reason, allowed, attach })),
    plan.locate('goal'),
  );
  // If the page does not answer, the record is still complete.
  return (await within(examined, EXAMINATION_MS + PATIENCE_MS)) ?? null;
}

interface LookInput {
  trial: TrialContext<GradedPlan>;
  turns: readonly TurnRecord[];
  reason: string | null;
  allowed(url: string): boolean;
  attach: Attach;
}

async function lookAt(
  page: Page,
  { trial, turns, reason, allowed, attach }: LookInput,
): Promise<Examination> {
  const end = performance.now() + EXAMINATION_MS;
  const { examinePage } = await import('../browser/reading/examine.js');
  const { mask, plan } = trial;
  const aims = aimsOf({ goal: plan.goal, turns, reason, url: page.url() });
  const touched = await touchedOn(page, aims.used, turns.at(-1));
  const examined = await examinePage(page, {
    wanted: [...aims.sought, ...aims.next],
    unkept: touched.filter(({ unkept }) => unkept),
    budgetMs: end - performance.now(),
    admitted: allowed,
  });
  const relevant = relevantOf(examined.found, aims, { touched, usable: examined.usable });
  const sorted = examined.found.map((found, index) => ({ found, relevant: relevant[index]! }));
  sorted.sort((one, other) => Number(other.relevant) - Number(one.relevant));
  const findings: Finding[] = [];
  for (const { found, relevant } of sorted.slice(0, MAX_FINDINGS)) {
    const name = `in-the-way-${findings.length + 1}.jpg`;
    const image = relevant && findings.length < MAX_PICTURES ? await found.cutOut() : undefined;
    if (image) await attach(name, { body: image, contentType: 'image/jpeg' });
    findings.push({
      kind: found.kind,
      locator: oneLine(mask(found.locator), 300),
      text: oneLine(mask(found.text), 300),
      relevant,
      ...(image ? { screenshot: name } : {}),
    });
  }
  return {
    path: oneLine(mask(pathOf(page.url()).replace(/[?#].*$/, '')), 300),
    findings,
    others: sorted.filter(({ relevant }) => !relevant).length + examined.more,
    ...(examined.incomplete.length
      ? { incomplete: oneLine([...new Set(examined.incomplete)].join('; '), 300) }
      : {}),
  };
}

/** Where the controls are that the last turns tried on this page, and where the last turn clicked. */
async function touchedOn(page: Page, used: Aims['used'], last: TurnRecord | undefined): Promise<Touched[]> {
  const boxes = used.map(async ({ locator, ...use }) => {
    // Waits for no element: what is gone is in nobody's way.
    const [element, another] = await locatorOf(page, locator).elementHandles();
    const box = another ? null : await element?.boundingBox();
    return box ? [{ ...box, ...use }] : [];
  });
  const found = await Promise.all(boxes.map(async box => (await within(box, EXAMINATION_MS / 2)) ?? []));
  const action = last?.actions.findLast(({ point }) => point);
  if (!action?.point || pathOf(last!.url) !== pathOf(page.url())) return found.flat();
  const spot = { ...action.point, width: 0, height: 0, unkept: false };
  return [...found.flat(), { ...spot, failed: action.error !== undefined }];
}

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
interface Course {
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
    turn.actions.flatMap(({ recorded = [], error }) => recorded.map(action => ({ turn, action, error }))),
  );
  const used = tried.flatMap(({ turn, action, error }) => {
    if (pathIn(action.before.url) !== path || !('locator' in action && action.locator)) return [];
    const unkept = isUnkept(action);
    const counts = unkept || last.includes(turn);
    return counts ? [{ locator: action.locator, failed: error !== undefined || unkept, unkept }] : [];
  });
  // An agent may go on long after it failed.
  const here = turns.filter(turn => last.includes(turn) || pathIn(turn.url) === path);
  const failed = here.flatMap(({ title, error, actions }) => [
    ...(error === undefined ? [] : [title]),
    ...actions.flatMap(action => (action.error === undefined ? [] : (action.control ?? action.title))),
  ]);
  const meant = failed.flatMap(quoted);
  const sought = meant.length ? meant : quoted(reason ?? '');
  return { sought: distinct(sought), next: distinct(nextIn(goal, turns)), used: used.slice(-MAX_USED) };
}

function isUnkept(action: RecordedAction): boolean {
  const isTyped = (action.do === 'fill' || action.do === 'type') && action.text !== '';
  return isTyped && action.before.content !== '' && sameFingerprint(action.before, action.after);
}

/** The quoted texts of the goal after the last one that was used; all of them if none was. */
function nextIn(goal: string, turns: readonly TurnRecord[]): string[] {
  const used = turns
    .filter(({ outcome }) => outcome === 'ok')
    .flatMap(({ title, actions }) => [title, ...actions.flatMap(usedBy)])
    .join('\n')
    .toLowerCase();
  const texts = quoted(goal);
  const done = texts.findLastIndex(text => used.includes(text.toLowerCase()));
  return texts.slice(done + 1, done + 1 + MAX_NEXT);
}

/** The controls that an action meant, and what it gave them; if it tells neither, its title. */
function usedBy({ title, control, recorded = [] }: Action): string[] {
  const given = recorded.flatMap(action => [
    action.control ?? '',
    ...('text' in action ? [action.text] : []),
    ...('labels' in action ? action.labels : []),
  ]);
  const known = [control ?? '', ...given].filter(Boolean);
  return known.length ? known : [title];
}

/** The names in a text of people: a goal, the title that an agent gives a turn, the words for a control. */
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
type Touched = Box & Omit<Use, 'locator'>;

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
