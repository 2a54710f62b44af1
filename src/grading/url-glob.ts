// The format's URL globs. Not picomatch: its `?` and `*` stop at other characters, its `**/x` matches a bare `x`, and its expressions
// backtrack: `**a**a**a**b` takes minutes on a URL of 2000 characters, and pages choose their URLs. Here the work is at most (tokens
// of the pattern) x (characters of the URL).

/**
 * Whether a whole URL matches a glob: `**` is any run of characters, `*` any run without `/`, `?` exactly one
 * character, everything else itself. Case-sensitive.
 */
export function matchesUrlGlob(pattern: string, url: string): boolean {
  const tokens = pattern.match(/\*{2,}|./gsu) ?? [];
  // The positions in the pattern that the URL may have come to.
  let live = withEmptyRuns([0], tokens);
  for (const character of url) {
    const next: number[] = [];
    for (const at of live) {
      const token = tokens[at];
      if (token?.startsWith('*')) {
        if (token !== '*' || character !== '/') next.push(at);
      } else if (token === '?' || token === character) next.push(at + 1);
    }
    live = withEmptyRuns(next, tokens);
    if (live.size === 0) return false;
  }
  return live.has(tokens.length);
}

/** Adds the positions after runs that may be empty. */
function withEmptyRuns(positions: readonly number[], tokens: readonly string[]): Set<number> {
  const reached = new Set<number>();
  for (let at of positions)
    for (reached.add(at); tokens[at]?.startsWith('*') && !reached.has(at + 1); reached.add(at)) at++;
  return reached;
}
