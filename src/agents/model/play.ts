// The loop of every agent with a model.
import type { GaveUp, SessionTask } from '../agent';

/** After this many cut-off answers in a row, the trial ends: the limit of an answer is too low. */
export const MAX_CUT_OFF = 3;

/** How the task ended; undefined if it goes on. */
export type Ending = { result: GaveUp | undefined } | undefined;

/**
 * Asks until an answer ends the task.
 *
 * @param ask makes a request, and does what the answer says
 * @throws what `ask` and `task.turn` throw; the signal's reason once that is aborted.
 */
export async function playUntilEnd(
  task: SessionTask,
  ask: () => Promise<Ending>,
): Promise<GaveUp | undefined> {
  for (;;) {
    // Don't pay for an answer that can't be acted on: this turn throws TurnLimitError.
    if (task.turnsLeft <= 0) await task.turn('no turns are left', () => undefined);
    task.signal.throwIfAborted();
    const ending = await ask();
    if (ending) return ending.result;
  }
}
