import { expect, test } from 'vitest';
import { answerTo } from '../../../../agent-programs/mcp/cli-tool.mjs';

const run = async (args: string[]) => ({ text: args.join('|'), code: Number(args.includes('broken')) });
const said = (text: string, isError = false) => ({ result: { isError, content: [{ type: 'text', text }] } });

test.each<[string, object, object | undefined]>([
  ['initialize', { params: { protocolVersion: '2025-06-18' } }, { result: { capabilities: { tools: {} } } }],
  ['ping', {}, { result: {} }],
  ['tools/list', {}, { result: { tools: [{ name: 'playwright_cli' }] } }],
  ['tools/call', { params: { arguments: { args: ['click', 12] } } }, said('click|12')],
  ['tools/call', { params: { arguments: { args: ['broken'] } } }, said('broken', true)],
  ['tools/call', { params: { arguments: { args: 'click' } } }, said('')],
  ['tools/call', {}, said('')],
  ['resources/list', {}, { error: { code: -32_601, message: 'there is no method resources/list' } }],
])('%s, %j', async (method, rest, answer) => {
  expect(await answerTo({ id: 7, method, ...rest }, run)).toMatchObject({ jsonrpc: '2.0', id: 7, ...answer });
});

test('what wants no answer gets none', async () => {
  expect(await answerTo({ method: 'notifications/initialized' }, run)).toBeUndefined();
});
