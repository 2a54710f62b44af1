// agents/gemini.mjs
export default {
  package: '@google/gemini-cli',
  command: 'gemini',
  env: ['GEMINI_API_KEY'],
  logIn: 'set GEMINI_API_KEY',
  start: ({ prompt, model, server: { name, command, args } }) => ({
    args: [
      '--prompt',
      prompt,
      '--output-format',
      'stream-json',
      '--approval-mode',
      'yolo',
      ...(model ? ['--model', model] : []),
    ],
    files: {
      '.gemini/settings.json': JSON.stringify({
        mcpServers: { [name]: { command, args, trust: true } },
        tools: {
          exclude: [
            'run_shell_command',
            'write_file',
            'replace',
            'read_file',
            'web_fetch',
            'google_web_search',
          ],
        },
        telemetry: { enabled: false },
        general: { disableAutoUpdate: true },
      }),
    },
  }),
  read(event, session) {
    if (event.type === 'message' && event.role === 'assistant') session.narrate(event.content);
    if (event.type !== 'result') return;
    session.round([]);
    const { input_tokens: inputTokens, output_tokens: outputTokens } = event.stats;
    session.settle({ inputTokens, outputTokens });
    if (event.status === 'success') session.complete();
    else session.noModel(event.error?.message ?? 'Gemini CLI failed');
  },
};
