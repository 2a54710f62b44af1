// The rules that the Messages API holds a request to, as far as an agent can break them.
import { type ImageInfo, imageInfo, isObject, type Json, type JsonObject } from './tokens';

const DOCS = 'https://platform.claude.com/docs/en';

/** What is enforced, and where it is documented. */
export const RULES = {
  fields: { says: 'known fields of a request, a model, max_tokens', source: `${DOCS}/api/messages` },
  tools: {
    says: 'tools: unique names, object schemas, toolsets without a name',
    source: `${DOCS}/agents-and-tools/tool-use/browser-tool`,
  },
  'forced tools': {
    says: 'no forced tool use on the 5.5 models',
    source: `${DOCS}/models/opus-5-5/migration-guide`,
  },
  messages: { says: 'roles alternate, known blocks, unique ids', source: `${DOCS}/api/messages` },
  prefill: {
    says: "the last message is the user's, unless a turn was paused",
    source: `${DOCS}/build-with-claude/handling-stop-reasons`,
  },
  content: { says: 'no empty content, valid UTF-8, thinking unmarked', source: `${DOCS}/api/errors` },
  images: {
    says: 'at most 100 images; 8,000 pixels an edge, 2,000 if there are more than 20; 5 MB',
    source: `${DOCS}/build-with-claude/vision`,
  },
  answers: {
    says: 'each call answered once, results first, nothing but results with them',
    source: `${DOCS}/agents-and-tools/tool-use/handle-tool-calls`,
  },
  results: {
    says: 'parts of a result; an error holds text alone',
    source: `${DOCS}/agents-and-tools/tool-use/handle-tool-calls`,
  },
  browser_state: {
    says: 'fields, tabs and changes of browser_state',
    source: '@anthropic-ai/sdk: BetaBrowserStateBlockParam',
  },
  cache: { says: 'at most four breakpoints', source: `${DOCS}/build-with-claude/prompt-caching` },
  'structured output': {
    says: 'no keyword of JSON Schema that structured outputs do not take',
    source: `${DOCS}/build-with-claude/structured-outputs`,
  },
  thinking: {
    says: 'thinking is bound to its model and conversation',
    source: `${DOCS}/build-with-claude/adaptive-thinking`,
  },
} as const;

export type Rule = keyof typeof RULES;

/** A request that the API would answer with 400. */
export class RuleBroken extends Error {
  constructor(
    readonly rule: Rule,
    message: string,
  ) {
    super(message);
  }
}

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

function check(rule: Rule, condition: unknown, message: string): asserts condition {
  if (!condition) throw new RuleBroken(rule, message);
}

/** @param paused the last blocks of answers that were paused, as JSON */
export function checkRequest(
  body: unknown,
  paused: ReadonlySet<string> = new Set(),
): asserts body is JsonObject {
  check('fields', isObject(body), 'the body must be an object');
  for (const field of Object.keys(body))
    check('fields', FIELDS.has(field), `${field}: Extra inputs are not permitted`);
  check('fields', typeof body.model === 'string' && body.model, 'model: Field required');
  const { max_tokens: maxTokens } = body;
  check(
    'fields',
    Number.isInteger(maxTokens) && (maxTokens as number) > 0,
    'max_tokens: must be a positive integer',
  );
  const families = checkTools(body);
  check(
    'fields',
    Array.isArray(body.messages) && body.messages.length > 0,
    'messages: at least one message is required',
  );
  checkMessages(body.messages as JsonObject[], families);
  checkPrefill(body.messages as JsonObject[], paused);
  const format = isObject(body.output_config) ? body.output_config.format : undefined;
  if (isObject(format)) checkFormat(format.schema, 'output_config.format.schema');
  const marks = countMarks(body);
  check('cache', marks <= 4, `A maximum of 4 blocks with cache_control may be provided. Found ${marks}.`);
}

