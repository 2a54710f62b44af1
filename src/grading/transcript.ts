import { answerText, type JudgeResult, type TrialRecord, type TurnRecord } from '../data/record';
import { harmless, oneLine } from '../text/line';
import { plural, withModel } from '../text/print';

/** The trial as a text for people: what the agent thought, did and saw, and how it was graded. */
export function transcript(record: TrialRecord, goal: string): string {
  const { agent, model, turns, status, finalUrl, durationMs, costUsd, judge, outcome, reason } = record;
  const where = finalUrl ? ` at ${oneLine(finalUrl, 300)}` : '';
  return [
    ...block('Goal: ', goal),
    `Agent: ${oneLine(withModel(agent, model), 200)}`,
    '',
    ...turns.flatMap(turnLines),
    `Ended: ${status}${where} after ${plural(turns.length, 'turn')}, ${seconds(durationMs)}${waited(record)}, ${dollars(costUsd)}`,
    ...block('Answer: ', answerText(record.answer ?? '')),
    ...record.assertions.map(({ title, passed, reason }) =>
      oneLine(`${mark(passed)} ${title}${reason ? `: ${reason}` : ''}`, 1_000),
    ),
    ...(judge ? judgeLines(judge) : []),
    `Outcome: ${outcome}${reason ? `. ${oneLine(reason, 1_000)}` : ''}`,
    '',
  ].join('\n');
}

/** How much of its time the trial waited for models. */
function waited({ modelTimeMs = 0, waitTimeMs = 0 }: TrialRecord): string {
  const parts = [
    modelTimeMs && `${seconds(modelTimeMs)} for the model`,
    waitTimeMs && `${seconds(waitTimeMs)} for the API's limit`,
  ].filter(Boolean);
  return parts.length ? ` (waited ${parts.join(', ')})` : '';
}

function turnLines(turn: TurnRecord): string[] {
  const { usage } = turn;
  const tokens = usage.inputTokens + usage.cacheReadTokens + usage.cacheCreationTokens + usage.outputTokens;
  return [
    `${turn.number}. ${turn.title}  (${seconds(turn.durationMs)}${tokens ? `, ${dollars(usage.costUsd)}` : ''})`,
    ...block('   | ', turn.narration, '   | '),
    ...turn.actions
      .filter(action => action.title !== turn.title || action.error)
      .flatMap(action => block('   - ', `${action.title}${action.error ? `: ${action.error}` : ''}`)),
    ...turn.notices.flatMap(notice => block('   ! ', notice)),
    ...block('   ✗ ', turn.error ?? ''),
    ...block('   at ', turn.url),
    '',
  ];
}

function judgeLines({ passed, reason, model, usage, keyPoints = [] }: JudgeResult): string[] {
  const facts = [model, usage && dollars(usage.costUsd)].filter(Boolean);
  return [
    ...block(`${mark(passed)} judge${facts.length ? ` (${facts.join(', ')})` : ''}: `, reason),
    ...keyPoints.flatMap(point => [
      ...block(`    ${mark(point.met)} `, keyPointTitle(point)),
      ...block('      | ', point.evidence, '      | '),
    ]),
  ];
}

/** The lines of a text that is not ours. Each gets a prefix, so that none looks like a line of ours. */
function block(first: string, text: string, next = `${' '.repeat(first.length)}| `): string[] {
  return harmless(text)
    .split('\n')
    .filter(line => line.trim())
    .map((line, index) => `${index ? next : first}${line}`);
}

/** The key point, and the picture that shows it. */
export function keyPointTitle({ text, screenshot }: NonNullable<JudgeResult['keyPoints']>[number]): string {
  return screenshot ? `${text} (${screenshot})` : text;
}

const mark = (good: boolean) => (good ? '✓' : '✗');
const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;
const dollars = (cost: number | null) => (cost === null ? 'cost unknown' : `$${cost.toFixed(4)}`);
