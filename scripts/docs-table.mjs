/**
 * A Markdown table. Cells may contain Markdown; `|` in them is escaped, also in code, as GitHub requires it.
 *
 * @param {string[]} head
 * @param {string[][]} rows
 */
export function table(head, rows) {
  /** @param {string[]} cells */
  const line = cells =>
    `| ${cells.map(cell => cell.replaceAll('|', '\\|').replace(/\s+/g, ' ')).join(' | ')} |`;
  return [line(head), `|${head.map(() => '---').join('|')}|`, ...rows.map(line)].join('\n');
}

/**
 * A line of a list.
 *
 * @param {string} name
 * @param {string[]} notes in parentheses; empty ones are left out
 * @param {string} meaning
 */
export function item(name, notes, meaning) {
  const noted = notes.filter(Boolean).join(', ');
  return `- \`${name}\`${noted && ` (${noted})`}: ${meaning}`;
}

/**
 * A sentence without its full stop.
 *
 * @param {string} text
 */
export function cell(text) {
  return text.trim().replace(/\.$/, '');
}
