// The rules of the Messages API for requests, as far as an agent can break them.
import {
  type ImageInfo,
  imageInfo,
  isObject,
  type Json,
  type JsonObject,
  patchesOf,
  sightOf,
} from './tokens';

// Each rule names the page of https://platform.claude.com/docs/en that says so (checked in November 2026). Where this server is
// stricter than the API, a field or block that nothing here sends is taken for a typing error.

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

/** @param paused the last blocks of answers that were paused, as JSON */
export function checkRequest(
  body: unknown,
  paused: ReadonlySet<string> = new Set(),
): asserts body is JsonObject {
  check(isObject(body), 'the body must be an object');
  for (const field of Object.keys(body)) check(FIELDS.has(field), `${field}: Extra inputs are not permitted`);
  check(typeof body.model === 'string' && body.model, 'model: Field required');
  const { max_tokens: maxTokens } = body;
  check(Number.isInteger(maxTokens) && (maxTokens as number) > 0, 'max_tokens: must be a positive integer');
  checkSettings(body);
  const families = checkTools(body);
  check(
    Array.isArray(body.messages) && body.messages.length > 0,
    'messages: at least one message is required',
  );
  const messages = withoutSystem(body.messages as JsonObject[]);
  checkImages(String(body.model), checkMessages(messages, families));
  checkPrefill(messages, paused);
  const format = isObject(body.output_config) ? body.output_config.format : undefined;
  if (isObject(format)) checkFormat(format.schema, 'output_config.format.schema');
  const marks = countMarks(body);
  check(marks <= 4, `A maximum of 4 blocks with cache_control may be provided. Found ${marks}.`);
}

