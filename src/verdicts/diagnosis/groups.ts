// Why trials failed: groups failures that have something in common, and collects what was in the way of several specs. The same in any
// order and from any number of shards.
import { compareText, groupBy, sumOf } from '../../data/collections';
import type {
  Diagnosis,
  FailureGroup,
  FoundInTheWay,
  MetFinding,
  SuspectRequest,
} from '../../data/diagnosis';
import { oneLine } from '../../text/line';
import { ENDS, type FoundParting, partingText } from './parting';
import {
  type BrokenCheck,
  type Facts,
  type GradedTrial,
  JUDGE,
  type SeenInTheWay,
  withoutPlace,
} from './way';

/** What trials can have in common. */
const TRAITS = {
  status: ({ trial }) => trial.status,
  // The one that the trial's error names.
  check: ({ facts }) => facts.broken[0]?.title ?? null,
  path: ({ facts }) => facts.way.end,
  control: ({ facts }) => facts.control?.words ?? null,
} satisfies Record<string, (trial: GradedTrial) => string | null>;
type Trait = keyof typeof TRAITS;

/** A failed trial, and what a comparison with passing ones has found. */
export interface LostTrial extends GradedTrial {
  found?: FoundParting | null | undefined;
  /** The request that went wrong in it. */
  suspect?: SuspectRequest | null;
  /** The message of the page that may tell why it failed. */
  pageSaid?: string | null;
}

/** In characters. The agent's own words are shown in full below. */
const MAX_HEADLINE = 160;

/** Descriptions from the most exact to the vaguest. The first that most trials share makes a group. */
const DESCRIPTIONS: readonly Trait[][] = [
  ['status', 'check', 'path', 'control'],
  ['path', 'control'],
  ['status', 'check', 'path'],
  ['check', 'path'],
  ['path'],
  ['check'],
];

/** Groups the failed trials, the largest group first. If no description fits most of them, trials that are alike in all traits. */
export function failureGroups(trials: readonly LostTrial[]): FailureGroup[] {
  const groups: LostTrial[][] = [];
  let rest = [...trials].sort((a, b) => compareText(a.project, b.project) || a.trial.index - b.trial.index);
  while (rest.length) {
    const found = DESCRIPTIONS.map(traits => alike(rest, traits)[0]).find(
      group => group && group.length * 2 > rest.length,
    );
    groups.push(...(found ? [found] : alike(rest, DESCRIPTIONS[0]!, true)));
    const taken = new Set(found ?? rest);
    rest = rest.filter(trial => !taken.has(trial));
  }
  return groups.map(groupOf);
}

/** Groups trials that share all of the traits, the largest group first. @param all include trials with an unknown trait */
function alike(trials: readonly LostTrial[], traits: readonly Trait[], all = false): LostTrial[][] {
  const valuesOf = (trial: LostTrial) => traits.map(trait => TRAITS[trait](trial));
  const known = all ? trials : trials.filter(trial => !valuesOf(trial).includes(null));
  const groups = groupBy(known, trial => JSON.stringify(valuesOf(trial)));
  return [...groups.values()].sort((a, b) => b.length - a.length);
}

function groupOf(trials: readonly LostTrial[]): FailureGroup {
  const traits = Object.fromEntries(
    Object.entries(TRAITS).map(([trait, of]) => [trait, theSame(trials, of)]),
  ) as Record<Trait, string | null>;
  const projects = trials.map(({ project }) => project);
  const request = theSame(trials, ({ suspect }) => suspect?.text ?? null);
  const turn = theSame(trials, ({ suspect }) => suspect?.turn ?? null);
  const when = turn === null ? '' : `${turn ? `turn ${turn}` : 'before turn 1'}: `;
  const first = request === null ? '' : `${when}${request}; `;
  const said = traits.status === 'gave_up' ? theSame(trials, ({ facts }) => facts.said) : null;
  return {
    trials: trials.map(({ trial }) => trial.index),
    ...(new Set(projects).size > 1 ? { projects } : {}),
    text: first + groupText(trials, traits, request !== null),
    ...traits,
    ...(request === null ? {} : { request }),
    ...(said === null ? {} : { said }),
  };
}

