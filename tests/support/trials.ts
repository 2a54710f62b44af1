// Trials and turns on real pages without a runner: their steps run, and what they attach goes nowhere.
import type { SessionTask } from '../../src/agents/agent';
import type { OpenSession } from '../../src/browser/session/session';
import type { WantedAnswer } from '../../src/spec/wanted-answer';
import { Secrets } from '../../src/text/secrets';
import type { AgentRun } from '../../src/trial/run-agent';
import { Trial } from '../../src/trial/trial';
import { Turns } from '../../src/trial/turns';

const attach = async (): Promise<void> => undefined;
const output = { step: (_: string, body: (to: typeof attach) => unknown) => body(attach), attach };

/** The turns of a trial over what it needs of an open session, and the trial. */
export function turnsOver(opened: Partial<AgentRun>, entryUrl = 'http://localhost/', step = output.step) {
  const secrets = new Secrets();
  const plan = { goal: 'go', entryUrl, configDir: '/', maxSteps: 100, secrets, locate: () => undefined };
  const trial = {
    ...opened,
    plan,
    output: { ...output, step },
    pictures: [],
    mask: secrets.mask,
  } as unknown as AgentRun;
  return { trial, turns: new Turns(trial, new AbortController().signal) };
}

interface TrialInput {
  entryUrl: string;
  assertion: object | object[];
  run?: ((task: SessionTask) => unknown) | undefined;
  goal?: string;
  expectTimeoutMs: number;
  allowedDomains?: string[];
  wantsAnswer?: WantedAnswer;
  secrets?: Record<string, string>;
}

/** Plays a trial on localhost. */
export function playTrial(opened: OpenSession, input: TrialInput, to: unknown = output) {
  const { assertion, run, secrets, ...given } = input;
  const spec = { entryUrl: input.entryUrl, assertions: [assertion].flat() };
  const plan = {
    ...{ spec, assertions: spec.assertions, specId: 'x', configDir: '/', goal: 'go', seed: 1 },
    ...{ allowedDomains: ['localhost'], maxSteps: 10, turnTimeoutMs: 10_000, ...given },
    secrets: new Secrets(secrets),
    agent: { name: 'scripted', run: async (task: SessionTask) => run?.(task) },
    locate: () => ({ file: 'task.yaml', line: 1, column: 1 }),
  };
  return new Trial(plan as never, opened, to as never).run();
}
