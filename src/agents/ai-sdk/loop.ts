// Runs one task: a request, the calls of its answer, and so on until the model ends it.
import { shorten } from '../../browser/driver/tree';
import { AgentApiError, BudgetExceededError, type GaveUp, type SessionTask, type Turn } from '../agent';
import { Budget } from '../model/budget';
import { type Ending, MAX_CUT_OFF, playUntilEnd } from '../model/play';
import { Progress } from '../model/progress';
import { goOn, isUnfinished, opening, systemPrompt } from '../model/prompt';
import { tokensOf } from '../model/trimming';
import { Calls } from './calls';
import { Conversation } from './conversation';
import type { AiSdkSettings } from './options';
import { problemOf, refusalOf } from './problem';
import { type Answer, ask, type Sdk } from './request';

const END =
  'Then call finish, with a sentence on the outcome. If the task asks for information, give it there.';
const GO_ON = goOn('call finish');
const NO_PICTURES = '(The picture could not be shown to you. Go on by the text of the page.)';

/**
 * @throws AgentApiError if the provider or the model does not work; BudgetExceededError before a turn that exceeds
 * the cap; what `task.turn` throws; the signal's reason once it is aborted.
 */
export async function playTask(task: SessionTask, settings: AiSdkSettings, sdk: Sdk) {
  if (!settings.pricing && task.maxCostUsd !== undefined)
    throw new AgentApiError(
      `aiSdk: the price is unknown for the model "${settings.name}", so maxCostUsd can't be kept. Set its prices in dollars per million tokens, aiSdk({ model, pricing: { input: 1.25, output: 10 } }), or remove maxCostUsd.`,
    );
  const calls = new Calls(task, settings.pictures, await task.webmcp.isSupported());
  try {
    const first = opening(task, [], await calls.look());
    return await new Loop(task, settings, sdk, calls, first).play();
  } finally {
    calls.dispose();
  }
}

class Loop {
  private readonly conversation: Conversation;
  private readonly progress: Progress;
  private readonly budget: Budget;
  private pictures: boolean;
  /** Tokens that the next request adds. */
  private fresh: number;
  private cutOff = 0;
  /** Whether the newest answer had neither a call nor a result. */
  private asked = false;
  private hasCalled = false;

  constructor(
    private readonly task: SessionTask,
    private readonly settings: AiSdkSettings,
    private readonly sdk: Sdk,
    private readonly calls: Calls,
    first: ReturnType<typeof opening>,
  ) {
    this.pictures = settings.pictures;
    this.conversation = new Conversation(first);
    this.progress = new Progress(task);
    this.budget = new Budget(task, settings.pricing, tokensOf(calls.definitions));
    this.fresh = tokensOf(this.system) + tokensOf(first);
  }

  play(): Promise<GaveUp | undefined> {
    return playUntilEnd(this.task, async () => this.answer(await this.request()));
  }

  private get system(): string {
    return systemPrompt({ pictures: this.pictures, end: END });
  }

  private async request(): Promise<Answer> {
    const { task, settings, sdk } = this;
    if (this.conversation.trim()) this.rewritten();
    for (let repairs = 0; ; repairs++) {
      this.budget.check(this.fresh);
      try {
        const answer = await ask(sdk, settings, {
          system: this.system,
          messages: this.conversation.forRequest(),
          tools: this.calls.definitions,
          signal: task.signal,
          limitMs: Math.max(1, Math.ceil(Math.min(settings.requestTimeoutMs, task.timeLeftMs))),
        });
        this.paid(answer);
        return answer;
      } catch (error) {
        task.signal.throwIfAborted();
        if (error instanceof AgentApiError || error instanceof BudgetExceededError) throw error;
        if (repairs < 2 && this.repair(error)) continue;
        throw new AgentApiError(`aiSdk: ${await problemOf(error, settings, sdk)}`);
      }
    }
  }

  private paid({ usage }: Answer): void {
    this.budget.report(usage);
    if (usage.costUsd === null && this.task.maxCostUsd !== undefined)
      throw new AgentApiError(
        `aiSdk: the provider of the model "${this.settings.name}" does not count tokens, so maxCostUsd can't be kept. Remove maxCostUsd.`,
      );
  }

  /** Removes from the conversation what the provider refuses, if possible. */
  private repair(error: unknown): boolean {
    const refusal = refusalOf(error, this.sdk);
    if (refusal === undefined) return false;
    const isTooLong = /too long|too many tokens|context|maximum|token limit/i.test(refusal);
    const repaired = (isTooLong && this.conversation.trim(true)) || this.goBlind();
    if (repaired) this.rewritten();
    return repaired;
  }

