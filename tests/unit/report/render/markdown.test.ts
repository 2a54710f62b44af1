import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { diffDocument } from '../../../../src/report/render/diff';
import { commentWriter, escapeMarkdown } from '../../../../src/report/render/markdown-writer';
import { renderSummary } from '../../../../src/report/render/run';
import { diffVerdicts } from '../../../../src/verdicts/change';
import { compareProjects } from '../../../../src/verdicts/compare';
import { results, row } from './rows';

const HOSTILE =
  '<img src=x onerror=alert(1)> | `code`\n::error::pwned ##[error] @octocat #12 [a](https://evil.example) www.evil.example \u001b[31m';

describe('escaping', () => {
  test.each([
    ['a|b', 'a&#124;b'],
    ['`x` *y* _z_', '\\`x\\` \\*y\\* \\_z\\_'],
    ['<b>&amp;', '&lt;b&gt;&amp;amp;'],
    ['::error::x', ': &#58;error&#58;:x'],
    ['##[error]x', '\\#&#8203; \\#&#8203;\\[error\\]x'],
    ['two\nlines\u001b[2J', 'two lines'],
    ['@octocat fixed #12', '@&#8203;octocat fixed \\#&#8203;12'],
    ['see https://x.example/a', 'see https&#58;//x.example/a'],
    ['trial 2/5: it stayed', 'trial 2/5: it stayed'],
    ['a :tada: at 10:20:30', 'a &#58;tada: at 10&#58;20:30'],
    ['see GH-12 and 4f6bd2a1', 'see GH&#8203;-12 and 4f6bd2&#8203;a1'],
    ['04f6bd2a1c3d5', '04f6bd&#8203;2a1c3d&#8203;5'],
    ['4f6bd2, 1234567 and defaced words', '4f6bd2, 123456&#8203;7 and deface&#8203;d words'],
    ['x'.repeat(600), `${'x'.repeat(499)}…`],
  ])('%j', (text, expected) => expect(escapeMarkdown(text)).toBe(expected));

  test.each([
    ['- one', '\\- one'],
    ['12. one', '12\\. one'],
    ['===', '\\==='],
    ['1.5 s - or not', '1\\.5 s - or not'],
  ])('%j at the beginning of a line', (text, expected) => {
    expect(commentWriter.lines([text])).toBe(expected);
    expect(commentWriter.items([{ text, more: [text] }])).toBe(`- ${expected}\n  - ${expected}`);
  });

  test('nothing that breaks a line, a cell or a tag survives, whatever the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...HOSTILE, ...'\\\r\u2028ab') }), text => {
        expect(escapeMarkdown(text)).not.toMatch(/[|<>\n\r]|::|(^|[^\\])`/);
      }),
    );
  });
});

describe('stays within what GitHub takes', () => {
  const many = (count: number, spec: (index: number) => ReturnType<typeof row>[]) =>
    Array.from({ length: count }, (_, index) => spec(index)).flat();

  test('a summary, with the totals of its comparison', () => {
    const rows = many(1_500, index => [
      row(`spec-${index}`, 'f', { reason: 'x'.repeat(500) }),
      row(`spec-${index}`, 'p', { project: 'haiku' }),
    ]);
    const text = renderSummary(results(rows, { comparison: compareProjects(rows)! }));
    expect(text.length).toBeLessThan(900_000);
    expect(text).toMatch(/\nand \d+ more\n/);
    expect(text).toContain('| **specs passed** | 1500/1500 | 0/1500 |');
  });

  test('the comment of a diff', () => {
    const before = many(1_000, index => [row(`spec-${index}`, 'p')]);
    const after = many(1_000, index => [row(`spec-${index}`, index % 2 ? 'f' : 'p')]);
    const text = diffDocument(diffVerdicts(before, after))(commentWriter);
    expect(text.length).toBeLessThan(65_536);
    expect(text).toMatch(/\nand \d+ more\n/);
  });
});
