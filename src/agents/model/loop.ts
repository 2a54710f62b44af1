// The loop of every agent with a model: a request, the calls of its answer, and so on until the model ends the task.
import { debug } from '../../text/debug';
import { messageOf, shorten } from '../../text/line';
import { AgentApiError, type Answered, type GaveUp, type SessionTask, type Turn } from '../agent';
import type { Ending } from '../tools/driver';
import { Budget, type Prices, unknownPrice } from './budget';
import type { Call, Calls } from './calls';
import {
  Conversation,
  goOn,
  isUnfinished,
  type Message,
  opening,
  systemPrompt,
  tokensOf,
} from './conversation';
import { RequestFailed } from './send';

/** After this many cut-off answers in a row, the trial ends: the limit of an answer is too low. */
const MAX_CUT_OFF = 3;
/** How often a refused conversation is changed and sent again. */
const MAX_REPAIRS = 2;

export interface Answer {
  readonly calls: readonly Call[];
  readonly text: string;
  /** What the model thought and said, in order. */
  readonly narration: readonly string[];
  /** Its messages, to send again with the next request. Thoughts alone are none: the answer is requested again. */
  readonly messages: readonly Message[];
  /** Why it ended, if neither with calls nor by itself: at the limit of tokens, or of the model's context. */
  readonly stop?: 'cut off' | 'refused' | 'no room' | undefined;
  /** What the API says about a refusal. */
  readonly why?: string | undefined;
}

export interface LoopSettings {
  /** The function that the user called. */
  factory: 'claude' | 'aiSdk';
  /** The model's name. */
  model: string;
  /** The most tokens of an answer. */
  maxTokens: number;
  /** What to do if they are too few. */
  advice: string;
  /** A sentence or two on how the model says that the task is done. */
  ends: string;
  /** The same, for a model that has not done it. */
  end: string;
  /** Whether a model that never calls a tool can't be an agent. */
  hasToCall: boolean;
  prices: Prices | undefined;
  /** Estimated tokens of the tools' definitions. */
  toolsTokens: number;
}

const BY_CALL = {
  ends: 'Then call answer with what the task asks for. That ends the task.',
  end: 'call answer',
};

export abstract class Loop {
  protected readonly conversation = new Conversation();
  protected readonly budget: Budget;
  /** Whether the model can take screenshots. */
  protected pictures = true;
  /** Estimated tokens of the newest request; 0 if the next one is all new. */
  private sent = 0;
  private cutOff = 0;
  /** Whether the newest answer had neither a call nor a result. */
  private asked = false;
  private hasCalled = false;
  private readonly by: LoopSettings;

  constructor(
    protected readonly task: SessionTask,
    protected readonly calls: Calls,
    by: LoopSettings,
  ) {
    this.by = this.wantsCall ? { ...by, ...BY_CALL } : by;
    this.budget = new Budget(task, by.prices, by.toolsTokens);
  }

  /** Sends the conversation, and reports what it used. */
  protected abstract ask(): Promise<Answer>;
  /** What to say of a request that failed. */
  protected abstract problem(failed: RequestFailed): string | Promise<string>;
  /** Removes from the conversation what the API refuses. @returns whether anything was */
  protected abstract repair(error: unknown): boolean;

  /** Whether the task ends with a call of `answer`. */
  private get wantsCall(): boolean {
    return typeof this.task.wantsAnswer === 'object';
  }

  protected get system(): string {
    return systemPrompt({ pictures: this.pictures, end: this.by.ends });
  }

  /**
   * @param files the names of those that the model may upload
   * @throws AgentApiError if the API or the model does not work, or the price is unknown and there is a cap;
   * BudgetExceededError before a turn that exceeds the cap; what `task.turn` throws; the signal's reason once it is aborted.
   */
  async play(files: readonly string[] = []): Promise<Answered | GaveUp> {
    const { task, calls, by } = this;
    try {
      if (!by.prices && task.maxCostUsd !== undefined) throw this.error(unknownPrice(by.model, by.factory));
      this.conversation.messages.push({ role: 'user', content: opening(task, files, await calls.look()) });
      for (;;) {
        const ending = await this.next();
        if (ending) return ending.result;
      }
    } finally {
      await calls.close();
    }
  }

