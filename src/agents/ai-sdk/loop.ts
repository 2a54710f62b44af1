// Runs one task with a model of the AI SDK.
import type { JSONSchema7, ModelMessage } from 'ai';
import type { Usage } from '../../data/usage';
import { type Lane, laneOf } from '../../limiter/shared';
import { messageOf, shorten } from '../../text/line';
import type { SessionTask } from '../agent';
import { costOf } from '../model/budget';
import type { Call, Outcome } from '../model/calls';
import { withBreakpoints } from '../model/conversation';
import { type Answer, Loop } from '../model/loop';
import { type Failure, isOutOfCredit, keysIn, problemOf, type RequestFailed, send } from '../model/send';
import { answerTools } from '../tools/task';
import type { AiSdkSettings } from '.';
import { resultMessages, toolsFor } from './calls';

const NO_PICTURES = '(The picture could not be shown to you. Go on by the text of the page.)';

export async function playWithAiSdk(task: SessionTask, settings: AiSdkSettings, sdk: Sdk) {
  return new AiSdkLoop(task, settings, sdk, await task.webmcp.isSupported()).play();
}

const toolsOf = ({ webmcp, wantsAnswer }: SessionTask, pictures: boolean, hasPageTools: boolean) =>
  toolsFor(pictures, hasPageTools, webmcp.mode === 'only', answerTools(wantsAnswer)[0]);

class AiSdkLoop extends Loop {
  private lane: Promise<Lane> | undefined;
  private tabs = '';

  constructor(
    task: SessionTask,
    private readonly settings: AiSdkSettings,
    private readonly sdk: Sdk,
    private readonly hasPageTools: boolean,
  ) {
    super(task, toolsOf(task, settings.pictures, hasPageTools), {
      factory: 'aiSdk',
      model: settings.name,
      maxTokens: settings.maxOutputTokens,
      advice: 'Raise aiSdk({ maxOutputTokens })',
      ends: 'Then call finish, with a sentence on the outcome. If the task asks for information, give it there.',
      end: 'call finish',
      hasToCall: true,
      prices: settings.pricing,
    });
    this.pictures = settings.pictures;
  }

  protected async ask(): Promise<Answer> {
    const { pricing, name } = this.settings;
    const result = await this.generated();
    const { reasoningText = '', finishReason } = result;
    const usage = usageWithCost(result.usage, pricing);
    this.budget.report(usage);
    if (usage.costUsd === null && this.task.maxCostUsd !== undefined)
      throw this.error(
        `the provider of the model "${name}" does not count tokens, so maxCostUsd can't be kept. Remove maxCostUsd.`,
      );
    const calls = result.toolCalls.filter(call => !call.providerExecuted).map(callOf);
    const text = result.text.trim();
    const said = this.task.mask(shorten(text, 200));
    const isRefusal = calls.length === 0 && (finishReason === 'content-filter' || finishReason === 'error');
    return {
      // The SDK answers calls that it can't read. We answer each call once, ourselves.
      messages:
        text || calls.length > 0 ? result.response.messages.filter(({ role }) => role === 'assistant') : [],
      calls,
      text,
      narration: [reasoningText, text],
      stop: finishReason === 'length' ? 'cut off' : isRefusal ? 'refused' : undefined,
      why: ` (${finishReason})${said && `: ${said}`}`,
    };
  }

  private generated() {
    const { task, settings } = this;
    const { maxRetries, requestTimeoutMs } = settings;
    this.lane ??= laneOfModel(settings, task.maxRequests);
    return send({
      lane: this.lane,
      signal: task.signal,
      maxRetries,
      requestTimeoutMs,
      waiting: task.waiting,
      check: () => this.budget.check(this.conversation.messages),
      attempt: () => this.once(),
      failureOf: error => this.failureOf(error),
    });
  }

  private async once() {
    const { sdk, task, system, conversation } = this;
    const { model, maxOutputTokens, requestTimeoutMs, providerOptions } = this.settings;
    // Without `execute`, the SDK returns the calls and makes no second request.
    const tools = this.definitions.map(({ name, description, schema }) => [
      name,
      sdk.tool({ description, inputSchema: sdk.jsonSchema<unknown>(schema as JSONSchema7) }),
    ]);
    const timeUp = AbortSignal.timeout(requestTimeoutMs);
    try {
      const value = await sdk.generateText({
        model: model as Parameters<Sdk['generateText']>[0]['model'],
        system,
        messages: withBreakpoints(conversation.messages as ModelMessage[], marked),
        tools: Object.fromEntries(tools),
        maxOutputTokens,
        maxRetries: 0,
        abortSignal: AbortSignal.any([task.signal, timeUp]),
        ...(providerOptions && { providerOptions: providerOptions as never }),
      });
      const { inputTokens = 0, outputTokens = 0 } = value.usage;
      return { value, headers: new Headers(value.response.headers), tokens: inputTokens + outputTokens };
    } catch (error) {
      if (timeUp.aborted) throw new Silence();
      throw error;
    }
  }

