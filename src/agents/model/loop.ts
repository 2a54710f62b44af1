// The loop of every agent with a model: it sends a request, runs the calls in the answer, and goes on until the model ends the task.
import { z } from 'zod';
import { DriverError } from '../../browser/actions/act';
import { debug } from '../../text/debug';
import { messageOf, shorten } from '../../text/line';
import { AgentApiError, type Answered, type GaveUp, isLimit, type SessionTask, type Turn } from '../agent';
import { Driver, type Ending } from '../tools/driver';
import { checkedInput, type Prepared, quote, type Tool } from '../tools/tool';
import { Budget, type Prices, uncounted, unknownPrice } from './budget';
import { type Call, type Outcome, remindersOf } from './calls';
import { Conversation, goOn, isUnfinished, type Message, opening, systemPrompt } from './conversation';
import { type Failure, type Limit, RequestFailed } from './send';

/** After this many cut-off answers in a row the trial ends: maxTokens is too low. */
const MAX_CUT_OFF = 3;
const MAX_REPAIRS = 2;
const NOT_RUN = 'Not executed: an earlier action in this turn failed.';

export interface Answer {
  readonly calls: readonly Call[];
  readonly text: string;
  readonly narration: readonly string[];
  /** The answer as messages for the next request. */
  readonly messages: readonly Message[];
  /** Why the answer ended early: at maxTokens (`cut off`), or because the model's context is full (`no room`). */
  readonly stop?: 'cut off' | 'refused' | 'no room' | undefined;
  /** The reason that the API gives for a refusal. */
  readonly why?: string | undefined;
}

interface LoopSettings {
  factory: 'claude' | 'aiSdk';
  model: string;
  maxTokens: number;
  advice: string;
  /** Tells the model how to say that the task is done. */
  ends: string;
  /** The same as part of a sentence, to remind a model that stopped without saying so. */
  end: string;
  prices: Prices | undefined;
}

const BY_CALL = {
  ends: 'Then call answer with what the task asks for. That ends the task.',
  end: 'call answer',
};

const isCapped = ({ maxCostUsd, runIsCapped }: SessionTask) => runIsCapped || maxCostUsd !== undefined;

export abstract class Loop {
  protected readonly conversation = new Conversation();
  protected readonly driver: Driver;
  protected readonly budget: Budget;
  protected pictures = true;
  private readonly reminders: ReturnType<typeof remindersOf>;
  private cutOff = 0;
  /** Whether the model has just been asked to go on: its answer had neither a call nor a result. */
  private asked = false;
  private hasCalled = false;
  private readonly loopSettings: LoopSettings;

  constructor(
    protected readonly task: SessionTask,
    protected tools: readonly Tool[],
    settings: LoopSettings,
  ) {
    this.loopSettings = this.wantsCall ? { ...settings, ...BY_CALL } : settings;
    this.driver = new Driver(task);
    this.budget = new Budget(task, settings.prices);
    this.reminders = remindersOf(task);
  }

  /** Sends the conversation, and reports what it used. */
  protected abstract ask(): Promise<Answer>;
  /** Removes from the conversation what the API refuses. @returns whether anything was removed */
  protected abstract repair(failure: Failure): boolean;
  /** The outcomes of the calls as messages, with `words` added. */
  protected abstract sent(
    calls: readonly Call[],
    outcomes: readonly Outcome[],
    words: readonly string[],
  ): Message[];

  private get wantsCall(): boolean {
    return typeof this.task.wantsAnswer === 'object';
  }

  protected get system(): string {
    return systemPrompt({ pictures: this.pictures, end: this.loopSettings.ends });
  }

  protected get limit(): Limit {
    const { signal, waiting, maxRequests } = this.task;
    const check = () => this.budget.check(this.conversation.messages);
    return { signal, waiting, maxRequests, check, spent: usage => this.budget.report(usage) };
  }

