// Examines the page on which a failed trial ended. A finding is relevant if it concerns a control that the trial needed.
// Examines a passed trial's page, too: what that has as well did not make another trial fail.
import type { Page } from '@playwright/test';
import { locatorOf } from '../browser/actions/locate';
import { sameFingerprint } from '../browser/actions/record';
import { messagesOn } from '../browser/in-page';
import type { Box } from '../browser/injected/elements';
import type { Sighting } from '../browser/injected/look';
import { within } from '../browser/waiting';
import type { Place, RecordedAction } from '../data/action';
import type { Action, Examination, Finding, TurnRecord } from '../data/record';
import { hostAllowed, pathOf } from '../spec/url';
import { oneLine } from '../text/line';
import type { AgentRun, Attach } from './run-agent';

/** Milliseconds for the examination, and the extra time for a page that does not answer. */
export const EXAMINATION_MS = 5_000;
const PATIENCE_MS = 3_000;
const MAX_FINDINGS = 100;
const MAX_PICTURES = 4;
const LAST_TURNS = 3;
const MAX_AIMS = 12;
/** How many names in the goal count as next, after the last one that the trial used. */
const MAX_NEXT = 3;

/** @param reason why the agent stopped early @returns null if there is no page to examine. Never rejects. */
export async function examine(
  trial: AgentRun,
  reason: string | null,
  hasPassed: boolean,
): Promise<Examination | null> {
  const { plan, session, output, mask } = trial;
  const turns = trial.turns.records;
  const { page } = session;
  const admitted = (url: string) => url === 'about:srcdoc' || hostAllowed(url, plan.allowedDomains);
  if (page.isClosed() || !admitted(page.url())) return null;
  const look = async (attach: Attach): Promise<Examination> => {
    const end = performance.now() + EXAMINATION_MS;
    const { examinePage } = await import('../browser/reading/examine.js');
    const since = hasPassed ? turns.length : LAST_TURNS;
    const aims = aimsOf(plan.goal, turns, reason, page.url(), since);
    const touched = await touchedOn(page, aims.used, turns.at(-1));
    const examined = await examinePage(page, {
      wanted: hasPassed ? namesIn(plan.goal) : [...aims.sought, ...aims.next],
      unkept: touched.filter(({ unkept }) => unkept),
      budgetMs: end - performance.now(),
      admitted,
    });
    const line = (text: string) => oneLine(mask(text), 300);
    const masked = (place: Place): Place => ({ ...place, control: line(place.control) });
    const found = hasPassed ? notOvercome(examined.found, touched) : examined.found;
    const relevant = hasPassed ? [] : relevantOf(found, aims, { touched, ...examined });
    const first = found.filter((_, index) => relevant[index]);
    const others = found.filter((_, index) => !relevant[index]);
    const findings: Finding[] = [];
    for (const each of [...first, ...others].slice(0, MAX_FINDINGS)) {
      const { kind, locator, text } = each;
      const name = `in-the-way-${findings.length + 1}.jpg`;
      const isRelevant = findings.length < first.length;
      const image = isRelevant && findings.length < MAX_PICTURES ? await each.cutOut() : undefined;
      if (image) await attach(name, image);
      const told = { kind, locator: line(locator), text: line(text), relevant: isRelevant };
      findings.push({ ...told, ...placeIfNameless(each, masked), ...(image && { screenshot: name }) });
    }
    const controls = examined.controls.map(masked);
    const said = await messagesOn(page);
    const incomplete = line([...new Set(examined.incomplete)].join('; '));
    return {
      path: line(pathIn(page.url())),
      findings,
      others: others.length + examined.more,
      controls,
      ...(said.length && { said: said.map(line) }),
      ...(incomplete && { incomplete }),
    };
  };
  const examined = output.step(
    hasPassed ? 'note what the page of a passing trial has' : "look for what stood in the agent's way",
    attach => session.onAdmitted(() => look(attach)),
    plan.locate('goal'),
  );
  // Without an answer from the page, the record lacks only the examination.
  return (await within(examined, EXAMINATION_MS + PATIENCE_MS)) ?? null;
}