function checkTools(body: JsonObject): Set<string> {
  const families = new Set<string>();
  const names = new Set<string>();
  for (const [index, tool] of ((body.tools as Json[] | undefined) ?? []).entries()) {
    check('tools', isObject(tool), `tools.${index}: must be an object`);
    const family = FAMILY_OF[tool.type as keyof typeof FAMILY_OF];
    if (family) {
      check('tools', tool.name === undefined, `tools.${index}.name: a toolset has no name`);
      families.add(family);
      continue;
    }
    check(
      'tools',
      tool.type === undefined || tool.type === 'custom',
      `tools.${index}.type: unknown type ${tool.type}`,
    );
    check(
      'tools',
      typeof tool.name === 'string' && /^[\w-]{1,128}$/.test(tool.name),
      `tools.${index}.name: not a name`,
    );
    check('tools', !names.has(tool.name), `tools: Tool names must be unique (${tool.name})`);
    names.add(tool.name);
    check('tools', isObject(tool.input_schema), `tools.${index}.input_schema: Field required`);
    check(
      'tools',
      (tool.input_schema as JsonObject).type === 'object',
      `tools.${index}.input_schema.type: must be object`,
    );
  }
  const choice = isObject(body.tool_choice) ? body.tool_choice.type : undefined;
  const forced = choice === 'any' || choice === 'tool';
  check(
    'forced tools',
    !(forced && /-5-5$/.test(String(body.model))),
    'tool_choice: forced tool use is not supported by this model',
  );
  return families;
}

function checkMessages(messages: JsonObject[], families: Set<string>): void {
  const ids = new Set<string>();
  const images: ImageInfo[] = [];
  let open: JsonObject[] = [];
  messages.forEach((message, index) => {
    const role = message.role as 'user' | 'assistant';
    check(
      'messages',
      role === (index % 2 ? 'assistant' : 'user'),
      `messages.${index}: roles must alternate, beginning with user`,
    );
    const content = contentOf(message, index);
    content.forEach((block, at) => {
      const where = `messages.${index}.content.${at}`;
      check('messages', isObject(block), `${where}: must be an object`);
      check(
        'messages',
        BLOCKS[role].has(String(block.type)),
        `${where}: a ${block.type} block is not allowed in a ${role} message`,
      );
      images.push(...checkBlock(block, where));
    });
    if (role === 'user') checkAnswers(content, open, index);
    open = content.filter(block => block.type === 'tool_use');
    for (const use of open) {
      check(
        'messages',
        !ids.has(String(use.id)),
        `messages.${index}: tool_use ids must be unique (${use.id})`,
      );
      ids.add(String(use.id));
      const family = use.toolset_name;
      check(
        'messages',
        family == null || families.has(String(family)),
        `messages.${index}: unknown toolset ${family}`,
      );
    }
  });
  check(
    'messages',
    open.length === 0,
    `messages.${messages.length}: tool_use ids were found without tool_result blocks after them`,
  );
  checkCount(images);
}

function checkCount(images: readonly ImageInfo[]): void {
  check('images', images.length <= 100, `messages: at most 100 images are allowed, found ${images.length}`);
  const largest = Math.max(0, ...images.map(({ width, height }) => Math.max(width, height)));
  const most = images.length > 20 ? 2_000 : 8_000;
  check(
    'images',
    largest <= most,
    `image dimensions exceed ${most} pixels for a request of ${images.length} images`,
  );
}

/** A paused turn goes on in the assistant's own message. */
function checkPrefill(messages: readonly JsonObject[], paused: ReadonlySet<string>): void {
  const last = messages.at(-1)!;
  const goesOn = Array.isArray(last.content) && paused.has(JSON.stringify(last.content.at(-1)));
  check(
    'prefill',
    last.role === 'user' || goesOn,
    'This model does not support assistant message prefill. The conversation must end with a user message.',
  );
}

const UNSUPPORTED = new Set(
  'minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength maxItems uniqueItems minProperties maxProperties'.split(
    ' ',
  ),
);

