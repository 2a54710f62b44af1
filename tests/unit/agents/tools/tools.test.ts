import { expect, test } from 'vitest';
import { checkedInput } from '../../../../src/agents/tools/tool';
import { isToLookAt, TOOLS } from '../../../../src/agents/tools/tools';

test.each([
  ['left_click', { target: { type: 'ref' } }, 'Invalid input for left_click. target.ref: '],
  ['left_click', {}, 'target: expected {"type": "ref", "ref": "ref_7"} or {"type": "coordinate"'],
  ['left_click', { target: { type: 'coordinate', x: 'ten', y: 1 } }, 'target.x: '],
  ['form_input', { target: { type: 'ref', ref: 'ref_1' } }, 'value: '],
  ['navigate', { url: 5 }, 'url: '],
  ['key', { text: 'a', repeat: 1000 }, 'repeat: '],
  ['scroll', 'down', 'Invalid input for scroll. input: '],
] as const)('%s refuses %j in words', (name, input, message) => {
  expect(() => checkedInput<unknown>(name, TOOLS[name]!.input, input)).toThrow(message);
});

const CLICK = { name: 'left_click', input: { ref: 'ref_1' } };
const READ = { name: 'read_page', input: {} };

test.each<[string, Parameters<typeof isToLookAt>, boolean]>([
  ['after a click', [[CLICK], false], true],
  ['not if all only look', [[{ name: 'screenshot', input: {} }], false], false],
  ['not if the page was read at the end', [[CLICK, READ], false], false],
  ['if a part of it was read', [[CLICK, { ...READ, input: { ref: 'ref_2' } }], false], true],
  ['if the reading was not run', [[CLICK, CLICK, READ], true], true],
  // Some models send null for an input without required fields.
  ['not if it was read without any input', [[CLICK, { ...READ, input: null }], false], false],
  ['not without a call', [[], false], false],
])('the page is looked at %s', (_, given, expected) => {
  expect(isToLookAt(...given)).toBe(expected);
});
