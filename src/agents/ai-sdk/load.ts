// Loads the optional package `ai`. A file of its own, since the public types must not name a package that may be missing.

/** @throws Error that says what is missing */
export async function loadSdk(factory: 'aiSdk' | 'aiJudge') {
  try {
    return await import('ai');
  } catch (error) {
    throw new Error(`${factory}: ${loadingProblem(error as NodeJS.ErrnoException)}`, { cause: error });
  }
}

export function loadingProblem({ code, message }: { code?: string; message: string }): string {
  if (/MODULE_NOT_FOUND$/.test(code ?? '') && /["']ai["']/.test(message))
    return 'the npm package "ai" is not installed. Add it: npm install --save-dev ai';
  return `the npm package "ai" can't be loaded by Node ${process.versions.node} (${message.split('\n')[0]}). ai 7 requires Node 22 or newer: update Node, or install an older version with its providers, npm install --save-dev ai@6`;
}
