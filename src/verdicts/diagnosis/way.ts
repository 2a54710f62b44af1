// Turns a trial's record into what a diagnosis compares: where the agent went, what it did there, and how it ended.
import { createHash } from 'node:crypto';
import type { RecordedAction } from '../../data/action';
import { controlInWords, fieldInWords } from '../../data/control-words';
import { GAVE_UP, type TrialRecord, type TurnRecord } from '../../data/record';
import type { Recording } from '../../data/recording';
import type { Way, WayAction } from '../../data/verdict';
import { UNIQUE } from '../../spec/placeholders';
import { parsedUrl } from '../../spec/url';
import { oneLine } from '../../text/line';
import type { BrokenCheck, FailedTrial } from './groups';
import { FAILED, UNTOLD } from './parting';

/** Characters of the description of an action, and of an agent's own reason. */
const MAX_DID = 120;
const MAX_SAID = 300;
const MAX_KEY = 200;
const MAX_ACTIONS = 1_000;

interface Done extends WayAction {
  control?: string;
}

export function wayOf(record: TrialRecord, actions = actionsOf(record)): Way {
  return { actions: actions.map(withoutControl), end: comparablePath(record.finalUrl) };
}

export function failedTrialOf(
  project: string,
  index: number,
  record: TrialRecord,
  actions = actionsOf(record),
): FailedTrial {
  const path = comparablePath(record.finalUrl);
  const { endReason } = record;
  const last = actions.findLast(({ control }) => control !== undefined);
  return {
    ...{ index, project, path },
    status: record.status,
    turns: record.turns.length,
    broken: brokenChecks(record),
    control: last ? { words: last.control!, here: last.path === path } : null,
    said: endReason ? oneLine(endReason.replace(GAVE_UP, ''), MAX_SAID) : null,
    findings: findingsOf(record, true),
    others: findingsOf(record, false),
  };
}

function findingsOf({ examination }: TrialRecord, relevant: boolean): FailedTrial['findings'] {
  if (!examination) return [];
  const wanted = examination.findings.filter(finding => finding.relevant === relevant);
  return wanted.map(({ kind, text, locator }) => ({
    kind,
    text: oneLine(text, MAX_SAID),
    locator: oneLine(locator, MAX_SAID),
    path: generalPath(examination.path),
  }));
}

/** A recording, as the way of a passing trial. Turns are numbered from 1. */
export function wayOfTurns(turns: Recording['turns']): Way {
  const done = turns.flatMap(({ actions }, index) =>
    actions.flatMap(({ recorded }) => told(recorded, index + 1, '')),
  );
  const after = turns.at(-1)?.actions.at(-1)?.recorded.at(-1)?.after.url;
  return {
    actions: shown(done).map(withoutControl),
    end: after ? fingerprintPath(after, '') : null,
  };
}

const withoutControl = ({ control, ...action }: Done) => action;

/** What a trial did, action by action. The most expensive part of a diagnosis. */
export function actionsOf(record: TrialRecord): Done[] {
  const entry = record.network.events.find(({ resourceType }) => resourceType === 'document')?.url;
  let before = comparablePath(entry ?? record.turns[0]?.url ?? null) ?? '';
  const done = record.turns.slice(0, MAX_ACTIONS).flatMap(turn => {
    const inTurn = turn.actions.flatMap(action => doneIn(action, turn, before));
    before = comparablePath(turn.url) ?? before;
    return inTurn;
  });
  return shown(done);
}

/** Prepares actions for comparing and showing: bounded, harmless, without data that differs from trial to trial. */
function shown(actions: readonly Done[]): Done[] {
  return withoutNoise(actions)
    .slice(0, MAX_ACTIONS)
    .map(({ did, key, control, ...action }) => ({
      ...action,
      did: oneLine(did, MAX_DID),
      key: bounded(key),
      ...(control === undefined ? {} : { control: oneLine(control, MAX_DID) }),
    }));
}

