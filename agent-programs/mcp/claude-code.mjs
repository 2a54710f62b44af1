// Claude Code: `claude -p`, whose output reports each request, and the cost of the session at its end.

/** @typedef {import('./preset').Preset} Preset */
/** @typedef {import('./session.mjs').Session} Session */

const SERVER = 'playwright';
const TOOL = `mcp__${SERVER}__`;

/** The answer that is being streamed: its calls, and its usage. */
class Answer {
  /** @type {import('./preset').Call[]} */
  calls = [];
  /** @type {any} */
  usage;
  isOpen = false;
}

let answer = new Answer();

/** @type {Preset} */
export default {
  package: '@anthropic-ai/claude-code',
  command: 'claude',
  env: [
    'ANTHROPIC_*',
    'API_TIMEOUT_MS',
    'AWS_*',
    'CLAUDE_CODE_DISABLE_*',
    'CLAUDE_CODE_EFFORT_LEVEL',
    'CLAUDE_CODE_MAX_*',
    'CLAUDE_CODE_OAUTH_TOKEN',
    'CLAUDE_CODE_SKIP_*',
    'CLAUDE_CODE_USE_*',
    'CLOUD_ML_REGION',
    'GOOGLE_*',
    'MAX_THINKING_TOKENS',
    'VERTEX_*',
  ],
  logIn: 'set ANTHROPIC_API_KEY or CLAUDE_CODE_OAUTH_TOKEN, or log in with `claude` and pass --keep-home',
  keepsCostCap: true,
  tellsCalls: true,
  worksByCli: true,

  start({ prompt, model, maxTurns, maxCostUsd, home, server, skill }) {
    const { name, ...stdio } = server;
    const config = { mcpServers: skill ? {} : { [name]: { ...stdio, alwaysLoad: true } } };
    // None of its own tools, and the server's without asking; or a shell for one program.
    const tools = skill
      ? ['--tools', 'Bash,Skill', '--allowedTools', 'Bash(playwright-cli:*),Skill']
      : ['--tools', '', '--allowedTools', `mcp__${name}`, '--disable-slash-commands'];
    return {
      args: [
        '-p',
        ...['--output-format', 'stream-json', '--verbose', '--include-partial-messages'],
        ...['--mcp-config', JSON.stringify(config), '--strict-mcp-config'],
        ...[...tools, '--permission-mode', 'dontAsk', '--no-session-persistence'],
        ...['--setting-sources', skill ? 'project' : ''],
        ...['--max-turns', String(maxTurns)],
        ...(maxCostUsd === null ? [] : ['--max-budget-usd', String(maxCostUsd)]),
        ...(model === undefined ? [] : ['--model', model]),
      ],
      env: {
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
        DISABLE_AUTOUPDATER: '1',
        DISABLE_ERROR_REPORTING: '1',
        DISABLE_TELEMETRY: '1',
        // The first request waits for the tools.
        MCP_CONNECTION_NONBLOCKING: '0',
        MCP_CONNECT_TIMEOUT_MS: '60000',
        ...(home && { CLAUDE_CONFIG_DIR: home }),
      },
      stdin: prompt,
      ...(skill && { files: { '.claude/skills/playwright-cli/SKILL.md': skill } }),
    };
  },

  read(event, session) {
    switch (event.type) {
      case 'system':
        if (event.subtype === 'init') checkTools(event, session);
        if (event.subtype === 'api_retry') retried(event, session);
        return;
      case 'stream_event':
        return stream(event.event, session);
      case 'assistant':
        return said(event, session);
      case 'user':
        flush(session);
        for (const part of partsOf(event.message))
          if (part.type === 'tool_result')
            session.end(part.tool_use_id, part.is_error ? textOf(part) : undefined);
        return;
      case 'result':
        flush(session);
        return end(event, session);
    }
  },
};

/** @param {any} event @param {Session} session */
function checkTools({ tools = [], mcp_servers: servers = [] }, session) {
  const isOurs = (/** @type {string} */ tool) =>
    session.byCli ? /^(?:Bash|Skill)$/.test(tool) : tool.startsWith(TOOL);
  const other = tools.filter((/** @type {string} */ tool) => !isOurs(tool));
  if (other.length > 0)
    session.fail(`Claude Code has other tools than those of the page: ${other.join(', ')}`);
  const failed = servers.find((/** @type {any} */ { status }) => /^(?:failed|pending)$/.test(status));
  if (failed)
    session.fail(`Claude Code could not connect to the MCP server ${failed.name}: ${failed.status}`);
}

/** Claude Code would try a wrong key ten times, for minutes. @param {any} event @param {Session} session */
function retried({ attempt, error_status: status, error }, session) {
  session.trouble = `Claude Code: the model's API answered ${[status, error].filter(Boolean).join(', ')}`;
  if (/^40[13]$/.test(status) && attempt > 1) session.noModel(session.trouble);
}

/** @param {any} event of the model's stream @param {Session} session */
function stream(event, session) {
  if (event.type === 'message_start') {
    flush(session);
    answer = new Answer();
    answer.isOpen = true;
    answer.usage = event.message.usage;
  } else if (event.type === 'message_delta') answer.usage = { ...answer.usage, ...event.usage };
  else if (event.type === 'message_stop') flush(session);
}

/** @param {any} event @param {Session} session */
function said({ message, is_api_error_message: isError }, session) {
  // An error of the API in the form of an answer. The result repeats it.
  if (isError || message?.model === '<synthetic>') return;
  if (!answer.isOpen) answer = Object.assign(new Answer(), { isOpen: true, usage: message?.usage });
  for (const part of partsOf(message)) {
    if (part.type === 'text') session.narrate(part.text);
    if (part.type === 'thinking') session.narrate(part.thinking);
    if (part.type === 'tool_use') answer.calls.push(part);
  }
}

/** Reports the answer, which is complete. @param {Session} session */
function flush(session) {
  if (!answer.isOpen) return;
  answer.isOpen = false;
  const usage = usageOf(answer.usage ?? {});
  if (session.byCli && answer.calls.length > 0) session.spend(usage);
  else session.round(answer.calls, usage);
}

/** @param {any} usage */
function usageOf(usage) {
  return {
    inputTokens: usage.input_tokens ?? 0,
    outputTokens: usage.output_tokens ?? 0,
    cacheReadTokens: usage.cache_read_input_tokens ?? 0,
    cacheCreationTokens: usage.cache_creation_input_tokens ?? 0,
  };
}

/** @param {any} event @param {Session} session */
function end({ subtype, is_error: isError, result, errors, total_cost_usd: cost, modelUsage = {} }, session) {
  const total = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheCreationTokens: 0 };
  for (const used of Object.values(modelUsage)) {
    total.inputTokens += used.inputTokens;
    total.outputTokens += used.outputTokens;
    total.cacheReadTokens += used.cacheReadInputTokens;
    total.cacheCreationTokens += used.cacheCreationInputTokens;
  }
  session.settle({ ...total, ...(typeof cost === 'number' && { totalCostUsd: cost }) });
  if (subtype === 'error_max_turns' || subtype === 'error_max_budget_usd') return session.exceed();
  if (subtype === 'success' && !isError) return session.complete();
  session.noModel(`Claude Code: ${result || errors?.join('; ') || subtype}`);
}

/** @param {any} message */
function partsOf(message) {
  return Array.isArray(message?.content) ? message.content.filter(Boolean) : [];
}

/** @param {any} part */
function textOf({ content }) {
  if (typeof content === 'string') return content;
  return (content ?? []).map((/** @type {any} */ { text = '' }) => text).join('\n');
}
