// An agent in a program of its own, in any language: it gets the trial as JSON and drives the page by the DevTools protocol.
import { basename, extname, resolve } from 'node:path';
import { z } from 'zod';
import { type CdpEndpoint, openCdpEndpoint } from '../../browser/cdp-endpoint';
import { checkOptions, type OptionSchemas } from '../../options';
import type { Agent, AgentTask, SessionTask } from '../agent';
import { play } from './play';
import { checkProgram, Program, programPath, scriptOf } from './program';
import { PROTOCOL_VERSION, type TaskMessage } from './protocol';

/** Milliseconds to go by itself, after it said its end or was asked to stop. */
const GRACE_MS = 3_000;

export interface CommandOptions {
  /** The program: a name on the PATH, or a path relative to the folder of the Playwright config. */
  command: string;
  /** Its arguments; there is no shell. Default: none. */
  args?: readonly string[];
  /** Set beside the environment of Playwright itself. A value that is undefined takes the variable away. Default: none. */
  env?: Record<string, string | undefined>;
  /** Folder that it runs in, relative to that of the Playwright config. Default: that folder. */
  cwd?: string;
  /** Shown in reports. Default: the name of the script among `args`, else of the program, without folder and extension. */
  name?: string;
  /** The model behind it, shown in reports. Default: none. */
  model?: string;
}

const optionsSchema = z.strictObject({
  command: z.string().min(1),
  args: z.array(z.string()).readonly().default([]),
  env: z.record(z.string(), z.string().optional()).default({}),
  cwd: z.string().min(1).default('.'),
  name: z.string().min(1).optional(),
  model: z.string().min(1).optional(),
} satisfies OptionSchemas<CommandOptions>);

/**
 * An agent that is a program: started once for each trial, with the task as one JSON object on its standard input. It
 * drives the trial's page over the DevTools protocol, and tells of its turns as JSON lines on standard output (see
 * docs/agent-protocol.md). Chromium only.
 *
 * @throws OptionsError for options that it can't use.
 */
export function command(options: CommandOptions): Agent {
  const { command, args, env, cwd, name, model } = checkOptions('command()', optionsSchema, options);
  const file = scriptOf(args) ?? command;
  return {
    name: name ?? basename(file, extname(file)),
    ...(model === undefined ? {} : { model }),
    preflight: () => checkProgram(command, env),
    async run(task: SessionTask) {
      const endpoint = await openCdpEndpoint(task.page);
      // The trial is graded from that moment on: its page must not move any more.
      const disconnect = () => void endpoint.close();
      task.signal.addEventListener('abort', disconnect, { once: true });
      const leaveDialogs = (leave: boolean) => {
        task.session.dialogs.policy = leave ? 'leave' : undefined;
      };
      let program: Program | undefined;
      try {
        program = new Program(
          {
            command: programPath(command, task.configDir),
            args,
            env,
            cwd: resolve(task.configDir, cwd),
          },
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
    cdp: { url, targetId },
  };
}
