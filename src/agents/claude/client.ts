// One request at a time to the Messages API, as a stream, retried where the answer breaks off on its way.
import Anthropic, { AnthropicError, APIError } from '@anthropic-ai/sdk';
import type {
  BetaMessage,
  MessageCreateParamsNonStreaming,
} from '@anthropic-ai/sdk/resources/beta/messages/messages';
import { sleep } from '../../browser/waiting';
import type { ModelSettings } from './options';

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 8_000;
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
