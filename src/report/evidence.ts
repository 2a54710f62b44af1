// Turns a trial's record into what a diagnosis compares: where the agent went, what it did there, and how it ended.
import { createHash } from 'node:crypto';
import type { Recording } from '../agents/replay/recording';
import { inWords } from '../browser/locator-expression';
import type { RecordedAction } from '../browser/page-action';
import { UNIQUE } from '../spec/data';
import { parsedUrl } from '../spec/url';
import type { TrialRecord, TurnRecord } from '../trial/record';
import { oneLine } from '../trial/safe-text';
import type { BrokenCheck, FailedTrial } from '../verdicts/diagnosis';
import { FAILED, UNTOLD } from '../verdicts/parting';
import type { Way, WayStep } from '../verdicts/shapes';

/** Characters of the description of a step, and of an agent's own reason. */
const MAX_STEP = 120;
const MAX_SAID = 300;
const MAX_KEY = 200;
const MAX_STEPS = 1_000;

interface Done extends WayStep {
  control?: string;
}

export function wayOf(record: TrialRecord, steps = stepsOf(record)): Way {
  return { steps: steps.map(({ control, ...step }) => step), end: pathOf(record.finalUrl) };
}

export function failedTrialOf(
  project: string,
  index: number,
  record: TrialRecord,
  steps = stepsOf(record),
): FailedTrial {
  const path = pathOf(record.finalUrl);
  const last = steps.findLast(({ control }) => control !== undefined);
  return {
    ...{ index, project, path },
    status: record.status,
    turns: record.turns.length,
    broken: brokenChecks(record),
    control: last ? { words: last.control!, here: last.path === path } : null,
    said: saidAtEnd(record),
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

/** A recording's steps, as the way of a passing trial. Turns are numbered from 1. */
export function wayOfTurns(turns: Recording['turns']): Way {
  const steps = turns.flatMap(({ actions }, index) =>
    actions.flatMap(({ steps }) => toldSteps(steps, index + 1, '')),
  );
  const after = turns.at(-1)?.actions.at(-1)?.steps.at(-1)?.after.url;
  return {
    steps: shown(steps).map(({ control, ...step }) => step),
    end: after ? fingerprintPath(after, '') : null,
  };
}

/** What a trial did, step by step. The most expensive part of a diagnosis. */
export function stepsOf(record: TrialRecord): Done[] {
  const entry = record.network.events.find(({ resourceType }) => resourceType === 'document')?.url;
  let before = pathOf(entry ?? record.turns[0]?.url ?? null) ?? '';
  const steps = record.turns.slice(0, MAX_STEPS).flatMap(turn => {
    const done = turn.actions.flatMap(action => actionSteps(action, turn, before));
    before = pathOf(turn.url) ?? before;
    return done;
  });
  return shown(steps);
}

/** Prepares steps for comparing and showing: bounded, harmless, without data that differs from trial to trial. */
function shown(steps: readonly Done[]): Done[] {
  return withoutNoise(steps)
    .slice(0, MAX_STEPS)
    .map(({ did, key, control, ...step }) => ({
      ...step,
      did: oneLine(did, MAX_STEP),
      key: bounded(key),
      ...(control === undefined ? {} : { control: oneLine(control, MAX_STEP) }),
    }));
}

/** Keeps two long locators with the same beginning apart. */
function bounded(key: string): string {
  if (key.length <= MAX_KEY) return key;
  return `${key.slice(0, MAX_KEY)} ${createHash('sha256').update(key).digest('hex').slice(0, 16)}`;
}

function actionSteps(
  { title, error, steps }: TurnRecord['actions'][number],
  { number: turn }: TurnRecord,
  before: string,
): Done[] {
  const told = toldSteps(steps ?? [], turn, before);
  if (error === undefined && steps) return told;
  const path = steps?.length ? fingerprintPath(steps.at(-1)!.after.url, before) : before;
  const words = oneLine(title, MAX_STEP);
  const control = controlInTitle(words);
  const own = { turn, path, ...(control === undefined ? {} : { control }) };
  return error === undefined
    ? [{ ...own, did: `did: ${words}`, key: `${UNTOLD}${words}` }]
    : [...told, { ...own, did: `failed at: ${words}`, key: `${FAILED}${words}` }];
}

/** @param before where the page was, for a step during which the page did not answer */
function toldSteps(steps: readonly RecordedAction[], turn: number, before: string): Done[] {
  return steps.flatMap(step => {
    const done = inPast(step);
    return done ? [{ turn, path: fingerprintPath(step.before.url, before), ...done }] : [];
  });
}

/** In words and as a key, without the control; undefined for what changes nothing on most pages. */
type Past<Step> = (step: Step) => readonly [did: string, key: string, more?: string] | undefined;

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
  drag: ({ to }) => ['dragged', 'drag', ` to ${controlIn(to)}`],
  press: ({ key, locator }) => {
    // Other keys move the focus, the text cursor or the page.
    if (!/^(Enter|Escape|Space)$/.test(key)) return undefined;
    return [`pressed ${key}${locator ? ' in' : ''}`, `press ${key}`];
  },
  call_page_tool: ({ name }) => [`called page tool "${name}"`, `call_page_tool ${name}`],
  goto: ({ url }) => [`opened ${pathOf(url) ?? url}`, `goto ${pathOf(url) ?? url}`],
  back: () => ['went back', 'back'],
  forward: () => ['went forward', 'forward'],
  reload: () => ['reloaded the page', 'reload'],
  new_tab: () => ['opened a tab', 'new_tab'],
  switch_tab: () => ['went to another tab', 'switch_tab'],
  close_tab: () => ['closed a tab', 'close_tab'],
};

function inPast(step: RecordedAction): Pick<Done, 'did' | 'key' | 'control'> | undefined {
  const past = (PAST[step.do] as Past<RecordedAction>)(step);
  if (!past) return undefined;
  const [did, key, more = ''] = past;
  if (!('locator' in step) || !step.locator) return { did, key };
  const control = controlIn(step.locator);
  return { did: `${did} ${control}${more}`, key: `${key} ${step.locator}`, control };
}

/** Agents fill a field with or without a click before it, at once or in parts. */
function withoutNoise(steps: readonly Done[]): Done[] {
  return steps.filter((step, index) => {
    const next = steps[index + 1];
    const isFirstPart = /^(click|fill) /.test(step.key) && next?.key === step.key.replace(/^click /, 'fill ');
    return !(isFirstPart && next.path === step.path);
  });
}

const FIELD = /^(textbox|searchbox|spinbutton) /;

/** `getByRole('textbox', { name: 'Last name' })` as `field "Last name"`, `locator('.icon-cart')` as `.icon-cart`. */
export function controlIn(locator: string): string {
  const words = inWords(locator);
  if (words !== locator) return words.replace(FIELD, 'field ');
  return /^locator\('([^'\\]*)'\)$/.exec(locator)?.[1] ?? locator;
}

