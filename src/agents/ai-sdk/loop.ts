// Runs one task with a model of the AI SDK.
import type { JSONSchema7, ModelMessage } from 'ai';
import { cutText, shorten } from '../../text/line';
import type { SessionTask } from '../agent';
import { type Call, isLooking, type Outcome, TOOLS } from '../model/calls';
import { withBreakpoints } from '../model/conversation';
import { type Answer, Loop } from '../model/loop';
import type { Failure } from '../model/send';
import { answerTools, finish, taskTools } from '../tools/task';
import type { Tool } from '../tools/tool';
import { type AiSdkSettings, modelName } from '.';
import { aiSdkSender, NoAnswer, type Sdk, usageWithCost } from './client';

const NO_PICTURES = '(The picture could not be shown to you. Go on by the text of the page.)';

export async function playWithAiSdk(task: SessionTask, settings: AiSdkSettings, sdk: Sdk) {
  return new AiSdkLoop(task, settings, sdk, await task.webmcp.isSupported()).play();
}

/** Our tools that have a description, with inputs that all models can fill in. */
export function toolsFor(
  { pageToolsMode, wantsAnswer }: Pick<SessionTask, 'pageToolsMode' | 'wantsAnswer'>,
  pictures: boolean,
  hasPageTools: boolean,
): Tool[] {
  const ofTabs = Object.values(TOOLS)
    .filter(({ name, description }) => description && (pictures || name !== 'screenshot'))
    .filter(({ name }) => pageToolsMode !== 'only' || isLooking(name));
  const [end = finish as Tool] = answerTools(wantsAnswer);
  const all = [...ofTabs, ...taskTools([end], hasPageTools)];
  return all.map(tool => ({ ...tool, input: tool.flat?.(pictures) ?? tool.input }));
}

class AiSdkLoop extends Loop {
  private readonly send: ReturnType<typeof aiSdkSender>;
  private tabs = '';

  constructor(
    task: SessionTask,
    private readonly settings: AiSdkSettings,
    private readonly sdk: Sdk,
    private readonly hasPageTools: boolean,
  ) {
    super(task, toolsFor(task, settings.pictures, hasPageTools), {
      factory: 'aiSdk',
      model: modelName(settings.model),
      maxTokens: settings.maxOutputTokens,
      advice: 'Raise aiSdk({ maxOutputTokens })',
      ends: 'Then call finish, with a sentence on the outcome. If the task asks for information, give it there.',
      end: 'call finish',
      prices: settings.pricing,
    });
    this.pictures = settings.pictures;
    this.send = aiSdkSender({ ...settings, factory: 'aiSdk' }, sdk);
  }

  protected async ask(): Promise<Answer> {
    const result = await this.generated();
    const { reasoningText = '', finishReason } = result;
    const calls = result.toolCalls.filter(call => !call.providerExecuted).map(callOf);
    const text = result.text.trim();
    const said = this.task.mask(shorten(text, 200));
    const isRefusal = calls.length === 0 && (finishReason === 'content-filter' || finishReason === 'error');
    return {
      // Leaves out the SDK's own answers to calls that it can't read: we answer each call ourselves.
      messages: result.response.messages.filter(({ role }) => role === 'assistant'),
      calls,
      text,
      narration: [reasoningText, text],
      stop: finishReason === 'length' ? 'cut off' : isRefusal ? 'refused' : undefined,
      why: ` (${finishReason})${said && `: ${said}`}`,
    };
  }

  private generated() {
    const { sdk, system, conversation } = this;
    // Without `execute`, the SDK returns the calls and makes no second request.
    const tools = this.definitions.map(({ name, description, schema }) => [
      name,
      sdk.tool({ description, inputSchema: sdk.jsonSchema<unknown>(schema as JSONSchema7) }),
    ]);
    return this.send(this.limit, async given => {
      const result = await sdk.generateText({
        system,
        messages: withBreakpoints(conversation.messages as ModelMessage[], marked),
        tools: Object.fromEntries(tools),
        ...given,
      });
      this.budget.report(usageWithCost(result.usage, this.settings.pricing));
      const { finishReason, rawFinishReason = finishReason, toolCalls } = result;
      if (!ENDS.includes(finishReason) && !toolCalls.length && !result.text.trim())
        throw new NoAnswer({ noAnswer: 'broken', words: `it is empty, and ended with "${rawFinishReason}"` });
      return result;
    });
  }

