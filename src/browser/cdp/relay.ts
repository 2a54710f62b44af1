// One connection of a DevTools client, relayed through a browser session of Playwright's. The client speaks the
// protocol's flat form (a sessionId beside each message). Playwright drops messages of sessions that it did not open, so
// towards the browser each session is one within its parent (`Target.sendMessageToTarget`). Checked with Chromium 156.
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

/** Our own methods, in the browser's session. What they throw is answered as an error. */
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

interface Message {
  id?: number;
  method?: string;
  params?: Params;
  result?: object;
  error?: object;
}

export class CdpRelay {
  private readonly parents = new Map<string, string>();
  private readonly targets = new Map<string, string>();
  /** The client's request in each of our own wrapping requests. */
  private readonly carried = new Map<number, Pick<Request, 'id' | 'sessionId'>>();
  /** Whether the client wants a session of each target. */
  private attaches = false;
  private readonly attached = new Map<string, Promise<unknown>>();
  private readonly ownTargets = new Set<string>();
  /** Known from answers to `Browser.getWindowForTarget`. */
  private readonly ownWindows = new Set<unknown>();
  private readonly waiting: Request[] = [];
  private lastOwnId = FIRST_OWN_ID;

  /**
   * @param watcher a second session of the browser, for `Target.setAutoAttach`: the browser itself only offers that in the
   * protocol's flat form, which can't be used here. New targets don't wait for the client.
   */
  constructor(
    private readonly session: RawSession,
    private readonly watcher: RawSession,
    private readonly browserContextId: string,
    private readonly client: CdpClient,
    private readonly own: OwnMethods = {},
  ) {
    session.on('event', ({ method, params }) => this.deliver({ method, params: params ?? {} }, BROWSER));
    watcher.on('event', ({ method, params }) => {
      if (this.attaches && method === 'Target.targetCreated') void this.attachWanted(params!.targetInfo);
      if (method === 'Target.targetDestroyed') this.attached.delete(params!.targetId);
    });
  }

  dispose(): void {
    for (const session of [this.session, this.watcher]) void session.detach().catch(() => undefined);
  }

  receive(text: string): void {
    const json = parsedJson(text) as { id?: unknown; sessionId?: unknown } | undefined;
    const { data: request, error } = requestSchema.safeParse(json);
    if (!request) {
      const code = error.issues[0]!.path.length ? -32_600 : -32_700;
      this.client.send({ id: json?.id, sessionId: json?.sessionId, error: { code, message: error.message } });
      return;
    }
    // The requests of a session stay in order.
    const waits =
      ACTS.test(request.method) || this.waiting.some(({ sessionId }) => sessionId === request.sessionId);
    if (this.client.held() && waits) this.waiting.push(request);
    else this.handle(request);
  }

  release(): void {
    for (const request of this.waiting.splice(0)) this.handle(request);
  }

  private handle(request: Request): void {
    void this.follow(request).then(
      result => result && this.answer(request, { result }),
      error => this.refuse(request, -32_000, reasonOf(error)),
    );
  }

  /** @returns its answer; undefined if that comes from a session */
  private async follow(request: Request): Promise<object | undefined> {
    const { method, params, sessionId } = request;
    const isRoot = sessionId === BROWSER;
    if (isRoot && Object.hasOwn(this.own, method)) return this.own[method]!(params);
    if (method === 'Browser.close') setImmediate(() => this.client.close());
    if (ANSWERED.has(method)) return ANSWERED.get(method);
    if (isRoot && method === 'Target.setAutoAttach') {
      await this.setAutoAttach(params);
      return {};
    }
    const sent = passed(method, params, isRoot, this.browserContextId);
    if (BROWSER_WIDE.test(method)) await this.check(method, sent);
    if (method === 'Page.bringToFront') await this.client.front(this.targets.get(sessionId) ?? '');
    if (!isRoot) return this.pass(sessionId, { ...request, params: sent });
    const result: Params = await this.session.send(method, sent);
    this.learnWindow(result);
    if (method === 'Target.createTarget') await this.attach(result.targetId);
    if (method !== 'Target.getTargets') return result;
    return { targetInfos: (result.targetInfos as Params[]).filter(info => this.isOwn(info)) };
  }

  /** Resolves when the existing targets are attached. Its parameters are those of the protocol. */
  private async setAutoAttach({ autoAttach, filter }: Params): Promise<void> {
    this.attaches = Boolean(autoAttach);
    const filtered = this.attaches && filter ? { filter } : {};
    await this.watcher.send('Target.setDiscoverTargets', { discover: this.attaches, ...filtered });
    if (!this.attaches) return;
    // The events about existing targets may come after the answer.
    const { targetInfos } = (await this.watcher.send('Target.getTargets', filtered)) as Params;
    await Promise.all((targetInfos as Params[]).map(info => this.attachWanted(info)));
  }