/** The last control that an action's title names: `field "Last name"` in `enter "Doe" into textbox "Last name"`. */
function controlInTitle(title: string): string | undefined {
  const [, role, name] =
    /(?:\b(button|link|tab|checkbox|radio|combobox|option|menuitem|switch|field|textbox|searchbox|spinbutton) )?("[^"]+")[^"]*$/.exec(
      title,
    ) ?? [];
  return name && (role ? `${role} ${name}`.replace(FIELD, 'field ') : name);
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

/** Why the agent stopped early, without what `Trial` adds to its reason. */
function saidAtEnd({ status, reason }: TrialRecord): string | null {
  if (status === 'completed') return null;
  const added = /(; (one check does|\d+ checks do) not hold)?; the agent stopped on .*$/;
  const said =
    reason && added.test(reason) ? reason.replace(added, '').replace(/^the agent gave up: /, '') : null;
  return said && oneLine(said, MAX_SAID);
}

/** The fingerprint of an http address has only path, query and fragment. */
function fingerprintPath(url: string, unknown: string): string {
  return url.startsWith('/') ? (pathOf(`http://page${url}`) ?? unknown) : oneLine(url, MAX_SAID) || unknown;
}

/** The path of an http address, with the route in its fragment if it has one; null for other addresses. */
function pathOf(url: string | null): string | null {
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
