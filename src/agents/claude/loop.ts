// Runs one task: a request, the calls of its answer, and so on until the model ends its turn.
import { readdir } from 'node:fs/promises';
import type {
  BetaContentBlock,
  BetaContentBlockParam,
  BetaMessage,
  MessageCreateParamsNonStreaming,
} from '@anthropic-ai/sdk/resources/beta/messages/messages';
import { shorten } from '../../browser/driver/tree';
import { AgentApiError, BudgetExceededError, type GaveUp, type SessionTask, type Turn } from '../agent';
import { Budget, type Prices } from '../model/budget';
import { type Ending, MAX_CUT_OFF, playUntilEnd } from '../model/play';
import { Progress } from '../model/progress';
import { goOn, isUnfinished, opening, systemPrompt } from '../model/prompt';
import { tokensOf } from '../model/trimming';
import { isLooking } from '../page-tools';
import { TOOLS } from '../tools';
import { Calls, callsOf, refusals } from './calls';
import { Client, type Limit } from './client';
import { Conversation } from './conversation';
import { apiError, wordsOf } from './errors';
import { type ClaudeSettings, vendorMembers } from './options';
import { bareName, pricesOf, TOOLS_TOKENS, unknownPrice, usageOf } from './pricing';

/** The same for all trials of a run, so that it is cached once. */
const SYSTEM = systemPrompt({
  pictures: true,
  end: 'Then answer in a sentence or two, without a tool call. That ends the task. If the task asks for information, give it in that answer.',
});
/** The members of the browser tool that do more than look. */
const NOT_ACTING = Object.fromEntries(
  Object.keys(TOOLS)
    .filter(name => !isLooking(name))
    .map(name => [name, false]),
);
const GO_ON = goOn('say in a sentence what the site shows of it');
const MAX_FILES_TOLD = 30;
/** Models that think by default, and only include their thoughts if asked for a summary. */
const THINKS = /^claude-(?:(?:opus|sonnet|haiku)-5-5|(?:fable|mythos)-5-[12])\b/;

/**
 * @throws AgentApiError if the API or the model does not work; BudgetExceededError before a turn that exceeds
 * the cap; what `task.turn` throws; the signal's reason once it is aborted.
 */
export async function playTask(task: SessionTask, settings: ClaudeSettings): Promise<GaveUp | undefined> {
  const { model, tools } = settings;
  const prices = pricesOf(settings);
  if (!prices && task.maxCostUsd !== undefined)
    throw new AgentApiError(`claude: ${unknownPrice(model, 'claude')}`);
  const isOnly = task.webmcp.mode === 'only';
  const given = vendorMembers(settings.members, task.configDir);
  const members = isOnly ? { ...given, ...NOT_ACTING } : given;
  const files = tools === 'browser' ? await filesIn(members.file_upload || []) : [];
  const hasPageTools = await task.webmcp.isSupported();
  // The computer tool can't be limited to looking.
  const calls = new Calls(task, isOnly ? 'browser' : tools, members, hasPageTools);
  try {
    const first = opening(task, files, await calls.look());
    return await new Loop(task, settings, calls, prices, first).play();
  } finally {
    await calls.close();
  }
}

async function filesIn(folders: readonly string[]): Promise<string[]> {
  const lists = await Promise.all(folders.map(folder => readdir(folder).catch(() => [])));
  return lists.flat().slice(0, MAX_FILES_TOLD);
}

class Loop {
  private readonly client: Client;
  private readonly conversation: Conversation;
  private readonly progress: Progress;
  private readonly budget: Budget;
  private readonly fixed: Pick<MessageCreateParamsNonStreaming, 'model' | 'max_tokens' | 'system' | 'tools'> &
    Partial<MessageCreateParamsNonStreaming>;
  /** Tokens that the next request adds. */
  private fresh: number;
  private cutOff = 0;
  /** Whether the newest answer had neither a call nor a result. */
  private asked = false;

