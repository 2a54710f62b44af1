// The documentation against the code: generated tables, quoted figures and messages, links.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { renew, sectionsOf } from '../../../scripts/docs.mjs';
import { chanceToPass, trialsToSettle } from '../../../scripts/docs-arithmetic.mjs';
import { interfaceList } from '../../../scripts/docs-options.mjs';
import { anchors, localLinks, markdownFiles } from '../../support/markdown';

const PAGES = markdownFiles();
const OTHERS = ['SECURITY.md', 'CHANGELOG.md', 'RELEASING.md', 'CODE_OF_CONDUCT.md'];

test('generated sections are up to date (if not: npm run docs), and each is used', async () => {
  const sections = await sectionsOf();
  const stale: string[] = [];
  const used = new Set<string>();
  for (const page of PAGES) {
    const { changed, names } = await renew(readFileSync(page, 'utf8'), sections, page);
    stale.push(...changed.map(name => `${page}: ${name}`));
    for (const name of names) used.add(name);
  }
  expect(stale).toEqual([]);
  expect([...used].sort()).toEqual(Object.keys(sections).sort());
});

test('a section is renewed in its place, and an unknown one is named', async () => {
  const page = 'a\n<!-- generated: x -->\nold\n<!-- end -->\nb\n';
  const renewed = await renew(page, { x: () => 'new' }, 'p.md');
  expect(renewed.text).toBe('a\n<!-- generated: x -->\n\nnew\n\n<!-- end -->\nb\n');
  expect(renewed.changed).toEqual(['x']);
  expect((await renew(renewed.text, { x: () => 'new' }, 'p.md')).changed).toEqual([]);
  await expect(renew(page, { y: () => '' }, 'p.md')).rejects.toThrow('p.md: unknown section "x"');
});

/** All outcomes of k trials, with the chance of each. */
function outcomes(k: number, p: number): { trials: boolean[]; chance: number }[] {
  return Array.from({ length: 2 ** k }, (_, bits) => {
    const trials = Array.from({ length: k }, (_, index) => Boolean(bits & (1 << index)));
    return { trials, chance: trials.reduce((chance, passed) => chance * (passed ? p : 1 - p), 1) };
  });
}

test.each([
  [1, 1],
  [3, 2],
  [5, 4],
  [8, 5],
])('the arithmetic of k = %i, minPasses = %i holds against counting every outcome', (k, minPasses) => {
  for (const p of [0.3, 0.5, 0.95]) {
    const all = outcomes(k, p);
    const passes = (trials: boolean[]) => trials.filter(Boolean).length;
    const counted = all.reduce(
      (sum, { trials, chance }) => sum + (passes(trials) >= minPasses ? chance : 0),
      0,
    );
    expect(chanceToPass(k, minPasses, p)).toBeCloseTo(counted, 12);
    const settledAfter = (trials: boolean[]) => {
      for (let n = 1; n < k; n++) {
        const good = passes(trials.slice(0, n));
        if (good >= minPasses || n - good > k - minPasses) return n;
      }
      return k;
    };
    const mean = all.reduce((sum, { trials, chance }) => sum + settledAfter(trials) * chance, 0);
    expect(trialsToSettle(k, minPasses, p)).toBeCloseTo(mean, 12);
  }
});

test('figures in the prose are those of the arithmetic', () => {
  const read = (page: string) => readFileSync(`docs/${page}.md`, 'utf8').replace(/\s+/g, ' ');
  const policies = read('pass-policies');
  const red = (k: number, minPasses: number) =>
    `${((1 - chanceToPass(k, minPasses, 0.95)) * 100).toFixed(1)}%`;
  const green = (k: number, minPasses: number) => `${(chanceToPass(k, minPasses, 0.5) * 100).toFixed(1)}%`;
  expect(policies).toContain(`${red(5, 4)} with 4 of 5, ${red(5, 5)} with 5 of 5`);
  expect(policies).toContain(`${green(5, 4)} with 4 of 5, ${green(3, 2)} with 2 of 3`);
  expect(policies).toContain(`16 of 20 has ${red(20, 16)} false red and ${green(20, 16)} false green`);
  const inSuite = (k: number, minPasses: number) =>
    `${((1 - chanceToPass(k, minPasses, 0.95) ** 20) * 100).toFixed(1)}%`;
  expect(policies).toContain(`${inSuite(5, 4)} of the runs with 4 of 5, in ${inSuite(10, 7)} with 7 of 10`);
  const played = (p: number) => trialsToSettle(5, 4, p).toFixed(1);
  expect(read('writing-specs')).toContain(
    `of 4 of 5 at p = 0.5 it plays ${played(0.5)} trials on average, at p = 0.95 ${played(0.95)}`,
  );
  const cost = `$${(12 * 5 * 0.08).toFixed(2)}`;
  expect(readFileSync('README.md', 'utf8')).toContain(`12 specs with 5 trials at $0.08 cost ${cost}`);
});

