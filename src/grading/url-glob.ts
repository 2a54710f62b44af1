// The format's URL globs. Not picomatch: its `?` and `*` stop at other characters, its `**/x` matches a bare `x`, and its expressions
// backtrack: `**a**a**a**b` takes minutes on a URL of 2000 characters, and pages choose their URLs. Here the work is at most (tokens
// of the pattern) x (characters of the URL).

/**
 * Whether a whole URL matches a glob: `**` is any run of characters, `*` any run without `/`, `?` exactly one
 * character, everything else itself. Case-sensitive.
 */
export function matchesUrlGlob(pattern: string, url: string): boolean {
  const tokens = pattern.match(/\*{2,}|./gsu) ?? [];
  let live = withEmptyRuns([0], tokens);
  for (const character of url) {
    live = withEmptyRuns(advance(live, tokens, character), tokens);
    if (live.length === 0) return false;
  }
  return live.at(-1) === tokens.length;
}

/** The positions in the pattern, ascending, after one more character of the URL. */
function advance(live: readonly number[], tokens: readonly string[], character: string): number[] {
  const next: number[] = [];
  for (const at of live) {
    const token = tokens[at];
    if (token === undefined) continue;
    if (token.startsWith('*')) {
      if (token !== '*' || character !== '/') push(next, at);
    } else if (token === '?' || token === character) push(next, at + 1);
  }
  return next;
}

/** Adds the positions after runs that may be empty. */
function withEmptyRuns(positions: readonly number[], tokens: readonly string[]): number[] {
  const reached: number[] = [];
  for (const position of positions) {
    let at = position;
    push(reached, at);
    while (tokens[at]?.startsWith('*')) push(reached, ++at);
  }
  return reached;
}

function push(ascending: number[], position: number): void {
  if (position > (ascending.at(-1) ?? -1)) ascending.push(position);
}
