// Turns a trial's record into what a diagnosis compares: where the agent went, what it did there, and how it ended.
import type { Place, RecordedAction } from '../../data/action';
import { controlInWords } from '../../data/action';
import { groupBy } from '../../data/collections';
import type { FoundInTheWay, SentRequest, Way, WayAction } from '../../data/diagnosis';
import { escapeIn, GAVE_UP, type TrialRecord, type TurnRecord } from '../../data/record';
import type { Recording } from '../../data/recording';
import type { TrialResult } from '../../data/verdict';
import { beginning, harmless, oneLine } from '../../text/line';
import { comparablePath, fingerprintPath, generalPath } from './paths';
import { requestsOf } from './requests';

/** Characters of the description of an action, of its key, and of an agent's own reason. */
const MAX_DID = 120;
const MAX_KEY = 500;
const MAX_SAID = 300;
const MAX_GIVEN_UP = 1_000;
const MAX_ACTIONS = 1_000;

/** The prefix of the key of a failed action, and of one that is only known in the agent's own words. */
export const FAILED = 'failed ';
export const UNTOLD = 'said ';

export interface BrokenCheck {
  title: string;
  reason: string | null;
  /** Of a check on a request. */
  method?: string | undefined;
}

/** A control without a name has its place, by which it may be the one that was sought. */
export type SeenInTheWay = FoundInTheWay & { place?: Place | undefined };

/** What a diagnosis needs of a record. Whole records would fill the memory until the run ends. */
export interface Facts {
  way: Way;
  /** In the order of the spec; a forbidden host comes first, the judge last. */
  broken: readonly BrokenCheck[];
  /** The control that it last used, or only looked for (`sought`). `here`: on the page where the trial ended. */
  control: { words: string; here: boolean; sought?: boolean } | null;
  /** Why it ended: the limit that it reached, or the agent's reason for giving up. */
  said: string | null;
  requests: readonly SentRequest[];
  /** What the page said in its own words: at the end, then turn by turn. */
  heard?: readonly { turn: number; text: string }[];
  findings: readonly SeenInTheWay[];
  /** Findings at controls that the trial neither used nor looked for; of a passing trial, all of the one that was examined. */
  others: readonly SeenInTheWay[];
  /** All that are shown on the page where it ended, if that was examined. */
  controls?: readonly Place[] | undefined;
}

export type GradedTrial = { project: string; trial: TrialResult; facts: Facts };

type Done = WayAction & { control?: string | undefined };

/** @param broken failed checks that the record does not have, as of an ordinary test */
export function factsOf(record: TrialRecord, broken: readonly BrokenCheck[] = []): Facts {
  const done = actionsOf(record);
  const end = comparablePath(record.finalUrl);
  const last = done.findLast(({ control }) => control !== undefined);
  const used = last && { words: oneLine(last.control!, MAX_DID), here: last.path === end };
  const { endReason } = record;
  return {
    way: { actions: done.map(comparable), end },
    broken: [...broken, ...brokenChecks(record)],
    control: used ? { ...used, ...(last.key.startsWith(FAILED) && { sought: true }) } : null,
    said: endReason ? oneLine(endReason.replace(GAVE_UP, ''), MAX_GIVEN_UP) : null,
    requests: requestsOf(record),
    heard: heardIn(record),
    findings: findingsOf(record, true),
    others: findingsOf(record, false),
    controls: record.examination?.controls,
  };
}

function heardIn({ examination, turns }: TrialRecord): NonNullable<Facts['heard']> {
  const told = turns.flatMap(({ number, said = [] }) => said.map(text => ({ turn: number, text })));
  return [...(examination?.said ?? []).map(text => ({ turn: Number.POSITIVE_INFINITY, text })), ...told];
}