/** `3 of 4 failures: stuck on /checkout ...`, `trial 2/5: ...` for a single one */
export function headlineOf({ trials, text }: FailureGroup, failures: number, k: number): string {
  return failures === 1
    ? `trial ${trials[0]! + 1}/${k}: ${text}`
    : `${trials.length} of ${failures} failures: ${text}`;
}

/** If the headline is too long, first cuts the request's address, which is shown in full elsewhere. */
function withRoom(headline: string, suspect: SuspectRequest | null | undefined): string {
  const { request = '' } = suspect ?? {};
  const short = request.replace(/ (?=.{31}).*?(?=\/.{0,29}$)/, ' …');
  const said = headline.length > MAX_HEADLINE ? headline.replace(request, () => short) : headline;
  return oneLine(said, MAX_HEADLINE);
}

function theSame<Trial, T>(trials: readonly Trial[], of: (trial: Trial) => T | null): T | null {
  const first = of(trials[0]!);
  return trials.every(trial => of(trial) === first) ? first : null;
}

function groupText(
  trials: readonly GradedTrial[],
  { status, check, path, control }: Pick<FailureGroup, Trait>,
  hasSuspect: boolean,
): string {
  const where = path === null ? '' : ` on ${path}`;
  const here = trials.every(({ facts }) => facts.control?.here);
  const place = control === null ? where : `${where} ${here ? 'at' : 'after'} ${control}`;
  if (status === 'max_steps') {
    const turns = theSame(trials, ({ trial }) => trial.turns);
    return `stuck${place} (used all ${turns === null ? 'its' : turns} turns)`;
  }
  const said = theSame(trials, ({ facts }) => facts.said);
  if (status === 'gave_up') return gaveUpText(trials, said, where, place);
  if (status !== null && ENDS[status]) return `stuck${place} (${said ?? ENDS[status]})`;
  const ended = `${status === null ? 'stopped' : 'ended'}${place || ' on different pages'}`;
  if (check === null) return ended;
  const request = hasSuspect
    ? null
    : theSame(trials, ({ facts }) => facts.broken.find(changesData)?.title ?? null);
  const checks = request === null || request === check ? [check] : [check, request];
  return [...checks.map(title => brokenText(trials, title)), ended].join('; ');
}

/** With the control that was not found, unless the agent's own words name it. */
function gaveUpText(trials: readonly GradedTrial[], said: string | null, where: string, place: string) {
  if (said === null) return `gave up${place}`;
  const isSought = trials.every(({ facts }) => facts.control?.sought);
  const [name = ''] = /".*"/.exec(place.slice(where.length)) ?? [];
  return `gave up${isSought && !(name && said.includes(name)) ? place : where}: ${said}`;
}

/** A request that failed or was never made often says more than the page. */
const changesData = ({ method = 'GET' }: BrokenCheck) => /^(POST|PUT|PATCH|DELETE)$/.test(method);

/** Why the check does not hold, if the reason is the same for all; else its title. A judge words it differently each time. */
function brokenText(trials: readonly GradedTrial[], title: string): string {
  const reasonIn = ({ facts }: GradedTrial) => facts.broken.find(check => check.title === title)?.reason;
  const [first] = trials as [GradedTrial];
  const known = theSame(trials, trial => reasonIn(trial) ?? null);
  return (
    known ??
    (title === JUDGE ? `${reasonIn(first)} (trial ${first.trial.index + 1})` : `failed check: ${title}`)
  );
}

