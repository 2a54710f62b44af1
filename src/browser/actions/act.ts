// Every action goes through here, whoever performs it: it is run, its effects are waited for, and it is recorded and reported.
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
  /** False for an action that only looks, or waits by itself. Default: true. */
  settles?: boolean;
  /** Milliseconds to wait for a document that it loads, if they are more than a page gets anyway. */
  patienceMs?: number;
  /** `turn`: what it did is recorded with the turn as a whole. Default: `action`. */
  noted?: 'action' | 'turn';
  /** Makes the error that is reported and thrown. Default: the error itself. */
  explain?(error: unknown): unknown;
  /** @param hasSettled undefined if nothing was waited for */
  report?(action: Action, hasSettled: boolean | undefined): void;
}

/** Does something to a page as one action. @param told what is reported of it, besides its outcome */
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
    // The page may have begun something in the meantime.
    const isBusy = hasSettled && recorded && session.isBusy(since);
    report?.({ ...told, ...(recorded && { recorded }) }, isBusy ? await settle() : hasSettled);
    return result;
  } catch (error) {
    signal.throwIfAborted();
    const hasSettled = await settle();
    undo();
    const explained = options.explain?.(error) ?? error;
    // The turn's other actions report what they recorded.
    const nothing = noted === 'turn' && { recorded: [] };
    report?.({ ...told, error: messageOf(explained), ...nothing }, hasSettled);
    throw explained;
  }
}
