// A closed `<select>` shows only the chosen option, but its rendered text has all of them.
import type { Locator, Page } from '@playwright/test';
import { renderedTexts } from '../browser/reading/rendered';

const CLOSED_LIST = 'css=select:not([multiple], [size]:not([size="0"], [size="1"]))';

/** Closed lists that have the text in an option. @param options such as `option:checked` */
const listsWith = (page: Page, options: string, text: RegExp) =>
  page.locator(CLOSED_LIST).filter({ has: page.locator(`css=${options}`).filter({ hasText: text }) });

/** Visible closed lists in which an option with the text is chosen. */
export const choosing = (page: Page, text: RegExp) =>
  listsWith(page, 'option:checked', text).filter({ visible: true });

/** How many elements have the text in their rendered text, but only in options that are not chosen. */
export async function countOffering(
  rendered: Locator,
  text: RegExp,
  isSaying: (text: string) => boolean,
): Promise<number> {
  const page = rendered.page();
  const offers = listsWith(page, 'option:not(:checked)', text);
  if (!(await offers.count())) return 0;
  const offering = rendered.filter({ has: offers }).or(rendered.and(offers));
  const texts = await renderedTexts(offering);
  if (!texts.length) return 0;
  const chosen = choosing(page, text);
  const showing = await renderedTexts(offering.filter({ has: chosen }).or(offering.and(chosen)));
  const lists = [...new Set(await renderedTexts(offers))];
  const outside = (all: readonly string[]) =>
    all.map(each => lists.reduce((rest, list) => rest.replaceAll(list, ' '), each)).filter(isSaying).length;
  const saying = texts.filter(isSaying).length;
  return saying - showing.filter(isSaying).length - (outside(texts) - outside(showing));
}

/** An option that is chosen instead, in a closed list that offers the text. */
export async function chosenInstead(rendered: Locator, text: RegExp): Promise<string | null> {
  const offers = listsWith(rendered.page(), 'option:not(:checked)', text);
  const lists = rendered.locator(offers).or(rendered.and(offers));
  return lists
    .locator('css=option:checked')
    .first()
    .textContent({ timeout: 1_000 })
    .catch(() => null);
}
