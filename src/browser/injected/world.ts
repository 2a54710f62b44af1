// Runs our functions in a document; on Chromium in an isolated world: changed prototypes and the page's policy for scripts
// don't count there, and the page sees nothing of it.
import type { CDPSession, Frame, Page } from '@playwright/test';
import { protocolOf } from '../page-calls';
import { within } from '../waiting';
import * as elements from './elements';
import * as names from './names';
import * as rules from './rules';

const SOURCE = [elements, names, rules].flatMap(Object.values).map(String).join('\n');
const CLICKS = /^(?:click|(?:mouse|pointer)(?:down|up)|touch(?:start|end))$/;
/** The most elements with listeners, since each takes a request. */
const MAX_LISTENING = 300;

export type World = Awaited<ReturnType<typeof isolatedWorld>>;

/** @throws Error if the document is gone. */
export async function worldOf(page: Page, frame: Frame): Promise<World> {
  const session = await protocolOf(page);
  if (!session) return mainWorld(frame);
  const isMain = frame === page.mainFrame();
  const context = page.context();
  // Rejects for a frame in the page's process.
  const own = isMain ? undefined : await context.newCDPSession(frame).catch(() => undefined);
  const { frameTree } = await (own ?? session).send('Page.getFrameTree');
  const frameId = isMain || own ? frameTree.frame.id : idIn(frameTree, page, frame);
  if (!frameId) throw new Error('the frame is gone');
  return isolatedWorld(own ?? session, frameId);
}

interface FrameTree {
  frame: { id: string; url: string; urlFragment?: string };
  childFrames?: FrameTree[];
}

/** The id of a frame. Both lists have the frames in the order in which they were added. */
function idIn(tree: FrameTree, page: Page, frame: Frame): string | undefined {
  const alike = page.frames().filter(each => each.url() === frame.url());
  const flat = ({ frame: each, childFrames = [] }: FrameTree): FrameTree['frame'][] => [
    each,
    ...childFrames.flatMap(flat),
  ];
  const found = flat(tree).filter(({ url, urlFragment = '' }) => url + urlFragment === frame.url());
  return found[alike.indexOf(frame)]?.id;
}

async function isolatedWorld(session: CDPSession, frameId: string) {
  const made = await session.send('Page.createIsolatedWorld', { frameId, worldName: 'taskproof' });
  const { executionContextId } = made;
  const evaluate = async (expression: string, returnByValue = true) => {
    const options = { expression, contextId: executionContextId, awaitPromise: true, returnByValue };
    return resultOf(await session.send('Runtime.evaluate', options));
  };
  return {
    /** Runs a script: axe-core, once for a document. */
    run: async (script: string): Promise<unknown> => (await evaluate(script)).value,
    /** Calls a function of elements.ts, names.ts or rules.ts. @param call such as `seen()`, with `listening` as an argument if needed */
    async call(call: string): Promise<unknown> {
      const found = call.includes('listening')
        ? await within(listening(session, evaluate, executionContextId), 500)
        : [];
      const answer = await session.send('Runtime.callFunctionOn', {
        functionDeclaration: `function (...listening) {\n${SOURCE}\nreturn ${call} }`,
        arguments: (found ?? []).map(objectId => ({ objectId })),
        ...{ executionContextId, awaitPromise: true, returnByValue: true },
      });
      return resultOf(answer).value;
    },
    /** Stops the script that runs in the page. */
    interrupt: (): Promise<unknown> => session.send('Runtime.terminateExecution').catch(() => undefined),
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

/** Asks the browser which elements have click listeners. @returns their ids in our world */
async function listening(
  session: CDPSession,
  evaluate: (expression: string, returnByValue: boolean) => Promise<{ objectId?: string }>,
  executionContextId: number,
): Promise<string[]> {
  const { objectId } = await evaluate('document', false);
  const { node } = await session.send('DOM.describeNode', { objectId });
  // The document in the page's own world, whose listeners count. Nothing of the page runs for this.
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

/** The public API, for browsers without the protocol, only has the page's own world. */
function mainWorld(frame: Frame): World {
  return {
    run: script => frame.evaluate(script),
    call: call => frame.evaluate(`(async listening => {\n${SOURCE}\nreturn ${call} })([])`),
    interrupt: async () => undefined,
  };
}
