// Why trials failed: groups failures that have something in common, and collects what was in the way of several specs. The same
// trials give the same diagnosis, in any order and from any number of shards.

import { compareText, groupBy, sumOf } from '../../data/collections';
import type { Diagnosis, FailureGroup, MetFinding, Parting, SharedFinding } from '../../data/verdict';

export interface BrokenCheck {
  title: string;
  reason: string | null;
}

type FoundInTheWay = Omit<MetFinding, 'trials'>;

/** A failed trial, besides what it did. */
export interface FailedTrial {
  index: number;
  project: string;
  status: string;
  /** Number of turns. */
  turns: number;
  /** In the order of the spec; a forbidden host comes first, the judge last. */
  broken: readonly BrokenCheck[];
  /** Where it ended. */
  path: string | null;
  /** The control that it last used or looked for, and whether it was on the page where the trial ended. */
  control: { words: string; here: boolean } | null;
  /** Why it ended: the limit that it reached, or the agent's reason for giving up. */
  said: string | null;
  findings: readonly FoundInTheWay[];
  /** Findings at controls that the trial neither used nor looked for. */
  others: readonly FoundInTheWay[];
}

/** What trials can have in common. */
const TRAITS = {
  status: ({ status }) => status,
  // The one that the trial's error names.
  check: ({ broken }) => broken[0]?.title ?? null,
  path: ({ path }) => path,
  control: ({ control }) => control?.words ?? null,
} satisfies Record<string, (trial: FailedTrial) => string | null>;
type Trait = keyof typeof TRAITS;

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
export function failureGroups(trials: readonly FailedTrial[]): FailedTrial[][] {
  const groups: FailedTrial[][] = [];
  let rest = [...trials].sort((a, b) => compareText(a.project, b.project) || a.index - b.index);
  while (rest.length) {
    const found = DESCRIPTIONS.map(traits => alike(rest, traits)[0]).find(
      group => group && group.length * 2 > rest.length,
    );
    groups.push(...(found ? [found] : alike(rest, DESCRIPTIONS[0]!, true)));
    const taken = new Set(found ?? rest);
    rest = rest.filter(trial => !taken.has(trial));
  }
  return groups;
}

/** Groups trials that share all of the traits, the largest group first. @param all include trials with an unknown trait */
function alike(trials: readonly FailedTrial[], traits: readonly Trait[], all = false): FailedTrial[][] {
  const valuesOf = (trial: FailedTrial) => traits.map(trait => TRAITS[trait](trial));
  const known = all ? trials : trials.filter(trial => !valuesOf(trial).includes(null));
  const groups = groupBy(known, trial => JSON.stringify(valuesOf(trial)));
  return [...groups.values()].sort((a, b) => b.length - a.length);
}

export function groupOf(trials: readonly FailedTrial[]): FailureGroup {
  const shared = (trait: Trait) => theSame(trials, TRAITS[trait]);
  const traits = {
    status: shared('status'),
    check: shared('check'),
    path: shared('path'),
    control: shared('control'),
  };
  const projects = trials.map(({ project }) => project);
  return {
    trials: trials.map(({ index }) => index),
    ...(new Set(projects).size > 1 ? { projects } : {}),
    text: groupText(trials, traits),
    ...traits,
  };
}

/** `3 of 4 failures: stuck on /checkout ...`, `trial 2/5: ...` for a single one */
export function headlineOf({ trials, text }: FailureGroup, failures: number, k: number): string {
  return failures === 1
    ? `trial ${trials[0]! + 1}/${k}: ${text}`
    : `${trials.length} of ${failures} failures: ${text}`;
}

function theSame<T>(trials: readonly FailedTrial[], of: (trial: FailedTrial) => T | null): T | null {
  const first = of(trials[0]!);
  return trials.every(trial => of(trial) === first) ? first : null;
}

const LIMITS: Record<string, string> = {
  budget_exceeded: 'reached the cost cap',
  timed_out: 'ran out of time',
};

function groupText(
  trials: readonly FailedTrial[],
  { status, check, path, control }: Pick<FailureGroup, Trait>,
): string {
  const where = path === null ? '' : ` on ${path}`;
  const here = trials.every(trial => trial.control?.here);
  const place = control === null ? where : `${where} ${here ? 'at' : 'after'} ${control}`;
  if (status === 'max_steps') {
    const turns = theSame(trials, trial => trial.turns);
    return `stuck${place} (used all ${turns === null ? 'its' : turns} turns)`;
  }
  const said = theSame(trials, trial => trial.said);
  if (status !== null && LIMITS[status]) return `stuck${place} (${said ?? LIMITS[status]})`;
  if (status === 'gave_up') return said === null ? `gave up${place}` : `gave up${where}: ${said}`;
  const ended = `${status === null ? 'stopped' : 'ended'}${place || ' on different pages'}`;
  if (check === null) return ended;
  const request = theSame(trials, ({ broken }) => broken.find(changesData)?.title ?? null);
  const checks = request === null || request === check ? [check] : [check, request];
  return [...checks.map(title => brokenText(trials, title)), ended].join('; ');
}

