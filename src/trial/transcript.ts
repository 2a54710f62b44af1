import type { TrialRecord, TurnRecord } from './record';

/** The trial as a story for people: what the agent thought, did and saw, and how it was graded. */
export function transcript(record: TrialRecord, goal: string): string {
  const who = record.model ? `${record.agent} (${record.model})` : record.agent;
  return [
    `Goal: ${goal}`,
    `Agent: ${who}`,
    '',
    ...record.turns.flatMap(turnLines),
    `Ended: ${record.status}${record.finalUrl ? ` at ${record.finalUrl}` : ''} after ${record.turns.length} turns, ${seconds(record.durationMs)}, ${dollars(record.costUsd)}`,
    ...record.assertions.map(
      ({ title, passed, reason }) => `${passed ? '✓' : '✗'} ${title}${reason ? `: ${reason}` : ''}`,
    ),
    ...(record.judge ? [`${record.judge.passed ? '✓' : '✗'} judge: ${record.judge.reason}`] : []),
    `Outcome: ${record.outcome}${record.reason ? `. ${record.reason}` : ''}`,
    '',
  ].join('\n');
}

function turnLines(turn: TurnRecord): string[] {
  const { usage } = turn;
  const tokens = usage.inputTokens + usage.cacheReadTokens + usage.cacheCreationTokens + usage.outputTokens;
  return [
    `${turn.number}. ${turn.title}  (${seconds(turn.durationMs)}${tokens ? `, ${dollars(usage.costUsd)}` : ''})`,
    ...turn.narration
      .split('\n')
      .filter(line => line.trim())
      .map(line => `   | ${line}`),
    ...turn.actions
      .filter(action => action.title !== turn.title || action.error)
      .map(action => `   - ${action.title}${action.error ? `: ${action.error}` : ''}`),
    ...turn.notices.map(notice => `   ! ${notice}`),
    ...(turn.error ? [`   ✗ ${turn.error}`] : []),
    `   at ${turn.url}`,
    '',
  ];
}

const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;
const dollars = (cost: number | null) => (cost === null ? 'cost unknown' : `$${cost.toFixed(4)}`);
