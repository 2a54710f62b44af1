// The rules of the Messages API for requests, as far as an agent can break them. Each names the page of
// https://platform.claude.com/docs/en that says so (checked in November 2026). Where this server is stricter than the API, a field
// or block that nothing here sends is taken for a typing error.
import { z } from 'zod';
import { imageInfo, isObject, type Json, type JsonObject, patchesOf, sightOf } from './tokens';

/** A request that the API would answer with 400. */
export class RuleBroken extends Error {}

function check(condition: unknown, message: string): asserts condition {
  if (!condition) throw new RuleBroken(message);
}

/** For the API, null is the same as none. */
const cache_control = z.looseObject({ type: z.literal('ephemeral') }).nullish();
const text = z.looseObject({
  type: z.literal('text'),
  text: z
    .string()
    .refine(value => value.trim() !== '', 'text must not be empty')
    .refine(value => !/[\uD800-\uDFFF]/u.test(value), 'text is not valid UTF-8'),
  cache_control,
});
const image = z.looseObject({
  type: z.literal('image'),
  source: z.looseObject({ type: z.literal('base64'), media_type: z.string(), data: z.string() }),
  cache_control,
});

/** browser-use-tool#track-tabs-and-page-state. */
const short = z
  .string()
  .max(4_096)
  .regex(/^[^\p{Cc}\u2028\u2029]*$/u);
const id = short.min(1);
const download = { download_id: id, url: short };
const state = z.strictObject({
  type: z.literal('browser_state'),
  tabs: z
    .array(z.strictObject({ tab_id: id, title: short, url: short, active: z.boolean().optional() }))
    .max(100),
  state_changes: z
    .array(
      z.discriminatedUnion('type', [
        z.strictObject({ type: z.literal('tab_opened'), tab_id: id }),
        z.strictObject({ type: z.literal('download_started'), ...download }),
        z.strictObject({
          type: z.literal('download_completed'),
          ...{ ...download, path: short.optional(), size_bytes: z.number().optional() },
        }),
        z.strictObject({ type: z.literal('download_failed'), ...download, error: short.optional() }),
      ]),
    )
    .min(1)
    .max(200)
    .optional(),
  cache_control,
});

/** browser-use-tool#member-tools. */
const result = z
  .looseObject({
    type: z.literal('tool_result'),
    tool_use_id: z.string(),
    toolset_name: z.string().nullish(),
    is_error: z.boolean().nullish(),
    content: z.union([z.string(), z.array(z.discriminatedUnion('type', [text, image, state]))]).optional(),
    cache_control,
  })
  .refine(({ is_error, content }) => !is_error || content?.length, 'an error result needs content')
  .refine(
    ({ is_error, content }) =>
      !is_error || !Array.isArray(content) || content.every(({ type }) => type === 'text'),
    'all content must be type "text" if is_error is true',
  );
const use = z.looseObject({
  ...{ type: z.literal('tool_use'), id: z.string(), name: z.string(), toolset_name: z.string().nullish() },
  cache_control,
});
/** prompt-caching#what-cannot-be-cached. */
const thinking = { cache_control: z.null().optional() };

const contentOf = (...blocks: [z.core.$ZodTypeDiscriminable, ...z.core.$ZodTypeDiscriminable[]]) =>
  z.union([z.string().regex(/\S/), z.array(z.discriminatedUnion('type', blocks)).min(1)]);
const message = z.discriminatedUnion('role', [
  z.looseObject({
    role: z.literal('user'),
    content: contentOf(text, image, result, z.looseObject({ type: z.literal('document') })),
  }),
  z.looseObject({
    role: z.literal('assistant'),
    content: contentOf(
      ...([text, use, z.looseObject({ type: z.literal('thinking'), ...thinking })] as const),
      z.looseObject({ type: z.literal('redacted_thinking'), ...thinking }),
    ),
  }),
  z.looseObject({ role: z.literal('system'), content: contentOf(text) }),
]);

/** tool-reference#client-toolsets. */
const member = z.strictObject({ enabled: z.boolean().optional(), defer_loading: z.boolean().optional() });
const toolset = (type: string) =>
  z.looseObject({
    type: z.literal(type),
    name: z.undefined().optional(),
    configs: z.record(z.string(), member).optional(),
  });
const tool = z.union([
  toolset('browser_toolset_20260801'),
  toolset('computer_toolset_20260801'),
  z.looseObject({
    type: z.literal('custom').optional(),
    name: z.string().regex(/^[\w-]{1,64}$/),
    input_schema: z.looseObject({ type: z.literal('object') }),
  }),
]);

