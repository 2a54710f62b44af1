// Markdown for GitHub. Text from a site, a model or a spec is escaped: it can't format, link, mention, break a table or give
// commands to the workflow's runner.
import { type RowName, specName } from '../../data/plan';
import { countIn, oneLine } from '../../text/line';
import { type Cell, type Grid, type Item, joined, projectOf, type Writer } from './document';

/** A text as one line of Markdown that shows it literally, also inside a table. @param max characters before escaping */
export function escapeMarkdown(text: string, max = 500): string {
  const literal = oneLine(text, max).replace(ACTIVE, found => ENTITIES[found] ?? `\\${found}`);
  return literal
    .replace(/\bGH(?=-\d)/gi, '$&&#8203;')
    .replace(HASH, hash => hash.replace(/.{6}(?=.)/g, '$&&#8203;'));
}

/** For the beginning of a line, where a text could also begin a list, a rule or a heading. */
const escapeLine = (text: string, max?: number) =>
  escapeMarkdown(text, max).replace(/^(\d*)([-+=.)])/, '$1\\$2');

// "::error::" is a command to the runner, "https://" and "www." become links, @name notifies, #12 links to an issue, :x: is an emoji.
const ACTIVE = /[\\`*_[\]~$&<>|@]|:(?=[:/]|[\w+-]+:)|(?<=\bwww)\.|#/gi;
/** GitHub links seven or more digits of a commit's hash, so we break them up. */
const HASH = /\b[\da-f]{7,}\b/gi;
const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '|': '&#124;',
  ':': '&#58;',
  '.': '&#46;',
  // A zero-width space stops GitHub's filters.
  '@': '@&#8203;',
  '#': '\\#&#8203;',
};

/** Begins the comment of a diff or a confirmation, with a marker by which a workflow finds the earlier one. */
export const commentHeading = (text: string) => `<!-- taskproof-diff -->\n\n### Taskproof: ${text}`;

const nameOf = (row: RowName) =>
  `**${escapeMarkdown(specName(row))}**${row.project && ` (${escapeMarkdown(projectOf(row))})`}`;

/** @param limit characters of a list or a table: lines beyond it are counted instead */
function markdownWriter(limit: number): Writer {
  const item = ({ sign, row, text, more = [] }: Item) => {
    const first = [sign, row && nameOf(row), escapeLine(text, 1_000)].filter(Boolean).join(' ');
    return [first, ...more.map(line => `  - ${escapeLine(line)}`)].join('\n');
  };
  const to: Writer = {
    isMarkdown: true,
    heading: (status, part) => `## Taskproof: ${status}${part && ` (${escapeMarkdown(part)})`}`,
    lines: sentences => sentences.map(line => escapeLine(line, 2_000)).join('  \n'),
    section: (title, text) => text && `### ${title}\n\n${text}`,
    items: items => lines(items.map(item), limit, '- '),
    table: grid => markdownTable(grid, limit),
    folded: (title, document) => `<details>\n<summary>${title}</summary>\n\n${document(to)}\n\n</details>`,
    ranked: joined,
  };
  return to;
}
/** GitHub refuses comments above 65,536 characters. */
export const commentWriter = markdownWriter(15_000);
/** GitHub drops a step's summary above 1 MiB; characters may take several bytes. */
export const summaryWriter = markdownWriter(75_000);

function markdownTable({ head = [], rows }: Grid, limit: number): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const above = [line(head.map(text => escapeMarkdown(text))), line(head.map(() => '---'))].join('\n');
  const below = rows.map(row => line(row.map(markdownCell)));
  return `${above}\n${lines(below, limit, '')}`;
}

function markdownCell(cell: string | Cell): string {
  if (typeof cell === 'string') return escapeMarkdown(cell);
  const text = escapeMarkdown(cell.text);
  return cell.strong ? `**${text}**` : text;
}

/** As many lines as fit into `limit` characters, and the number of the others. */
function lines(all: readonly string[], limit: number, prefix: string): string {
  const prefixed = all.map(line => prefix + line);
  const kept = countIn(limit, prefixed);
  const rest = all.length - kept;
  return [...prefixed.slice(0, kept), ...(rest > 0 ? ['', `and ${rest} more`] : [])].join('\n');
}
