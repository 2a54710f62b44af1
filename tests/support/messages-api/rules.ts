// The rules that the Messages API holds a request to, as far as an agent can break them.
import { imageInfo, isObject, type Json, type JsonObject } from './tokens';

/** A request that the API would answer with 400. */
export class RuleBroken extends Error {}

const FIELDS = new Set([
  'model',
  'max_tokens',
  'messages',
  'system',
  'tools',
  'tool_choice',
  'stream',
  'thinking',
  'output_config',
  'metadata',
  'stop_sequences',
  'temperature',
  'top_p',
  'top_k',
  'service_tier',
]);
const BLOCKS = {
  user: new Set(['text', 'image', 'tool_result', 'document']),
  assistant: new Set(['text', 'tool_use', 'thinking', 'redacted_thinking']),
};
const STATE_ONLY = new Set(['new_tab', 'list_tabs', 'switch_tab', 'close_tab']);
const FAMILY_OF = {
  browser_toolset_20260801: 'browser',
  computer_toolset_20260801: 'computer',
} as const;

function check(condition: unknown, message: string): asserts condition {
  if (!condition) throw new RuleBroken(message);
}

export function checkRequest(body: unknown): asserts body is JsonObject {
  check(isObject(body), 'the body must be an object');
  for (const field of Object.keys(body)) check(FIELDS.has(field), `${field}: Extra inputs are not permitted`);
  check(typeof body.model === 'string' && body.model, 'model: Field required');
  const { max_tokens: maxTokens } = body;
  check(Number.isInteger(maxTokens) && (maxTokens as number) > 0, 'max_tokens: must be a positive integer');
  const families = checkTools(body);
  check(
    Array.isArray(body.messages) && body.messages.length > 0,
    'messages: at least one message is required',
  );
  checkMessages(body.messages as JsonObject[], families);
  const marks = countMarks(body);
  check(marks <= 4, `A maximum of 4 blocks with cache_control may be provided. Found ${marks}.`);
}

function checkTools(body: JsonObject): Set<string> {
  const families = new Set<string>();
  const names = new Set<string>();
  for (const [index, tool] of ((body.tools as Json[] | undefined) ?? []).entries()) {
    check(isObject(tool), `tools.${index}: must be an object`);
    const family = FAMILY_OF[tool.type as keyof typeof FAMILY_OF];
    if (family) {
      check(tool.name === undefined, `tools.${index}.name: a toolset has no name`);
      families.add(family);
      continue;
    }
    check(
      tool.type === undefined || tool.type === 'custom',
      `tools.${index}.type: unknown type ${tool.type}`,
    );
    check(
      typeof tool.name === 'string' && /^[\w-]{1,128}$/.test(tool.name),
      `tools.${index}.name: not a name`,
    );
    check(!names.has(tool.name), `tools: Tool names must be unique (${tool.name})`);
    names.add(tool.name);
    check(isObject(tool.input_schema), `tools.${index}.input_schema: Field required`);
    check(
      (tool.input_schema as JsonObject).type === 'object',
      `tools.${index}.input_schema.type: must be object`,
    );
  }
  const choice = isObject(body.tool_choice) ? body.tool_choice.type : undefined;
  const forced = choice === 'any' || choice === 'tool';
  check(
    !(forced && /-5-5$/.test(String(body.model))),
    'tool_choice: forced tool use is not supported by this model',
  );
  return families;
}

function checkMessages(messages: JsonObject[], families: Set<string>): void {
  const ids = new Set<string>();
  let images = 0;
  let open: JsonObject[] = [];
  messages.forEach((message, index) => {
    const role = message.role as 'user' | 'assistant';
    check(
      role === (index % 2 ? 'assistant' : 'user'),
      `messages.${index}: roles must alternate, beginning with user`,
    );
    const content = contentOf(message, index);
    content.forEach((block, at) => {
      const where = `messages.${index}.content.${at}`;
      check(isObject(block), `${where}: must be an object`);
      check(
        BLOCKS[role].has(String(block.type)),
        `${where}: a ${block.type} block is not allowed in a ${role} message`,
      );
      images += checkBlock(block, where);
    });
    if (role === 'user') checkAnswers(content, open, index);
    open = content.filter(block => block.type === 'tool_use');
    for (const use of open) {
      check(!ids.has(String(use.id)), `messages.${index}: tool_use ids must be unique (${use.id})`);
      ids.add(String(use.id));
      const family = use.toolset_name;
      check(family == null || families.has(String(family)), `messages.${index}: unknown toolset ${family}`);
    }
  });
  check(
    open.length === 0,
    `messages.${messages.length}: tool_use ids were found without tool_result blocks after them`,
  );
  check(images <= 100, `messages: at most 100 images are allowed, found ${images}`);
}

function contentOf(message: JsonObject, index: number): JsonObject[] {
  if (typeof message.content === 'string') {
    check(message.content.trim() !== '', `messages.${index}: content must not be empty`);
    return [{ type: 'text', text: message.content }];
  }
  check(
    Array.isArray(message.content) && message.content.length > 0,
    `messages.${index}: content must not be empty`,
  );
  return message.content as JsonObject[];
}