  /** The model may not accept pictures. Servers word that in many ways. */
  private goBlind(): boolean {
    if (!this.pictures || !this.conversation.dropPictures(NO_PICTURES)) return false;
    this.pictures = false;
    this.calls.dropPictures();
    return true;
  }

  private rewritten(): void {
    this.budget.forgetCached();
    this.fresh = tokensOf(this.system) + tokensOf(this.conversation.messages);
  }

  private async answer(answer: Answer): Promise<Ending> {
    const { finishReason, calls } = answer;
    if (finishReason === 'length') return this.cut(answer);
    this.cutOff = 0;
    if (calls.length > 0) return this.act(answer);
    if (finishReason === 'content-filter' || finishReason === 'error') return this.refused(answer);
    return this.finish(answer);
  }

  /** Runs the calls and adds their results and notes for the model. */
  private async act(answer: Answer): Promise<Ending> {
    const { calls } = answer;
    const title = await this.calls.titleOf(calls);
    const act = async (turn: Turn) => {
      this.narrate(turn, answer);
      const { results, ending } = await this.calls.run(calls, turn);
      if (ending) return ending;
      const changes = await this.calls.changes(calls, results);
      const done = calls.map(({ toolName, input }) => ({ toolName, input }));
      const reminders = await this.progress.remindersAfter(done, changes ? this.calls.state : undefined);
      const words = changes === undefined ? reminders : [changes, ...reminders];
      this.goOn(answer, this.calls.sent(calls, results, words));
      return undefined;
    };
    // The next request runs while the turn's picture is taken.
    const ending = await this.task.turn(title, act, { waitForPicture: false });
    this.asked = false;
    this.hasCalled = true;
    return ending;
  }

  private goOn(answer: Answer, next: Conversation['messages']): void {
    // Thoughts alone are not a message: the answer is requested again.
    const said = answer.text.trim() || answer.calls.length > 0 ? answer.messages : [];
    this.conversation.add(...said, ...next);
    this.fresh = tokensOf(said) + tokensOf(next);
  }

  /** An answer without a call: most models sometimes end like this instead of calling finish. */
  private async finish(answer: Answer): Promise<Ending> {
    const text = answer.text.trim();
    const isAsked = this.asked || this.task.turnsLeft <= 1;
    const isResult = this.hasCalled && !isUnfinished(text);
    if (!isAsked && !isResult) return this.askAgain(answer);
    await this.say(text ? `finish: ${shorten(text, 100)}` : 'finish', answer);
    if (this.hasCalled) return { result: undefined };
    throw new AgentApiError(
      `aiSdk: the model "${this.settings.name}" called no tool, even when asked to. An agent needs a model that can call tools. It said: ${this.task.mask(shorten(text, 200)) || '(nothing)'}`,
    );
  }

  private async askAgain(answer: Answer): Promise<Ending> {
    const text = answer.text.trim();
    this.asked = true;
    await this.say(text ? `no call: ${shorten(text, 100)}` : 'an empty answer', answer);
    this.goOn(answer, [{ role: 'user', content: GO_ON }]);
    return undefined;
  }

  private async refused(answer: Answer): Promise<never> {
    await this.say('the model refuses', answer);
    const said = this.task.mask(shorten(answer.text.trim(), 200));
    throw new AgentApiError(
      `aiSdk: the model "${this.settings.name}" refuses to do this task (${answer.finishReason})${said && `: ${said}`}. Reword the goal, or set another model.`,
    );
  }

  /** A cut-off call may be incomplete, so none of the answer's calls runs. */
  private async cut(answer: Answer): Promise<Ending> {
    const { maxOutputTokens } = this.settings;
    const { calls } = answer;
    await this.say(`the answer is cut off at ${maxOutputTokens} tokens`, answer);
    if (++this.cutOff >= MAX_CUT_OFF)
      throw new AgentApiError(
        `aiSdk: ${MAX_CUT_OFF} answers in a row were cut off at ${maxOutputTokens} tokens. Raise aiSdk({ maxOutputTokens }).`,
      );
    const text = `Your answer was cut off at ${maxOutputTokens} tokens${calls.length > 0 ? ', and none of its calls was run' : ''}. Answer again, in fewer words.`;
    const refusals = calls.map(() => ({ text, isError: true as const }));
    const told = calls.length > 0 ? this.calls.sent(calls, refusals, []) : [];
    this.goOn(answer, told.length > 0 ? told : [{ role: 'user', content: text }]);
    return undefined;
  }

  /** A turn without calls. */
  private say(title: string, answer: Answer): Promise<void> {
    return this.task.turn(this.task.mask(title), turn => {
      turn.readOnly();
      this.narrate(turn, answer);
    });
  }

  private narrate(turn: Turn, { thoughts, text }: Answer): void {
    for (const words of [thoughts, text]) if (words.trim()) turn.narrate(this.task.mask(words.trim()));
  }
}