const request = z.strictObject({
  model: z.string().min(1),
  max_tokens: z.int().positive(),
  messages: z.array(message).min(1),
  tools: z.array(tool).optional(),
  output_config: z.looseObject({ format: z.looseObject({}).nullish() }).optional(),
  thinking: z.looseObject({ type: z.string() }).optional(),
  ...Object.fromEntries(
    ['system', 'tool_choice', 'stream', 'metadata', 'stop_sequences', 'temperature', 'top_p', 'top_k']
      .concat('service_tier')
      .map(field => [field, z.unknown().optional()]),
  ),
});

export function checkRequest(body: unknown): asserts body is JsonObject {
  const { error } = request.safeParse(body);
  check(!error, error ? z.prettifyError(error) : '');
  const { model, messages, tools, thinking, tool_choice: choice, output_config: output } = body as JsonObject;
  const typeOf = (value: Json | undefined) => (isObject(value) ? value.type : undefined);
  // thinking-troubleshooting#configurations-each-model-rejects, whats-new-sonnet-5-5#forced-tool-use-is-not-supported.
  const refused =
    (typeOf(thinking) === 'adaptive' && /-4-5\b/.test(String(model))) ||
    (/^(any|tool)$/.test(String(typeOf(choice))) &&
      /(?:opus|sonnet)-5-5|(?:fable|mythos)-5-[12]/.test(String(model)));
  check(!refused, `thinking or tool_choice: its type is not supported for ${model}`);
  const families = checkNames((tools ?? []) as JsonObject[]);
  // Those of the system between them: mid-conversation-system-messages.
  const said = (messages as JsonObject[]).filter(({ role }) => role !== 'system');
  checkMessages(said, families);
  checkImages(String(model), said);
  // api/errors#prefill-not-supported.
  check(said.at(-1)!.role === 'user', 'This model does not support assistant message prefill.');
  const format = isObject(output) ? output.format : undefined;
  if (isObject(format)) checkFormat(format.schema, 'output_config.format.schema');
  const marks = countMarks(body as JsonObject);
  check(marks <= 4, `A maximum of 4 blocks with cache_control may be provided. Found ${marks}.`);
}

/** @returns the toolsets: each once, and no tool of its name */
function checkNames(tools: readonly JsonObject[]): Set<string> {
  const families = tools.flatMap(({ type }) => /^(\w+)_toolset_/.exec(String(type ?? ''))?.[1] ?? []);
  const names = [...families, ...tools.flatMap(({ name }) => (name === undefined ? [] : [String(name)]))];
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  check(!twice, `tools: Tool names must be unique (${twice})`);
  return new Set(families);
}

const blocksOf = ({ content }: JsonObject) => (Array.isArray(content) ? content : []) as JsonObject[];

/** api/messages/create. Stricter: the API joins messages of one role, which would hide that one was sent twice (`joinsMessages`). */
function checkMessages(messages: readonly JsonObject[], families: ReadonlySet<string>): void {
  const ids = new Set<string>();
  let open: JsonObject[] = [];
  messages.forEach((message, index) => {
    check(
      message.role === (index % 2 ? 'assistant' : 'user'),
      `messages.${index}: roles must alternate, beginning with user`,
    );
    if (message.role === 'user') checkAnswers(blocksOf(message), open, index);
    open = blocksOf(message).filter(block => block.type === 'tool_use');
    for (const { id, toolset_name: family } of open) {
      check(!ids.has(String(id)), `messages.${index}: tool_use ids must be unique (${id})`);
      ids.add(String(id));
      check(family == null || families.has(String(family)), `messages.${index}: unknown toolset ${family}`);
    }
  });
  check(
    open.length === 0,
    `messages.${messages.length}: tool_use ids were found without tool_result blocks after them`,
  );
}

/** handle-tool-calls. Stricter: text behind results is taken, but may be answered by nothing (handling-stop-reasons#end-turn). */
function checkAnswers(content: JsonObject[], open: JsonObject[], index: number): void {
  const results = content.filter(block => block.type === 'tool_result');
  check(
    results.length === 0 || results.length === content.length,
    `messages.${index}: tool_result blocks stand alone: put text into the last one`,
  );
  for (const { tool_use_id: id } of results)
    check(
      open.some(use => use.id === id),
      `messages.${index}: unexpected tool_use_id ${id} in tool_result`,
    );
  for (const use of open) {
    const answers = results.filter(result => result.tool_use_id === use.id);
    check(
      answers.length === 1,
      `messages.${index}: tool_use ${use.id} needs one tool_result in the next message, found ${answers.length}`,
    );
    checkEcho(answers[0]!, use, `messages.${index}`);
  }
}

const STATE_ONLY = new Set(['new_tab', 'list_tabs', 'switch_tab', 'close_tab']);

