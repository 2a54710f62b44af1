// Shortens texts.

/** In one line, with single blanks. */
export const flat = (text: string) => text.replace(/\s+/g, ' ').trim();

/** A text in one line of at most `max` characters: a longer one is cut and ends with "…". */
export function shorten(text: string, max: number): string {
  const line = flat(text);
  if (line.length <= max) return line;
  const characters = [...line];
  return characters.length <= max ? line : `${characters.slice(0, max - 1).join('')}…`;
}

/** For records: a page can make its URL megabytes long. */
export function shortUrl(url: string): string {
  return url.length > 2_000 ? `${url.slice(0, 2_000)}…` : url;
}

/** A long text without its end, and how much that is. */
export function cutText(text: string, most: number): string {
  if (text.length <= most) return text.toWellFormed();
  return `${text.slice(0, most).toWellFormed()}… (${text.length - most} more characters)`;
}

/** How many of the lines fit into so many characters. */
export function countIn(room: number, lines: readonly string[]): number {
  let left = room;
  const end = lines.findIndex(line => {
    left -= line.length + 1;
    return left < 0;
  });
  return end < 0 ? lines.length : end;
}

/** `a, b, c and 3 more` */
export function few(names: readonly string[], most: number): string {
  const more = names.length > most ? ` and ${names.length - most} more` : '';
  return `${names.slice(0, most).join(', ')}${more}`;
}
