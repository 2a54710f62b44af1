// Selector engines of our own. Playwright runs them in its own world in all browsers: no script of the page can answer in their place, and
// what it has changed, such as `Map` or `Array.prototype`, does not count there.
import { selectors } from '@playwright/test';

/**
 * Documents that Playwright has looked into before lack the engine: register it before a trial opens its page. It is registered already
 * if its file is loaded twice; whatever else is wrong shows when the engine is used.
 *
 * @param script JavaScript with `queryAll`, which takes an element and the text after `name=`
 */
export async function registerEngine(name: string, script: string): Promise<void> {
  const engine = `(() => {
  ${script}
  return { queryAll, query: (element, body) => queryAll(element, body)[0] };
})()`;
  await selectors.register(name, engine, { contentScript: true }).catch(() => undefined);
}
