// Calls functions of `injected/` with the elements of a locator, by a selector engine: `evaluate` would run them in the page's own world.
import { randomUUID } from 'node:crypto';
import type { ElementHandle, Locator, Page } from '@playwright/test';
import { injected, unseen } from './in-page';
import type * as functions from './injected';
import { SOURCE } from './injected-source';
import { registerEngine } from './selector-engine';

const ENGINE = 'taskproof-call';
const ANSWER = randomUUID();
// An engine can only find elements, so the result is the text of one. It is worked out when Playwright has gone through all. The
// element has another in it, since Playwright also reads the text of one without for its log.
const SCRIPT = `
  ${SOURCE}
  const answering = (name, of, given) => {
    const get = () => '${ANSWER}' + (JSON.stringify(taskproof[name](of, given)) ?? '');
    const answer = document.createElement('i');
    answer.append(document.createElement('i'));
    return Object.defineProperty(answer, 'textContent', { get });
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
  };`;

const registered = registerEngine(ENGINE, SCRIPT);

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
  const textOf = async () => {
    if ('locator' in target) return target.locator(selector).textContent({ timeout });
    const answer = await target.$(selector);
    return answer!.textContent().finally(() => answer!.dispose());
  };
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

/** Asks in the page's own world if a document has no engine: Playwright looked into it before the engine was registered. */
async function asked(page: Page, ask: () => Promise<string | null>, inPage: () => Promise<unknown>) {
  await registered;
  return unseen(page, async () => {
    const text = await ask().catch((error: Error) => {
      error.message = error.message.replace(/\.locator\('taskproof-call=[^']*'\)/g, '');
      if (!/Unknown engine|queryAll|_engines/.test(error.message)) throw error;
    });
    if (!text?.startsWith(ANSWER)) return inPage();
    const json = text.slice(ANSWER.length);
    return json ? JSON.parse(json) : undefined;
  });
}
