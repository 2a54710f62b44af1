// playwright-mcp as a host starts it: over stdio, one tool call at a time. The host's own time is not counted.
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { launchOptions } from '../../scripts/browser.mjs';
import { play } from './client.mjs';

const folder = dirname(createRequire(import.meta.url).resolve('@playwright/mcp/package.json'));
const { executablePath, args } = launchOptions();
const client = new Client({ name: 'bench', version: '0.0.0' });
await client.connect(
  new StdioClientTransport({
    command: process.execPath,
    args: [
      join(folder, 'cli.js'),
      '--headless',
      '--isolated',
      '--viewport-size=1280x720',
      ...(args.includes('--no-sandbox') ? ['--no-sandbox'] : []),
      ...(executablePath ? [`--executable-path=${executablePath}`] : []),
    ],
    cwd: process.env.BENCH_FOLDER,
    env: process.env,
    stderr: 'ignore',
  }),
);

await play(
  async ({ do: what, tool, arguments: given }) => {
    if (what === 'tools') return (await client.listTools()).tools;
    const { content, isError } = await client.callTool({ name: tool, arguments: given });
    const text = content.map(part => part.text ?? '').join('\n');
    if (isError) throw new Error(text);
    return { text };
  },
  () => client.close(),
);