  private failureOf(error: unknown): Failure {
    const { APICallError, JSONParseError, TypeValidationError, UnsupportedFunctionalityError } = this.sdk;
    if (error instanceof Silence) return { without: 'silent', words: '' };
    if (!APICallError.isInstance(error)) {
      const words = `${messageOf(error)} (${Object(error).name})`;
      // The gateway's errors have a status, too.
      const { statusCode } = Object(error) as { statusCode?: number };
      return { words, status: UnsupportedFunctionalityError.isInstance(error) ? 415 : statusCode };
    }
    const { cause, responseHeaders = {}, statusCode: status } = error;
    const words = wordsOf(error);
    if (status === undefined) return { without: 'connection', words };
    const isRead = JSONParseError.isInstance(cause) || TypeValidationError.isInstance(cause);
    const lacksTools = status < 500 && /\btools?\b|function.?call/i.test(words) && /support/i.test(words);
    const what = `the model "${this.settings.name}" does not support tools (${status})`;
    return {
      status,
      headers: new Headers(responseHeaders),
      ...(status < 300 && !isRead && { without: 'broken' }),
      noCredit: status === 429 && isOutOfCredit(`${error.message} ${error.responseBody}`),
      words,
      means: lacksTools ? `${what}, which an agent needs. Set another model.` : undefined,
    };
  }

  protected async problem(failed: RequestFailed): Promise<string> {
    const { name, model, requestTimeoutMs } = this.settings;
    const key = "the provider's apiKey, or its environment variable";
    const asked = {
      factory: 'aiSdk',
      model: name,
      requestTimeoutMs,
      key,
      address: addressOf(model),
    } as const;
    return problemOf(failed, asked, await sentKeys(model));
  }

  protected repair({ status, words }: Failure): boolean {
    if (![400, 404, 413, 415, 422].includes(status ?? 0)) return false;
    const isTooLong = /too long|too many tokens|context|maximum|token limit/i.test(words);
    return (isTooLong && this.conversation.trim(true)) || this.goBlind();
  }

  /** The model may not accept pictures. Servers word that in many ways. */
  private goBlind(): boolean {
    if (!this.pictures || !this.conversation.dropPictures(NO_PICTURES)) return false;
    this.pictures = false;
    this.tools = toolsOf(this.task, false, this.hasPageTools);
    return true;
  }

  protected override get choices(): string {
    return ` Tools: ${Object.keys(this.tools).join(', ')}.`;
  }

  /** With the tabs, if they have changed. */
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

  protected sent(calls: readonly Call[], outcomes: readonly Outcome[], words: readonly string[]) {
    return resultMessages(calls, outcomes, words, this.task.mask);
  }
}

class Silence extends Error {}

async function laneOfModel({ model, name }: AiSdkSettings, maxRequests?: number): Promise<Lane> {
  const { provider = '' } = model as { provider?: string };
  return laneOf(name, [provider, addressOf(model), ...(await sentKeys(model))], maxRequests);
}

/** Providers keep it in `config`, with their headers, which no interface promises. */
function addressOf(model: AiSdkSettings['model']): string {
  try {
    const { baseURL, url } = configOf(model);
    return String(baseURL ?? url?.({ path: '', modelId: '' }) ?? '');
  } catch {
    return '';
  }
}

type Config = { baseURL?: unknown; headers?: unknown; url?(of: object): unknown };
const configOf = (model: AiSdkSettings['model']) => (model as { config?: Config }).config ?? {};

/** Other providers than Anthropic cache by themselves and ignore this. */
const marked = (message: ModelMessage): ModelMessage => ({
  ...message,
  providerOptions: { anthropic: { cacheControl: { type: 'ephemeral' } } },
});

/** Models send null for fields that they leave out, but in an answer it may be meant. What is no object is refused later, with a reason. */
function callOf(made: { toolCallId: string; toolName: string; input: unknown }): Call {
  const { toolCallId: id, toolName: name, input } = made;
  if (typeof input !== 'object' || input === null || name === 'answer') return { id, name, input };
  return { id, name, input: Object.fromEntries(Object.entries(input).filter(([, value]) => value !== null)) };
}

interface Counted {
  inputTokens?: number | undefined;
  outputTokens?: number | undefined;
  inputTokenDetails?: { cacheReadTokens?: number | undefined; cacheWriteTokens?: number | undefined };
}

/** The usage with its cost; null without prices, or if the provider did not count. */
export function usageWithCost(counted: Counted, pricing: AiSdkSettings['pricing']): Required<Usage> {
  const { inputTokens, outputTokens, inputTokenDetails } = counted;
  const cacheReadTokens = inputTokenDetails?.cacheReadTokens ?? 0;
  const cacheCreationTokens = inputTokenDetails?.cacheWriteTokens ?? 0;
  const tokens = {
    inputTokens: Math.max(0, (inputTokens || 0) - cacheReadTokens - cacheCreationTokens),
    outputTokens: outputTokens || 0,
    cacheReadTokens,
    cacheCreationTokens,
  };
  // Servers that don't count report 0, and no request has an empty prompt.
  const isCounted = Boolean(inputTokens) && outputTokens !== undefined;
  return { ...tokens, costUsd: pricing && isCounted ? costOf(pricing, tokens) : null };
}

export type Sdk = typeof import('ai');

/** The provider's message; if the SDK found none, the beginning of the response. */
function wordsOf(error: { message: string; data?: unknown; responseBody?: string }): string {
  const { message, data, responseBody } = error;
  const body =
    data === undefined && responseBody
      ? responseBody
          .slice(0, 10_000)
          .replace(/<[^>]*>|\s+/g, ' ')
          .trim()
      : '';
  return [message, body].filter(Boolean).join(': ');
}

async function sentKeys(model: AiSdkSettings['model']): Promise<string[]> {
  try {
    const { headers } = configOf(model);
    const told: unknown = await (typeof headers === 'function' ? headers() : headers);
    return keysIn(told ?? {});
  } catch {
    return [];
  }
}
