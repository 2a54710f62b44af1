// Runs a trial with a program and turns its lines into turns.
import { resolve } from 'node:path';
import { locatorOf } from '../../browser/actions/locate';
import type { ActionDraft } from '../../browser/actions/record';
import { type CdpEndpoint, openCdpEndpoint } from '../../browser/cdp/endpoint';
import type { OwnMethods } from '../../browser/cdp/relay';
import { abortable, within } from '../../browser/waiting';
import { type Line, PROTOCOL_VERSION, parseLine, type TaskMessage } from '../../data/agent-protocol';
import {
  AgentApiError,
  type AgentTask,
  type Answered,
  BudgetExceededError,
  type GaveUp,
  type OnlyTalked,
  type SessionTask,
  type Turn,
} from '../agent';
import { type ProgramOptions, programPath } from './index';
import { Program } from './program';

/** Milliseconds for the program to exit after its last line, or after it is asked to. */
const GRACE_MS = 3_000;
/** The most lines in a turn. More mean an endless loop. */
const MAX_LINES = 1_000;

type Of<Type extends Line['type']> = Extract<Line, { type: Type }>;

interface Stage {
  task: SessionTask;
  program: Program;
  endpoint: CdpEndpoint;
  /** Ends the newest wait for a model's answer. */
  answered(): void;
  /** Aborted if the model's answer never comes, which ends the trial. */
  silence: AbortController;
}

/** `command` and `cwd` may be relative to the folder of the Playwright config. */
export async function runProgram(task: SessionTask, options: ProgramOptions): Promise<Answered | GaveUp> {
  const endpoint = await openCdpEndpoint(task.page, {
    own: methodsOf(task),
    // A page is no tab of the session while the guard still checks it.
    onFront: page => {
      if (task.session.has(page)) task.activate(page);
    },
  });
  // When the agent's run is over, the trial is graded: the program must not change the page any more.
  const disconnect = () => void endpoint.close();
  task.signal.addEventListener('abort', disconnect, { once: true });
  const command = programPath(options.command, task.configDir);
  const cwd = resolve(task.configDir, options.cwd);
  let program: Program | undefined;
  try {
    program = new Program(
      { ...options, command, cwd },
      `${JSON.stringify(taskMessage(task, endpoint))}\n`,
      text => task.mask(text),
      // Holds the program back while a line is handled, so that the picture of a turn shows that turn, and after its last line.
      endpoint,
    );
    const silence = new AbortController();
    const stage = { task, program, endpoint, answered: () => undefined, silence };
    const end = await abortable(() => play(stage), silence.signal);
    await within(program.exited, graceMs(task));
    return end;
  } finally {
    await endpoint.close();
    await program?.stop(graceMs(task));
    task.session.dialogs.policy = undefined;
    task.signal.removeEventListener('abort', disconnect);
  }
}

/** Methods added to the DevTools protocol for what a program needs an answer to: lines on standard output get none. */
function methodsOf(task: SessionTask): OwnMethods {
  return {
    'Taskproof.pageTools': async () => ({ tools: await task.pageTools() }),
    async 'Taskproof.callPageTool'({ name, input = {} }) {
      if (typeof name !== 'string' || typeof input !== 'object' || input === null)
        throw new Error('Taskproof.callPageTool takes { name: "...", input: { ... } }');
      const result = await task.callPageTool(name, input);
      return result === undefined ? {} : { result };
    },
    'Taskproof.secret': async ({ name }) => ({ value: await task.secret(String(name)) }),
  };
}

/** Milliseconds for a program to exit. At most half of the time left, so that its last line still counts. */
function graceMs({ signal, timeLeftMs }: AgentTask): number {
  return signal.aborted ? GRACE_MS : Math.min(GRACE_MS, timeLeftMs / 2);
}

function taskMessage(task: SessionTask, { url, targetId }: CdpEndpoint): TaskMessage {
  const { computedSecrets: computed } = task;
  return {
    protocolVersion: PROTOCOL_VERSION,
    goal: task.goal,
    entryUrl: task.entryUrl,
    allowedDomains: [...task.allowedDomains],
    maxSteps: task.maxSteps,
    maxCostUsd: task.maxCostUsd ?? null,
    timeLimitMs: Math.max(1, Math.round(task.timeLeftMs)),
    wantsAnswer: task.wantsAnswer,
    seed: task.seed,
    secrets: Object.fromEntries(Object.entries(task.secrets).filter(([name]) => !computed.includes(name))),
    computedSecrets: [...computed],
    pageTools: task.pageToolsMode,
    cdp: { url, targetId },
  };
}

