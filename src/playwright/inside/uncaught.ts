// Errors that Playwright throws while it handles an event of the browser: nobody can catch them, and its runner ends the test for
// them. A page can cause them: a frame that goes to and fro between two origins makes `FrameManager.frameAttached` throw.
// Checked on Playwright 1.65.1: its browser side runs in the worker, and its runner listens on the process.

const EVENTS = ['uncaughtException', 'unhandledRejection'] as const;
type Listener = (error: unknown, ...more: unknown[]) => void;

/** Until the returned function is called, `noted` alone gets such errors, by their place: `FrameManager.frameAttached`. */
export function keepFromRunner(noted: (place: string) => void): () => void {
  const restorers = EVENTS.map(event => {
    const listeners = process.listeners(event as 'uncaughtException') as Listener[];
    const sift: Listener = (error, ...more) => {
      const place = placeInPlaywright(error);
      if (place !== undefined) noted(place);
      else for (const listener of listeners) listener(error, ...more);
    };
    process.removeAllListeners(event);
    process.on(event, sift);
    return () => {
      process.off(event, sift);
      for (const listener of listeners) process.on(event, listener);
    };
  });
  return () => {
    for (const restore of restorers) restore();
  };
}

/** Undefined unless a connection to the browser told of an event, and all code from there was Playwright's. */
function placeInPlaywright(error: unknown): string | undefined {
  const stack = error instanceof Error ? (error.stack ?? '') : '';
  const frames = stack.split('\n').filter(line => /^\s+at /.test(line));
  const isOwn = frames.every(line => /[\\/]playwright-core[\\/]lib[\\/]|\(?node:/.test(line));
  if (!isOwn || !frames.some(line => /at _?(?:CR|FF|WK)Session\.\w+ /.test(line))) return undefined;
  const places = frames.map(line => /^\s+at (\S+) \(/.exec(line)?.[1] ?? '');
  return places.find(place => place && place !== 'assert') ?? 'its own code';
}
