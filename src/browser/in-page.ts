// Calls the functions of `injected/` in pages. On Chromium they run in an isolated world: the page sees nothing of it, and
// neither prototypes that the page has changed nor its Content Security Policy apply there.
import type { CDPSession, Frame, Page } from '@playwright/test';
import { unseen } from '../playwright/inside/calls';
import type * as functions from './injected';
import { SOURCE, SOURCES } from './injected-source';
import { within } from './waiting';

export { unseen };

const sessions = new WeakMap<Page, Promise<CDPSession | undefined>>();

/** A DevTools session for the page, kept as long as the page; undefined if the browser has no such protocol. */
export function protocolOf(page: Page): Promise<CDPSession | undefined> {
  const context = page.context();
  const session = sessions.get(page) ?? context.newCDPSession(page).catch(() => undefined);
  sessions.set(page, session);
  return session;
}

type Functions = typeof functions;
type Injected = keyof Functions;
type Given<Name extends Injected> = Parameters<Functions[Name]>;
type Returned<Name extends Injected> = Promise<Awaited<ReturnType<Functions[Name]>>>;

const CALL_KNOWN = '(name, ...args) => taskproof[name](...args)';

/** A function of `injected/` for Playwright's `evaluate`: each call sends it to the page, and nothing of it stays there. */
export function injected<Name extends Injected>(name: Name): Functions[Name] {
  return withSource(name, '...arguments') as Functions[Name];
}

function withSource(name: Injected, given: string): (args: unknown) => unknown {
  return new Function('args', `${SOURCES[name]}\nreturn taskproof.${name}(${given});`) as () => unknown;
}

/** Reports show no step for it. In inner frames, and in other browsers than Chromium, it runs in the page's own world. */
export async function callInPage<Name extends Injected>(
  where: Page | Frame,
  name: Name,
  ...args: Given<Name>
): Returned<Name> {
  const isMain = 'mainFrame' in where || !where.parentFrame();
  const session = isMain ? await protocolOf(pageOf(where)) : undefined;
  if (!session) return callBesideScripts(where, name, ...args);
  for (let isLast = false; ; isLast = true)
    try {
      const world = worlds.get(session) ?? (await isolatedWorld(session));
      worlds.set(session, world);
      return await world.call(name, args);
    } catch (error) {
      worlds.delete(session);
      // The document was replaced. If that moved the tab to another process, the number of our world may be another world's there.
      if (isLast || !/Cannot find context|taskproof is not defined/.test(String(error))) throw error;
    }
}

/** Our worlds in the main frames of tabs. Each lasts as long as its document. */
const worlds = new WeakMap<CDPSession, World>();

/** The same in the page's own world, for objects that only the page's scripts have. */
export async function callBesideScripts<Name extends Injected>(
  where: Page | Frame,
  name: Name,
  ...args: Given<Name>
): Returned<Name> {
  const call = () => where.evaluate(withSource(name, '...args'), args as unknown);
  return unseen(pageOf(where), call) as Returned<Name>;
}

const pageOf = (where: Page | Frame) => ('mainFrame' in where ? where : where.page());

export type World = Awaited<ReturnType<typeof isolatedWorld>>;

/** @throws Error if the document is gone. */
export async function worldOf(page: Page, frame: Frame): Promise<World> {
  const session = await protocolOf(page);
  if (!session) return mainWorld(frame);
  if (frame === page.mainFrame()) return isolatedWorld(session);
  const context = page.context();
  // Rejects for a frame in the page's process.
  const own = await context.newCDPSession(frame).catch(() => undefined);
  return own ? isolatedWorld(own) : isolatedWorld(session, tree => idIn(tree, page, frame));
}

interface FrameTree {
  frame: { id: string; url: string; urlFragment?: string };
  childFrames?: FrameTree[];
}