function findingsOf({ examination }: TrialRecord, relevant: boolean): SeenInTheWay[] {
  if (!examination) return [];
  const wanted = examination.findings.filter(finding => finding.relevant === relevant);
  return wanted.map(({ kind, text, locator, place }) => ({
    kind,
    text: oneLine(text, MAX_SAID),
    locator: oneLine(locator, MAX_SAID),
    path: generalPath(beginning(examination.path)),
    place,
  }));
}

/** As it is kept and shown. */
export const withoutPlace = ({ place, ...found }: SeenInTheWay): FoundInTheWay => found;

/** Moves findings of passing trials to `others`: they are no cause. The page may be another one, as for a site's header. */
export function unusual(facts: Facts, usual: readonly FoundInTheWay[]): Facts {
  const idOf = ({ kind, locator, text }: FoundInTheWay) => JSON.stringify([kind, locator, text]);
  const known = new Set(usual.map(idOf));
  const isKnown = (finding: FoundInTheWay) => known.has(idOf(finding));
  const others = facts.findings.filter(isKnown);
  const findings = facts.findings.filter(finding => !isKnown(finding));
  return { ...facts, findings, others: [...others, ...facts.others] };
}

/** The page's first message from that turn on that no passing trial had. If only numbers differ, it is the same message. */
export function saidSince(turn: number, { heard = [] }: Facts, passing: readonly Facts[]): string | null {
  const usual = new Set(passing.flatMap(facts => facts.heard ?? []).map(withoutNumbers));
  const alike = groupBy(heard, withoutNumbers);
  const isNews = (said: { text: string }) => {
    const form = withoutNumbers(said);
    return !usual.has(form) && alike.get(form)!.every(({ text }) => text === said.text);
  };
  return heard.find(each => each.turn >= turn && isNews(each))?.text ?? null;
}

const withoutNumbers = ({ text }: { text: string }) => text.replace(/\d+/g, '0');

/** A recording, as the way of a passing trial. */
export function wayOfTurns(turns: Recording['turns']): Way {
  const done = turns.flatMap(({ actions }, index) =>
    actions.flatMap(({ recorded }) => told(recorded, index + 1, '')),
  );
  const after = turns.at(-1)?.actions.at(-1)?.recorded.at(-1)?.after.url;
  return { actions: withoutNoise(done).map(comparable), end: after ? fingerprintPath(after, '') : null };
}

/** Bounded, and harmless to show. */
const comparable = ({ turn, path, did, key, place }: Done): WayAction => ({
  turn,
  path,
  did: oneLine(did, MAX_DID),
  key: key.slice(0, MAX_KEY),
  ...(place && { place: { ...place, control: oneLine(place.control, MAX_DID) } }),
});

function actionsOf(record: TrialRecord): Done[] {
  const entry = record.network.events.find(({ resourceType }) => resourceType === 'document')?.url;
  let before = comparablePath(entry ?? record.turns[0]?.url ?? null) ?? '';
  const done = record.turns.slice(0, MAX_ACTIONS).flatMap(turn => {
    const inTurn = turn.actions.flatMap(action => doneIn(action, turn, before));
    before = comparablePath(turn.url) ?? before;
    return inTurn;
  });
  return withoutNoise(done);
}

function doneIn(
  { title, control, error, recorded }: TurnRecord['actions'][number],
  { number: turn }: TurnRecord,
  before: string,
): Done[] {
  const done = told(recorded ?? [], turn, before);
  if (error === undefined && recorded) return done;
  const path = recorded?.length ? fingerprintPath(recorded.at(-1)!.after.url, before) : before;
  const words = oneLine(title, MAX_DID);
  const own = { turn, path, control: control ?? awaited(error) };
  return error === undefined
    ? [{ ...own, did: `did: ${words}`, key: `${UNTOLD}${words}` }]
    : [...done, { ...own, did: `failed at: ${words}`, key: `${FAILED}${words}` }];
}

