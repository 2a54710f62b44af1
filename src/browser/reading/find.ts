// Finds elements by a description: compares its words with the role, text and surroundings of each element.
import { shorten } from '../../text/line';
import { lineOf } from './page-tree';
import { type TreeNode, textOf } from './snapshot';

const MAX_MATCHES = 20;
/** Characters. A longer text around an element does not identify it. */
const MAX_LABEL = 300;
const STOP_WORDS =
  /^(?:an?|the|of|in|on|at|to|for|with|and|or|that|which|is|are|this|all|any|elements?|page|from|by|named|called|labell?ed|says)$/;
const ROLE_WORDS = new Map(
  [
    'button: btn|link: anchor url button|textbox: text field input box bar textarea area editor',
    'searchbox: search field input box bar|combobox: select dropdown menu list picker field box',
    'listbox: select list dropdown|option: choice|checkbox: check box tick|radio: option button choice',
    'switch: toggle|slider: range|spinbutton: number field input quantity|menuitem: menu item entry',
    'heading: title headline|img: image picture icon photo logo|table: grid|row: line|listitem: item entry',
    'dialog: modal popup window|navigation: nav menu|iframe: frame|generic: element',
  ]
    .flatMap(line => line.split('|'))
    .map(words => [words.split(':')[0], words]),
);

function tokens(text: string): string[] {
  return (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).map(stem);
}

function stem(word: string): string {
  if (word.length <= 3) return word;
  return word.replace(/(?:ies|y)$/, 'i').replace(/(?:ing|ed|es|s)$/, '');
}

interface Candidate {
  node: TreeNode;
  own: Set<string>;
  around: Set<string>;
  roles: Set<string>;
  context: string;
  depth: number;
}

/** @param labels the names of the elements around these, or their texts if they are short */
function collect(nodes: readonly (TreeNode | string)[], labels: readonly string[], into: Candidate[]): void {
  const near = labels.slice(-4);
  for (const node of nodes) {
    if (typeof node === 'string') continue;
    if (node.ref) {
      const { placeholder, url } = node.states;
      // The text of a container is that of its parts, so only its direct text counts.
      const text = node.interactive || node.children.length === 0 ? textOf(node) : node.text;
      into.push({
        node,
        own: new Set(tokens([node.name, text, placeholder ?? '', node.inputType ?? ''].join(' '))),
        around: new Set(tokens([...near, String(url ?? '').replace(/^https?:/, '')].join(' '))),
        roles: new Set(tokens(ROLE_WORDS.get(node.role) ?? node.role)),
        context: near.filter(Boolean).at(-1) ?? '',
        depth: labels.length,
      });
    }
    if (node.children.length > 0) collect(node.children, [...labels, labelOf(node)], into);
  }
}

function labelOf(node: TreeNode): string {
  if (node.name) return node.name;
  const text = textOf(node, MAX_LABEL);
  return text.length < MAX_LABEL ? text : '';
}

function rarity(word: string, all: Candidate[]): number {
  const holders = all.filter(({ own }) => own.has(word)).length;
  return Math.log(1 + all.length / (1 + holders));
}

function similar(word: string, words: Set<string>): number {
  if (words.has(word)) return 1;
  if (word.length < 4) return 0;
  for (const other of words)
    if (other.length >= 4 && (other.startsWith(word) || word.startsWith(other))) return 0.7;
  return 0;
}

function score(candidate: Candidate, words: { word: string; weight: number }[], phrase: string): number {
  let said = 0;
  let role = 0;
  for (const { word, weight } of words) {
    const own = similar(word, candidate.own);
    if (own > 0) said += own * weight * 2;
    else if (candidate.roles.has(word)) role += 1.5;
    else if (similar(word, candidate.around) > 0) said += 0.6 * weight;
  }
  if (said === 0 && role === 0) return 0;
  const exact = candidate.node.name.toLowerCase() === phrase ? 6 : 0;
  return said + role + exact + (candidate.node.interactive ? 1 : 0) + (candidate.node.inView ? 0.3 : 0);
}

export function findText(query: string, roots: readonly TreeNode[]): string {
  const all: Candidate[] = [];
  collect(roots, [], all);
  const telling = [...new Set(tokens(query))].filter(word => !STOP_WORDS.test(word));
  const wanted = telling.length > 0 ? telling : tokens(query);
  const words = wanted.map(word => ({ word, weight: rarity(word, all) }));
  const phrase = query.toLowerCase().replace(/^\s*["']?|["']?\s*$/g, '');
  const scored = all
    .map(candidate => ({ candidate, value: score(candidate, words, phrase) }))
    .filter(({ value }) => value > 0)
    .sort((a, b) => b.value - a.value || b.candidate.depth - a.candidate.depth);
  const [best] = scored;
  if (!best)
    return `No element matches "${shorten(query, 80)}". Try other words (what is written on it, or its kind), read_page with filter "all", or a screenshot.`;
  const matches = scored.filter(({ value }) => value >= best.value * 0.3).slice(0, MAX_MATCHES);
  const lines = matches.map(({ candidate: { node, context } }) => {
    const said = node.text || node.name ? '' : `: ${shorten(textOf(node, 200), 80)}`;
    const where = context && context !== node.name ? `, in "${shorten(context, 60)}"` : '';
    return `- ${shorten(lineOf(node, true), 300)}${said}${where}${node.inView ? '' : ' (outside the viewport)'}`;
  });
  return [`${matches.length} found, best first:`, ...lines].join('\n');
}
