// The texts that elements show, without what is hidden and as changed by CSS. A selector engine reads them.
import type { Locator } from '@playwright/test';
import { SOURCES } from '../injected-source';
import { registerEngine } from '../selector-engine';

const ENGINE = 'taskproof-shows';
const registered = registerEngine(ENGINE, `${SOURCES.shows}\nconst queryAll = taskproof.shows;`);

/**
 * Of the elements those that show a text that matches; without a pattern, for each that shows a text an element with that text.
 *
 * @param pattern without `>>`, which would end the selector
 */
export async function showing(locator: Locator, pattern?: RegExp): Promise<Locator> {
  await registered;
  return locator.locator(`${ENGINE}=${pattern?.source ?? ''}`);
}
