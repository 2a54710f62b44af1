// Notices a model that goes round in circles: the same calls, and a page that stays as it was.
import type { Page } from '@playwright/test';
import { within } from './driver/time';

const LIMIT_MS = 1_000;
/** How many turns back a repetition is looked for. */
const MEMORY = 10;
const TIMES = 3;

/** Runs in the page. What a person could see of its state, as a number. */
function fingerprint(): string {
  const fields = [...document.querySelectorAll<HTMLInputElement>('input,select,textarea')].map(
    field => `${field.value}${field.checked}`,
  );
  const shown = document.body?.innerText ?? '';
  const state = [location.href, document.title, shown, fields.join(), window.scrollX, window.scrollY].join(
    '\n',
  );
  let hash = 0;
  for (let index = 0; index < state.length; index++)
    hash = (Math.imul(hash, 31) + state.charCodeAt(index)) | 0;
  return `${state.length}:${hash}`;
}

export class Progress {
  private readonly turns: string[] = [];

  /** The page as it is now. Never rejects. */
  async look(page: Page): Promise<string> {
    const state = await within(page.evaluate(fingerprint), LIMIT_MS);
    return `${page.url()} ${state}`;
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
