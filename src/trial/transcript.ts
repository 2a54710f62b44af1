import type { JudgeResult, TrialRecord, TurnRecord } from './record';

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
      ({ title, passed, reason }) => `${mark(passed)} ${title}${reason ? `: ${reason}` : ''}`,
    ),
    ...(record.judge ? judgeLines(record.judge) : []),
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

function judgeLines({ passed, reason, model, usage, keyPoints = [] }: JudgeResult): string[] {
  const facts = [...(model ? [model] : []), ...(usage ? [dollars(usage.costUsd)] : [])];
  return [
    `${mark(passed)} judge${facts.length ? ` (${facts.join(', ')})` : ''}: ${reason}`,
    ...keyPoints.map(point => `    ${mark(point.met)} ${keyPointTitle(point)}\n      ${point.evidence}`),
  ];
}

/** The key point, and the picture that it was read from. */
export function keyPointTitle({ text, screenshot }: NonNullable<JudgeResult['keyPoints']>[number]): string {
  return screenshot ? `${text} (${screenshot})` : text;
}

const mark = (good: boolean) => (good ? '✓' : '✗');
const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;
const dollars = (cost: number | null) => (cost === null ? 'cost unknown' : `$${cost.toFixed(4)}`);
