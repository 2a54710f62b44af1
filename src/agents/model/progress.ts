// Tells a model when its turns run out, and when it repeats itself.
import type { Page } from '@playwright/test';
import type { State } from '../../browser/driver/observation';
import { evaluateUnseen } from '../../browser/evaluate';
import { fingerprintOf } from '../../browser/fingerprint';
import { pathOf } from '../../browser/page-action';
import { within } from '../../browser/waiting';
import type { AgentTask } from '../agent';

/** In how many turns repetitions are counted, and how many are too many. */
const REMEMBERED_TURNS = 10;
const REPETITIONS = 3;

interface Taken {
  calls: string;
  /** Path and scroll position. */
  place: string;
  content: string | undefined;
}

export class Progress {
  private readonly turns: Taken[] = [];
  private remindedOfTurns = false;

  constructor(private readonly task: Pick<AgentTask, 'page' | 'maxSteps' | 'turnsLeft'>) {}

  /**
   * What to tell the model besides the results of these calls.
   *
   * @param seen what the page shows, if it was just looked at
   */
  async remindersAfter(calls: unknown, seen?: State): Promise<string[]> {
    const reminders = [this.turnsReminder(), await this.repetitionReminder(calls, seen)];
    return reminders.filter(each => each !== undefined);
  }

  private turnsReminder(): string | undefined {
    const { maxSteps, turnsLeft } = this.task;
    const used = maxSteps - turnsLeft;
    if (this.remindedOfTurns || used < maxSteps * 0.75 || turnsLeft === 0) return undefined;
    this.remindedOfTurns = true;
    return `${used} of ${maxSteps} turns are used, ${turnsLeft} are left. Do what matters most now, and end the task in time. If it can not be done, call give_up.`;
  }

  /**
   * If the model has been elsewhere in between, the content of the page may differ: it may change by itself, such as a
   * clock, and the model goes in circles all the same.
   */
  private async repetitionReminder(calls: unknown, seen: State | undefined): Promise<string | undefined> {
    const { page } = this.task;
    const { content, scrolled } = seen ?? (await stateOf(page));
    const place = `${pathOf(page.url())} ${scrolled}`;
    const now = { calls: JSON.stringify(calls), place, content };
    this.turns.push(now);
    if (this.turns.length > REMEMBERED_TURNS) this.turns.shift();
    const equal = this.turns.filter(({ calls, place }) => calls === now.calls && place === now.place);
    const between = this.turns.slice(this.turns.indexOf(equal[0]!));
    const walked = between.some(({ place }) => place !== now.place);
    const times = equal.filter(({ content }) => walked || content === now.content).length;
    if (times < REPETITIONS || times % REPETITIONS > 0) return undefined;
    return `You have made the same calls ${times} times, and come back to where you were. Try another way, or call give_up if there is none.`;
  }
}

async function stateOf(page: Page) {
  const [shown, scrolled] = await Promise.all([
    fingerprintOf(page),
    within(evaluateUnseen(page, 'Math.round(scrollY)'), 1_000),
  ]);
  return { content: shown?.content, scrolled };
}