  private async next(): Promise<Ending> {
    const { task } = this;
    const { model } = this.by;
    // Don't pay for an answer that can't be acted on: this turn throws TurnLimitError.
    if (task.turnsLeft <= 0) await task.turn('no turns are left', () => undefined);
    task.signal.throwIfAborted();
    const answer = await this.request();
    if (answer.stop === 'cut off') return this.cut(answer);
    this.cutOff = 0;
    if (answer.stop === 'refused') {
      await this.say('the model refuses', answer);
      throw this.error(
        `the model "${model}" refuses to do this task${answer.why}. Reword the goal, or set another model.`,
      );
    }
    if (answer.stop === 'no room') {
      await this.say('no room is left in the conversation', answer);
      if (this.conversation.trim(true)) return this.rewritten();
      throw this.error(
        `the task no longer fits into the context of the model "${model}". Lower maxSteps, or split the task.`,
      );
    }
    return answer.calls.length > 0 ? this.act(answer) : this.finish(answer);
  }

  private async request(): Promise<Answer> {
    if (this.conversation.trim()) this.rewritten();
    for (let repairs = 0; ; repairs++) {
      const size = tokensOf([this.system, this.conversation.messages]);
      this.budget.check(size - this.sent);
      try {
        const answer = await this.ask();
        this.sent = size;
        return answer;
      } catch (error) {
        this.task.signal.throwIfAborted();
        if (!(error instanceof RequestFailed)) throw error;
        if (repairs === MAX_REPAIRS || !this.repair(error.error)) throw this.error(await this.problem(error));
        debug('retry', () => `request again without what the API refuses: ${messageOf(error)}`);
        this.rewritten();
      }
    }
  }

  /** After a change to what was sent before. */
  private rewritten(): undefined {
    this.budget.forgetCached();
    this.sent = 0;
  }

  /** Adds an answer to the conversation, and what follows it. */
  private add(answer: Answer, ...next: Message[]): void {
    this.conversation.messages.push(...answer.messages, ...next);
  }

  private tell(answer: Answer, text: string): void {
    this.add(answer, { role: 'user', content: [{ type: 'text', text }] });
  }

  /** Runs the calls and adds their results and notes for the model. */
  private async act(answer: Answer): Promise<Ending> {
    const title = await this.calls.titleOf(answer.calls);
    const act = async (turn: Turn) => {
      this.narrate(turn, answer);
      const { ending, sent } = await this.calls.run(answer.calls, turn);
      if (!ending) this.add(answer, ...sent);
      return ending;
    };
    // The next request runs while the turn's picture is taken.
    const ending = await this.task.turn(title, act, { waitForPicture: false });
    this.asked = false;
    this.hasCalled = true;
    return ending;
  }

  /** An answer without a call. Models sometimes end in the middle of a task: with nothing, or by announcing what they will do. */
  private async finish(answer: Answer): Promise<Ending> {
    const { text } = answer;
    const { model, end, hasToCall } = this.by;
    const lacksCall = hasToCall && !this.hasCalled;
    const isEnd =
      (!lacksCall && !this.wantsCall && !isUnfinished(text)) || this.asked || this.task.turnsLeft <= 1;
    const start = isEnd ? 'finish' : 'no call';
    await this.say(text ? `${start}: ${shorten(text, 100)}` : isEnd ? start : 'an empty answer', answer);
    if (isEnd && lacksCall)
      throw this.error(
        `the model "${model}" called no tool, even when asked to. An agent needs a model that can call tools. It said: ${this.task.mask(shorten(text, 200)) || '(nothing)'}`,
      );
    if (isEnd) return { result: { answer: text } };
    this.asked = true;
    this.tell(answer, goOn(end));
    return undefined;
  }

  /** A cut-off call may be incomplete, so none of the answer's calls runs. */
  private async cut(answer: Answer): Promise<Ending> {
    const { maxTokens, advice } = this.by;
    const { calls } = answer;
    await this.say(`the answer is cut off at ${maxTokens} tokens`, answer);
    if (++this.cutOff >= MAX_CUT_OFF)
      throw this.error(`${MAX_CUT_OFF} answers in a row were cut off at ${maxTokens} tokens. ${advice}.`);
    const text = `Your answer was cut off at ${maxTokens} tokens${calls.length > 0 ? ', and none of its calls was run' : ''}. Answer again, in fewer words.`;
    if (calls.length > 0) this.add(answer, ...this.calls.refused(calls, text));
    else this.tell(answer, text);
    return undefined;
  }

  /** A turn without calls. */
  private say(title: string, answer: Answer): Promise<void> {
    return this.task.turn(this.task.mask(title), turn => {
      turn.readOnly();
      this.narrate(turn, answer);
    });
  }

  private narrate(turn: Turn, { narration }: Answer): void {
    for (const words of narration) if (words.trim()) turn.narrate(this.task.mask(words.trim()));
  }

  protected error(problem: string): AgentApiError {
    return new AgentApiError(`${this.by.factory}: ${problem}`);
  }
}
