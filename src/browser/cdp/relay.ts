// One connection of a DevTools client, relayed through a browser session of Playwright's. The client speaks the
// protocol's flat form (a sessionId beside each message). Playwright drops messages of sessions that it did not open, so
// towards the browser each session is one within its parent (`Target.sendMessageToTarget`). Checked with Chromium 156.
import { AutoAttach } from './auto-attach';
import { acts, ruleFor } from './rules';

/** A CDPSession without types, since a client may send any method. */
export interface RawSession {
  send(method: string, params?: object): Promise<object>;
  detach(): Promise<void>;
  on(event: 'event', listener: (event: { method: string; params?: Params }) => void): void;
}

// biome-ignore lint/suspicious/noExplicitAny: the protocol's own shapes, of which we look at a few fields
export type Params = Record<string, any>;

interface Message {
  id?: number;
  method?: string;
  params?: Params;
  result?: object;
  error?: { code: number; message: string };
  sessionId?: string;
}

/** Our own methods, in the browser's session. What they throw is answered as an error. */
export type OwnMethods = Readonly<Record<string, (params: Params) => Promise<object>>>;

export interface CdpClient {
  send(message: object): void;
  close(): void;
  /** Whether the client's actions on the page have to wait. */
  held(): boolean;
  /** Called before the client brings this page to the front. */
  front(targetId: string): Promise<void>;
}

const BROWSER = '';
/** Ids of our own wrapping requests start here; clients count up from 1. */
const FIRST_OWN_ID = 1_500_000_000;

export class CdpRelay {
  /** The parent of each session: another session, or the browser's. */
  private readonly parents = new Map<string, string>();
  /** The page, frame or worker of each session. */
  private readonly targets = new Map<string, string>();
  /** The client's message in each of our own wrapping requests. */
  private readonly carried = new Map<number, Pick<Message, 'id' | 'sessionId'>>();
  private readonly autoAttach: AutoAttach;
  private readonly ownTargets = new Set<string>();
  /** Known from answers to `Browser.getWindowForTarget`. */
  private readonly ownWindows = new Set<unknown>();
  /** Messages that arrived while the client was held, oldest first. */
  private readonly waiting: Message[] = [];
  private lastOwnId = FIRST_OWN_ID;

  constructor(
    private readonly session: RawSession,
    openSession: () => Promise<RawSession>,
    private readonly browserContextId: string,
    private readonly client: CdpClient,
    private readonly own: OwnMethods = {},
  ) {
    this.autoAttach = new AutoAttach(browserContextId, openSession, async targetId => {
      await session.send('Target.attachToTarget', { targetId, flatten: false });
    });
    session.on('event', ({ method, params }) => this.deliver({ method, params: params ?? {} }, BROWSER));
  }

  dispose(): void {
    this.autoAttach.dispose();
    void this.session.detach().catch(() => undefined);
  }

  /** Handles a message of the client. Never throws: errors are answers. */
  receive(text: string): void {
    const message = parsed(text);
    if (!message) {
      this.client.send({ error: { code: -32_700, message: 'Message must be a valid JSON object' } });
      return;
    }
    const { id, method, sessionId } = message;
    const problem = problemOf(message);
    if (problem) {
      this.refuse(typeof sessionId === 'string' ? { id, sessionId } : { id }, -32_600, problem);
      return;
    }
    // The messages of a session stay in order.
    const waits = acts(method!) || this.waiting.some(earlier => earlier.sessionId === sessionId);
    if (this.client.held() && waits) this.waiting.push(message);
    else this.handle(message);
  }

  release(): void {
    for (const message of this.waiting.splice(0)) this.handle(message);
  }

  private handle(message: Message): void {
    void this.follow(message).catch(error => this.refuse(message, -32_000, reasonOf(error)));
  }

  private async follow({ id, method = '', params = {}, sessionId = BROWSER }: Message): Promise<void> {
    if (sessionId === BROWSER && Object.hasOwn(this.own, method))
      return this.answer({ id }, { result: await this.own[method]!(params) });
    const rule = ruleFor(method, params, {
      root: sessionId === BROWSER,
      browserContextId: this.browserContextId,
      isOwnTarget: targetId => this.ownTargets.has(targetId),
      isOwnWindow: windowId => this.ownWindows.has(windowId),
    });
    if ('error' in rule) return this.refuse({ id, sessionId }, -32_601, rule.error);
    if ('result' in rule) {
      this.answer({ id, sessionId }, { result: rule.result });
      if (rule.closes) this.client.close();
      return;
    }
    if ('attachTo' in rule) {
      await this.autoAttach.set(rule.attachTo);
      return this.answer({ id, sessionId }, { result: {} });
    }
    if (rule.asksForTarget) await this.learn(rule.asksForTarget);
    if (method === 'Page.bringToFront') await this.client.front(this.targets.get(sessionId) ?? '');
    if (sessionId !== BROWSER) return this.pass(sessionId, { id, method, params: rule.params });
    const result: Params = await this.session.send(method, rule.params);
    if (method === 'Target.createTarget') {
      this.ownTargets.add(result.targetId);
      await this.autoAttach.created(result.targetId);
    }
    this.answer({ id, sessionId }, { result: this.shown(method, result) });
  }