/** Keeps two long locators with the same beginning apart. */
function bounded(key: string): string {
  if (key.length <= MAX_KEY) return key;
  return `${key.slice(0, MAX_KEY)} ${createHash('sha256').update(key).digest('hex').slice(0, 16)}`;
}

function doneIn(
  { title, control: meant, error, recorded }: TurnRecord['actions'][number],
  { number: turn }: TurnRecord,
  before: string,
): Done[] {
  const done = told(recorded ?? [], turn, before);
  if (error === undefined && recorded) return done;
  const path = recorded?.length ? fingerprintPath(recorded.at(-1)!.after.url, before) : before;
  const words = oneLine(title, MAX_DID);
  const control = meant ?? controlInTitle(words);
  const own = { turn, path, ...(control === undefined ? {} : { control }) };
  return error === undefined
    ? [{ ...own, did: `did: ${words}`, key: `${UNTOLD}${words}` }]
    : [...done, { ...own, did: `failed at: ${words}`, key: `${FAILED}${words}` }];
}

/** @param before where the page was, for an action during which the page did not answer */
function told(recorded: readonly RecordedAction[], turn: number, before: string): Done[] {
  return recorded.flatMap(action => {
    const done = inPast(action);
    return done ? [{ turn, path: fingerprintPath(action.before.url, before), ...done }] : [];
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

/** Agents fill a field with or without a click before it, at once or in parts. */
function withoutNoise(actions: readonly Done[]): Done[] {
  return actions.filter(({ key, path }, index) => {
    const next = actions[index + 1];
    const isFirstPart = /^(click|fill) /.test(key) && next?.key === key.replace(/^click /, 'fill ');
    return !(isFirstPart && next.path === path);
  });
}

/** For agents that don't say the control that an action meant: the last one that its title names, `field "Last name"` in `enter "Doe" into textbox "Last name"`. */
function controlInTitle(title: string): string | undefined {
  const [, role, name] =
    /(?:\b(button|link|tab|checkbox|radio|combobox|option|menuitem|switch|field|textbox|searchbox|spinbutton) )?("[^"]+")[^"]*$/.exec(
      title,
    ) ?? [];
  return name && (role ? fieldInWords(`${role} ${name}`) : name);
}

function brokenChecks({ assertions, refusals, judge }: TrialRecord): BrokenCheck[] {
  const escaped = refusals.find(({ how }) => how === 'escaped');
  const broken = [
    ...(escaped
      ? [{ title: 'allowedDomains', reason: `the agent got to ${escaped.url}, outside allowedDomains` }]
      : []),
    ...assertions.filter(({ passed }) => !passed),
    ...(judge && !judge.passed ? [{ title: 'the judge', reason: `the judge: ${judge.reason}` }] : []),
  ];
  return broken.map(({ title, reason }) => ({ title, reason: reason && oneLine(reason, MAX_SAID) }));
}

/** The fingerprint of an http address has only path, query and fragment. */
function fingerprintPath(url: string, unknown: string): string {
  return url.startsWith('/')
    ? (comparablePath(`http://page${url}`) ?? unknown)
    : oneLine(url, MAX_SAID) || unknown;
}

/** The path of an http address, with the route in its fragment if it has one; null for other addresses. */
function comparablePath(url: string | null): string | null {
  const { protocol, pathname, hash } = parsedUrl(url ?? '') ?? {};
  if (protocol !== 'http:' && protocol !== 'https:') return null;
  const route = /^#!?\/[^?]*/.exec(hash!)?.[0] ?? '';
  return oneLine(generalPath(pathname! + route), MAX_SAID);
}

/** Replaces numbers, dates and the like, which differ from trial to trial, by `*`. Parsing has encoded `{{unique}}`. */
function generalPath(path: string): string {
  return path
    .replaceAll(encodeURI(UNIQUE), UNIQUE)
    .replace(/(?<=\/)(\d+|[\da-f-]*\d[\da-f-]{7,})(?=\/|$|#)/gi, '*');
}
