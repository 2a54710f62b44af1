// The texts that elements show, without what is hidden and as changed by CSS. A selector engine of our own reads them, which Playwright
// runs in its own world in all browsers: no script of the page can answer in its place.
import { type Locator, selectors } from '@playwright/test';
import { SOURCES } from '../injected-source';

const ENGINE = 'taskproof-shows';
const SCRIPT = `(() => {
  ${SOURCES.shows}
  const queryAll = taskproof.shows;
  return { queryAll, query: (element, pattern) => queryAll(element, pattern)[0] };
})()`;

/**
 * Documents that Playwright has looked into before lack the engine: load this file before a trial opens its page. It is registered
 * already if the file is loaded twice; whatever else is wrong shows when the engine is used.
 */
const registered = selectors.register(ENGINE, SCRIPT, { contentScript: true }).catch(() => undefined);

/**
 * Of the elements those that show a text that matches; without a pattern, for each that shows a text an element with that text.
 *
 * @param pattern without `>>`, which would end the selector
 */
export async function showing(locator: Locator, pattern?: RegExp): Promise<Locator> {
  await registered;
  return locator.locator(`${ENGINE}=${pattern?.source ?? ''}`);
}
