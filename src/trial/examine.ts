// Examines the page on which a failed trial ended. A finding is relevant if it touches a control that the trial was about.
import type { Page } from '@playwright/test';
import { locatorOf } from '../browser/actions/locate';
import { sameFingerprint } from '../browser/actions/record';
import type { Box } from '../browser/injected/elements';
import type { Sighting } from '../browser/injected/look';
import { within } from '../browser/waiting';
import { pathOf, type RecordedAction } from '../data/action';
import type { Action, Examination, Finding, TurnRecord } from '../data/record';
import { hostAllowed } from '../spec/url';
import { beginning, flat, oneLine } from '../text/line';
import type { AgentRun, Attach } from './run-agent';

/** Milliseconds for the examination, and how many more if the page does not answer. */
export const EXAMINATION_MS = 5_000;
const PATIENCE_MS = 3_000;
const MAX_FINDINGS = 100;
const MAX_PICTURES = 4;
const LAST_TURNS = 3;
const MAX_AIMS = 12;
/** Most quoted texts of the goal, from where the trial stopped following it. */
const MAX_NEXT = 3;

/** @returns null if there is no page to examine. Never rejects. */
export async function examine(trial: AgentRun, reason: string | null): Promise<Examination | null> {
  const { plan, session, output, mask } = trial;
  const turns = trial.turns.records;
  const { page } = session;
  const admitted = (url: string) => url === 'about:srcdoc' || hostAllowed(url, plan.allowedDomains);
  if (page.isClosed() || !admitted(page.url())) return null;
  const look = async (attach: Attach): Promise<Examination> => {
    const end = performance.now() + EXAMINATION_MS;
    const { examinePage } = await import('../browser/reading/examine.js');
    const aims = aimsOf(plan.goal, turns, reason, page.url());
    const touched = await touchedOn(page, aims.used, turns.at(-1));
    const examined = await examinePage(page, {
      wanted: [...aims.sought, ...aims.next],
      unkept: touched.filter(({ unkept }) => unkept),
      budgetMs: end - performance.now(),
      admitted,
    });
    const line = (text: string) => oneLine(mask(text), 300);
    const relevant = relevantOf(examined.found, aims, { touched, usable: examined.usable });
    const [first, others] = [true, false].map(is =>
      examined.found.filter((_, index) => relevant[index] === is),
    );
    const findings: Finding[] = [];
    for (const found of [...first!, ...others!].slice(0, MAX_FINDINGS)) {
      const { kind, locator, text } = found;
      const name = `in-the-way-${findings.length + 1}.jpg`;
      const isRelevant = findings.length < first!.length;
      const image = isRelevant && findings.length < MAX_PICTURES ? await found.cutOut() : undefined;
      if (image) await attach(name, image);
      const told = { kind, locator: line(locator), text: line(text), relevant: isRelevant };
      findings.push({ ...told, ...(image && { screenshot: name }) });
    }
    const said = await wordsOf(page);
    const incomplete = line([...new Set(examined.incomplete)].join('; '));
    return {
      path: line(pathIn(page.url())),
      findings,
      others: others!.length + examined.more,
      ...(said.length && { said: said.map(line) }),
      ...(incomplete && { incomplete }),
    };
  };
  const examined = output.step(
    "look for what stood in the agent's way",
    attach => session.onAdmitted(() => look(attach)),
    plan.locate('goal'),
  );
  // If the page does not answer, the record is still complete.
  return (await within(examined, EXAMINATION_MS + PATIENCE_MS)) ?? null;
}

/** Where pages say what went wrong, the plainest first. */
const MESSAGES = [
  '[role=alert]',
  '[aria-live=assertive]',
  '[class*="toast" i]',
  '[class*="error" i]',
  '[role=status]',
];
const MAX_MESSAGES = 3;
const MAX_MESSAGE = 300;
const MESSAGES_MS = 500;

/** What the page says in its alerts, toasts and messages. */
async function wordsOf(page: Page): Promise<string[]> {
  const texts = MESSAGES.map(css => page.locator(css).filter({ visible: true }).allInnerTexts());
  const found = (await within(Promise.all(texts), MESSAGES_MS)) ?? [];
  const said = found.flat().map(text => flat(beginning(text)));
  // A longer one is no message.
  return [...new Set(said)].filter(text => text && text.length <= MAX_MESSAGE).slice(0, MAX_MESSAGES);
}

interface Use {
  locator: string;
  failed: boolean;
  /** Something was typed into it, but nothing on the page changed. */
  unkept: boolean;
}

type Touched = Box & Omit<Use, 'locator'>;

