// The time limit of an agent or a judge. Its clock stands still during waits for a model.
import { AgentApiError, type AgentTask } from '../agents/agent';
import { limited } from '../browser/waiting';
import type { AgentRun } from './run-agent';

type ModelWait = NonNullable<Parameters<AgentTask['waiting']>[1]>;

/** The step that shows a wait, and after how long: most waits for a limit end at once. */
const WAITS = {
  model: { step: 'wait for the model', shownAfterMs: 0, time: 'modelTimeMs' },
  limit: { step: "wait for the API's limit", shownAfterMs: 1_000, time: 'waitTimeMs' },
} as const;
const TICK_MS = 1_000;
const PATIENCE_MS = 30 * 60_000;

/** Node fires a longer timer at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

export class Clock {
  private readonly pending = { model: 0, limit: 0 };
  private state: 'running' | ModelWait | 'stopped' = 'running';
  private since = performance.now();
  /** Ends the timers and the step of the current state. */
  private leave: () => void;

  constructor(
    private readonly run: Pick<AgentRun, 'plan' | 'output' | 'waited'>,
    private left: number,
    private readonly late: () => void,
    private readonly patienceMs = PATIENCE_MS,
  ) {
    this.leave = this.begin();
  }

  get leftMs(): number {
    this.count();
    return Math.max(0, this.left);
  }

  /** @throws AgentApiError if a model does not answer for so long that its request must have no time limit */
  async waiting<T>(promise: Promise<T>, kind: ModelWait = 'model'): Promise<T> {
    this.pend(kind, 1);
    const minutes = this.patienceMs / 60_000;
    const silent = () =>
      new AgentApiError(`the model has not answered for ${minutes} minutes. Give its requests a time limit.`);
    try {
      return await (kind === 'model' ? limited(promise, this.patienceMs, silent) : promise);
    } finally {
      this.pend(kind, -1);
    }
  }

  stop(): void {
    this.enter('stopped');
  }

  private pend(kind: ModelWait, change: number): void {
    this.pending[kind] += change;
    const { model, limit } = this.pending;
    if (this.state !== 'stopped') this.enter(model ? 'model' : limit ? 'limit' : 'running');
  }

  private enter(state: Clock['state']): void {
    if (state === this.state) return;
    this.count();
    this.leave();
    this.state = state;
    this.leave = this.begin();
  }

  private begin(): () => void {
    const { state, run } = this;
    if (state === 'stopped') return () => undefined;
    if (state === 'running') {
      const timer = setTimeout(this.late, Math.min(this.left, MAX_TIMER_MS));
      return () => clearTimeout(timer);
    }
    let end: () => void = () => undefined;
    const over = new Promise<void>(resolve => {
      end = resolve;
    });
    const show = () => run.output.step(WAITS[state].step, () => over, run.plan.locate('goal'));
    const shown = setTimeout(() => void show().catch(() => undefined), WAITS[state].shownAfterMs);
    // Extends the test's timeout while it waits.
    const tick = setInterval(() => this.count(), TICK_MS);
    return () => {
      clearTimeout(shown);
      clearInterval(tick);
      end();
    };
  }

  /** Counts the time since the last call. */
  private count(): void {
    const { state, since, run } = this;
    this.since = performance.now();
    const passed = this.since - since;
    if (state === 'running') this.left -= passed;
    else if (state !== 'stopped') {
      run.waited[WAITS[state].time] += passed;
      run.output.extend?.(passed);
    }
  }
}
