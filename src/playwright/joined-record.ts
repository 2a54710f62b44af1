// All runs of agents in a hand-written test are one trial: its record is joined from theirs.
import { createHash } from 'node:crypto';
import { sumOf } from '../data/collections';
import type { TrialRecord } from '../data/record';
import { sumOfCosts, sumOfTokens, sumOfWaits } from '../data/usage';
import type { Trial } from '../trial/trial';

export const goalsHash = (goals: readonly string[]) =>
  createHash('sha256').update(JSON.stringify(goals)).digest('hex');

/** The trial that decides the outcome: the first with an error, else the first that did not complete, else the last. */
export function decisive(trials: readonly Trial[]): Trial {
  const broken = trials.find(({ status }) => status === 'error');
  return broken ?? trials.find(({ status }) => status !== 'completed') ?? trials.at(-1)!;
}

/** Joins the records of all runs: turns in their order, all requests, the sum of the costs. */
export function joinedRecord(trials: readonly Trial[], goals: readonly string[]): TrialRecord {
  const records = trials.map(trial => trial.record());
  const [first] = records as [TrialRecord];
  const shifted = <Type extends { startedAtMs: number }>(of: (record: TrialRecord) => readonly Type[]) =>
    records.flatMap((record, index) => {
      const later = Math.round(trials[index]!.startedAt - trials[0]!.startedAt);
      return of(record).map(each => ({ ...each, startedAtMs: each.startedAtMs + later }));
    });
  const turns = shifted(record => record.turns);
  const usages = records.map(({ usage }) => usage);
  const costUsd = sumOfCosts(usages.map(({ costUsd }) => costUsd));
  return {
    ...decisive(trials).record(),
    specHash: goalsHash(goals),
    agent: namesOf(records.map(({ agent }) => agent))!,
    model: namesOf(records.map(({ model }) => model)),
    replayed: records.some(({ replayed }) => replayed),
    seed: first.seed,
    turns: turns.sort((a, b) => a.number - b.number),
    actions: sumOf(records, ({ actions = 0 }) => actions),
    pageToolCalls: sumOf(records, ({ pageToolCalls = 0 }) => pageToolCalls),
    network: {
      events: shifted(({ network }) => network.events),
      dropped: sumOf(records, ({ network }) => network.dropped),
    },
    guard: records.some(({ guard }) => guard === 'route') ? 'route' : 'protocol',
    refusals: records.flatMap(({ refusals }) => refusals),
    usage: { ...sumOfTokens(usages), costUsd },
    costUsd,
    ...sumOfWaits(records),
    startedAt: first.startedAt,
    durationMs: Math.round(performance.now() - trials[0]!.startedAt),
  };
}

const namesOf = (all: readonly (string | null)[]) => [...new Set(all.filter(Boolean))].join(', ') || null;