  constructor(
    private readonly task: SessionTask,
    private readonly settings: ClaudeSettings,
    private readonly calls: Calls,
    private readonly prices: Prices | undefined,
    first: BetaContentBlockParam[],
  ) {
    this.client = new Client({ ...settings, factory: 'claude' });
    this.progress = new Progress(task);
    this.budget = new Budget(task, prices, TOOLS_TOKENS);
    this.conversation = new Conversation(first);
    this.fresh = tokensOf(SYSTEM) + tokensOf(first);
    this.fixed = {
      model: settings.model,
      max_tokens: settings.maxTokens,
      system: [{ type: 'text', text: SYSTEM, cache_control: { type: 'ephemeral' } }],
      tools: calls.tools,
      ...(settings.effort && { output_config: { effort: settings.effort } }),
      ...(THINKS.test(bareName(settings.model)) && { thinking: { type: 'adaptive', display: 'summarized' } }),
    };
  }

  play(): Promise<GaveUp | undefined> {
    return playUntilEnd(this.task, async () => this.answer(await this.request()));
  }

  private async request(): Promise<BetaMessage> {
    if (this.conversation.trim()) this.rewritten();
    for (let repairs = 0; ; repairs++) {
      this.budget.check(this.fresh);
      try {
        return await this.client.send(
          { ...this.fixed, messages: this.conversation.forRequest() },
          this.limit,
        );
      } catch (error) {
        this.task.signal.throwIfAborted();
        if (error instanceof BudgetExceededError) throw error;
        if (repairs === 0 && this.repair(error)) continue;
        throw new AgentApiError(`claude: ${this.client.problem(error)}`);
      }
    }
  }

  private get limit(): Limit {
    const { task } = this;
    return {
      signal: task.signal,
      // Read before each attempt: waiting for an overloaded API takes time.
      get timeLeftMs() {
        return task.timeLeftMs;
      },
      patienceMs: task.timeLeftMs,
      spent: usage => this.budget.report(usageOf(usage, this.prices)),
      // The whole conversation is in the cache by now.
      check: () => this.budget.check(0),
    };
  }

  /** Removes from the conversation what the API refuses, if possible. */
  private repair(error: unknown): boolean {
    const failed = apiError(error);
    if (failed?.status !== 400) return false;
    const message = wordsOf(failed);
    const tooLong = /prompt is too long|context window|context limit/i.test(message);
    const thinking = /thinking. block/i.test(message);
    const repaired =
      (tooLong && this.conversation.trim(true)) || (thinking && this.conversation.dropThinking());
    if (repaired) this.rewritten();
    return repaired;
  }

  private rewritten(): void {
    this.budget.forgetCached();
    this.fresh = tokensOf(SYSTEM) + tokensOf(this.conversation.messages);
  }

  private async answer(message: BetaMessage): Promise<Ending> {
    const { content } = message;
    if (message.stop_reason !== 'max_tokens') this.cutOff = 0;
    switch (message.stop_reason) {
      case 'refusal':
        return this.refused(message);
      case 'model_context_window_exceeded':
        return this.noRoom(content);
      case 'max_tokens':
        return this.cut(content);
      case 'pause_turn':
        return this.paused(content);
      case 'end_turn':
      case 'stop_sequence':
      case 'tool_use':
        return callsOf(content).length > 0 ? this.act(content) : this.finish(content);
      default:
        throw new AgentApiError(
          `claude: the answer ended with "${message.stop_reason}", which this version of @taskproof/playwright does not support. Update it.`,
        );
    }
  }

  /** Runs the calls and adds their results and notes for the model. */
  private async act(content: BetaContentBlock[]): Promise<Ending> {
    const calls = callsOf(content);
    const title = await this.calls.titleOf(calls);
    const act = async (turn: Turn) => {
      this.narrate(turn, content);
      const { results, gaveUp } = await this.calls.run(calls, turn);
      if (gaveUp) return gaveUp;
      const done = calls.map(({ name, input }) => ({ name, input }));
      const changes = await this.calls.changes(calls, results);
      const reminders = await this.progress.remindersAfter(done, changes ? this.calls.state : undefined);
      const words = changes === undefined ? reminders : [changes, ...reminders];
      this.goOn(content, this.calls.sent(calls, results, words));
      return undefined;
    };
    // The next request runs while the turn's picture is taken.
    const gaveUp = await this.task.turn(title, act, { waitForPicture: false });
    this.asked = false;
    return gaveUp && { result: gaveUp };
  }

