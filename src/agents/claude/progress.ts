// Notices a model that goes round in circles: the same calls, and it comes back to where it was.
import type { Page } from '@playwright/test';
import { fingerprintOf } from '../../browser/fingerprint';
import { pathOf } from '../../browser/page-action';
import { within } from '../../browser/waiting';

/** How many turns back a repetition is looked for, and how many times are too often. */
const REMEMBERED_TURNS = 10;
const REPETITIONS = 3;

interface Taken {
  calls: string;
  /** Where on which page. */
  place: string;
  content: string | undefined;
}

export class Progress {
  private readonly turns: Taken[] = [];

  /**
   * @returns how often these calls have led to where the page is now, if that is too often. A page may change by itself,
   * such as a clock: whoever walks between pages and makes the same calls there again goes in a circle all the same.
   */
  async note(calls: unknown, page: Page): Promise<number | undefined> {
    const [shown, scrolled] = await Promise.all([
      fingerprintOf(page),
      within(
        page.evaluate(() => `${window.scrollX} ${window.scrollY}`),
        1_000,
      ),
    ]);
    const now = {
      calls: JSON.stringify(calls),
      place: `${pathOf(page.url())} ${scrolled}`,
      content: shown?.content,
    };
    this.turns.push(now);
    if (this.turns.length > REMEMBERED_TURNS) this.turns.shift();
    const equal = this.turns.filter(({ calls, place }) => calls === now.calls && place === now.place);
    const between = this.turns.slice(this.turns.indexOf(equal[0]!));
    const walked = between.some(({ place }) => place !== now.place);
    const times = equal.filter(({ content }) => walked || content === now.content).length;
    return times >= REPETITIONS && times % REPETITIONS === 0 ? times : undefined;
  }
}
