// Waiting in bounds.

/** Resolves to undefined where `promise` takes longer than `ms`, or fails. */
export async function within<T>(promise: Promise<T>, ms: number): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<undefined>(resolve => {
    timer = setTimeout(() => resolve(undefined), ms);
  });
  try {
    return await Promise.race([promise.catch(() => undefined), limit]);
  } finally {
    clearTimeout(timer);
  }
}

/** Wakes whoever waits for it. */
export class Signal {
  private readonly waiting = new Set<() => void>();

  readonly fire = (): void => {
    for (const wake of this.waiting) wake();
  };

  /** Resolves at the next `fire`, or after `ms`. */
  async next(ms: number): Promise<void> {
    let wake = () => {};
    const fired = new Promise<void>(resolve => {
      wake = resolve;
    });
    this.waiting.add(wake);
    await within(fired, ms);
    this.waiting.delete(wake);
  }
}