/** Where the controls are that the last turns tried on this page, and where the last turn clicked. */
async function touchedOn(page: Page, used: Use[], last: TurnRecord | undefined): Promise<Touched[]> {
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

export interface Aims {
  /** Names that were looked for but not found or not usable, in lower case. */
  sought: string[];
  /** Names that the goal mentions next. */
  next: string[];
  /** Controls that were tried on the page where the trial ended, by locator. */
  used: Use[];
}

export function aimsOf(goal: string, turns: readonly TurnRecord[], reason: string | null, url: string): Aims {
  const path = pathIn(url);
  const last = turns.slice(-LAST_TURNS);
  // An agent may go on long after it failed.
  const here = turns.filter(turn => last.includes(turn) || pathIn(turn.url) === path);
  const failed = here.flatMap(({ title, error, actions }) => [
    ...(error === undefined ? [] : [title]),
    ...actions.flatMap(action => (action.error === undefined ? [] : meantBy(action))),
  ]);
  const done = turns.flatMap(({ title, outcome, actions }) =>
    outcome === 'ok' ? [title, ...actions.flatMap(action => [meantBy(action), ...givenBy(action)])] : [],
  );
  const used = turns.flatMap(turn => {
    const uses = turn.actions.flatMap(action => usesOn(path, action));
    return uses.filter(({ unkept }) => unkept || last.includes(turn));
  });
  const asked = namesIn(goal);
  const told = done.join('\n').toLowerCase();
  const next = asked.findLastIndex(name => told.includes(name)) + 1;
  const meant = namesIn(failed.join('\n'));
  return {
    sought: [...new Set(meant.length ? meant : namesIn(reason ?? ''))].slice(0, MAX_AIMS),
    next: [...new Set(asked.slice(next, next + MAX_NEXT))],
    used: used.slice(-MAX_AIMS),
  };
}

const meantBy = ({ control, title }: Action) => control ?? title;
const textOf = (action: RecordedAction) => ('text' in action ? action.text : '');

function givenBy({ recorded = [] }: Action): string[] {
  return recorded.flatMap(each => [
    each.control ?? '',
    textOf(each),
    ...('labels' in each ? each.labels : []),
  ]);
}

function usesOn(path: string, { recorded = [], error }: Action): Use[] {
  return recorded.flatMap(each => {
    if (pathIn(each.before.url) !== path || !('locator' in each && each.locator)) return [];
    const { before, after, locator } = each;
    const unkept = textOf(each) !== '' && before.content !== '' && sameFingerprint(before, after);
    return [{ locator, failed: unkept || error !== undefined, unkept }];
  });
}

/** The names in a text of people: a goal, the title that an agent gives a turn, the words for a control. */
function namesIn(text: string): string[] {
  const found = text
    .slice(0, 20_000)
    .matchAll(/"([^"\n]{1,80})"|“([^”\n]{1,80})”|(?<![\p{L}\p{N}])'([^'\n]{2,80})'(?![\p{L}\p{N}])/gu);
  const names = [...found].map(([, ...either]) => either.join('').trim().toLowerCase());
  return names.filter(name => /[\p{L}\p{N}]/u.test(name));
}

/** What keeps a control from being used. If it was used, that may be the effect: a button is disabled while it works. */
const BARRIERS = ['covered', 'out_of_reach', 'disabled'];
/** Kinds of findings for which a control can't be found by its name. */
const NAMELESS = ['no_name', 'no_label', 'no_role', 'picture_only'];
/** If a page has more of them, none can be identified. */
const MAX_NAMELESS = 3;

export function relevantOf(
  sightings: readonly Sighting[],
  { sought, next }: Aims,
  { touched, usable }: { touched: readonly Touched[]; usable: readonly string[] },
): boolean[] {
  const isUsable = (text: string) => usable.some(name => matches(name, text));
  const isMissing =
    sought.length > 0 &&
    !sought.some(isUsable) &&
    sightings.filter(({ kind }) => NAMELESS.includes(kind)).length <= MAX_NAMELESS;
  return sightings.map(({ kind, boxes, names, hints }) => {
    // Nothing else on the page can be used.
    if (kind === 'dialog_trap') return true;
    const tried = touched.filter(box => boxes.some(each => meets(each, box)));
    if (tried.length) return !BARRIERS.includes(kind) || tried.at(-1)!.failed;
    const isNameless = NAMELESS.includes(kind);
    const isCalled = (text: string) => {
      if (names.some(name => matches(name, text))) return true;
      // The author's name for it counts only if nothing on the page has that name.
      const words = isNameless && !isUsable(text) ? text.match(/[\p{L}\p{N}]{3,}/gu) : null;
      return words?.some(word => ` ${hints} `.includes(` ${word} `)) ?? false;
    };
    return [...sought, ...next].some(isCalled) || (isMissing && isNameless);
  });
}

/** Whether the name contains the text, or is at least half of it, by whole words: "Basket" is not "Add to basket". */
function matches(name: string, text: string): boolean {
  const inWords = (each: string) => (each.match(/[\p{L}\p{N}]+/gu) ?? []).join(' ');
  const [one, other] = [inWords(name), inWords(text)];
  if (!one || !other) return false;
  const isMost = one.split(' ').length * 2 >= other.split(' ').length && one.length > 3;
  return ` ${one} `.includes(` ${other} `) || (isMost && ` ${other} `.includes(` ${one} `));
}

/** Whether both are at nearly the same place: a control and what is drawn in it, but not its container. */
function meets(one: Box, other: Box): boolean {
  const [small, large] = [one, other].sort((a, b) => a.width * a.height - b.width * b.height) as [Box, Box];
  const [x, y] = [small.x + small.width / 2, small.y + small.height / 2];
  const isIn = x >= large.x && y >= large.y && x <= large.x + large.width && y <= large.y + large.height;
  return isIn && (small.width === 0 || large.width * large.height < 6 * small.width * small.height);
}

function pathIn(url: string): string {
  return pathOf(url).split(/[?#]/)[0] || '/';
}