/** A request that failed or was never made often says more than the page. */
const changesData = ({ title }: BrokenCheck) => /^(POST|PUT|PATCH|DELETE) /.test(title);

/** Why the check does not hold, if the reason is the same for all; else its title. */
function brokenText(trials: readonly FailedTrial[], title: string): string {
  const reason = theSame(trials, ({ broken }) => {
    const check = broken.find(each => each.title === title);
    return check?.reason?.replace(/ \(\d+ requests in this trial\)$/, '') ?? null;
  });
  return reason ?? `not so: ${title}`;
}

/**
 * Where the trials of a group left the way of passing ones, in one line: where most of them did, else where the first did.
 *
 * @param partings by index of the trial
 */
export function groupParting(
  trials: readonly number[],
  partings: ReadonlyMap<number, Parting>,
): string | null {
  const known = trials.flatMap(index => {
    const parting = partings.get(index);
    return parting ? [{ index, parting, same: sameText(parting) }] : [];
  });
  const groups = groupBy(known, ({ same }) => same);
  const [group] = [...groups.values()].sort((a, b) => b.length - a.length);
  if (!group) return null;
  const [most] = group;
  const count = group.length;
  if (trials.length === 1) return most.parting.text;
  if (count < trials.length) return `trial ${most.index + 1}, ${most.parting.text}`;
  const turns = known.map(({ parting }) => parting.turn);
  const [first, last] = [Math.min(...turns), Math.max(...turns)];
  const when = first === last ? `turn ${first}` : `turns ${first} to ${last}`;
  return most.parting.text
    .replace(/^(after |before )?turn \d+/, `$1${when}`)
    .replace(/, this one (?!.*, this one )/, ', these ');
}

/** The same for partings that differ only in their turns. */
const sameText = ({ kind, text }: Parting) => `${kind} ${text.replace(/^(after |before )?turn \d+: /, '')}`;

/** The findings of several trials, the most frequent first. */
export function metFindings(trials: readonly (readonly FoundInTheWay[])[]): MetFinding[] {
  const once = trials.flatMap(findings => [
    ...new Map(findings.map(finding => [findingKey(finding), finding])).values(),
  ]);
  return [...groupBy(once, findingKey).values()]
    .map(met => ({ ...met[0], trials: met.length }))
    .sort((a, b) => b.trials - a.trials || compareText(findingKey(a), findingKey(b)));
}

/** Findings of several specs, those with most failed trials first. @param specs the findings of each spec in a project */
export function sharedFindings(
  specs: readonly { name: string; findings: readonly MetFinding[] }[],
): SharedFinding[] {
  const all = specs.flatMap(({ name, findings }) => findings.map(finding => ({ ...finding, name })));
  return [...groupBy(all, findingKey).values()]
    .map(met => {
      const { name, ...finding } = met[0];
      const names = new Set(met.map(({ name }) => name));
      return { ...finding, trials: sumOf(met, ({ trials }) => trials), specs: [...names].sort(compareText) };
    })
    .filter(({ specs }) => specs.length > 1)
    .sort(
      (a, b) =>
        b.trials - a.trials || b.specs.length - a.specs.length || compareText(findingKey(a), findingKey(b)),
    );
}

const findingKey = ({ kind, locator, path }: FoundInTheWay) => JSON.stringify([kind, locator, path]);

export function diagnosisOf(
  trials: readonly FailedTrial[],
  partings: Diagnosis['partings'],
  k: number,
): Diagnosis | undefined {
  if (!trials.length) return undefined;
  const groups = failureGroups(trials).map(groupOf);
  const [first] = groups as [FailureGroup];
  // If a trial is compared with several passing ways, the nearest comes first.
  const nearest = new Map([...partings].reverse().map(parting => [parting.index, parting]));
  return {
    headline: headlineOf(first, trials.length, k),
    parted: groupParting(first.trials, nearest),
    groups,
    partings,
    findings: metFindings(trials.map(({ findings }) => findings)),
    others: metFindings(trials.map(({ others }) => others)),
  };
}