  async play(files: readonly string[] = []): Promise<Answered | GaveUp> {
    const { task } = this;
    const { prices, model, factory } = this.loopSettings;
    try {
      if (!prices && isCapped(task)) throw this.error(unknownPrice(model, factory));
      this.conversation.messages.push({ role: 'user', content: opening(task, files, await this.look()) });
      for (;;) {
        const ending = await this.next();
        if (ending) return ending.result;
      }
    } catch (error) {
      if (this.hasCalled || !isLimit(error)) throw error;
      throw this.error(`${this.neverActed} ${messageOf(error).replace(/\.?$/, '.')} Set another model.`);
    } finally {
      task.session.dialogs.policy = undefined;
    }
  }

  protected get definitions() {
    return this.tools.map(({ name, description = '', input, schema: given }) => {
      const { $schema: _, ...schema } = given ?? z.toJSONSchema(input, { io: 'input' });
      return { name, description, schema };
    });
  }

  /** What the active tab shows, or what has changed in it since the last look. */
  protected async look(): Promise<string | undefined> {
    return this.task.mask((await this.driver.look(this.driver.session.page)).toWellFormed());
  }

  private async next(): Promise<Ending> {
    const { task } = this;
    const { model } = this.loopSettings;
    // Without a turn left, nothing in an answer could be done, so don't pay for one.
    if (task.turnsLeft <= 0) await task.turn('no turns are left', () => undefined);
    task.signal.throwIfAborted();
    const answer = await this.request();
    if (task.costUsd === null && isCapped(task)) throw this.error(uncounted(model));
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
      if (this.conversation.trim(true)) return undefined;
      throw this.error(
        `the task no longer fits into the context of the model "${model}". Lower maxSteps, or split the task.`,
      );
    }
    return answer.calls.length > 0 ? this.act(answer) : this.finish(answer);
  }

  private async request(): Promise<Answer> {
    this.conversation.trim();
    for (let repairs = 0; ; repairs++) {
      this.budget.check(this.conversation.messages);
      try {
        return await this.ask();
      } catch (error) {
        this.task.signal.throwIfAborted();
        if (!(error instanceof RequestFailed)) throw error;
        if (repairs === MAX_REPAIRS || !this.repair(error.failure)) throw this.error(error.message);
        debug('retry', () => `request again without what the API refuses: ${error.message}`);
      }
    }
  }

  private add(answer: Answer, reply: readonly Message[] | string): void {
    // An answer of nothing but thoughts is left out.
    const said = answer.text || answer.calls.length > 0 ? answer.messages : [];
    const replies =
      typeof reply === 'string' ? [{ role: 'user', content: [{ type: 'text', text: reply }] }] : reply;
    this.conversation.messages.push(...said, ...replies);
  }

  private async act(answer: Answer): Promise<Ending> {
    const { calls } = answer;
    const words = await Promise.all(calls.map(call => this.wordsOf(call)));
    const title = this.task.mask(shorten(words.join(', then '), 140));
    // The next request runs while the turn's picture is taken.
    const ending = await this.task.turn(title, turn => this.run(answer, turn), { waitForPicture: false });
    this.asked = false;
    return ending;
  }

  private async wordsOf(call: Call): Promise<string> {
    try {
      const { tool, input, page } = await this.prepared(call);
      this.hasCalled = true;
      return await tool.words(input, this.driver, page);
    } catch {
      return call.name;
    }
  }

  /** Runs the calls in order. After one fails, the others are not run. */
  private async run(answer: Answer, turn: Turn): Promise<Ending> {
    const { driver } = this;
    const { calls } = answer;
    this.narrate(turn, answer);
    const outcomes: Outcome[] = [];
    let failed = false;
    for (const call of calls) {
      const outcome: Outcome = failed ? { error: NOT_RUN } : await this.one(call, turn);
      outcomes.push(outcome);
      failed ||= outcome.error !== undefined;
      const { ending } = driver;
      if (failed || !ending) continue;
      if (ending.said !== undefined) turn.narrate(this.task.mask(ending.said));
      return ending;
    }
    const changes = driver.isStale && !driver.isLoading ? await this.look() : undefined;
    this.add(answer, this.results(calls, outcomes, [changes, ...(await this.reminders(calls))]));
    return undefined;
  }

  /** The outcomes as messages, with what else happened in the meantime, and `words`. */
  private results(calls: readonly Call[], outcomes: Outcome[], words: (string | undefined)[] = []) {
    const happened = [...this.driver.notes.splice(0), ...this.task.takeNotices()];
    return this.sent(calls, outcomes, [...happened, ...words.filter(each => each !== undefined)]);
  }

  private async one(call: Call, turn: Turn): Promise<Outcome> {
    const { signal } = this.task;
    signal.throwIfAborted();
    let noted = false;
    this.driver.onDone = done => {
      noted = true;
      turn.action(done);
    };
    debug('tool', () => `called ${call.name} ${JSON.stringify(call.input)}`);
    const outcome = await this.outcomeOf(call);
    signal.throwIfAborted();
    // The driver reports no action if the call's input is wrong.
    if (!noted) turn.action({ title: call.name, error: outcome.error });
    return outcome;
  }

  protected async outcomeOf(call: Call): Promise<Outcome> {
    try {
      return { value: await this.driver.run(await this.prepared(call)) };
    } catch (error) {
      if (error instanceof DriverError) return { error: error.message };
      throw error;
    }
  }

  protected async prepared(call: Call): Promise<Prepared> {
    const tool = this.tools.find(({ name }) => name === call.name);
    if (!tool) throw new DriverError(`There is no tool ${quote(call.name)} here.${this.choices}`);
    const input = checkedInput(call.name, tool.input, call.input);
    return { tool, input, page: this.driver.session.page };
  }

  protected get choices(): string {
    return '';
  }

  private get neverActed(): string {
    return `the agent never acted: the model "${this.loopSettings.model}" made no valid tool call.`;
  }

  /**
   * Ends the task at an answer without a call, if that states a result. Models sometimes stop in the middle of a task: they say nothing,
   * or announce what they will do. Such a model is asked once to go on. Before its first call, a text is a result only if the task asks
   * for an answer.
   */
  private async finish(answer: Answer): Promise<Ending> {
    const { text } = answer;
    const { task, hasCalled } = this;
    const hasResult = !this.wantsCall && !isUnfinished(text) && (hasCalled || task.wantsAnswer === true);
    const isEnd = hasResult || this.asked || task.turnsLeft <= 1;
    const start = isEnd ? 'finish' : 'no call';
    await this.say(text ? `${start}: ${shorten(text, 100)}` : isEnd ? start : 'an empty answer', answer);
    if (!isEnd) {
      this.asked = true;
      this.add(answer, goOn(this.loopSettings.end));
      return undefined;
    }
    if (hasResult || hasCalled) return { result: { answer: text } };
    const said = task.mask(shorten(text, 200)) || '(nothing)';
    const neverActed = `${this.neverActed} An agent needs a model that can call tools. It said: ${said}`;
    return { result: { answer: text, neverActed } };
  }

  /** Runs none of the calls in a cut-off answer: they may be incomplete. */
  private async cut(answer: Answer): Promise<Ending> {
    const { maxTokens, advice } = this.loopSettings;
    const { calls } = answer;
    await this.say(`the answer is cut off at ${maxTokens} tokens`, answer);
    if (++this.cutOff >= MAX_CUT_OFF)
      throw this.error(`${MAX_CUT_OFF} answers in a row were cut off at ${maxTokens} tokens. ${advice}.`);
    const text = `Your answer was cut off at ${maxTokens} tokens${calls.length > 0 ? ', and none of its calls was run' : ''}. Answer again, in fewer words.`;
    const refused = calls.map(() => ({ error: text }));
    this.add(answer, calls.length > 0 ? this.results(calls, refused) : text);
    return undefined;
  }

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
    return new AgentApiError(`${this.loopSettings.factory}: ${problem}`);
  }
}
