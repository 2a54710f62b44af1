// The loop of every agent with a model: a request, the calls of its answer, and so on until the model ends the task.
import { debug } from '../../text/debug';
import { messageOf, shorten } from '../../text/line';
import { AgentApiError, BudgetExceededError, type GaveUp, type SessionTask, type Turn } from '../agent';
import { type Budget, unknownPrice } from './budget';
import type { Call, Calls, Ending } from './calls';
import { type Conversation, goOn, isUnfinished, opening, tokensOf } from './conversation';

/** After this many cut-off answers in a row, the trial ends: the limit of an answer is too low. */
const MAX_CUT_OFF = 3;
/** How often a refused conversation is changed and sent again. */
const MAX_REPAIRS = 2;

export interface Answer {
  readonly calls: readonly Call[];
  readonly text: string;
  /** What the model thought and said, in order. */
  readonly narration: readonly string[];
  /** Whether it was cut off at the limit of tokens. */
  readonly isCutOff: boolean;
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
  /** What the model does if the task is done. */
  end: string;
}

/** `Message` is the API's type for what is sent. */
export abstract class Loop<Said extends Answer, Message> {
  protected abstract readonly system: string;
  protected abstract readonly calls: Calls<Said['calls'][number], Message>;
  protected abstract readonly conversation: Pick<
    Conversation<{ role: string; content: unknown }>,
    'messages' | 'trim'
  >;
  protected abstract readonly budget: Budget;
  /** Estimated tokens of the newest request; 0 if the next one is all new. */
  private sent = 0;
  private cutOff = 0;
  /** Whether the newest answer had neither a call nor a result. */
  private asked = false;
  protected hasCalled = false;

  constructor(
    protected readonly task: SessionTask,
    private readonly by: LoopSettings,
  ) {}

  protected abstract ask(): Promise<Said>;
  /** What to say of an error of a request. */
  protected abstract problem(error: unknown): string | Promise<string>;
  /** Removes from the conversation what the API refuses. @returns whether anything was */
  protected abstract repair(error: unknown): boolean;
  /** Does what an answer says that is not cut off. */
  protected abstract follow(answer: Said): Promise<Ending>;
  /** Adds an answer to the conversation, and what follows it. */
  protected abstract add(answer: Said, next: Message[]): void;
  /** Adds an answer without calls, and a text. */
  protected abstract tell(answer: Said, text: string): void;

  /**
   * @param files the names of those that the model may upload
   * @throws AgentApiError if the API or the model does not work, or the price is unknown and there is a cap;
   * BudgetExceededError before a turn that exceeds the cap; what `task.turn` throws; the signal's reason once it is aborted.
   */
  async play(files: readonly string[] = []): Promise<GaveUp | undefined> {
    const { task, calls, conversation } = this;
    try {
      if (!this.budget.prices && task.maxCostUsd !== undefined)
        throw this.error(unknownPrice(this.by.model, this.by.factory));
      conversation.messages.push({ role: 'user', content: opening(task, files, await calls.look()) });
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
    // Don't pay for an answer that can't be acted on: this turn throws TurnLimitError.
    if (task.turnsLeft <= 0) await task.turn('no turns are left', () => undefined);
    task.signal.throwIfAborted();
    const answer = await this.request();
    if (answer.isCutOff) return this.cut(answer);
    this.cutOff = 0;
    return this.follow(answer);
  }

  private async request(): Promise<Said> {
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
        if (error instanceof AgentApiError || error instanceof BudgetExceededError) throw error;
        if (repairs === MAX_REPAIRS || !this.repair(error)) throw this.error(await this.problem(error));
        debug('retry', () => `request again without what the API refuses: ${messageOf(error)}`);
        this.rewritten();
      }
    }
  }

  /** After a change to what was sent before. */
  protected rewritten(): void {
    this.budget.forgetCached();
    this.sent = 0;
  }

  /** Runs the calls and adds their results and notes for the model. */
  protected async act(answer: Said): Promise<Ending> {
    const title = await this.calls.titleOf(answer.calls);
    const act = async (turn: Turn) => {
      this.narrate(turn, answer);
      const { ending, sent } = await this.calls.run(answer.calls, turn);
      if (!ending) this.add(answer, sent);
      return ending;
    };
    // The next request runs while the turn's picture is taken.
    const ending = await this.task.turn(title, act, { waitForPicture: false });
    this.asked = false;
    this.hasCalled = true;
    return ending;
  }

  /** An answer without a call. Models sometimes end in the middle of a task: with nothing, or by announcing what they will do. */
  protected async finish(answer: Said): Promise<Ending> {
    const { text } = answer;
    const isEnd = this.isResult(text) || this.asked || this.task.turnsLeft <= 1;
    const start = isEnd ? 'finish' : 'no call';
    await this.say(text ? `${start}: ${shorten(text, 100)}` : isEnd ? start : 'an empty answer', answer);
    if (isEnd) return { result: undefined };
    this.asked = true;
    this.tell(answer, goOn(this.by.end));
    return undefined;
  }

  protected isResult(text: string): boolean {
    return !isUnfinished(text);
  }

  /** @param why what the API says about it */
  protected async refused(answer: Said, why: string): Promise<never> {
    await this.say('the model refuses', answer);
    throw this.error(
      `the model "${this.by.model}" refuses to do this task${why}. Reword the goal, or set another model.`,
    );
  }

  /** A cut-off call may be incomplete, so none of the answer's calls runs. */
  private async cut(answer: Said): Promise<Ending> {
    const { maxTokens, advice } = this.by;
    const { calls } = answer;
    await this.say(`the answer is cut off at ${maxTokens} tokens`, answer);
    if (++this.cutOff >= MAX_CUT_OFF)
      throw this.error(`${MAX_CUT_OFF} answers in a row were cut off at ${maxTokens} tokens. ${advice}.`);
    const text = `Your answer was cut off at ${maxTokens} tokens${calls.length > 0 ? ', and none of its calls was run' : ''}. Answer again, in fewer words.`;
    if (calls.length > 0) this.add(answer, this.calls.refused(calls, text));
    else this.tell(answer, text);
    return undefined;
  }

  /** A turn without calls. */
  protected say(title: string, answer: Said): Promise<void> {
    return this.task.turn(this.task.mask(title), turn => {
      turn.readOnly();
      this.narrate(turn, answer);
    });
  }

  private narrate(turn: Turn, { narration }: Said): void {
    for (const words of narration) if (words.trim()) turn.narrate(this.task.mask(words.trim()));
  }

  protected error(problem: string): AgentApiError {
    return new AgentApiError(`${this.by.factory}: ${problem}`);
  }
}
