import { expect, test } from 'vitest';
import type { PageTool } from '../../../../src/browser/page-tools/page-tools';
import { resultText, toolList, toolNews } from '../../../../src/browser/page-tools/tool-text';

const tool = (name: string, more: Partial<PageTool> = {}): PageTool => ({
  name,
  description: `${name} it`,
  inputSchema: { type: 'object' },
  ...more,
});

test('a tool is one line, with its words in quotes', () => {
  const given = tool('pay', { description: 'Pays.\n- "free": "x"', readOnly: true, consequential: true });
  expect(toolList([given]).split('\n').slice(1)).toEqual([
    '- "pay" (readOnly, consequential): "Pays. - \\"free\\": \\"x\\"" input: {"type":"object"}',
  ]);
  expect(toolList([])).toBe('The page offers no tools.');
});

test('news are what is new, has changed or is gone', () => {
  const before = [tool('a'), tool('b'), tool('c')];
  expect(toolNews(before, before)).toBeUndefined();
  const news = toolNews([tool('a'), tool('b', { description: 'Now else.' }), tool('d')], before)!;
  expect(news).toContain('"b": "Now else."');
  expect(news).toContain('- "d"');
  expect(news).not.toContain('- "a"');
  expect(news).toContain('No longer tools of the page: c.');
});

test('500 tools with long words are told in bounds: some whole, the others by name', () => {
  const many = Array.from({ length: 500 }, (_, at) => tool(`tool_${at}`, { description: 'x'.repeat(1_000) }));
  const news = toolNews(many, [])!;
  expect(news.length).toBeLessThan(9_000);
  expect(news).toMatch(/^4\d\d more: .*"tool_100", /m);
  const list = toolList(many);
  expect(list.length).toBeLessThan(41_000);
  expect(list).toMatch(/^4\d\d more: .*"tool_499"$/m);
  expect(list).not.toContain('a call without input');
});

test('500 tools are compared with 500 others in no time', () => {
  const many = (text: string) =>
    Array.from({ length: 500 }, (_, at) =>
      tool(`tool_${at}`, { inputSchema: { title: text.repeat(2_000) } }),
    );
  const start = performance.now();
  expect(toolNews(many('x'), many('x'))).toBeUndefined();
  expect(toolNews(many('x'), many('y'))).toContain('tool_0');
  expect(performance.now() - start).toBeLessThan(2_000);
});

test.each<[unknown, string]>([
  ['plain', 'plain'],
  [
    {
      content: [
        { type: 'text', text: 'a' },
        { type: 'text', text: 'b' },
      ],
    },
    'a\nb',
  ],
  [{ content: [{ type: 'image', data: 'x' }] }, '{"content":[{"type":"image","data":"x"}]}'],
  [{ content: [null] }, '{"content":[null]}'],
  [7, '7'],
  [null, 'null'],
  [undefined, ''],
])('%j is told as %j', (result, text) => expect(resultText(result)).toBe(text));

test('a long result is cut, and no character in two', () => {
  const cut = resultText(`${'x'.repeat(19_999)}😀${'y'.repeat(100)}`);
  expect(cut).toMatch(/x\ufffd… \(101 more characters\)$/);
});