/** Returns how many images the block holds. */
function checkBlock(block: JsonObject, where: string): number {
  // The API takes null for none.
  if (block.cache_control != null) {
    check(
      isObject(block.cache_control) && block.cache_control.type === 'ephemeral',
      `${where}.cache_control: bad type`,
    );
    check(
      !['thinking', 'redacted_thinking'].includes(String(block.type)),
      `${where}: thinking can't be marked`,
    );
  }
  if (block.type === 'text') {
    check(typeof block.text === 'string' && block.text.trim() !== '', `${where}: text must not be empty`);
    check(!/[\uD800-\uDFFF]/u.test(block.text), `${where}: text is not valid UTF-8`);
  }
  if (block.type === 'image') return checkImage(block, where);
  if (block.type === 'tool_result') return checkResult(block, where);
  return 0;
}

function checkImage(block: JsonObject, where: string): number {
  const source = block.source as JsonObject | undefined;
  check(
    source?.type === 'base64' && typeof source.data === 'string',
    `${where}.source: base64 data required`,
  );
  const bytes = Buffer.from(source.data, 'base64');
  check(bytes.toString('base64') === source.data, `${where}.source.data: invalid base64`);
  check(bytes.length <= 5 * 1024 * 1024, `${where}: image exceeds 5 MB`);
  const info = imageInfo(bytes);
  check(info, `${where}: could not process image`);
  check(
    info.mediaType === source.media_type,
    `${where}: the image is ${info.mediaType}, not ${source.media_type}`,
  );
  check(Math.max(info.width, info.height) <= 8000, `${where}: image dimensions exceed 8000 pixels`);
  return 1;
}

function checkResult(block: JsonObject, where: string): number {
  const content = block.content;
  if (content === undefined || typeof content === 'string') {
    check(!(block.is_error && !content), `${where}: an error result needs content`);
    return 0;
  }
  check(Array.isArray(content), `${where}.content: must be a list`);
  if (block.is_error) {
    check(content.length > 0, `${where}: an error result needs content`);
    check(
      content.every(part => isObject(part) && part.type === 'text'),
      `${where}: all content must be type "text" if is_error is true`,
    );
  }
  let images = 0;
  for (const [at, part] of (content as JsonObject[]).entries()) {
    check(
      ['text', 'image', 'browser_state'].includes(String(part.type)),
      `${where}.content.${at}: ${part.type} is not allowed`,
    );
    images += checkBlock(part, `${where}.content.${at}`);
  }
  return images;
}

function checkAnswers(content: JsonObject[], open: JsonObject[], index: number): void {
  const results = content.filter(block => block.type === 'tool_result');
  const first = content.findIndex(block => block.type !== 'tool_result');
  const stray = first >= 0 && content.slice(first).some(block => block.type === 'tool_result');
  check(!stray, `messages.${index}: tool_result blocks must come before other content`);
  for (const result of results) {
    const uses = open.filter(use => use.id === result.tool_use_id);
    check(
      uses.length === 1,
      `messages.${index}: unexpected tool_use_id ${result.tool_use_id} in tool_result`,
    );
    checkEcho(result, uses[0]!, index);
  }
  for (const use of open) {
    const answers = results.filter(result => result.tool_use_id === use.id).length;
    check(
      answers === 1,
      `messages.${index}: tool_use ${use.id} needs one tool_result in the next message, found ${answers}`,
    );
  }
}

function checkEcho(result: JsonObject, use: JsonObject, index: number): void {
  const expected = use.toolset_name ?? null;
  check(
    (result.toolset_name ?? null) === expected,
    `messages.${index}: the tool_result of ${use.id} must echo toolset_name ${JSON.stringify(expected)}`,
  );
  const content = Array.isArray(result.content) ? (result.content as JsonObject[]) : [];
  const states = content.filter(part => part.type === 'browser_state');
  const most = expected === 'browser' ? 1 : 0;
  check(states.length <= most, `messages.${index}: at most ${most} browser_state in a result`);
  if (result.is_error) return;
  if (STATE_ONLY.has(String(use.name)))
    check(
      content.length === 1 && states.length === 1,
      `messages.${index}: ${use.name} must be answered by one browser_state alone`,
    );
  if (states[0]) checkState(states[0], String(use.name), index);
}

function checkState(state: JsonObject, member: string, index: number): void {
  const tabs = state.tabs as JsonObject[];
  check(
    Array.isArray(tabs) && tabs.length <= 100,
    `messages.${index}: browser_state.tabs must list at most 100 tabs`,
  );
  check(
    new Set(tabs.map(tab => tab.tab_id)).size === tabs.length,
    `messages.${index}: tab ids must be unique`,
  );
  const active = tabs.filter(tab => tab.active === true);
  check(tabs.length === 0 || active.length === 1, `messages.${index}: exactly one tab must be active`);
  const changes = state.state_changes as JsonObject[] | undefined;
  check(
    changes === undefined || changes.length > 0,
    `messages.${index}: state_changes must not be an empty list`,
  );
  const opened = (changes ?? []).filter(change => change.type === 'tab_opened');
  for (const change of opened)
    check(
      tabs.some(tab => tab.tab_id === change.tab_id),
      `messages.${index}: tab_opened names a tab that is not listed`,
    );
  if (member === 'new_tab')
    check(opened.length === 1, `messages.${index}: new_tab reports exactly one tab_opened`);
}

function countMarks(value: Json | undefined): number {
  if (Array.isArray(value)) return value.reduce<number>((sum, entry) => sum + countMarks(entry), 0);
  if (!isObject(value)) return 0;
  return Object.entries(value).reduce(
    (sum, [key, entry]) =>
      sum + (key === 'cache_control' ? (entry == null ? 0 : 1) : key === 'input' ? 0 : countMarks(entry)),
    0,
  );
}
