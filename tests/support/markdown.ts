// The project's Markdown files: their code blocks, links and headings.
import { readdirSync, readFileSync } from 'node:fs';

export interface CodeBlock {
  /** From the repository's root. */
  file: string;
  /** 1-based; of the first line inside. */
  line: number;
  language: string;
  text: string;
  /** The path of a file, if the first line is a comment with one. */
  path: string | undefined;
}

/** The pages of the documentation. */
export function markdownFiles(): string[] {
  const agents = readdirSync('agent-programs').map(name => `agent-programs/${name}/README.md`);
  return [
    'README.md',
    'CONTRIBUTING.md',
    ...readdirSync('docs')
      .filter(name => name.endsWith('.md'))
      .map(name => `docs/${name}`),
    ...agents.filter(file => readdirSync(file.replace(/\/[^/]+$/, '')).includes('README.md')),
  ];
}

/** The files that pages of the documentation link to, each as a block. */
export function exampleFiles(): CodeBlock[] {
  return readdirSync('docs/examples').map(name => {
    const text = readFileSync(`docs/examples/${name}`, 'utf8');
    const language = LANGUAGES[name.replace(/.*\./, '')]!;
    return { file: `docs/examples/${name}`, line: 1, language, text, path: pathOf(text) };
  });
}

const LANGUAGES: Record<string, string> = { yml: 'yaml', ts: 'ts', mjs: 'js' };

const pathOf = (text: string) => /^(?:\/\/|#) ([\w./-]+\.\w+)\n/.exec(text)?.[1];

export function codeBlocks(file: string, text = readFileSync(file, 'utf8')): CodeBlock[] {
  const blocks: CodeBlock[] = [];
  let open: { line: number; indent: string; language: string; lines: string[] } | undefined;
  for (const [index, line] of text.split('\n').entries()) {
    const fence = /^( *)```+ *(\S*)/.exec(line);
    if (!fence) open?.lines.push(line.startsWith(open.indent) ? line.slice(open.indent.length) : line);
    else if (!open) open = { line: index + 2, indent: fence[1]!, language: fence[2]!, lines: [] };
    else {
      const { lines, language } = open;
      const text = `${lines.join('\n')}\n`;
      blocks.push({ file, line: open.line, language, text, path: pathOf(text) });
      open = undefined;
    }
  }
  if (open) throw new Error(`${file}:${open.line - 1}: this code block has no end`);
  return blocks;
}

/** The text without code, in which links and headings don't count. */
function prose(text: string): string {
  return text
    .replace(/^( *)```[\s\S]*?^ *```/gm, '')
    .replace(/`[^`\n]*`/g, code => code.replace(/[[\]]/g, ''));
}

/** Targets of the links and pictures that lead to files of the repository. */
export function localLinks(text: string): string[] {
  return [...prose(text).matchAll(/\]\(([^()\s]+(?:\([^()]*\)[^()\s]*)*)\)/g)]
    .map(([, target]) => target!)
    .filter(target => !/^[a-z]+:/.test(target));
}

/** The anchors of a page's headings, as GitHub makes them. */
export function anchors(text: string): string[] {
  const seen = new Map<string, number>();
  return [...prose(text).matchAll(/^#{1,6} (.+)$/gm)].map(([, heading]) => {
    const slug = heading!
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replace(/\s/g, '-');
    const count = seen.get(slug) ?? 0;
    seen.set(slug, count + 1);
    return count ? `${slug}-${count}` : slug;
  });
}