function checkFormat(schema: Json | undefined, where: string): void {
  if (Array.isArray(schema)) for (const each of schema) checkFormat(each, where);
  if (!isObject(schema)) return;
  for (const [key, value] of Object.entries(schema)) {
    check(
      'structured output',
      !UNSUPPORTED.has(key) || isObject(value),
      `${where}: '${key}' is not supported`,
    );
    check(
      'structured output',
      key !== 'minItems' || Number(value) <= 1,
      `${where}: 'minItems' above 1 is not supported`,
    );
    checkFormat(value, `${where}.${key}`);
  }
  check(
    'structured output',
    schema.type !== 'object' || schema.additionalProperties === false,
    `${where}: 'additionalProperties' must be false`,
  );
}

function contentOf(message: JsonObject, index: number): JsonObject[] {
  if (typeof message.content === 'string') {
    check('content', message.content.trim() !== '', `messages.${index}: content must not be empty`);
    return [{ type: 'text', text: message.content }];
  }
  check(
    'content',
    Array.isArray(message.content) && message.content.length > 0,
    `messages.${index}: content must not be empty`,
  );
  return message.content as JsonObject[];
}

/** Returns the images that the block holds. */
function checkBlock(block: JsonObject, where: string): ImageInfo[] {
  // The API takes null for none.
  if (block.cache_control != null) {
    check(
      'content',
      isObject(block.cache_control) && block.cache_control.type === 'ephemeral',
      `${where}.cache_control: bad type`,
    );
    check(
      'content',
      !['thinking', 'redacted_thinking'].includes(String(block.type)),
      `${where}: thinking can't be marked`,
    );
  }
  if (block.type === 'text') {
    check(
      'content',
      typeof block.text === 'string' && block.text.trim() !== '',
      `${where}: text must not be empty`,
    );
    check('content', !/[\uD800-\uDFFF]/u.test(block.text), `${where}: text is not valid UTF-8`);
  }
  if (block.type === 'image') return [checkImage(block, where)];
  return block.type === 'tool_result' ? checkResult(block, where) : [];
}

function checkImage(block: JsonObject, where: string): ImageInfo {
  const source = block.source as JsonObject | undefined;
  check(
    'images',
    source?.type === 'base64' && typeof source.data === 'string',
    `${where}.source: base64 data required`,
  );
  const bytes = Buffer.from(source.data, 'base64');
  check('images', bytes.toString('base64') === source.data, `${where}.source.data: invalid base64`);
  check('images', bytes.length <= 5 * 1024 * 1024, `${where}: image exceeds 5 MB`);
  const info = imageInfo(bytes);
  check('images', info, `${where}: could not process image`);
  check(
    'images',
    info.mediaType === source.media_type,
    `${where}: the image is ${info.mediaType}, not ${source.media_type}`,
  );
  check('images', Math.max(info.width, info.height) <= 8000, `${where}: image dimensions exceed 8000 pixels`);
  return info;
}

function checkResult(block: JsonObject, where: string): ImageInfo[] {
  const content = block.content;
  if (content === undefined || typeof content === 'string') {
    check('results', !(block.is_error && !content), `${where}: an error result needs content`);
    return [];
  }
  check('results', Array.isArray(content), `${where}.content: must be a list`);
  if (block.is_error) {
    check('results', content.length > 0, `${where}: an error result needs content`);
    check(
      'results',
      content.every(part => isObject(part) && part.type === 'text'),
      `${where}: all content must be type "text" if is_error is true`,
    );
  }
  const images: ImageInfo[] = [];
  for (const [at, part] of (content as JsonObject[]).entries()) {
    check(
      'results',
      ['text', 'image', 'browser_state'].includes(String(part.type)),
      `${where}.content.${at}: ${part.type} is not allowed`,
    );
    images.push(...checkBlock(part, `${where}.content.${at}`));
  }
  return images;
}