interface Use {
  locator: string;
  failed: boolean;
  /** Whether something was typed into it and nothing on the page changed. */
  unkept: boolean;
}

type Touched = Box & Omit<Use, 'locator'>;

/** The boxes of the controls that the last turns tried on this page, and the spot that the last turn clicked. */
async function touchedOn(page: Page, used: Use[], last: TurnRecord | undefined): Promise<Touched[]> {
  const boxes = used.map(async ({ locator, ...use }) => {
    // Doesn't wait for elements: what is gone is in nobody's way.
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
  /** Names of controls that the agent did not find or could not use, in lower case. */
  sought: string[];
  /** Whether `sought` comes from the agent's reason, which may also name controls that are there. */
  areListed?: boolean;
  /** Names in the first failure. Later failures may be its consequences. */
  first?: string[];
  /** Whether `first` names a field, judging by the agent's words. */
  isTyped?: boolean;
  /** Names that the goal mentions after the last one that the trial used. */
  next: string[];
  /** Controls that were tried on the page where the trial ended. */
  used: Use[];
}

export function aimsOf(
  goal: string,
  turns: readonly TurnRecord[],
  reason: string | null,
  url: string,
  since = LAST_TURNS,
): Aims {
  const path = pathIn(url);
  const last = turns.slice(-since);
  // An agent may go on long after its failure, so all turns on this page count.
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
  const [first = ''] = failed;
  const asked = namesIn(goal);
  const told = done.join('\n').toLowerCase();
  const next = asked.findLastIndex(name => told.includes(name)) + 1;
  const meant = namesIn(failed.join('\n'));
  return {
    sought: [...new Set(meant.length ? meant : namesIn(reason ?? ''))].slice(0, MAX_AIMS),
    areListed: !meant.length,
    first: namesIn(first),
    isTyped: /\b(?:enter|fill|type|into|field|textbox|searchbox)\b|^(?:select|choose|combobox)\b/i.test(
      first,
    ),
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

/** The quoted names in a goal, a title or a control's description, in lower case. */
function namesIn(text: string): string[] {
  const found = text
    .slice(0, 20_000)
    .matchAll(/"([^"\n]{1,80})"|“([^”\n]{1,80})”|(?<![\p{L}\p{N}])'([^'\n]{2,80})'(?![\p{L}\p{N}])/gu);
  const names = [...found].map(([, ...either]) => either.join('').trim().toLowerCase());
  return names.filter(name => /[\p{L}\p{N}]/u.test(name));
}

/** Findings that keep a control from being used. On a used one they may be an effect: a button is disabled while it works. */
const BARRIERS = ['covered', 'out_of_reach', 'disabled'];
/** Findings because of which a control can't be found by its name. */
const NAMELESS = ['no_name', 'no_label', 'no_role', 'picture_only'];
/** Among more candidates than these, the one that was sought can't be told. */
const MAX_NAMELESS = 3;

const isNameless = ({ kind, text }: Sighting) => NAMELESS.includes(kind) && !text.includes('"');
const placeIfNameless = (found: Sighting, masked: (place: Place) => Place) =>
  isNameless(found) && found.place ? { place: masked(found.place) } : {};

/** A finding about a field: it is filled or selected from, not just clicked. */
const FIELD = /^(?:textbox|searchbox|spinbutton|combobox|listbox|slider)\b/;

interface Known {
  touched: readonly Touched[];
  usable: readonly string[];
  fields?: readonly string[];
}

/** Which sightings are relevant to the first failure or, if none is, to a later one. */
export function relevantOf(sightings: readonly Sighting[], aims: Aims, known: Known): boolean[] {
  const { first = [] } = aims;
  const atFirst = first.length ? relevantTo(sightings, { ...aims, sought: first }, known) : [];
  return atFirst.some(Boolean) ? atFirst : relevantTo(sightings, aims, known);
}

function relevantTo(
  sightings: readonly Sighting[],
  { sought, next, areListed, isTyped }: Aims,
  { touched, usable, fields = [] }: Known,
): boolean[] {
  // Whether the control may be the one that was sought: an agent types into fields and clicks the others.
  const fits = ({ kind, text }: Sighting) => {
    if (!NAMELESS.includes(kind)) return false;
    if (areListed || !sought.length) return true;
    return isTyped ? kind === 'no_label' || FIELD.test(text) : !FIELD.test(text);
  };
  const isCandidate = (found: Sighting) => isNameless(found) && fits(found);
  const isKnown = (found: Sighting): boolean => {
    // While a dialog traps the focus, nothing else on the page can be used.
    if (found.kind === 'dialog_trap') return true;
    const tried = usesOf(found.boxes, touched);
    // What could be used anyway was no obstacle: a covered button that worked, a field without a label that was filled.
    if (tried.length) return ![...BARRIERS, 'no_label'].includes(found.kind) || tried.at(-1)!.failed;
    return [...sought, ...next].some(text => {
      const isWhole = (name: string) => inWords(name) === inWords(text);
      const isThere = [...usable, ...fields].some(isWhole);
      if (found.names.some(name => (isThere ? isWhole(name) : matches(name, text)))) return true;
      // Hints, such as an id or a class, count only if no control on the page has the name.
      if (!fits(found) || namesOfSort(found.kind).some(name => matches(name, text))) return false;
      const words = text.match(/[\p{L}\p{N}]{3,}/gu) ?? [];
      return words.some(word => ` ${found.hints} `.includes(` ${word} `));
    });
  };
  // The names of controls of that sort: a button "Search" is no field "Search".
  const namesOfSort = (kind: string) => {
    const isLabelled = kind === 'no_label';
    return isLabelled !== !!isTyped ? [...usable, ...fields] : isLabelled ? fields : usable;
  };
  const isMissing = ({ kind }: Sighting) => {
    const isThere = (text: string) => namesOfSort(kind).some(name => matches(name, text));
    return areListed ? !sought.every(isThere) : sought.length > 0 && !sought.some(isThere);
  };
  const known = sightings.map(isKnown);
  // A nameless control may be the one that was sought, unless another was found by its name or hints.
  const isFew = sightings.filter(isCandidate).length <= MAX_NAMELESS;
  const canGuess = isFew && !sightings.some((found, index) => known[index] && fits(found));
  return sightings.map(
    (found, index) => known[index]! || (canGuess && isCandidate(found) && isMissing(found)),
  );
}

const usesOf = (boxes: readonly Box[], touched: readonly Touched[]) =>
  touched.filter(box => boxes.some(each => meets(each, box)));

/** Leaves out barriers of controls that this trial used nevertheless: they may have stopped another trial. */
function notOvercome<Each extends Sighting>(found: readonly Each[], touched: readonly Touched[]): Each[] {
  return found.filter(({ kind, boxes }) => !BARRIERS.includes(kind) || !usesOf(boxes, touched).length);
}

const inWords = (text: string) => (text.match(/[\p{L}\p{N}]+/gu) ?? []).join(' ');

/** Whether the name contains the text, or is at least half of its words: "Basket" does not match "Add to basket". */
function matches(name: string, text: string): boolean {
  const [one, other] = [inWords(name), inWords(text)];
  if (!one || !other) return false;
  const isMost = one.split(' ').length * 2 >= other.split(' ').length && one.length > 3;
  return ` ${one} `.includes(` ${other} `) || (isMost && ` ${other} `.includes(` ${one} `));
}

/** Whether both boxes are nearly the same: of a control and what is drawn in it, but not of its container. */
function meets(one: Box, other: Box): boolean {
  const [small, large] = [one, other].sort((a, b) => a.width * a.height - b.width * b.height) as [Box, Box];
  const [x, y] = [small.x + small.width / 2, small.y + small.height / 2];
  const isIn = x >= large.x && y >= large.y && x <= large.x + large.width && y <= large.y + large.height;
  return isIn && (small.width === 0 || large.width * large.height < 6 * small.width * small.height);
}

const pathIn = (url: string) => pathOf(url).split(/[?#]/)[0] || '/';