  private goOn(content: BetaContentBlock[], next: BetaContentBlockParam[]): void {
    // Thoughts alone are not a message: the answer is requested again.
    if (!content.every(isThought)) this.conversation.addAnswer(content as BetaContentBlockParam[]);
    this.conversation.addUser(next);
    this.fresh = tokensOf(content) + tokensOf(next);
  }

  private async finish(content: BetaContentBlock[]): Promise<Ending> {
    const text = content.flatMap(block => (block.type === 'text' ? [block.text] : [])).join('\n');
    if (isUnfinished(text) && !this.asked && this.task.turnsLeft > 1) return this.askAgain(text, content);
    const title = text.trim() ? `finish: ${shorten(text, 100)}` : 'finish';
    await this.say(this.task.mask(title), content);
    return { result: undefined };
  }

  /** Models sometimes end in the middle of a task: with nothing, or by announcing what they will do. */
  private async askAgain(text: string, content: BetaContentBlock[]): Promise<Ending> {
    this.asked = true;
    const title = text.trim() ? `no call: ${shorten(text, 100)}` : 'an empty answer';
    await this.say(this.task.mask(title), content);
    if (!text.trim()) this.conversation.amend(GO_ON);
    else this.goOn(content, [{ type: 'text', text: GO_ON }]);
    return undefined;
  }

  private async refused(message: BetaMessage): Promise<never> {
    await this.say('the model refuses', message.content);
    const { category, explanation } = message.stop_details ?? {};
    const why = [category, explanation].filter(Boolean).join(': ');
    throw new AgentApiError(
      `claude: the model "${this.settings.model}" refuses to do this task${why ? ` (${why})` : ''}. Reword the goal, or set another model.`,
    );
  }

  private async noRoom(content: BetaContentBlock[]): Promise<Ending> {
    await this.say('no room is left in the conversation', content);
    if (!this.conversation.trim(true))
      throw new AgentApiError(
        `claude: the task no longer fits into the context of the model "${this.settings.model}". Lower maxSteps, or split the task.`,
      );
    this.rewritten();
    return undefined;
  }

  /** A cut-off call may be incomplete, so none of the answer's calls runs. */
  private async cut(content: BetaContentBlock[]): Promise<Ending> {
    const { maxTokens } = this.settings;
    const calls = callsOf(content);
    await this.say(`the answer is cut off at ${maxTokens} tokens`, content);
    if (++this.cutOff >= MAX_CUT_OFF)
      throw new AgentApiError(
        `claude: ${MAX_CUT_OFF} answers in a row were cut off at ${maxTokens} tokens. Raise claude({ maxTokens }), or lower effort.`,
      );
    const text = `Your answer was cut off at ${maxTokens} tokens${calls.length > 0 ? ', and none of its calls was run' : ''}. Answer again, in fewer words.`;
    // A cut-off thought has no signature, so the API would refuse it.
    const whole = content.filter(block => block.type !== 'thinking' || block.signature);
    if (whole.every(isThought)) this.conversation.amend(text);
    else this.goOn(whole, calls.length > 0 ? refusals(calls, text) : [{ type: 'text', text }]);
    return undefined;
  }

  private async paused(content: BetaContentBlock[]): Promise<Ending> {
    await this.say('pause', content);
    if (content.length > 0) this.conversation.addAnswer(content as BetaContentBlockParam[]);
    this.fresh = tokensOf(content);
    return undefined;
  }

  /** A turn without calls. */
  private say(title: string, content: readonly BetaContentBlock[]): Promise<void> {
    return this.task.turn(title, turn => {
      turn.readOnly();
      this.narrate(turn, content);
    });
  }

  private narrate(turn: Turn, content: readonly BetaContentBlock[]): void {
    for (const block of content) {
      const text = block.type === 'thinking' ? block.thinking : block.type === 'text' ? block.text : '';
      if (text.trim()) turn.narrate(this.task.mask(text.trim()));
    }
  }
}

function isThought({ type }: BetaContentBlock): boolean {
  return type === 'thinking' || type === 'redacted_thinking';
}
