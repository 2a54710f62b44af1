// Runs the calls of one answer in order, and answers each once. Tells a model when its turns run out, and when it repeats itself.
import { z } from 'zod';
import { DriverError } from '../../browser/actions/act';
import { fingerprintOf } from '../../browser/actions/record';
import { callInPage } from '../../browser/in-page';
import { within } from '../../browser/waiting';
import { pathOf } from '../../data/action';
import { debug } from '../../text/debug';
import { shorten } from '../../text/line';
import type { SessionTask, Turn } from '../agent';
import { Driver, type Ending } from '../tools/driver';
import { checkedInput, type Prepared, type Tool } from '../tools/tool';
import { isToLookAt } from '../tools/tools';
import type { Message } from './conversation';

/** The answer to calls after a failed one. */
const NOT_RUN = 'Not executed: an earlier action in this turn failed.';

/** In how many turns repetitions are counted, and how many are too many. */
const REMEMBERED_TURNS = 10;
const REPETITIONS = 3;

export interface Call {
  id: string;
  name: string;
  input: unknown;
}

/** What came of a call: a value for the model, or why it failed or was not run. */
export interface Outcome {
  value?: unknown;
  error?: string | undefined;
}

export abstract class Calls {
  protected readonly driver: Driver;
  /** The newest turns: the calls, where they were made, and what the page showed. */
  private readonly turns: string[] = [];
  private remindedOfTurns = false;

  /** @param tools by name */
  constructor(
    protected readonly task: SessionTask,
    protected tools: Record<string, Tool>,
  ) {
    this.driver = new Driver(task);
  }

  /** What to send: what came of each call, with `words`. */
  protected abstract sent(
    calls: readonly Call[],
    outcomes: readonly Outcome[],
    words: readonly string[],
  ): Message[];

  get definitions() {
    return Object.values(this.tools).map(({ name, description = '', input, schema: given }) => {
      const { $schema: _, ...schema } = given ?? z.toJSONSchema(input, { io: 'input' });
      return { name, description, schema };
    });
  }

  async close(): Promise<void> {
    this.driver.dispose();
  }

  async titleOf(calls: readonly Call[]): Promise<string> {
    const wordsOf = async (call: Call) => {
      const { tool, input, page } = await this.prepared(call);
      return tool.words(input, this.driver, page);
    };
    const words = await Promise.all(calls.map(call => wordsOf(call).catch(() => call.name)));
    return this.task.mask(shorten(words.join(', then '), 140));
  }

  /** What the active tab shows: all of it, or only changes. */
  async look(): Promise<string | undefined> {
    return this.task.mask((await this.driver.look(this.driver.session.page)).toWellFormed());
  }

  /** @returns how the task ended, or what to send: results, what changed on the page, and reminders */
  async run(calls: readonly Call[], turn: Turn): Promise<{ ending?: Ending; sent: Message[] }> {
    const outcomes: Outcome[] = [];
    let failed = false;
    for (const call of calls) {
      const outcome: Outcome = failed ? { error: NOT_RUN } : await this.one(call, turn);
      outcomes.push(outcome);
      failed ||= outcome.error !== undefined;
      const { ending } = this.driver;
      if (failed || !ending) continue;
      if (ending.said !== undefined) turn.narrate(this.task.mask(ending.said));
      return { ending, sent: [] };
    }
    const changes = isToLookAt(calls, failed) && !this.driver.isLoading ? await this.look() : undefined;
    const done = calls.map(({ name, input }) => ({ name, input }));
    const reminders = [this.turnsReminder(), await this.repetitionReminder(done)];
    return { sent: this.sent(calls, outcomes, this.besides(changes, ...reminders)) };
  }

  /** What to send if none of the calls is run. */
  refused(calls: readonly Call[], error: string): Message[] {
    return this.sent(
      calls,
      calls.map(() => ({ error })),
      this.besides(),
    );
  }

  /** What happened besides the calls, then `words`. */
  private besides(...words: (string | undefined)[]): string[] {
    const happened = [...this.driver.takeNotes(), ...this.task.takeNotices()];
    return [...happened, ...words.filter(each => each !== undefined)];
  }

  private async one(call: Call, turn: Turn): Promise<Outcome> {
    this.task.signal.throwIfAborted();
    let noted = false;
    this.driver.onDone = done => {
      noted = true;
      turn.action(done);
    };
    debug('tool', () => `called ${call.name} ${JSON.stringify(call.input)}`);
    const outcome = await this.outcomeOf(call);
    this.task.signal.throwIfAborted();
    const { error } = outcome;
    // If the input was wrong, the driver has not reported an action.
    if (!noted) turn.action({ title: call.name, ...(error !== undefined && { error }) });
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

  /** @throws DriverError with a message for the model */
  protected async prepared(call: Call): Promise<Prepared> {
    const tool = Object.hasOwn(this.tools, call.name) && this.tools[call.name];
    if (!tool) throw new DriverError(`There is no tool ${JSON.stringify(call.name)} here.${this.choices}`);
    const input = checkedInput(call.name, tool.input, call.input);
    return { tool, input, page: this.driver.session.page };
  }

  /** What may be called instead. */
  protected get choices(): string {
    return '';
  }

  private turnsReminder(): string | undefined {
    const { maxSteps, turnsLeft } = this.task;
    const used = maxSteps - turnsLeft;
    if (this.remindedOfTurns || used < maxSteps * 0.75 || turnsLeft === 0) return undefined;
    this.remindedOfTurns = true;
    return `${used} of ${maxSteps} turns are used, ${turnsLeft} are left. Do what matters most now, and end the task in time. If it can not be done, call give_up.`;
  }

  private async repetitionReminder(calls: unknown): Promise<string | undefined> {
    const { page } = this.task;
    const [shown, view] = await Promise.all([
      fingerprintOf(page),
      within(callInPage(page, 'viewport'), 1_000),
    ]);
    const now = JSON.stringify([calls, pathOf(page.url()), view?.scrolled, shown?.content]);
    this.turns.push(now);
    if (this.turns.length > REMEMBERED_TURNS) this.turns.shift();
    const times = this.turns.filter(each => each === now).length;
    if (times < REPETITIONS || times % REPETITIONS > 0) return undefined;
    return `You have made the same calls ${times} times, and come back to where you were. Try another way, or call give_up if there is none.`;
  }
}
