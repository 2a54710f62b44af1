// Runs a trial with a program, until the program is gone.
import { resolve } from 'node:path';
import { type CdpEndpoint, openCdpEndpoint } from '../../browser/cdp-endpoint';
import type { OwnMethods } from '../../browser/cdp-relay';
import type { Agent, AgentTask, SessionTask } from '../agent';
import { play } from './play';
import { Program, type ProgramOptions, programPath } from './program';
import { PROTOCOL_VERSION, type TaskMessage } from './protocol';

/** Milliseconds for the program to exit after its last line, or after it is asked to. */
const GRACE_MS = 3_000;

/** `command` and `cwd` may be relative to the folder of the Playwright config. */
export async function runProgram(
  task: SessionTask,
  { command, args, env, cwd }: ProgramOptions,
): ReturnType<Agent['run']> {
  const endpoint = await openCdpEndpoint(task.page, {
    own: pageToolsOf(task),
    // A page that the guard is still checking is not a tab yet.
    onFront: page => {
      if (task.session.has(page)) task.activate(page);
    },
  });
  // From then on the trial is graded: its page must not change any more.
  const disconnect = () => void endpoint.close();
  task.signal.addEventListener('abort', disconnect, { once: true });
  const leaveDialogs = (leave: boolean) => {
    task.session.dialogs.policy = leave ? 'leave' : undefined;
  };
  let program: Program | undefined;
  try {
    program = new Program(
      { command: programPath(command, task.configDir), args, env, cwd: resolve(task.configDir, cwd) },
      `${JSON.stringify(messageOf(task, endpoint))}\n`,
      text => task.mask(text),
      // While a line is handled, the program can't change the page, so that the picture of a turn shows that turn.
      // After the last line, it never can again.
      { busy: () => endpoint.hold(), idle: () => endpoint.release() },
    );
    const end = await play({ task, program, endpoint, leaveDialogs });
    await program.goneWithin(graceMs(task));
    return end;
  } finally {
    await endpoint.close();
    await program?.stop(graceMs(task));
    leaveDialogs(false);
    task.signal.removeEventListener('abort', disconnect);
  }
}

/** Page tools as methods of the DevTools protocol, since lines on standard output get no answers. */
function pageToolsOf(task: SessionTask): OwnMethods {
  return {
    'Taskproof.pageTools': async () => ({ tools: await task.pageTools() }),
    async 'Taskproof.callPageTool'({ name, input = {} }) {
      if (typeof name !== 'string' || typeof input !== 'object' || input === null)
        throw new Error('Taskproof.callPageTool takes { name: "...", input: { ... } }');
      const result = await task.callPageTool(name, input);
      return result === undefined ? {} : { result };
    },
  };
}

/** Milliseconds for a program to exit: not all of the time left, so that its last line still counts. */
function graceMs({ signal, timeLeftMs }: AgentTask): number {
  return signal.aborted ? GRACE_MS : Math.min(GRACE_MS, timeLeftMs / 2);
}

function messageOf(task: AgentTask, { url, targetId }: CdpEndpoint): TaskMessage {
  return {
    protocolVersion: PROTOCOL_VERSION,
    goal: task.goal,
    entryUrl: task.entryUrl,
    allowedDomains: [...task.allowedDomains],
    maxSteps: task.maxSteps,
    maxCostUsd: task.maxCostUsd ?? null,
    timeLimitMs: Math.max(1, Math.round(task.timeLeftMs)),
    seed: task.seed,
    secrets: { ...task.secrets },
    pageTools: task.pageToolsMode,
    cdp: { url, targetId },
  };
}
