// What users may give to claude(), checked when the config is read.
import { isAbsolute } from 'node:path';
import { z } from 'zod';

const MEMBERS = [
  ...[
    'navigate',
    'list_tabs',
    'new_tab',
    'switch_tab',
    'close_tab',
    'read_page',
    'get_page_text',
    'read_console',
  ],
  ...['read_network', 'find', 'form_input', 'scroll_to', 'screenshot', 'zoom', 'left_click', 'right_click'],
  ...['middle_click', 'double_click', 'triple_click', 'hover', 'left_click_drag', 'left_mouse_down'],
  ...['left_mouse_up', 'mouse_move', 'scroll', 'type', 'key', 'hold_key', 'wait', 'javascript_exec'],
] as const;

const dollars = z.number().min(0);
const folders = z
  .array(z.string().refine(isAbsolute, 'must be an absolute folder: path.join(__dirname, "files")'))
  .min(1);

const pricingSchema = z.strictObject({
  input: dollars,
  output: dollars,
  cacheRead: dollars.optional(),
  cacheWrite: dollars.optional(),
});

const membersSchema = z.strictObject({
  ...(Object.fromEntries(MEMBERS.map(name => [name, z.boolean().optional()])) as Record<
    (typeof MEMBERS)[number],
    z.ZodOptional<z.ZodBoolean>
  >),
  file_upload: z
    .union([z.literal(false), folders], 'give the absolute folders that files may come from, or false')
    .optional(),
});

const optionsSchema = z.strictObject({
  model: z.string().min(1).default('claude-opus-5-5'),
  apiKey: z.string().optional(),
  baseURL: z.url().optional(),
  effort: z.enum(['low', 'medium', 'high', 'xhigh', 'max']).optional(),
  maxTokens: z.int().min(256).default(8192),
  maxRetries: z.int().min(0).default(4),
  requestTimeoutMs: z.int().min(1).default(300_000),
  pricing: pricingSchema.optional(),
  tools: z.enum(['browser', 'computer']).default('browser'),
  members: membersSchema.default({}),
});

export type ClaudeOptions = z.input<typeof optionsSchema>;
export type ClaudeSettings = z.output<typeof optionsSchema>;

/** @throws TypeError naming each option that is wrong or unknown. */
export function settingsOf(options: ClaudeOptions): ClaudeSettings {
  const result = optionsSchema.safeParse(options);
  if (result.success) return result.data;
  const problems = result.error.issues.map(issue => {
    const where = issue.path.join('.');
    if (issue.code === 'unrecognized_keys') {
      const keys = issue.keys.map(key => `"${where ? `${where}.` : ''}${key}"`).join(', ');
      const known = Object.keys(where === 'members' ? membersSchema.shape : optionsSchema.shape);
      return `unknown option ${keys}; there are ${known.join(', ')}`;
    }
    return `${where || 'options'}: ${issue.message}`;
  });
  throw new TypeError(`claude: ${problems.join('\n        ')}`);
}