async function play(stage: Stage): Promise<Answered | GaveUp> {
  const { task, program } = stage;
  const read = reader(stage);
  try {
    let line = await read();
    while (line.type !== 'end') {
      if (line.type === 'turn') {
        const { title } = line;
        line = await task.turn(title, turn => inTurn(turn, stage, read));
      } else {
        await between(line, stage);
        line = await read();
      }
    }
    return endOf(line, program);
  } finally {
    stage.answered();
  }
}

async function inTurn(turn: Turn, stage: Stage, read: () => Promise<Line>): Promise<Line> {
  for (;;) {
    const line = await read();
    if (line.type === 'narration') turn.narrate(line.text);
    else if (line.type === 'action') {
      const { type: _, ...action } = line;
      turn.action(action);
    } else if (line.type === 'record') await record(line, turn, stage);
    else if (line.type === 'read_only') turn.readOnly();
    else if (line.type === 'turn' || line.type === 'turn_end' || line.type === 'end') return line;
    else await between(line, stage);
  }
}

/** Notes the program's next action, which waits while the line is handled: the page has not changed yet. */
async function record(line: Of<'record'>, turn: Turn, { task, program }: Stage): Promise<void> {
  const { type: _, locator, to, ...draft } = line as Of<'record'> & { locator?: string; to?: string };
  const find = (expression: string | undefined) => {
    try {
      return expression === undefined ? undefined : locatorOf(task.page, expression);
    } catch (error) {
      throw program.error(`it wrote an invalid "record" line: ${(error as Error).message}`);
    }
  };
  await turn.record(draft as ActionDraft, find(locator), find(to));
  await task.recorder.answered();
}

async function between(line: Exclude<Line, Of<'turn' | 'end'>>, stage: Stage): Promise<void> {
  const { task, program, endpoint } = stage;
  switch (line.type) {
    case 'turn_end':
      return;
    case 'dialogs':
      task.session.dialogs.policy = line.answeredBy === 'program' ? 'leave' : undefined;
      return;
    case 'dialog':
      return task.session.dialogs.onAnswer({ accept: line.accept, text: line.text || undefined });
    case 'waiting': {
      stage.answered();
      const answer = new Promise<void>(resolve => {
        stage.answered = resolve;
      });
      task.waiting(answer, line.for).catch(error => stage.silence.abort(error));
      return;
    }
    case 'waiting_end':
      return stage.answered();
    case 'usage':
      return spend(line, task);
    case 'activate': {
      const page = await endpoint.pageOf(line.targetId);
      if (!page)
        throw program.error(
          `it activated ${JSON.stringify(line.targetId)}, but no tab of the trial has that targetId`,
        );
      return task.activate(page);
    }
    default:
      throw program.error(
        `it wrote a line of type "${line.type}" outside a turn: write {"type":"turn","title":"..."} first`,
      );
  }
}

/** Reports usage, and checks the cap: a program may make many requests in one turn. The last one may exceed it. */
function spend({ type: _, ...usage }: Of<'usage'>, task: SessionTask): void {
  const { maxCostUsd: cap, knownUsd: before } = task;
  task.usage(usage);
  if (cap !== undefined && before >= cap)
    throw new BudgetExceededError(
      `The program kept spending after it had reached its maxCostUsd of $${cap} ($${task.knownUsd.toFixed(4)} so far).`,
    );
}

/** Makes a function that reads the next line. It throws if a turn has too many lines, or a line is not of the protocol. */
function reader({ task, program }: Stage): () => Promise<Line> {
  let lines = 0;
  return async () => {
    const text = await program.next(task.signal);
    if (++lines > MAX_LINES)
      throw program.error(`it wrote more than ${MAX_LINES.toLocaleString('en')} lines without a new turn`);
    try {
      const line = parseLine(text, words => task.mask(words));
      if (line.type === 'turn') lines = 0;
      return line;
    } catch (error) {
      throw program.error((error as Error).message);
    }
  };
}

function endOf(line: Of<'end'>, program: Program): Answered | OnlyTalked | GaveUp {
  const { status, answer, reason, errorKind, neverActed } = line;
  if (status === 'completed')
    return { answer, ...(neverActed && { neverActed: program.masked(neverActed) }) };
  if (!reason) throw program.error(`it ended with status "${status}" but no "reason"`);
  if (status === 'gave_up') return { status, reason: program.masked(reason) };
  if (errorKind === 'agent_api') throw new AgentApiError(program.masked(reason));
  throw program.error(`it ended with an error: ${reason}`);
}
