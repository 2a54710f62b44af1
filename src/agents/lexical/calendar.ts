// Picks a day in a calendar: turns it to the month, then takes the day.

import type { Driver } from './driver';
import { fold } from './tokens';
import { type DateParts, monthNumber } from './values';
import type { Candidate } from './view';

interface Shown {
  month: number;
  year: number;
  /** The text that says so. */
  at: Candidate;
}

const MONTH_YEAR = /^(\p{L}{3,9})\.?,?\s+(\d{4})$/u;
const BACKWARD = /^(?:prev(?:ious)?(?: month)?|go to (?:the )?previous month|earlier|<|‹|«|←|◀|◄)$/i;
const FORWARD = /^(?:next(?: month)?|go to (?:the )?next month|later|>|›|»|→|▶|►)$/i;
const MAX_TURNS = 60;

/** The month that a calendar on the page shows. */
function shownMonth(candidates: readonly Candidate[]): Shown | undefined {
  for (const [index, at] of candidates.entries()) {
    const whole = MONTH_YEAR.exec(at.name);
    if (whole && monthNumber(whole[1]!) > 0)
      return { month: monthNumber(whole[1]!), year: Number(whole[2]), at };
    const year = /^\d{4}$/.exec(candidates[index + 1]?.name ?? '');
    if (year && monthNumber(at.name) > 0) return { month: monthNumber(at.name), year: Number(year[0]), at };
  }
  return undefined;
}

const distance = (a: Candidate, b: Candidate) =>
  Math.hypot(
    a.box.x + a.box.width / 2 - b.box.x - b.box.width / 2,
    a.box.y + a.box.height / 2 - b.box.y - b.box.height / 2,
  );

function turner(driver: Driver, at: Candidate, forward: boolean): Candidate | undefined {
  const said = forward ? FORWARD : BACKWARD;
  const hinted = forward ? /\bnext\b/i : /\bprev(?:ious)?\b/i;
  return driver.view.candidates
    .filter(
      ({ disabled, name, title, hint }) =>
        !disabled &&
        (said.test(fold(name)) || said.test(fold(title)) || (name.length < 12 && hinted.test(hint))),
    )
    .sort(
      (a, b) => Number(a.role === 'text') - Number(b.role === 'text') || distance(a, at) - distance(b, at),
    )[0];
}

/** Day cells below the month's name. Days of the months before and after it stand at the ends: the first or the last of two is the right one. */
function dayCell(driver: Driver, at: Candidate, day: number): Candidate | undefined {
  const cells = driver.view.candidates.filter(
    ({ name, disabled, box, hint }) =>
      Number(name) === day &&
      /^\d{1,2}$/.test(name) &&
      !disabled &&
      box.y >= at.box.y &&
      !/\b(?:other|outside|muted|disabled|adjacent)\b/i.test(hint),
  );
  const usable = cells.filter(({ role, pointer }) => role !== 'text' || pointer);
  const among = usable.length > 0 ? usable : cells;
  return day > 20 ? among.at(-1) : among[0];
}

/** Picks a date in the calendar that is open. False where there is none, or it can't be turned to the date. */
export async function pickDate(driver: Driver, date: DateParts): Promise<boolean> {
  let shown = shownMonth(driver.view.candidates);
  if (!shown) return false;
  const wanted = date.year * 12 + date.month;
  const isThere = () => shown !== undefined && shown.year * 12 + shown.month === wanted;
  if (!isThere()) {
    await driver.turn(`turn the calendar to ${date.month}/${date.year}`, async () => {
      for (let turns = 0; shown && !isThere() && turns < MAX_TURNS; turns++) {
        const control = turner(driver, shown.at, shown.year * 12 + shown.month < wanted);
        if (!control) throw new Error('nothing turns the calendar');
        await driver.useElement(control, { do: 'click' }, element =>
          element.click({ timeout: driver.timeout }),
        );
        await driver.watch.settle(driver.page);
        await driver.look();
        shown = shownMonth(driver.view.candidates);
      }
    });
    shown = shownMonth(driver.view.candidates);
  }
  const cell = shown && isThere() ? dayCell(driver, shown.at, date.day) : undefined;
  return cell !== undefined && !(await driver.click(cell)).error;
}
