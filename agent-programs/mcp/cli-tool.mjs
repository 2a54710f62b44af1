// `playwright-cli` as the one tool of an MCP server, for command lines whose shell can't be limited to one program.

const TOOL = {
  name: 'playwright_cli',
  description: 'Runs playwright-cli in the open browser, as its skill says, and returns what it prints.',
  inputSchema: {
    type: 'object',
    properties: {
      args: {
        type: 'array',
        items: { type: 'string' },
        description: 'What follows playwright-cli in a shell, such as ["click", "e12"]',
      },
    },
    required: ['args'],
  },
};

/**
 * @param {{ id?: string | number, method?: string, params?: any }} message of the MCP client
 * @param {(args: string[]) => Promise<{ text: string, code: number }>} run
 * @returns the answer; undefined if there is none
 */
export async function answerTo({ id, method, params }, run) {
  if (id === undefined) return undefined;
  const answer = (/** @type {object} */ result) => ({ jsonrpc: '2.0', id, result });
  switch (method) {
    case 'initialize':
      return answer({
        protocolVersion: params?.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: 'playwright-cli', version: '1' },
      });
    case 'ping':
      return answer({});
    case 'tools/list':
      return answer({ tools: [TOOL] });
    case 'tools/call': {
      const args = params?.arguments?.args;
      const { text, code } = await run(Array.isArray(args) ? args.map(String) : []);
      return answer({ isError: code !== 0, content: [{ type: 'text', text }] });
    }
    default:
      return { jsonrpc: '2.0', id, error: { code: -32_601, message: `there is no method ${method}` } };
  }
}
