/**
 * The URL that a text is; undefined if it is none. Not `URL.canParse`: once V8 has optimised a call of it, Node 20 refuses
 * letters such as "ü" (seen on 20.20).
 */
export function parsedUrl(text: unknown): URL | undefined {
  try {
    return typeof text === 'string' ? new URL(text) : undefined;
  } catch {
    return undefined;
  }
}
