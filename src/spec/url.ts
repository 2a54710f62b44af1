/**
 * The URL in a text; undefined if it is not one. Not `URL.canParse`: in Node 20, once V8 has optimised it, it refuses letters such as
 * "ü" (seen on 20.20).
 */
export function parsedUrl(text: unknown): URL | undefined {
  try {
    return typeof text === 'string' ? new URL(text) : undefined;
  } catch {
    return undefined;
  }
}
