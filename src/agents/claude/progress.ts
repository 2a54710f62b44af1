// Notices a model that goes round in circles: the same calls, and a page that stays as it was.
import type { Page } from '@playwright/test';
import { fingerprintOf } from '../../browser/fingerprint';
import { within } from '../../browser/waiting';

const LIMIT_MS = 1_000;
/** How many turns back a repetition is looked for. */
const MEMORY = 10;
const TIMES = 3;

export class Progress {
  private readonly turns: string[] = [];

  /** The page as it is now. Never rejects. */
  async look(page: Page): Promise<string> {
    const [seen, scrolled] = await Promise.all([
      fingerprintOf(page),
      within(
        page.evaluate(() => `${window.scrollX},${window.scrollY}`),
        LIMIT_MS,
      ),
    ]);
    return `${page.url()} ${seen?.content} ${scrolled}`;
  }

  /** @returns how often these calls have been made with the page staying as it was looked at, where that is too often. */
  note(calls: unknown, looked: string): number | undefined {
    const turn = `${JSON.stringify(calls)} ${looked}`;
    this.turns.push(turn);
    if (this.turns.length > MEMORY) this.turns.shift();
    const times = this.turns.filter(each => each === turn).length;
    return times >= TIMES && times % TIMES === 0 ? times : undefined;
  }
}
