// One connection of a DevTools client, relayed through a browser session of Playwright's. The client speaks the protocol's
// flat form (each message has a sessionId). Playwright drops messages of sessions that it did not open, so towards the browser
// each session is nested in its parent (`Target.sendMessageToTarget`). Checked with Chromium 156.
import { z } from 'zod';
import { messageOf, parsedJson } from '../../text/line';
import { ACTS, ANSWERED, BROWSER_WIDE, passed } from './rules';

/** A CDPSession without types, since a client may send any method. */
export interface RawSession {
  send(method: string, params?: object): Promise<object>;
  detach(): Promise<void>;
  on(event: 'event', listener: (event: { method: string; params?: Params }) => void): void;
}

// biome-ignore lint/suspicious/noExplicitAny: the protocol's own shapes, of which we look at a few fields
export type Params = Record<string, any>;

/** Our own methods, in the browser's session. What they throw becomes the answer. */
export type OwnMethods = Readonly<Record<string, (params: Params) => Promise<object>>>;

export interface CdpClient {
  send(message: object): void;
  close(): void;
  held(): boolean;
  front(targetId: string): Promise<void>;
}

const BROWSER = '';
/** Ids of our own wrapping requests start here; clients count up from 1. */
const FIRST_OWN_ID = 1_500_000_000;

const requestSchema = z.object({
  id: z.int().lt(FIRST_OWN_ID),
  method: z.string(),
  params: z.record(z.string(), z.any()).default({}),
  sessionId: z.string().default(BROWSER),
});
type Request = z.infer<typeof requestSchema>;
type Asked = Pick<Request, 'id' | 'sessionId'>;

interface Message {
  id?: number;
  method?: string;
  params?: Params;
  result?: object;
  error?: object;
}

export type CdpRelay = ReturnType<typeof relayed>;

/**
 * @param watcher a second session of the browser, for `Target.setAutoAttach`: the browser itself only offers that in the
 * protocol's flat form, which can't be used here. New targets don't wait for the client.
 */