/** The protocol's id of a frame: both lists have frames with the same URL in the order in which they were added. */
function idIn(tree: FrameTree, page: Page, frame: Frame): string | undefined {
  const alike = page.frames().filter(each => each.url() === frame.url());
  const flat = ({ frame: each, childFrames = [] }: FrameTree): FrameTree['frame'][] => [
    each,
    ...childFrames.flatMap(flat),
  ];
  const found = flat(tree).filter(({ url, urlFragment = '' }) => url + urlFragment === frame.url());
  return found[alike.indexOf(frame)]?.id;
}

const BY_VALUE = { awaitPromise: true, returnByValue: true } as const;

async function isolatedWorld(
  session: CDPSession,
  idIn = ({ frame }: FrameTree): string | undefined => frame.id,
) {
  const frameId = idIn((await session.send('Page.getFrameTree')).frameTree);
  if (!frameId) throw new Error('the frame is gone');
  const made = await session.send('Page.createIsolatedWorld', { frameId, worldName: 'taskproof' });
  const { executionContextId } = made;
  const run = async (expression: string) => {
    const asked = { expression, contextId: executionContextId, ...BY_VALUE };
    return resultOf(await session.send('Runtime.evaluate', asked)).value;
  };
  await run(`${SOURCE}; 0`);
  return {
    /** Runs a script: axe-core, once for a document. */
    run,
    /** Calls a function of `injected/`. @param elements are its last arguments, as `listening` returns them */
    async call<Name extends Injected>(name: Name, args: unknown[], elements: string[] = []): Returned<Name> {
      const given = [
        ...[name, ...args].map(value => ({ value })),
        ...elements.map(objectId => ({ objectId })),
      ];
      const call = { functionDeclaration: CALL_KNOWN, arguments: given, executionContextId, ...BY_VALUE };
      return resultOf(await session.send('Runtime.callFunctionOn', call)).value;
    },
    /** The elements with click listeners, as the browser reports them; none if it does not. */
    listening: () => listening(session, executionContextId),
    async interrupt(): Promise<void> {
      await session.send('Runtime.terminateExecution').catch(() => undefined);
    },
  };
}

/** For browsers without the protocol: Playwright's public API reaches only the page's own world. */
function mainWorld(frame: Frame): World {
  return {
    call: async (name, args) => (await frame.evaluate(withSource(name, '...args'), args as unknown)) as never,
    run: script => frame.evaluate(script),
    listening: async () => [],
    interrupt: async () => undefined,
  };
}

function resultOf<T>(answer: {
  result: T;
  exceptionDetails?: { text: string; exception?: { description?: string } };
}): T {
  const { result, exceptionDetails } = answer;
  if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
  return result;
}

const CLICKS = /^(?:click|(?:mouse|pointer)(?:down|up)|touch(?:start|end))$/;
/** The most elements with listeners, since each takes a request. */
const MAX_LISTENING = 300;

async function listening(session: CDPSession, executionContextId: number): Promise<string[]> {
  const document = { expression: 'document', contextId: executionContextId };
  const { result } = await session.send('Runtime.evaluate', document);
  const { node } = await session.send('DOM.describeNode', { objectId: result.objectId });
  // Listeners are on the document in the page's own world. None of the page's code runs for this.
  const { object } = await session.send('DOM.resolveNode', { backendNodeId: node.backendNodeId });
  const tree = { objectId: object.objectId!, depth: -1, pierce: true };
  const { listeners } = await session.send('DOMDebugger.getEventListeners', tree);
  const ids = listeners.flatMap(({ type, backendNodeId }) => (CLICKS.test(type) && backendNodeId) || []);
  const resolved = [...new Set(ids)].slice(0, MAX_LISTENING).map(async backendNodeId => {
    const node = { backendNodeId, executionContextId };
    return (await session.send('DOM.resolveNode', node).catch(() => undefined))?.object.objectId;
  });
  return (await Promise.all(resolved)).filter(id => id !== undefined);
}

/** The texts of a page's alerts, toasts and messages; none if it does not answer. */
export const messagesOn = async (page: Page): Promise<string[]> =>
  (await within(callInPage(page, 'messages'), 500)) ?? [];