/** tool-reference#client-toolsets: unique names of at most 64 characters, object schemas; a toolset once and without a name. */
function checkTools(body: JsonObject): Set<string> {
  const families = new Set<string>();
  const names = new Set<string>();
  for (const [index, tool] of ((body.tools as Json[] | undefined) ?? []).entries()) {
    check(isObject(tool), `tools.${index}: must be an object`);
    const family = FAMILY_OF[tool.type as keyof typeof FAMILY_OF];
    if (family) {
      check(tool.name === undefined, `tools.${index}.name: a toolset has no name`);
      check(!families.has(family), `tools.${index}: a second ${family} toolset`);
      checkConfigs(tool, `tools.${index}.configs`);
      families.add(family);
      continue;
    }
    check(
      tool.type === undefined || tool.type === 'custom',
      `tools.${index}.type: unknown type ${tool.type}`,
    );
    check(
      typeof tool.name === 'string' && /^[\w-]{1,64}$/.test(tool.name),
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
  for (const family of families)
    check(!names.has(family), `tools: Tool names must be unique (${family} is a toolset)`);
  checkForced(body, names);
  return families;
}

function checkConfigs({ configs }: JsonObject, where: string): void {
  if (!isObject(configs)) return;
  for (const [member, config] of Object.entries(configs)) {
    check(isObject(config), `${where}.${member}: must be an object`);
    for (const field of Object.keys(config))
      check(
        field === 'enabled' || field === 'defer_loading',
        `${where}.${member}.${field}: Extra inputs are not permitted`,
      );
  }
}

const NEVER_FORCED = /(?:opus|sonnet)-5-5|(?:fable|mythos)-5-[12]/;

/** whats-new-sonnet-5-5#forced-tool-use-is-not-supported. A toolset or its member is never forced. */
function checkForced({ model, tool_choice: choice }: JsonObject, names: ReadonlySet<string>): void {
  if (!isObject(choice)) return;
  check(
    !NEVER_FORCED.test(String(model)) || (choice.type !== 'any' && choice.type !== 'tool'),
    'tool_choice: type "tool" and "any" are not supported for this model.',
  );
  check(
    choice.type !== 'tool' || names.has(String(choice.name)),
    `tool_choice: ${choice.name} is no tool of this request, or a member of a toolset`,
  );
}

const SINCE_4_7 = /(?:opus|sonnet|haiku|fable|mythos)-(?:5|4-[78])\b/;
const BEFORE_4_6 = /-4-5\b/;
const THINKS_ALWAYS = /(?:opus|sonnet)-5-5|(?:fable|mythos)-/;

/** migration-guide#remove-sampling-parameters, thinking-troubleshooting#configurations-each-model-rejects. */
function checkSettings({ model, temperature, top_p: topP, top_k: topK, thinking }: JsonObject): void {
  const name = String(model);
  const plain = (temperature ?? 1) === 1 && (topP ?? 0.99) === 0.99 && topK == null;
  check(plain || !SINCE_4_7.test(name), 'temperature, top_p and top_k are not supported');
  const type = isObject(thinking) ? thinking.type : undefined;
  const refused =
    (type === 'enabled' && SINCE_4_7.test(name)) ||
    (type === 'adaptive' && BEFORE_4_6.test(name)) ||
    (type === 'disabled' && THINKS_ALWAYS.test(name));
  check(!refused, `"thinking.type.${type}" is not supported for this model.`);
}

/**
 * The messages of user and assistant, without the system's messages between them, which are checked
 * (mid-conversation-system-messages; stricter: the API takes changes of tools there, too).
 */
function withoutSystem(messages: JsonObject[]): JsonObject[] {
  return messages.filter((message, index) => {
    if (message.role !== 'system') return true;
    check(
      messages[index - 1]?.role === 'user' && messages[index + 1]?.role !== 'user',
      `messages.${index}: a system message stands behind a user message, at the end or before an assistant's`,
    );
    for (const [at, block] of contentOf(message, index).entries()) {
      check(block.type === 'text', `messages.${index}.content.${at}: text alone`);
      checkBlock(block, `messages.${index}.content.${at}`);
    }
    return false;
  });
}

/** An image, and the toolset that showed it. */
type Picture = ImageInfo & { toolset?: Json };

/** api/messages/create. Stricter: the API joins messages of one role, which would hide that one was sent twice (`joinsMessages`). */
function checkMessages(messages: JsonObject[], families: Set<string>): Picture[] {
  const ids = new Set<string>();
  const images: Picture[] = [];
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
      images.push(...checkBlock(block, where));
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
  return images;
}

const CONTEXT_200K = /haiku-4|-4-5\b/;

/** vision#request-limits; what a toolset shows is as small as the model looks at: browser-use-tool#targets-and-coordinates. */
function checkImages(model: string, images: readonly Picture[]): void {
  const count = CONTEXT_200K.test(model) ? 100 : 600;
  check(images.length <= count, `messages: at most ${count} images are allowed, found ${images.length}`);
  const many = images.length > 20;
  const { edge, patches } = sightOf(model);
  for (const { width, height, toolset } of images) {
    const longest = Math.max(width, height);
    check(
      !many || longest <= 2_000,
      'image dimensions exceed the size allowed for many-image requests: 2000 pixels',
    );
    check(
      toolset == null || (longest <= edge && patchesOf(width, height) <= patches),
      `a picture of ${width} x ${height} in a result of the ${toolset} toolset is larger than ${edge} pixels or ${patches} tokens`,
    );
  }
}

/** api/errors#prefill-not-supported. A paused turn goes on in the assistant's own message. */
function checkPrefill(messages: readonly JsonObject[], paused: ReadonlySet<string>): void {
  const last = messages.at(-1)!;
  const goesOn = Array.isArray(last.content) && paused.has(JSON.stringify(last.content.at(-1)));
  check(
    last.role === 'user' || goesOn,
    'This model does not support assistant message prefill. The conversation must end with a user message.',
  );
}

const UNSUPPORTED = new Set(
  'minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength maxItems uniqueItems minProperties maxProperties'.split(
    ' ',
  ),
);

const FORMATS = new Set('date-time time date duration email hostname uri ipv4 ipv6 uuid'.split(' '));

/** structured-outputs#json-schema-limitations. */
function checkFormat(schema: Json | undefined, where: string): void {
  if (Array.isArray(schema)) for (const each of schema) checkFormat(each, where);
  if (!isObject(schema)) return;
  for (const [key, value] of Object.entries(schema)) {
    check(!UNSUPPORTED.has(key) || isObject(value), `${where}: '${key}' is not supported`);
    check(key !== 'minItems' || Number(value) <= 1, `${where}: 'minItems' above 1 is not supported`);
    check(
      key !== 'format' || isObject(value) || FORMATS.has(String(value)),
      `${where}: the format '${value}' is not supported`,
    );
    check(
      key !== 'enum' || !Array.isArray(value) || !value.some(each => typeof each === 'object' && each),
      `${where}: 'enum' takes strings, numbers, booleans and null`,
    );
    checkFormat(value, `${where}.${key}`);
  }
  check(
    schema.type !== 'object' || schema.additionalProperties === false,
    `${where}: 'additionalProperties' must be false`,
  );
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

/** Returns the images that the block holds. Breakpoints: prompt-caching#what-cannot-be-cached. */
function checkBlock(block: JsonObject, where: string): Picture[] {
  // For the API, null is the same as none.
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
  if (block.type === 'image') return [checkImage(block, where)];
  return block.type === 'tool_result' ? checkResult(block, where) : [];
}

function checkImage(block: JsonObject, where: string): ImageInfo {
  const source = block.source as JsonObject | undefined;
  check(
    source?.type === 'base64' && typeof source.data === 'string',
    `${where}.source: base64 data required`,
  );
  check(source.data.length <= 10 * 1024 * 1024, `${where}: image exceeds 10 MB`);
  const bytes = Buffer.from(source.data, 'base64');
  check(bytes.toString('base64') === source.data, `${where}.source.data: invalid base64`);
  const info = imageInfo(bytes);
  check(info, `${where}: could not process image`);
  check(
    info.mediaType === source.media_type,
    `${where}: the image is ${info.mediaType}, not ${source.media_type}`,
  );
  check(Math.max(info.width, info.height) <= 8000, `${where}: image dimensions exceed 8000 pixels`);
  return info;
}

/** browser-use-tool#member-tools. The API says "all content must be type "text" if is_error is true" without a page. */
function checkResult(block: JsonObject, where: string): Picture[] {
  const content = block.content;
  if (content === undefined || typeof content === 'string') {
    check(!(block.is_error && !content), `${where}: an error result needs content`);
    return [];
  }
  check(Array.isArray(content), `${where}.content: must be a list`);
  if (block.is_error) {
    check(content.length > 0, `${where}: an error result needs content`);
    check(
      content.every(part => isObject(part) && part.type === 'text'),
      `${where}: all content must be type "text" if is_error is true`,
    );
  }
  const images: Picture[] = [];
  for (const [at, part] of (content as JsonObject[]).entries()) {
    check(
      ['text', 'image', 'browser_state'].includes(String(part.type)),
      `${where}.content.${at}: ${part.type} is not allowed`,
    );
    images.push(...checkBlock(part, `${where}.content.${at}`));
  }
  return images.map(image => ({ ...image, toolset: block.toolset_name }));
}

/** handle-tool-calls. Stricter: text behind results is taken, but may be answered by nothing (handling-stop-reasons#end-turn). */
function checkAnswers(content: JsonObject[], open: JsonObject[], index: number): void {
  const results = content.filter(block => block.type === 'tool_result');
  const first = content.findIndex(block => block.type !== 'tool_result');
  const stray = first >= 0 && content.slice(first).some(block => block.type === 'tool_result');
  check(!stray, `messages.${index}: tool_result blocks must come before other content`);
  check(
    results.length === 0 || results.length === content.length,
    `messages.${index}: text behind tool_result blocks makes empty answers likely: put it into the last result`,
  );
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

const STATE_FIELDS = new Set(['type', 'tabs', 'state_changes', 'cache_control']);
const TAB_FIELDS: Record<string, string> = {
  tab_id: 'string',
  title: 'string',
  url: 'string',
  active: 'boolean',
};
const CHANGE_FIELDS: Record<string, Record<string, string>> = {
  tab_opened: { tab_id: 'string' },
  download_started: { download_id: 'string', url: 'string' },
  download_completed: { download_id: 'string', url: 'string', path: 'string', size_bytes: 'number' },
  download_failed: { download_id: 'string', url: 'string', error: 'string' },
};
const REQUIRED = ['tab_id', 'title', 'url', 'download_id'];
/** Texts of the state have at most 4,096 characters, and ids are not empty. */
const CONTROL = /[\p{Cc}\u2028\u2029]/u;

function checkFields(state: JsonObject, index: number): void {
  for (const field of Object.keys(state))
    check(
      STATE_FIELDS.has(field),
      `messages.${index}: browser_state.${field}: Extra inputs are not permitted`,
    );
  for (const tab of (state.tabs as JsonObject[]) ?? [])
    checkEntry(tab, TAB_FIELDS, `messages.${index}: tabs`);
  for (const { type, ...change } of (state.state_changes as JsonObject[] | undefined) ?? []) {
    const fields = CHANGE_FIELDS[String(type)];
    check(fields, `messages.${index}: unknown change ${type}`);
    checkEntry(change, fields, `messages.${index}: ${type}`);
  }
}

function checkEntry(entry: JsonObject, fields: Record<string, string>, where: string): void {
  for (const [field, value] of Object.entries(entry)) {
    check(typeof value === fields[field], `${where}.${field}: Extra or wrong input`);
    if (typeof value !== 'string') continue;
    check(
      value.length <= 4_096 && !CONTROL.test(value) && (value || !field.endsWith('_id')),
      `${where}.${field}: too long, an empty id, or with control characters`,
    );
  }
  for (const field of REQUIRED)
    check(!(field in fields) || typeof entry[field] === 'string', `${where}.${field}: Field required`);
}

/** browser-use-tool#track-tabs-and-page-state. */
function checkState(state: JsonObject, member: string, index: number): void {
  checkFields(state, index);
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
    changes === undefined || (changes.length > 0 && changes.length <= 200),
    `messages.${index}: state_changes must be a list of 1 to 200`,
  );
  const downloads = (changes ?? []).flatMap(({ download_id: id }) => id ?? []);
  check(new Set(downloads).size === downloads.length, `messages.${index}: two state_changes of one download`);
  const opened = (changes ?? []).filter(change => change.type === 'tab_opened');
  for (const change of opened)
    check(
      tabs.some(tab => tab.tab_id === change.tab_id),
      `messages.${index}: tab_opened names a tab that is not listed`,
    );
  if (member === 'new_tab')
    check(
      opened.length === 1 && opened[0]!.tab_id === active[0]?.tab_id,
      `messages.${index}: new_tab reports exactly one tab_opened, of the active tab`,
    );
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
