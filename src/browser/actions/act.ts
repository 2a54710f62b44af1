// The one loop of an action, whoever performs it: it is done, what it causes is waited for, it is noted and reported.
import type { Page } from '@playwright/test';
import type { Action } from '../../data/record';
import { messageOf } from '../../text/line';
import type { Session } from '../session/session';
import { abortable } from '../waiting';
import type { ActionRecorder } from './record';

/** An error for the model. The message says what is wrong and what to do instead. */
export class DriverError extends Error {
  override name = 'DriverError';
}

export interface ActOptions {
  /** False for what only looks, or waits by itself. Default: true. */
  settles?: boolean;
  /** Milliseconds to wait for a document that it loads, beyond what a page is given anyway. */
  patienceMs?: number;
  /** With `turn`, what it did is told with the turn as a whole. Default: `action`. */
  noted?: 'action' | 'turn';
  /** What is told of an error, and thrown. Default: the error itself. */
  explain?(error: unknown): unknown;
  /** @param hasSettled undefined if it was not waited for */
  report?(action: Action, hasSettled: boolean | undefined): void;
}

/** Does something to a page as one action. `told`: its title, and what shows of it while it is done. */
export async function act<T>(
  { session, recorder, signal }: { session: Session; recorder: ActionRecorder; signal: AbortSignal },
  page: Page,
  told: Action,
  run: () => Promise<T>,
  options: ActOptions = {},
): Promise<T> {
  const { settles = true, patienceMs = 0, noted = 'action', report } = options;
  signal.throwIfAborted();
  const since = performance.now();
  const settle = async () => {
    if (!settles) return undefined;
    for (const end = since + patienceMs; ; signal.throwIfAborted()) {
      const hasSettled = await session.settle(page, since);
      if (hasSettled || performance.now() > end) return hasSettled;
    }
  };
  if (noted === 'action') recorder.begin();
  const undo = recorder.mark();
  if (!settles) recorder.readOnly();
  try {
    const result = await abortable(run, signal);
    const hasSettled = await settle();
    const recorded = noted === 'action' ? await recorder.done() : undefined;
    // What has begun in the meantime is waited for, too.
    const isBusy = hasSettled && recorded && session.isBusy(since);
    report?.({ ...told, ...(recorded && { recorded }) }, isBusy ? await settle() : hasSettled);
    return result;
  } catch (error) {
    signal.throwIfAborted();
    const hasSettled = await settle();
    undo();
    const explained = options.explain?.(error) ?? error;
    // What else the turn noted is told by its other actions.
    const nothing = noted === 'turn' && { recorded: [] };
    report?.({ ...told, error: messageOf(explained), ...nothing }, hasSettled);
    throw explained;
  }
}