  /** Sends a message down to its session, wrapped once for each session on the way. */
  private async pass(sessionId: string, message: Message): Promise<void> {
    const parent = this.parents.get(sessionId);
    if (parent === undefined)
      return this.refuse({ id: message.id, sessionId }, -32_001, 'Session with given id not found.');
    const params = { sessionId, message: JSON.stringify(message) };
    if (parent === BROWSER) return void (await this.session.send('Target.sendMessageToTarget', params));
    const id = ++this.lastOwnId;
    this.carried.set(id, this.carried.get(message.id!) ?? { id: message.id, sessionId });
    await this.pass(parent, { id, method: 'Target.sendMessageToTarget', params });
  }

  /** Passes an event or an answer of a session up to the client. */
  private deliver(message: Message, sessionId: string): void {
    if (message.id !== undefined && this.carried.has(message.id)) {
      const carried = this.carried.get(message.id)!;
      this.carried.delete(message.id);
      if (message.error) this.answer(carried, { error: message.error });
      return;
    }
    if (message.method === 'Target.receivedMessageFromTarget') {
      const { sessionId: inner, message: text } = message.params!;
      if (this.parents.has(inner)) this.deliver(JSON.parse(text), inner);
    } else if (sessionId !== BROWSER || this.concerns(message.params ?? {})) this.show(message, sessionId);
  }

  private show(message: Message, sessionId: string): void {
    const { method, params = {}, result } = message;
    if (result) this.learnWindow(result);
    if (method === 'Target.attachedToTarget') {
      this.parents.set(params.sessionId, sessionId);
      this.targets.set(params.sessionId, params.targetInfo.targetId);
    }
    if (method === 'Target.detachedFromTarget' && !this.parents.delete(params.sessionId)) return;
    if (params.targetInfo) this.learnTarget(params.targetInfo);
    this.client.send(sessionId === BROWSER ? message : { ...message, sessionId });
  }

  /** Whether an event of the browser's is about the trial's context. */
  private concerns({ targetInfo, targetId }: Params): boolean {
    if (targetInfo) return this.isOwn(targetInfo);
    return targetId === undefined || this.ownTargets.has(targetId);
  }

  /** Asks for a target that was never announced to this client. @throws Error if it is not the trial's */
  private async learn(targetId: string): Promise<void> {
    const { targetInfo } = (await this.session.send('Target.getTargetInfo', { targetId })) as Params;
    this.learnTarget(targetInfo);
    if (!this.ownTargets.has(targetId)) throw new Error('No target with given id found');
  }

  /** Clients expect to see the browser's own target, but must get no session of it: that would reach other contexts. */
  private learnTarget(info: Params): void {
    if (info.type !== 'browser' && this.isOwn(info)) this.ownTargets.add(info.targetId);
  }

  private learnWindow(result: Params): void {
    if (typeof result.windowId === 'number') this.ownWindows.add(result.windowId);
  }

  private isOwn(info: Params): boolean {
    return info.type === 'browser' || info.browserContextId === this.browserContextId;
  }

  /** An answer of the browser, with only the trial's targets in it. */
  private shown(method: string, result: Params): object {
    this.learnWindow(result);
    if (method !== 'Target.getTargets') return result;
    const own = (result.targetInfos as Params[]).filter(info => this.isOwn(info));
    for (const info of own) this.learnTarget(info);
    return { targetInfos: own };
  }

  private refuse(asked: Pick<Message, 'id' | 'sessionId'>, code: number, message: string): void {
    this.answer(asked, { error: { code, message } });
  }

  private answer({ id, sessionId }: Pick<Message, 'id' | 'sessionId'>, outcome: object): void {
    this.client.send({ id, ...outcome, ...(sessionId ? { sessionId } : {}) });
  }
}

function parsed(text: string): Message | undefined {
  try {
    const message = JSON.parse(text);
    return typeof message === 'object' && message !== null && !Array.isArray(message) ? message : undefined;
  } catch {
    return undefined;
  }
}

function problemOf({ id, method, params = {}, sessionId = '' }: Message): string | undefined {
  if (!Number.isInteger(id) || id! >= FIRST_OWN_ID)
    return `Message must have an integer 'id' below ${FIRST_OWN_ID}`;
  if (typeof method !== 'string') return "Message must have a string 'method'";
  if (typeof params !== 'object' || params === null || Array.isArray(params))
    return "Message may have an object 'params'";
  return typeof sessionId === 'string' ? undefined : "Message may have a string 'sessionId'";
}

/** The browser's own message, without the call and the method that Playwright puts in front. */
function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.replace(/^.*?Protocol error \([\w.]+\): /, '');
}