/** Where most trials of a group parted from passing ones, or else the first, in one line. @param partings the nearest first */
export function groupParting(trials: readonly number[], partings: readonly FoundParting[]): string | null {
  const nearest = new Map(partings.toReversed().map(found => [found.parting.index, found]));
  const known = trials.flatMap(index => nearest.get(index) ?? []);
  // Partings that differ only in their turns.
  const groups = groupBy(known, ({ parting, said, own }) => JSON.stringify([parting.kind, said, own]));
  const [group] = [...groups.values()].sort((a, b) => b.length - a.length);
  if (!group) return null;
  const { parting } = group[0];
  if (trials.length === 1) return parting.text;
  if (group.length < trials.length) return `trial ${parting.index + 1}, ${parting.text}`;
  const turns = known.map(({ parting }) => parting.turn);
  const [first, last] = [Math.min(...turns), Math.max(...turns)];
  return partingText(group[0], first === last ? `turn ${first}` : `turns ${first} to ${last}`, 'these');
}

const byTrials = (a: MetFinding, b: MetFinding) =>
  b.trials - a.trials || compareText(findingKey(a), findingKey(b));

export function metFindings(trials: readonly (readonly SeenInTheWay[])[]): MetFinding[] {
  const once = trials.flatMap(findings => [
    ...new Map(findings.map(each => [findingKey(each), each])).values(),
  ]);
  const met = [...groupBy(once, findingKey).values()];
  return met.map(all => ({ ...withoutPlace(all[0]), trials: all.length })).sort(byTrials);
}

/** Findings of several specs, those with most failed trials first. @param specs the findings of each spec in a project */
export function sharedFindings(specs: readonly { name: string; findings: readonly MetFinding[] }[]) {
  const all = specs.flatMap(({ name, findings }) => findings.map(finding => ({ ...finding, name })));
  const shared = [...groupBy(all, findingKey).values()].map(met => {
    const { name, ...finding } = met[0];
    const names = new Set(met.map(({ name }) => name));
    return { ...finding, trials: sumOf(met, ({ trials }) => trials), specs: [...names].sort(compareText) };
  });
  return shared.filter(({ specs }) => specs.length > 1).sort(byTrials);
}

/** Without the findings that a failed request explains: what is out of reach, and controls without a name at the place that was sought. */
export function causesIn(facts: Facts, suspect?: SuspectRequest | null): readonly SeenInTheWay[] {
  const { findings, requests } = facts;
  if (!suspect) return findings;
  const { status, request } = suspect;
  const isError = status !== null && status >= 400;
  // If a request was refused or never sent, a control without a name may be why.
  const isRefused = isError && status < 500;
  const isFault = !isRefused && requests.some(sent => sent.request === request);
  return findings.filter(({ kind, place }) => !(isError && kind === 'out_of_reach') && !(isFault && place));
}

const findingKey = ({ kind, locator, path }: FoundInTheWay) => JSON.stringify([kind, locator, path]);

export function diagnosisOf(trials: readonly LostTrial[], k: number): Diagnosis | undefined {
  if (!trials.length) return undefined;
  const groups = failureGroups(trials);
  const [first] = groups as [FailureGroup];
  const shown = trials.filter(({ trial }) => first.trials.includes(trial.index));
  const pageSaid = theSame(shown, trial => trial.pageSaid ?? null);
  const partings = trials.flatMap(({ found }) => found ?? []);
  const requests = trials.flatMap(({ suspect }) => suspect ?? []).sort((a, b) => a.index - b.index);
  return {
    headline: withRoom(headlineOf(first, trials.length, k), first.request ? shown[0]!.suspect : null),
    parted: groupParting(first.trials, partings),
    groups,
    partings: partings.map(({ parting }) => parting),
    ...(requests.length ? { requests } : {}),
    ...(pageSaid ? { pageSaid } : {}),
    findings: metFindings(trials.map(({ facts, suspect }) => causesIn(facts, suspect))),
    others: metFindings(trials.map(({ facts }) => facts.others)),
  };
}
