// Messages about failed requests to a model, with keys masked: a proxy or an error page may echo the request.
const KEY_NAME = /key|token|secret|password|credential|authorization|\bauth\b|cookie/i;
const LEAST_KEY = 8;
const MAX_DEPTH = 6;
const MAX_WORDS = 300;

/** Who asked, for messages. */
export interface Asked {
  /** The function that the user called. */
  readonly factory: 'claude' | 'webJudge' | 'aiSdk';
  readonly model: string;
  /** How often the request was sent. */
  readonly sent: number;
  /** Where the key comes from. */
  readonly key: string;
}

/** What the status of a refused request means, and what to do. @param kind told if there is no status */
export function advice(status: number | undefined, asked: Asked, kind: unknown = 'unknown'): string {
  const { factory, model, sent, key } = asked;
  const known: Record<number, string> = {
    401: `the API refuses the key (401). Check ${key}.`,
    402: 'the account has no credit (402). Add credit, or use another key.',
    403: `the key may not use the model "${model}" (403). Check its permissions.`,
    404: `there is no model "${model}" for this key (404). Check ${factory}({ model }) and the API's address.`,
    413: 'the request is too large (413). Use a smaller viewport, or lower maxSteps.',
    429: 'the account has no credit (429). Add credit, or use another key.',
  };
  if (status && known[status]) return known[status];
  if (status && status < 500) return `the API refuses the request (${status}).`;
  return `the API failed (${status ?? kind}), ${askedTimes(sent)}. Run again later.`;
}

export function noAnswer(factory: string, requestTimeoutMs: number): string {
  return `no answer within ${requestTimeoutMs / 1000} s. Raise ${factory}({ requestTimeoutMs }), or check the network.`;
}

/** Refused like a reached limit, but waiting does not help. */
export const isOutOfCredit = (words: string) => /insufficient_quota|exceeded your current quota/i.test(words);

export const askedTimes = (sent: number) => (sent === 1 ? 'asked once' : `asked ${sent} times`);

/** The beginning of what a provider said. @param keys masked before the text is cut, so that none is cut */
export function quotedWords(words: string, keys: readonly string[]): string {
  const masked = withoutKeys(words, keys);
  return masked.length > MAX_WORDS ? `${masked.slice(0, MAX_WORDS)}…` : masked;
}

/** @returns the text with these keys, those of the environment and what looks like a key masked */
export function withoutKeys(text: string, keys: readonly string[]): string {
  const all = [...keys, ...keysIn(process.env)].sort((a, b) => b.length - a.length);
  const known = all.reduce((masked, key) => masked.replaceAll(key, '[key]'), text);
  return known.replace(/\b(?:sk|rk|gsk|xai|AIza)[-_]?[\w-]{16,}|\bBearer\s+[\w.~+/=-]{8,}/g, '[key]');
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