/** The control that Playwright waited for in vain, as its error says. */
function awaited(error = ''): string | undefined {
  const [, locator] = /waiting for ((?:getBy\w+|locator)\(.*)/.exec(harmless(beginning(error))) ?? [];
  return locator && controlInWords(locator.trim());
}

/** @param before where the page was, for an action during which the page did not answer */
function told(recorded: readonly RecordedAction[], turn: number, before: string): Done[] {
  return recorded.flatMap(action => {
    const done = inPast(action);
    const { place, before: from } = action;
    return done ? [{ turn, path: fingerprintPath(from.url, before), ...done, ...(place && { place }) }] : [];
  });
}

/** In words and as a key, without the control; undefined for what changes nothing on most pages. */
type Past<Recorded> = (action: Recorded) => readonly [did: string, key: string, more?: string] | undefined;

const PAST: { [Do in RecordedAction['do']]: Past<Extract<RecordedAction, { do: Do }>> } = {
  hover: () => undefined,
  focus: () => undefined,
  scroll: () => undefined,
  click: ({ clickCount }) => [clickCount === 2 ? 'double-clicked' : 'clicked', 'click'],
  check: ({ checked }) => [checked ? 'checked' : 'unchecked', 'click'],
  fill: () => ['filled', 'fill'],
  type: () => ['filled', 'fill'],
  select: ({ labels }) => [
    `selected ${labels.map(label => `"${label}"`).join(', ')} in`,
    `select ${labels} in`,
  ],
  upload: () => ['uploaded a file to', 'upload'],
  drag: ({ to }) => ['dragged', 'drag', ` to ${controlInWords(to)}`],
  press: ({ key, locator }) => {
    // Other keys move the focus, the text cursor or the page.
    if (!/^(Enter|Escape|Space)$/.test(key)) return undefined;
    return [`pressed ${key}${locator ? ' in' : ''}`, `press ${key}`];
  },
  call_page_tool: ({ name }) => [`called page tool "${name}"`, `call_page_tool ${name}`],
  goto: ({ url }) => [`opened ${comparablePath(url) ?? url}`, `goto ${comparablePath(url) ?? url}`],
  back: () => ['went back', 'back'],
  forward: () => ['went forward', 'forward'],
  reload: () => ['reloaded the page', 'reload'],
  new_tab: () => ['opened a tab', 'new_tab'],
  switch_tab: () => ['went to another tab', 'switch_tab'],
  close_tab: () => ['closed a tab', 'close_tab'],
};

function inPast(action: RecordedAction): Pick<Done, 'did' | 'key' | 'control'> | undefined {
  const past = (PAST[action.do] as Past<RecordedAction>)(action);
  if (!past) return undefined;
  const [did, key, more = ''] = past;
  if (!('locator' in action) || !action.locator) return { did, key };
  // Records of 0.1 have no words for it.
  const control = action.control ?? controlInWords(action.locator);
  return { did: `${did} ${control}${more}`, key: `${key} ${action.locator}`, control };
}

/** Leaves out a click before a fill, and all but the last of several fills: some agents do that, some don't. */
function withoutNoise(actions: readonly Done[]): Done[] {
  const kept = actions.filter(({ key, path }, index) => {
    const next = actions[index + 1];
    const isFirstPart = /^(click|fill) /.test(key) && next?.key === key.replace(/^click /, 'fill ');
    return !(isFirstPart && next.path === path);
  });
  return kept.slice(0, MAX_ACTIONS);
}

/** The title of its check. */
export const JUDGE = 'the judge';

function brokenChecks({ assertions, refusals, judge }: TrialRecord): BrokenCheck[] {
  const left = escapeIn(refusals);
  const broken: BrokenCheck[] = [
    ...(left ? [{ title: 'allowedDomains', reason: left }] : []),
    ...assertions.flatMap(({ passed, title, reason, method }) => (passed ? [] : { title, reason, method })),
    ...(judge && !judge.passed ? [{ title: JUDGE, reason: `${JUDGE}: ${judge.reason}` }] : []),
  ];
  return broken.map(({ reason, ...check }) => ({ ...check, reason: reason && oneLine(reason, MAX_SAID) }));
}
