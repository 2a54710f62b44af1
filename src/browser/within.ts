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