function checkEcho(result: JsonObject, use: JsonObject, where: string): void {
  const family = use.toolset_name ?? null;
  check(
    (result.toolset_name ?? null) === family,
    `${where}: the tool_result must echo toolset_name ${family}`,
  );
  const content = blocksOf(result);
  const states = content.filter(part => part.type === 'browser_state');
  const most = family === 'browser' ? 1 : 0;
  check(states.length <= most, `${where}: at most ${most} browser_state in a result`);
  if (result.is_error) return;
  check(
    !STATE_ONLY.has(String(use.name)) || (content.length === 1 && states.length === 1),
    `${where}: ${use.name} must be answered by one browser_state alone`,
  );
  if (states[0]) checkState(states[0] as z.infer<typeof state>, String(use.name), where);
}

/** browser-use-tool#track-tabs-and-page-state. */
function checkState(
  { tabs, state_changes: changes = [] }: z.infer<typeof state>,
  member: string,
  where: string,
) {
  const ids = tabs.map(tab => tab.tab_id);
  check(new Set(ids).size === tabs.length, `${where}: tab ids must be unique`);
  const active = tabs.filter(tab => tab.active);
  check(tabs.length === 0 || active.length === 1, `${where}: exactly one tab must be active`);
  const downloads = changes.flatMap(change => ('download_id' in change ? change.download_id : []));
  check(new Set(downloads).size === downloads.length, `${where}: two state_changes of one download`);
  const opened = changes.flatMap(change => (change.type === 'tab_opened' ? change.tab_id : []));
  check(
    opened.every(id => ids.includes(id)),
    `${where}: tab_opened names a tab that is not listed`,
  );
  check(
    member !== 'new_tab' || (opened.length === 1 && opened[0] === active[0]?.tab_id),
    `${where}: new_tab reports exactly one tab_opened, of the active tab`,
  );
}

/** Pictures of messages, each with the toolset that showed it. */
const picturesIn = (
  blocks: readonly JsonObject[],
  toolset?: Json,
): { source: JsonObject; toolset?: Json }[] =>
  blocks.flatMap(block =>
    block.type === 'image'
      ? [{ source: block.source as JsonObject, toolset }]
      : picturesIn(blocksOf(block), block.toolset_name),
  );

/** vision#request-limits; what a toolset shows is as small as the model looks at: browser-use-tool#targets-and-coordinates. */
function checkImages(model: string, messages: readonly JsonObject[]): void {
  const images = picturesIn(messages);
  const count = /haiku-4|-4-5\b/.test(model) ? 100 : 600;
  check(images.length <= count, `messages: at most ${count} images are allowed, found ${images.length}`);
  const { edge, patches } = sightOf(model);
  for (const { source, toolset } of images) {
    const data = String(source.data);
    check(data.length <= 10 * 1024 * 1024, 'image exceeds 10 MB');
    const bytes = Buffer.from(data, 'base64');
    check(bytes.toString('base64') === data, 'image: invalid base64');
    const info = imageInfo(bytes);
    check(info, 'could not process image');
    const { width, height, mediaType } = info;
    check(mediaType === source.media_type, `the image is ${mediaType}, not ${source.media_type}`);
    const longest = Math.max(width, height);
    check(longest <= 8_000, 'image dimensions exceed 8000 pixels');
    check(
      images.length <= 20 || longest <= 2_000,
      'image dimensions exceed the size allowed for many-image requests: 2000 pixels',
    );
    check(
      toolset == null || (longest <= edge && patchesOf(width, height) <= patches),
      `a picture of ${width} x ${height} in a result of the ${toolset} toolset is larger than ${edge} pixels or ${patches} tokens`,
    );
  }
}

const UNSUPPORTED =
  /^(minimum|maximum|exclusive\w+|multipleOf|minLength|maxLength|maxItems|uniqueItems|minProperties|maxProperties)$/;
const FORMATS = /^(date-time|time|date|duration|email|hostname|uri|ipv4|ipv6|uuid)$/;

/** structured-outputs#json-schema-limitations. */
function checkFormat(schema: Json | undefined, where: string): void {
  if (Array.isArray(schema)) for (const each of schema) checkFormat(each, where);
  if (!isObject(schema)) return;
  for (const [key, value] of Object.entries(schema)) {
    // A property may have such a name.
    const isKeyword = !isObject(value);
    const refused =
      UNSUPPORTED.test(key) ||
      (key === 'minItems' && Number(value) > 1) ||
      (key === 'format' && !FORMATS.test(String(value)));
    check(!isKeyword || !refused, `${where}: '${key}' of ${value} is not supported`);
    checkFormat(value, `${where}.${key}`);
  }
  check(
    schema.type !== 'object' || schema.additionalProperties === false,
    `${where}: 'additionalProperties' must be false`,
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
