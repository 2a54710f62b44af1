// One request at a time to the Messages API, as a stream, retried if the answer breaks off on its way; and what went
// wrong, in words that say what to do.
import Anthropic, {
  AnthropicError,
  APIConnectionError,
  APIConnectionTimeoutError,
  APIError,
} from '@anthropic-ai/sdk';
import type {
  BetaMessage,
  MessageCreateParamsNonStreaming,
} from '@anthropic-ai/sdk/resources/beta/messages/messages';
import { sleep } from '../../browser/waiting';
import type { ModelSettings } from './options';

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 8_000;
const MAX_MESSAGE = 300;
/** What may come as an event inside a stream that began well. */
const PASSING = new Set(['overloaded_error', 'api_error', 'rate_limit_error', 'timeout_error']);

export class Client {
  private readonly api: Anthropic;

  constructor(private readonly settings: ModelSettings) {
    const { apiKey, baseURL, maxRetries } = settings;
    this.api = new Anthropic({ maxRetries, ...(apiKey && { apiKey }), ...(baseURL && { baseURL }) });
  }

  /**
   * The SDK retries until an answer begins, and leaves alone one that breaks off after that. Those are retried here.
   *
   * @param limit the trial's signal and the milliseconds that it has left.
   */
  async send(
    params: MessageCreateParamsNonStreaming,
    limit: { signal: AbortSignal; timeLeftMs: number },
  ): Promise<BetaMessage> {
    const { signal } = limit;
    for (let attempt = 0; ; attempt++) {
      try {
        return await this.once(params, limit);
      } catch (error) {
        signal.throwIfAborted();
        if (!brokeOff(error) || attempt >= this.settings.maxRetries) throw error;
        await sleep(Math.min(FIRST_PAUSE_MS * 2 ** attempt, LONGEST_PAUSE_MS), signal);
      }
    }
  }

  private async once(
    params: MessageCreateParamsNonStreaming,
    { signal, timeLeftMs }: { signal: AbortSignal; timeLeftMs: number },
  ): Promise<BetaMessage> {
    const timeout = Math.max(1, Math.ceil(Math.min(this.settings.requestTimeoutMs, timeLeftMs)));
    const stream = this.api.beta.messages.stream(params, { signal, timeout });
    // The SDK's own limit ends with the headers: a stream that goes silent is ended here.
    let silent = false;
    const stop = () => {
      silent = true;
      stream.abort();
    };
    let timer: NodeJS.Timeout | undefined;
    const restart = () => {
      clearTimeout(timer);
      timer = setTimeout(stop, timeout);
    };
    stream.on('connect', restart).on('streamEvent', restart);
    try {
      return await stream.finalMessage();
    } catch (error) {
      throw silent ? new AnthropicError(`nothing came for ${timeout / 1000} s`) : error;
    } finally {
      clearTimeout(timer);
    }
  }
}

/** The connection or the stream ended early; an error with a status was an answer, and the SDK has retried it. */
function brokeOff(error: unknown): boolean {
  if (error instanceof APIError) return error.status === undefined && PASSING.has(String(error.type));
  return error instanceof AnthropicError;
}

export interface Asker extends ModelSettings {
  /** What the user called to set these. */
  factory: 'claude' | 'webJudge';
  tools?: 'browser' | 'computer';
}

/** Whatever a request threw, as the reason that a trial ends with. */
export function apiProblem(error: unknown, asker: Asker): string {
  // A proxy or a page of an error may echo what it was sent.
  return [asker.apiKey, process.env.ANTHROPIC_API_KEY, process.env.ANTHROPIC_AUTH_TOKEN]
    .filter(key => key !== undefined && key.length > 3)
    .reduce<string>((text, key) => text.replaceAll(key!, '[key]'), reasonOf(error, asker));
}

function reasonOf(error: unknown, asker: Asker): string {
  if (error instanceof APIConnectionError) return connection(error, asker);
  if (error instanceof APIError) return `${advice(error, asker)} ${quoted(error)}`;
  const message = error instanceof Error ? error.message : String(error);
  return `the answer broke off, also after ${asker.maxRetries} retries: ${message}`;
}

function quoted(error: APIError): string {
  const message = error.apiMessage ?? error.message;
  const short = message.length > MAX_MESSAGE ? `${message.slice(0, MAX_MESSAGE)}…` : message;
  return `The API said: ${short}${error.requestID ? ` (request ${error.requestID})` : ''}`;
}

function advice(error: APIError, { factory, model, tools, maxRetries }: Asker): string {
  const { status } = error;
  // The model does not take the tool, as far as the API's words tell.
  if (
    tools &&
    status === 400 &&
    /(browser|computer)_toolset|tool types?/i.test(error.apiMessage ?? error.message)
  ) {
    const other = tools === 'browser' ? 'computer' : 'browser';
    return `the model "${model}" does not take the ${tools} tool. Set another model, claude({ model: 'claude-opus-5-5' }), or another tool, claude({ tools: '${other}' }).`;
  }
  const known: Record<number, string> = {
    400: 'the API refuses the request (400).',
    401: `the API refuses the key (401). Check ANTHROPIC_API_KEY, or the apiKey that ${factory}() is given.`,
    402: 'the account has no credit (402). Add credit, or use another key.',
    403: `the key may not use this (403). Check what its workspace may do, and whether it may use the model "${model}".`,
    404: `there is no model "${model}" for this key (404). Check ${factory}({ model }) and baseURL.`,
    413: 'the request is too large (413). Use a smaller viewport or fewer steps.',
    429: `the rate limit is reached (429), also after ${maxRetries} retries. Run fewer workers (--workers=1), raise ${factory}({ maxRetries }), or ask for a higher limit.`,
    529: `the API is overloaded (529), also after ${maxRetries} retries. Run again later, or raise ${factory}({ maxRetries }).`,
  };
  return (
    known[status ?? 0] ??
    `the API failed (${status ?? error.type}), also after ${maxRetries} retries. Run again later.`
  );
}

function connection(error: APIConnectionError, asker: Asker): string {
  const { factory, baseURL, requestTimeoutMs, maxRetries } = asker;
  if (error instanceof APIConnectionTimeoutError)
    return `no answer within ${requestTimeoutMs / 1000} s, also after ${maxRetries} retries. Raise ${factory}({ requestTimeoutMs }), or check the network.`;
  const cause = error.cause instanceof Error ? error.cause : undefined;
  const reason = cause?.cause instanceof Error ? cause.cause.message : cause?.message;
  return `the API at ${baseURL ?? process.env.ANTHROPIC_BASE_URL ?? 'its default address'} can't be reached, also after ${maxRetries} retries${reason ? ` (${reason})` : ''}. Check the network, a proxy, and baseURL.`;
}