export function relayed(
  session: RawSession,
  watcher: RawSession,
  ownContextId: string,
  client: CdpClient,
  own: OwnMethods = {},
) {
  const parents = new Map<string, string>();
  const targets = new Map<string, string>();
  /** The client's request in each of our own wrapping requests. */
  const carried = new Map<number, Asked>();
  /** Whether the client wants a session for each target. */
  let attaches = false;
  const attached = new Map<string, Promise<unknown>>();
  const ownTargets = new Set<string>();
  const waiting: Request[] = [];
  let lastOwnId = FIRST_OWN_ID;

  const handle = (request: Request): void => {
    void follow(request).then(
      result => result && answer(request, { result }),
      error => refuse(request, -32_000, reasonOf(error)),
    );
  };

  /** @returns the answer; undefined if a session will give it */
  const follow = async (request: Request): Promise<object | undefined> => {
    const { method, params, sessionId } = request;
    const isRoot = sessionId === BROWSER;
    if (isRoot && Object.hasOwn(atRoot, method)) return atRoot[method]!(params);
    if (method === 'Browser.close') setImmediate(() => client.close());
    if (ANSWERED.has(method)) return ANSWERED.get(method);
    const sent = passed(method, params, isRoot, ownContextId);
    if (BROWSER_WIDE.test(method)) await check(sent);
    if (method === 'Page.bringToFront' && parents.has(sessionId)) await client.front(targets.get(sessionId)!);
    if (!isRoot) return pass(sessionId, { ...request, params: sent });
    const result: Params = await session.send(method, sent);
    if (method === 'Target.createTarget') await attach(result.targetId);
    if (method !== 'Target.getTargets') return result;
    return { targetInfos: (result.targetInfos as Params[]).filter(isOwn) };
  };

  /** Resolves once the existing targets are attached. Takes the protocol's parameters. */
  const setAutoAttach = async ({ autoAttach, filter }: Params): Promise<object> => {
    attaches = Boolean(autoAttach);
    const filtered = attaches && filter ? { filter } : {};
    await watcher.send('Target.setDiscoverTargets', { discover: attaches, ...filtered });
    if (!attaches) return {};
    // The events about existing targets may come after the answer.
    const { targetInfos } = (await watcher.send('Target.getTargets', filtered)) as Params;
    await Promise.all((targetInfos as Params[]).map(attachWanted));
    return {};
  };
  const atRoot: OwnMethods = { ...own, 'Target.setAutoAttach': setAutoAttach };
  const attachWanted = async ({ targetId, browserContextId, type }: Params): Promise<void> => {
    if (browserContextId === ownContextId && TYPES.has(type)) await attach(targetId);
  };
  /** A client that creates a target expects to be attached when it gets the answer. */
  const attach = async (targetId: string): Promise<void> => {
    if (!attaches) return;
    const attaching =
      attached.get(targetId) ??
      // The target may be gone already.
      session.send('Target.attachToTarget', { targetId, flatten: false }).catch(() => undefined);
    attached.set(targetId, attaching);
    await attaching;
  };

  /** @throws Error if the target is not the trial's */
  const check = async ({ targetId }: Params): Promise<void> => {
    if (typeof targetId !== 'string' || ownTargets.has(targetId)) return;
    const { targetInfo } = (await session.send('Target.getTargetInfo', { targetId })) as Params;
    // Clients may see the browser's own target, but must get no session of it: that would reach other contexts.
    if (targetInfo.type === 'browser' || !isOwn(targetInfo)) throw new Error('No target with given id found');
  };

  const pass = async (sessionId: string, { id, method, params }: Request): Promise<undefined> => {
    const parent = parents.get(sessionId);
    if (parent === undefined) return refuse({ id, sessionId }, -32_001, 'Session with given id not found.');
    const wrapped = { sessionId, message: JSON.stringify({ id, method, params }) };
    if (parent === BROWSER) return void (await session.send('Target.sendMessageToTarget', wrapped));
    const ownId = ++lastOwnId;
    carried.set(ownId, carried.get(id) ?? { id, sessionId });
    const wrapper = { id: ownId, method: 'Target.sendMessageToTarget', params: wrapped, sessionId: parent };
    return pass(parent, wrapper);
  };

  const deliver = (message: Message, sessionId: string): void => {
    const asked = carried.get(message.id!);
    if (asked) {
      carried.delete(message.id!);
      if (message.error) answer(asked, { error: message.error });
    } else if (message.method === 'Target.receivedMessageFromTarget') {
      const { sessionId: inner, message: text } = message.params!;
      if (parents.has(inner)) deliver(JSON.parse(text), inner);
    } else if (sessionId !== BROWSER || concerns(message.params!)) show(message, sessionId);
  };
  const show = (message: Message, sessionId: string): void => {
    const { method, params = {} } = message;
    if (method === 'Target.attachedToTarget') {
      parents.set(params.sessionId, sessionId);
      targets.set(params.sessionId, params.targetInfo.targetId);
    }
    if (method === 'Target.detachedFromTarget' && !parents.delete(params.sessionId)) return;
    if (params.targetInfo) isOwn(params.targetInfo);
    client.send(sessionId === BROWSER ? message : { ...message, sessionId });
  };

  const concerns = ({ targetInfo, targetId }: Params): boolean =>
    targetInfo ? isOwn(targetInfo) : targetId === undefined || ownTargets.has(targetId);
  /** Whether the client may see a target. Remembers the trial's own. */
  const isOwn = ({ targetId, type, browserContextId }: Params): boolean => {
    if (type === 'browser') return true;
    if (browserContextId === ownContextId) ownTargets.add(targetId);
    return browserContextId === ownContextId;
  };
  const refuse = (asked: Asked, code: number, message: string): undefined =>
    answer(asked, { error: { code, message } });
  const answer = ({ id, sessionId }: Asked, outcome: object): undefined => {
    client.send({ id, ...outcome, ...(sessionId ? { sessionId } : {}) });
  };

  session.on('event', ({ method, params = {} }) => deliver({ method, params }, BROWSER));
  watcher.on('event', ({ method, params }) => {
    if (attaches && method === 'Target.targetCreated') void attachWanted(params!.targetInfo);
    if (method === 'Target.targetDestroyed') attached.delete(params!.targetId);
  });
  return {
    receive(text: string): void {
      const json = parsedJson(text) as { id?: unknown; sessionId?: unknown } | undefined;
      const { data: request, error } = requestSchema.safeParse(json);
      if (!request) {
        const code = error.issues[0]!.path.length ? -32_600 : -32_700;
        client.send({ id: json?.id, sessionId: json?.sessionId, error: { code, message: error.message } });
        return;
      }
      // The requests of a session stay in order.
      const waits =
        ACTS.test(request.method) || waiting.some(({ sessionId }) => sessionId === request.sessionId);
      if (client.held() && waits) waiting.push(request);
      else handle(request);
    },
    release(): void {
      for (const request of waiting.splice(0)) handle(request);
    },
    dispose(): void {
      for (const each of [session, watcher]) void each.detach().catch(() => undefined);
    },
  };
}

/** Not frames and dedicated workers: the session of their page attaches to them. */
const TYPES = new Set(['page', 'tab', 'service_worker', 'shared_worker']);

/** The browser's own message, without what Playwright puts in front. */
function reasonOf(error: unknown): string {
  return messageOf(error).replace(/^.*?Protocol error \([\w.]+\): /, '');
}
