/** A script after which a page does nothing else, and takes no processor: it waits for the answer of a path that has none. */
export function hang(path: string, afterMs?: number): string {
  const open = `const request = new XMLHttpRequest(); request.open('GET', '${path}', false);`;
  return `{ ${open} ${afterMs === undefined ? 'request.send()' : `setTimeout(() => request.send(), ${afterMs})`}; }`;
}
