// Waiting that ends early: by a result, by a limit, by the trial's end.

export { within } from '../../../browser/within';

/** Rejects with the signal's reason once that is aborted. */
export async function sleep(ms: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  await new Promise<void>((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal.addEventListener('abort', stop, { once: true });
  });
}

/** Rejects with `late` where `promise` takes longer than `ms`, and with the signal's reason once that is aborted. */
export async function limited<T>(
  promise: Promise<T>,
  ms: number,
  late: () => Error,
  signal: AbortSignal,
): Promise<T> {
  const ended = new AbortController();
  const limit = sleep(ms, AbortSignal.any([signal, ended.signal])).then(() => {
    throw late();
  });
  // The loser of the race has nobody left to hear of its failure.
  for (const each of [promise, limit]) each.catch(() => undefined);
  try {
    return await Promise.race([promise, limit]);
  } finally {
    ended.abort();
  }
}
