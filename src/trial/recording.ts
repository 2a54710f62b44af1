// From a trial's record to a recording of it.
import { RECORDING_VERSION, type RecordedTurn, type Recording } from '../agents/replay/recording';
import type { TrialRecord } from './record';

/**
 * The recording of a trial, or why there can't be one. Actions that only looked are left out,
 * and of those that failed all but the steps that they tell to have done before.
 */
export function recordingOf(record: TrialRecord): Recording | { problem: string } {
  if (record.outcome !== 'passed') return { problem: 'the trial did not pass' };
  const turns: RecordedTurn[] = [];
  for (const { number, title, actions } of record.turns) {
    const kept: RecordedTurn['actions'] = [];
    for (const action of actions) {
      if (action.error !== undefined && !action.steps) continue;
      if (!action.steps)
        return { problem: `turn ${number}: \`${action.title}\` can't be done again by a recording` };
      if (action.steps.length) kept.push({ title: action.title, steps: action.steps });
    }
    if (kept.length) turns.push({ title, actions: kept });
  }
  if (!turns.length) return { problem: 'the trial did nothing to the page' };
  const { specId, specHash, agent, model, startedAt } = record;
  return {
    recordingVersion: RECORDING_VERSION,
    specId,
    specHash,
    agent,
    model,
    recordedAt: startedAt,
    turns,
  };
}