  private async attachWanted({ targetId, browserContextId, type }: Params): Promise<void> {
    if (browserContextId === this.browserContextId && TYPES.has(type)) await this.attach(targetId);
  }

  /** A client that creates a target expects to be attached when it gets the answer. */
  private async attach(targetId: string): Promise<void> {
    if (!this.attaches) return;
    const attach = () => this.session.send('Target.attachToTarget', { targetId, flatten: false });
    // The target may be gone already.
    const attaching = this.attached.get(targetId) ?? attach().catch(() => undefined);
    this.attached.set(targetId, attaching);
    await attaching;
  }

  /** @throws Error if the target or the window is not the trial's */
  private async check(method: string, { targetId, windowId }: Params): Promise<void> {
    if (/WindowBounds$/.test(method) && !this.ownWindows.has(windowId))
      throw new Error(
        `${JSON.stringify(windowId)} is not a window of this trial: call Browser.getWindowForTarget first`,
      );
    if (typeof targetId !== 'string' || this.ownTargets.has(targetId)) return;
    const { targetInfo } = (await this.session.send('Target.getTargetInfo', { targetId })) as Params;
    // Clients may see the browser's own target, but must get no session of it: that would reach other contexts.
    if (targetInfo.type === 'browser' || !this.isOwn(targetInfo))
      throw new Error('No target with given id found');
  }

  private async pass(sessionId: string, { id, method, params }: Request): Promise<undefined> {
    const parent = this.parents.get(sessionId);
    if (parent === undefined)
      return this.refuse({ id, sessionId }, -32_001, 'Session with given id not found.');
    const wrapped = { sessionId, message: JSON.stringify({ id, method, params }) };
    if (parent === BROWSER) return void (await this.session.send('Target.sendMessageToTarget', wrapped));
    const ownId = ++this.lastOwnId;
    this.carried.set(ownId, this.carried.get(id) ?? { id, sessionId });
    const wrapper = { id: ownId, method: 'Target.sendMessageToTarget', params: wrapped, sessionId: parent };
    return this.pass(parent, wrapper);
  }

  private deliver(message: Message, sessionId: string): void {
    const carried = this.carried.get(message.id!);
    if (carried) {
      this.carried.delete(message.id!);
      if (message.error) this.answer(carried, { error: message.error });
    } else if (message.method === 'Target.receivedMessageFromTarget') {
      const { sessionId: inner, message: text } = message.params!;
      if (this.parents.has(inner)) this.deliver(JSON.parse(text), inner);
    } else if (sessionId !== BROWSER || this.concerns(message.params!)) this.show(message, sessionId);
  }

  private show(message: Message, sessionId: string): void {
    const { method, params = {}, result } = message;
    if (result) this.learnWindow(result);
    if (method === 'Target.attachedToTarget') {
      this.parents.set(params.sessionId, sessionId);
      this.targets.set(params.sessionId, params.targetInfo.targetId);
    }
    if (method === 'Target.detachedFromTarget' && !this.parents.delete(params.sessionId)) return;
    if (params.targetInfo) this.isOwn(params.targetInfo);
    this.client.send(sessionId === BROWSER ? message : { ...message, sessionId });
  }

  private concerns({ targetInfo, targetId }: Params): boolean {
    if (targetInfo) return this.isOwn(targetInfo);
    return targetId === undefined || this.ownTargets.has(targetId);
  }

  private learnWindow({ windowId }: Params): void {
    if (typeof windowId === 'number') this.ownWindows.add(windowId);
  }

  /** Whether the client may see a target. Remembers the trial's own. */
  private isOwn({ targetId, type, browserContextId }: Params): boolean {
    if (type === 'browser') return true;
    const isOwn = browserContextId === this.browserContextId;
    if (isOwn) this.ownTargets.add(targetId);
    return isOwn;
  }

  private refuse(asked: Pick<Request, 'id' | 'sessionId'>, code: number, message: string): undefined {
    this.answer(asked, { error: { code, message } });
  }

  private answer({ id, sessionId }: Pick<Request, 'id' | 'sessionId'>, outcome: object): void {
    this.client.send({ id, ...outcome, ...(sessionId ? { sessionId } : {}) });
  }
}

/** Without frames and dedicated workers: the session of their page attaches to them. */
const TYPES = new Set(['page', 'tab', 'service_worker', 'shared_worker']);

/** The browser's own message, without the call and the method that Playwright puts in front. */
function reasonOf(error: unknown): string {
  return messageOf(error).replace(/^.*?Protocol error \([\w.]+\): /, '');
}
