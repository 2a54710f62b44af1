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
 * A sentence without its full stop.
 *
 * @param {string} text
 */
export function cell(text) {
  return text.trim().replace(/\.$/, '');
}
