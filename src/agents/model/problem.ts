// Messages about failed requests that agents share, with keys masked: a proxy or an error page may echo the request.
const KEY_NAME = /key|token|secret|password|credential|authorization|\bauth\b|cookie/i;
const LEAST_KEY = 8;
/** The fewest characters of a key that are masked where the text is cut. */
const LEAST_CUT = 4;
const MAX_DEPTH = 6;

/** @param limitMs time limit of the request: less than requestTimeoutMs towards the end of a trial */
export function noAnswer(
  factory: string,
  limitMs: number,
  requestTimeoutMs: number,
  retried: string,
): string {
  const isShort = limitMs < requestTimeoutMs;
  const time = `${limitMs / 1000} s${isShort ? " (the rest of the trial's time)" : ''}`;
  const raise = isShort ? 'turnTimeoutMs' : `${factory}({ requestTimeoutMs })`;
  return `no answer within ${time}, ${retried}. Raise ${raise}, or check the network.`;
}

/** @returns the text with these keys, those of the environment and what looks like a key masked */
export function withoutKeys(text: string, keys: readonly string[]): string {
  const all = [...keys, ...keysIn(process.env)].sort((a, b) => b.length - a.length);
  const known = all.reduce((masked, key) => withoutCut(masked.replaceAll(key, '[key]'), key), text);
  return known.replace(/\b(?:sk|rk|gsk|xai|AIza)[-_]?[\w-]{16,}|\bBearer\s+[\w.~+/=-]{8,}/g, '[key]');
}

/** Masks the start of a key before "…": quotes are cut at a limit. */
function withoutCut(text: string, key: string): string {
  for (const { index } of text.matchAll(/…/g))
    for (let length = Math.min(key.length, index); length >= LEAST_CUT; length--)
      if (text.endsWith(key.slice(0, length), index))
        return `${text.slice(0, index - length)}[key]${withoutCut(text.slice(index), key)}`;
  return text;
}

/** The values in a client, its options or headers whose names say that they are keys, tokens or passwords, at any depth. */
export function keysIn(holder: object): string[] {
  const seen = new Set<unknown>();
  const visit = (value: unknown, name: string, depth: number): string[] => {
    if (typeof value === 'string')
      return [KEY_NAME.test(name) ? value.replace(/^(?:Bearer|Basic)\s+/i, '').trim() : passwordOf(value)];
    if (typeof value !== 'object' || value === null || seen.has(value) || depth > MAX_DEPTH) return [];
    seen.add(value);
    const entries = value instanceof Headers ? [...value] : Object.entries(value);
    return entries.flatMap(([key, each]) => visit(each, key, depth + 1));
  };
  return visit(holder, '', 0).filter(key => key.length >= LEAST_KEY);
}

/** `password` of `https://user:password@host`; else ''. */
function passwordOf(value: string): string {
  return /^https?:\/\/[^/?#]*@/.test(value) && URL.canParse(value) ? new URL(value).password : '';
}
