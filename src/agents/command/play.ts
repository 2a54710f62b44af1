// Makes turns of a program's lines.
import type { CdpEndpoint } from '../../browser/cdp-endpoint';
import { AgentApiError, type AgentTask, type GaveUp, type Turn } from '../agent';
import type { Program } from './program';
import { type Line, parseLine } from './protocol';

type Of<Type extends Line['type']> = Extract<Line, { type: Type }>;

/**
 * Follows a program to its end.
 *
 * @throws ProgramError where it broke the protocol or went away; AgentApiError where it says that its model can't be had.
 */
export async function play(
  task: AgentTask,
  program: Program,
  endpoint: CdpEndpoint,
): Promise<GaveUp | undefined> {
  let line = await read(task, program);
  while (line.type !== 'end') {
    if (line.type === 'turn') {
      const { title } = line;
      line = await task.turn(title, turn => inTurn(turn, task, program, endpoint));
    } else {
      await between(line, task, program, endpoint);
      line = await read(task, program);
    }
  }
  return endOf(line, program);
}

/** @returns the line that ended the turn. */
async function inTurn(turn: Turn, task: AgentTask, program: Program, endpoint: CdpEndpoint): Promise<Line> {
  for (;;) {
    const line = await read(task, program);
    if (line.type === 'narration') turn.narrate(line.text);
    else if (line.type === 'action') {
      const { type: _, ...action } = line;
      turn.action(action);
    } else if (line.type === 'usage' || line.type === 'activate')
      await between(line, task, program, endpoint);
    else return line;
  }
}

/** What may come in a turn and between two. */
async function between(
  line: Exclude<Line, Of<'turn' | 'end'>>,
  task: AgentTask,
  program: Program,
  endpoint: CdpEndpoint,
): Promise<void> {
  if (line.type === 'turn_end') return;
  if (line.type === 'usage') {
    const { type: _, ...usage } = line;
    return task.usage(usage);
  }
  if (line.type === 'activate') {
    const page = await endpoint.pageOf(line.targetId);
    if (!page)
      throw program.error(`it activated ${JSON.stringify(line.targetId)}, and no tab has that targetId`);
    return task.activate(page);
  }
  throw program.error(`it wrote a line of type "${line.type}" outside a turn: write {"type":"turn"} first`);
}

async function read(task: AgentTask, program: Program): Promise<Line> {
  const text = await program.next(task.signal);
  try {
    return parseLine(text);
  } catch (error) {
    throw program.error((error as Error).message);
  }
}

function endOf({ status, reason, errorKind }: Of<'end'>, program: Program): GaveUp | undefined {
  if (status === 'completed') return undefined;
  if (!reason) throw program.error(`it ended with status "${status}" and without a reason`);
  if (status === 'gave_up') return { status, reason };
  if (errorKind === 'agent_api') throw new AgentApiError(reason);
  throw program.error(`it ended with an error: ${reason}`);
}