  protected repair({ status, words }: Failure): boolean {
    if (![400, 404, 413, 415, 422].includes(status ?? 0)) return false;
    const isTooLong = /too long|too many tokens|context|maximum|token limit/i.test(words);
    return (isTooLong && this.conversation.trim(true)) || this.goBlind();
  }

  /** Goes on without pictures, which the model may not accept. Servers say that in many ways. */
  private goBlind(): boolean {
    if (!this.pictures || !this.conversation.dropPictures(NO_PICTURES)) return false;
    this.pictures = false;
    this.tools = toolsFor(this.task, false, this.hasPageTools);
    return true;
  }

  protected override get choices(): string {
    return ` Tools: ${this.tools.map(({ name }) => name).join(', ')}.`;
  }

  protected override async look(): Promise<string> {
    const page = await super.look();
    const { tabs } = await this.driver.tabs.state();
    const lines = tabs.map(
      ({ tab_id, title, url, active }) =>
        `- ${tab_id}: "${title}" ${url}${active && tabs.length > 1 ? ' (active)' : ''}`,
    );
    const told = ['Open tabs:', ...lines].join('\n');
    const isNew = told !== this.tabs;
    this.tabs = told;
    return [isNew && told, page].filter(Boolean).join('\n').toWellFormed();
  }

  /** `words` go into the last result, pictures into a message of their own: few APIs accept a picture in a result. */
  protected sent(calls: readonly Call[], outcomes: readonly Outcome[], words: readonly string[]) {
    const content = calls.map(({ id, name }, index) => {
      const lines = [textOfOutcome(outcomes[index]!), ...(index === calls.length - 1 ? words : [])];
      // Errors are sent as text, too: some providers wrap errors in JSON and add words of their own.
      const output = { type: 'text' as const, value: this.task.mask(lines.join('\n')) };
      return { type: 'tool-result' as const, toolCallId: id, toolName: name, output };
    });
    const shown = outcomes
      .map(({ value }) => value)
      .filter(isPicture)
      .map(({ data, mediaType }) => ({ type: 'file' as const, data, mediaType }));
    const results = { role: 'tool' as const, content };
    return shown.length > 0 ? [results, { role: 'user', content: shown }] : [results];
  }
}

/** An empty answer that ended for another reason, such as an overload, is no answer. */
const ENDS = ['stop', 'length', 'tool-calls', 'content-filter', 'error'];

/** Marks a cache breakpoint for Anthropic. Other providers cache by themselves and ignore it. */
const marked = (message: ModelMessage): ModelMessage => ({
  ...message,
  providerOptions: { anthropic: { cacheControl: { type: 'ephemeral' } } },
});

/** Leaves out null, which models send for fields without a value. In an answer it may be meant. Inputs that are no objects are refused later. */
function callOf(made: { toolCallId: string; toolName: string; input: unknown }): Call {
  const { toolCallId: id, toolName: name, input } = made;
  if (typeof input !== 'object' || input === null || name === 'answer') return { id, name, input };
  return { id, name, input: Object.fromEntries(Object.entries(input).filter(([, value]) => value !== null)) };
}

const MAX_TEXT = 50_000;

const isPicture = (value: unknown): value is { data: string; mediaType: string } =>
  Object(value).data !== undefined && Object(value).mediaType !== undefined;

function textOfOutcome({ value, error }: Outcome): string {
  if (error !== undefined) return `Error: ${error}`;
  if (value === undefined || value === null || value === '') return 'Done.';
  if (isPicture(value)) return 'The picture follows.';
  return cutText(typeof value === 'object' ? JSON.stringify(value) : String(value), MAX_TEXT);
}
