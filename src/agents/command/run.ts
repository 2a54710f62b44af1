// Runs a trial with a program, until the program is gone.
import { resolve } from 'node:path';
import { type CdpEndpoint, openCdpEndpoint } from '../../browser/cdp-endpoint';
import type { OwnMethods } from '../../browser/cdp-relay';
import type { Agent, AgentTask, SessionTask } from '../agent';
import { play } from './play';
import { Program, type ProgramOptions, programPath } from './program';
import { PROTOCOL_VERSION, type TaskMessage } from './protocol';

/** Milliseconds to exit, after its last line or a request to stop. */
const GRACE_MS = 3_000;

/** Folder and program may be relative to that of the Playwright config. */
export async function runProgram(
  task: SessionTask,
  { command, args, env, cwd }: ProgramOptions,
): ReturnType<Agent['run']> {
  const endpoint = await openCdpEndpoint(task.page, {
    own: pageToolsOf(task),
    // A page that the guard still judges is no tab yet.
    onFront: page => {
      if (task.session.has(page)) task.activate(page);
    },
  });
  // The trial is graded from that moment on: its page must not move any more.
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
      // While the host is at a line, the page stays as the program left it: the picture of a turn shows that turn.
      // After the last line it stays so for good.
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

/** What a page offers to agents, for programs: an endpoint's line has no answer, a method of the protocol has one. */
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

/** Milliseconds for a program to go. What it said of its end must not be lost to the time limit. */
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