test('every path in how-it-works.md exists, and no folder is left out', () => {
  const page = readFileSync('docs/how-it-works.md', 'utf8');
  const named = [...page.matchAll(/`((?:src\/)?[\w-]+(?:\/[\w.-]+)*(?:\/|\.ts))`/g)].map(([, path]) => path!);
  const places = ['src', '.'];
  expect(named.length).toBeGreaterThan(20);
  expect(named.filter(path => !places.some(place => existsSync(join(place, path))))).toEqual([]);
  const folders = readdirSync('src', { withFileTypes: true, recursive: true })
    .filter(entry => entry.isDirectory())
    .map(({ name }) => name);
  expect(folders.filter(name => !new RegExp(`\\b${name}\\b`).test(page))).toEqual([]);
});

test.each(['AgentTask', 'Turn'])('agents.md names every member of %s', name => {
  const members = [...interfaceList([{ file: 'src/agents/agent.ts', name }]).matchAll(/^- `(\w+)/gm)];
  const page = readFileSync('docs/agents.md', 'utf8').split('## Your own')[1]!;
  expect(members.length).toBeGreaterThan(4);
  expect(members.filter(([, member]) => !new RegExp(`\\b${member}\\b`).test(page))).toEqual([]);
});

/** Every text in the sources, `…` standing for what is filled in. */
function sourceTexts(): string[] {
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter(name =>
    name.endsWith('.ts'),
  );
  const texts: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) texts.push(node.text);
    if (ts.isTemplateExpression(node))
      texts.push([node.head.text, ...node.templateSpans.map(span => span.literal.text)].join('…'));
    ts.forEachChild(node, visit);
  };
  for (const file of files)
    visit(ts.createSourceFile(file, readFileSync(join('src', file), 'utf8'), ts.ScriptTarget.Latest));
  return texts.map(text => text.replaceAll('`', ''));
}

test('every message of troubleshooting.md is one of the library', () => {
  const messages = [...readFileSync('docs/troubleshooting.md', 'utf8').matchAll(/^#### `(.+)`$/gm)].map(
    ([, message]) => message!,
  );
  const texts = sourceTexts();
  const isKnown = (message: string) => {
    const stable = message.replace(/^[…\s]+|[…\s]+$/g, '');
    return texts.some(text => text.includes(stable));
  };
  expect(messages.length).toBeGreaterThan(10);
  expect(messages.filter(message => !isKnown(message))).toEqual([]);
  expect(isKnown('a message that nobody … writes')).toBe(false);
});

test('pages that are published link to published files only', () => {
  const { files } = JSON.parse(readFileSync('package.json', 'utf8')) as { files: string[] };
  const roots = files.map(pattern => pattern.replace(/\*.*$/, ''));
  const isPublished = (file: string) => roots.some(root => file.startsWith(root));
  const missing = [...PAGES, ...OTHERS].filter(isPublished).flatMap(page =>
    localLinks(readFileSync(page, 'utf8'))
      .map(link => link.split('#')[0]!)
      .filter(target => target && !isPublished(normalize(join(dirname(page), target))))
      .map(target => `${page}: ${target}`),
  );
  expect(missing).toEqual([]);
});

test('every link to a file of the repository leads to it, and to a heading that is there', () => {
  const broken: string[] = [];
  for (const page of [...PAGES, ...OTHERS])
    for (const link of localLinks(readFileSync(page, 'utf8'))) {
      const [target, anchor] = link.split('#');
      const file = target ? normalize(join(dirname(page), target)) : page;
      const found = existsSync(file);
      if (!found || (anchor && !anchors(readFileSync(file, 'utf8')).includes(anchor)))
        broken.push(`${page}: ${link}`);
    }
  expect(broken).toEqual([]);
});
