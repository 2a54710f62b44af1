// The globs of the format: for URLs, and for names of files.

/** Beyond this they are dropped: an odd pattern has many, and pages choose their URLs. */
const MAX_STATES = 1_000;

/** Which tokens of a glob have matched so far, and the state that follows each character. */
type GlobState = { live: readonly boolean[]; next: GlobState[] };

const globTokens = (pattern: string): string[] => pattern.match(/\*{2,}|./gsu) ?? [];

// Not picomatch: its `?` and `*` stop at other characters, its `**/x` matches a bare `x`, and its expressions backtrack: `**a**a**a**b`
// takes minutes on a URL of 2000 characters, and pages choose their URLs. Here a character costs one look-up in most cases, and at
// most the tokens of the pattern.
/** Matches whole URLs: `**` is any run of characters, `*` any run without `/`, `?` one character, all else itself. Case-sensitive. */
export function urlGlob(pattern: string): (url: string) => boolean {
  const tokens = globTokens(pattern);
  const states = new Map<string, GlobState>();
  const stateOf = (live: readonly boolean[]): GlobState => {
    const key = live.map(Number).join('');
    const known = states.get(key);
    if (known) return known;
    if (states.size >= MAX_STATES) states.clear();
    const state = { live, next: [] };
    states.set(key, state);
    return state;
  };
  // Whether the first n tokens match the URL so far.
  const first = [true];
  for (const token of tokens) first.push(first.at(-1)! && token.startsWith('*'));
  const after = ({ live }: GlobState, character: string): GlobState => {
    const next = [false];
    for (const [at, token] of tokens.entries()) {
      const goesOn = token !== '*' || character !== '/';
      const isRun = next[at]! || (live[at + 1]! && goesOn);
      const isIt = token === '?' || token === character;
      next.push(token.startsWith('*') ? isRun : live[at]! && isIt);
    }
    return stateOf(next);
  };
  return url => {
    let state = stateOf(first);
    for (let at = 0; at < url.length; ) {
      const code = url.codePointAt(at)!;
      state = state.next[code] ??= after(state, String.fromCodePoint(code));
      at += code > 0xffff ? 2 : 1;
    }
    return state.live.at(-1)!;
  };
}

const BEGINNINGS = ['http://', 'https://'];
const LONGEST = 'https://'.length;

/** Why a glob matches no request's URL: then `never` would hold whatever was sent. Empty if it can match one. */
export function whyNoMatch(glob: unknown): string {
  if (typeof glob !== 'string' || glob === '') return '';
  if (/^wss?:/i.test(glob)) return 'WebSockets are not recorded: assert on what the page shows';
  const tokens = globTokens(glob.toLowerCase()).slice(0, 2 * LONGEST + 1);
  const begins = tokens.some((_, at) => BEGINNINGS.some(urlGlob(tokens.slice(0, at + 1).join(''))));
  // A path gets the site's origin, and a placeholder any value.
  if (!glob.includes('#') && (begins || /^\/(?!\/)|\{\{/.test(glob))) return '';
  return 'can match no request: its URL begins with http:// or https:// and has no "#". For a path on the site, begin with "/"; for a path on any host, with "**/"';
}
