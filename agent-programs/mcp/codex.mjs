// Codex: `codex exec --json`, which reports its calls one by one, its tokens at its end, and no cost. Its shell can't be limited to one
// program: it calls `playwright-cli` by a tool.
import { callKey } from './session.mjs';

/** @typedef {import('./session.mjs').Session} Session */

/** Features that reach beyond the page. Its sandbox is read-only anyway, and nothing is approved. */
const FEATURES_OFF = [
  'apps',
  'browser_use',
  'computer_use',
  'daemon_auto_start',
  'goals',
  'hooks',
  'image_generation',
  'in_app_browser',
  'memories',
  'multi_agent',
  'plugins',
  'remote_plugin',
  'shell_snapshot',
  'shell_tool',
  'skill_search',
  'sleep_tool',
  'tool_suggest',
  'unified_exec',
  'view_image',
];

/** @type {import('./preset').Preset} */
export default {
  package: '@openai/codex',
  command: 'codex',
  env: ['AZURE_OPENAI_*', 'CODEX_API_KEY', 'OPENAI_*'],
  logIn: 'set CODEX_API_KEY or OPENAI_API_KEY, or log in with `codex login` and pass --keep-home',
  tellsCalls: true,
  worksByCli: true,

  start({ prompt, model, home, server: { name, command, args }, skill }) {
    const key = process.env.CODEX_API_KEY || process.env.OPENAI_API_KEY;
    const settings = {
      [`mcp_servers.${name}.command`]: command,
      [`mcp_servers.${name}.args`]: args,
      [`mcp_servers.${name}.required`]: true,
      [`mcp_servers.${name}.default_tools_approval_mode`]: 'approve',
      'analytics.enabled': false,
      check_for_update_on_startup: false,
      web_search: 'disabled',
      ...Object.fromEntries(FEATURES_OFF.map(feature => [`features.${feature}`, false])),
    };
    return {
      args: [
        ...['exec', '--json', '--ephemeral', '--skip-git-repo-check'],
        ...['--ignore-user-config', '--ignore-rules', '--sandbox', 'read-only'],
        // Values are TOML, which writes these like JSON.
        ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${JSON.stringify(value)}`]),
        ...(model === undefined ? [] : ['--model', model]),
      ],
      env: { ...(home && { CODEX_HOME: home }), ...(key && { CODEX_API_KEY: key }) },
      stdin: skill ? `${prompt}\n\nCall playwright-cli by the tool playwright_cli.\n\n${skill}` : prompt,
    };
  },

  read({ type, item, usage, error, message }, session) {
    if (type === 'error') session.trouble = `Codex: ${message}`;
    else if (type === 'item.started' && item.type === 'mcp_tool_call') called(item, session);
    else if (type === 'item.completed' && /^(?:agent_message|reasoning)$/.test(item.type))
      session.narrate(item.text);
    else if (type === 'turn.completed') end(usage, session);
    else if (type === 'turn.failed') session.noModel(`Codex: ${error?.message ?? 'the model failed'}`);
  },
};

/** Each command of `playwright-cli` is a turn, which the program in between reports. @param {any} item @param {Session} session */
function called({ tool, arguments: input = {} }, session) {
  if (session.byCli) session.announce();
  else session.round([{ id: callKey(tool, input), name: tool, input }]);
}

/** @param {any} usage @param {Session} session */
function end(usage, session) {
  session.round([]);
  const cached = usage.cached_input_tokens ?? 0;
  const written = usage.cache_write_input_tokens ?? 0;
  session.settle({
    inputTokens: usage.input_tokens - cached - written,
    cacheReadTokens: cached,
    cacheCreationTokens: written,
    outputTokens: usage.output_tokens,
  });
  session.complete();
}
