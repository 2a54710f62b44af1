// Calls functions of `injected/` with the elements of a locator. A selector engine of our own calls them, which Playwright runs in its
// own world in all browsers: what the page has changed, such as `Map` or `Array.prototype`, does not count there. It would in `evaluate`.
import { type ElementHandle, type Locator, type Page, selectors } from '@playwright/test';
import { messageOf } from '../text/line';
import { injected, unseen } from './in-page';
import type * as functions from './injected';
import { SOURCE } from './injected-source';

const ENGINE = 'taskproof-call';
// An engine can only find elements, so the result is the text of one. It is made once Playwright has gone through all.
const SCRIPT = `(() => {
  ${SOURCE}
  const answering = (name, of, given) => {
    const textContent = { get: () => JSON.stringify(taskproof[name](of, given)) ?? '' };
    return Object.defineProperties(document.createElement('i'), { textContent });
  };
  let last, elements, answer;
  const queryAll = (element, body) => {
    const { name, given, ofAll } = JSON.parse(decodeURIComponent(body));
    if (!ofAll) return [answering(name, element, given)];
    if (body !== last) {
      [last, elements] = [body, []];
      answer = answering(name, elements, given);
    }
    elements.push(element);
    return [answer];
  };
  return { queryAll, query: (element, body) => queryAll(element, body)[0] };
})()`;

const registered = selectors.register(ENGINE, SCRIPT, { contentScript: true }).catch(() => undefined);

type Functions = typeof functions;
type Taking<First> = {
  [Name in keyof Functions]: First extends Parameters<Functions[Name]>[0] ? Name : never;
}[keyof Functions];
type Given<Name extends keyof Functions> = Parameters<Functions[Name]>[1];
type Result<Name extends keyof Functions> = Promise<ReturnType<Functions[Name]>>;

/**
 * Reports show no step for it.
 *
 * @param timeout milliseconds to wait for the element @param page that of an element without a locator
 * @throws Error if a locator finds several elements
 */
export function callOn<Name extends Taking<Element>>(
  target: Locator | ElementHandle<Element>,
  name: Name,
  given?: Given<Name>,
  timeout?: number,
  page = (target as Locator).page(),
): Result<Name> {
  const selector = selectorOf({ name, given });
  const textOf = async () =>
    'locator' in target
      ? target.locator(selector).textContent({ timeout })
      : (await target.$(selector))!.textContent();
  const inPage = () => (target as Locator).evaluate(injected(name) as never, given, { timeout });
  return asked(page, textOf, inPage) as Result<Name>;
}

/** The same with all elements of a locator. It waits until there is one. */
export function callOnAll<Name extends Taking<Element[]>>(
  locator: Locator,
  name: Name,
  given?: Given<Name>,
  timeout?: number,
): Result<Name> {
  const all = locator.locator(selectorOf({ name, given, ofAll: ++calls }));
  const inPage = () => locator.evaluateAll(injected(name) as never, given);
  return asked(locator.page(), () => all.textContent({ timeout }), inPage) as Result<Name>;
}

let calls = 0;

function selectorOf(call: { name: string; given: unknown; ofAll?: number }): string {
  // Without quotes, and without `>>`, which would end the selector.
  return `${ENGINE}=${encodeURIComponent(JSON.stringify(call)).replaceAll("'", '%27')}`;
}

/** A document that Playwright has looked into before the engine was registered has none: it is asked in the page's own world. */
async function asked(page: Page, ask: () => Promise<string | null>, inPage: () => Promise<unknown>) {
  await registered;
  return unseen(page, async () => {
    const text = await ask().catch((error: unknown) => {
      if (!/Unknown engine/.test(messageOf(error))) throw error;
    });
    return text === undefined ? inPage() : text ? JSON.parse(text) : undefined;
  });
}