function checkAnswers(content: JsonObject[], open: JsonObject[], index: number): void {
  const results = content.filter(block => block.type === 'tool_result');
  const first = content.findIndex(block => block.type !== 'tool_result');
  const stray = first >= 0 && content.slice(first).some(block => block.type === 'tool_result');
  check('answers', !stray, `messages.${index}: tool_result blocks must come before other content`);
  check(
    'answers',
    results.length === 0 || results.length === content.length,
    `messages.${index}: text behind tool_result blocks makes empty answers likely: put it into the last result`,
  );
  for (const result of results) {
    const uses = open.filter(use => use.id === result.tool_use_id);
    check(
      'answers',
      uses.length === 1,
      `messages.${index}: unexpected tool_use_id ${result.tool_use_id} in tool_result`,
    );
    checkEcho(result, uses[0]!, index);
  }
  for (const use of open) {
    const answers = results.filter(result => result.tool_use_id === use.id).length;
    check(
      'answers',
      answers === 1,
      `messages.${index}: tool_use ${use.id} needs one tool_result in the next message, found ${answers}`,
    );
  }
}

function checkEcho(result: JsonObject, use: JsonObject, index: number): void {
  const expected = use.toolset_name ?? null;
  check(
    'answers',
    (result.toolset_name ?? null) === expected,
    `messages.${index}: the tool_result of ${use.id} must echo toolset_name ${JSON.stringify(expected)}`,
  );
  const content = Array.isArray(result.content) ? (result.content as JsonObject[]) : [];
  const states = content.filter(part => part.type === 'browser_state');
  const most = expected === 'browser' ? 1 : 0;
  check('answers', states.length <= most, `messages.${index}: at most ${most} browser_state in a result`);
  if (result.is_error) return;
  if (STATE_ONLY.has(String(use.name)))
    check(
      'answers',
      content.length === 1 && states.length === 1,
      `messages.${index}: ${use.name} must be answered by one browser_state alone`,
    );
  if (states[0]) checkState(states[0], String(use.name), index);
}

const STATE_FIELDS = new Set(['type', 'tabs', 'state_changes', 'cache_control']);
const TAB_FIELDS: Record<string, string> = {
  tab_id: 'string',
  title: 'string',
  url: 'string',
  active: 'boolean',
};
const CHANGES = new Set(['tab_opened', 'download_started', 'download_completed', 'download_failed']);

function checkFields(state: JsonObject, index: number): void {
  for (const field of Object.keys(state))
    check(
      'browser_state',
      STATE_FIELDS.has(field),
      `messages.${index}: browser_state.${field}: Extra inputs are not permitted`,
    );
  for (const tab of (state.tabs as JsonObject[]) ?? []) {
    for (const [field, value] of Object.entries(tab))
      check(
        'browser_state',
        typeof value === TAB_FIELDS[field],
        `messages.${index}: tabs.${field}: Extra or wrong input`,
      );
    for (const field of ['tab_id', 'title', 'url'])
      check(
        'browser_state',
        typeof tab[field] === 'string',
        `messages.${index}: tabs.${field}: Field required`,
      );
  }
  for (const change of (state.state_changes as JsonObject[] | undefined) ?? [])
    check(
      'browser_state',
      CHANGES.has(String(change.type)),
      `messages.${index}: unknown change ${change.type}`,
    );
}

function checkState(state: JsonObject, member: string, index: number): void {
  checkFields(state, index);
  const tabs = state.tabs as JsonObject[];
  check(
    'browser_state',
    Array.isArray(tabs) && tabs.length <= 100,
    `messages.${index}: browser_state.tabs must list at most 100 tabs`,
  );
  check(
    'browser_state',
    new Set(tabs.map(tab => tab.tab_id)).size === tabs.length,
    `messages.${index}: tab ids must be unique`,
  );
  const active = tabs.filter(tab => tab.active === true);
  check(
    'browser_state',
    tabs.length === 0 || active.length === 1,
    `messages.${index}: exactly one tab must be active`,
  );
  const changes = state.state_changes as JsonObject[] | undefined;
  check(
    'browser_state',
    changes === undefined || changes.length > 0,
    `messages.${index}: state_changes must not be an empty list`,
  );
  const opened = (changes ?? []).filter(change => change.type === 'tab_opened');
  for (const change of opened)
    check(
      'browser_state',
      tabs.some(tab => tab.tab_id === change.tab_id),
      `messages.${index}: tab_opened names a tab that is not listed`,
    );
  if (member === 'new_tab')
    check('browser_state', opened.length === 1, `messages.${index}: new_tab reports exactly one tab_opened`);
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
