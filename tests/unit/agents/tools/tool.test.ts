import { expect, test } from 'vitest';
import { TOOLS } from '../../../../src/agents/model/calls';
import { checkedInput } from '../../../../src/agents/tools/tool';

test.each([
  ['left_click', { target: { type: 'ref' } }, 'Invalid input for left_click. target.ref: '],
  ['left_click', {}, 'target: expected {"type": "ref", "ref": "ref_7"} or {"type": "coordinate"'],
  ['left_click', { target: { type: 'coordinate', x: 'ten', y: 1 } }, 'target.x: '],
  ['form_input', { target: { type: 'ref', ref: 'ref_1' } }, 'value: '],
  ['navigate', { url: 5 }, 'url: '],
  ['key', { text: 'a', repeat: 1000 }, 'repeat: '],
  ['scroll', '{ "scroll_direction": "do', 'The arguments of scroll are not a JSON object, or are cut off.'],
  ['scroll', null, 'The arguments of scroll are not a JSON object'],
  ['scroll', [1], 'The arguments of scroll are not a JSON object'],
] as const)('%s refuses %j in words', (name, input, message) => {
  expect(() => checkedInput<unknown>(name, TOOLS[name]!.input, input)).toThrow(message);
});
