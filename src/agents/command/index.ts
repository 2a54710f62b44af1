// An agent in a program of its own, in any language: it gets the trial as JSON and drives the page by the DevTools protocol.
import { resolve } from 'node:path';
import { openCdpEndpoint } from '../../browser/cdp-endpoint';
import type { Agent } from '../agent';
import { type CommandOptions, checkCommandOptions } from './options';
import { play } from './play';
import { Program } from './program';
import { PROTOCOL_VERSION, type TaskMessage } from './protocol';

export type { CommandOptions } from './options';

/**
 * An agent that is a program: started once for each trial, with the task as one JSON object on its standard input. It
 * drives the trial's page over the DevTools protocol, and tells of its turns as JSON lines on standard output (see
 * docs/agent-protocol.md). Chromium only.
 *
 * @throws CommandOptionsError for options that it can't use.
 */
export function command(options: CommandOptions): Agent {
  const { name, model, ...settings } = checkCommandOptions(options);
  return {
    name,
    ...(model === undefined ? {} : { model }),
    async run(task) {
      const endpoint = await openCdpEndpoint(task.page);
      const message: TaskMessage = {
        protocolVersion: PROTOCOL_VERSION,
        goal: task.goal,
        entryUrl: task.entryUrl,
        allowedDomains: [...task.allowedDomains],
        maxSteps: task.maxSteps,
        maxCostUsd: task.maxCostUsd ?? null,
        timeLimitMs: Math.max(1, Math.round(task.timeLeftMs)),
        seed: task.seed,
        secrets: { ...task.secrets },
        cdp: { url: endpoint.url, targetId: endpoint.targetId },
      };
      const cwd = resolve(task.configDir, settings.cwd);
      const program = new Program({ ...settings, cwd }, `${JSON.stringify(message)}\n`);
      let saidItsEnd = false;
      try {
        const end = await play(task, program, endpoint);
        saidItsEnd = true;
        return end;
      } finally {
        await program.stop({ patiently: saidItsEnd });
        await endpoint.close();
      }
    },
  };
}
