// Which targets of a Chromium (tabs, frames with their own process, workers) belong to one context.
import type { BrowserContext, CDPSession, Page } from '@playwright/test';
import { protocolOf } from '../in-page';

declare const session: CDPSession;
/** The protocol's own type, which Playwright does not export. */
export type TargetInfo = Awaited<ReturnType<typeof session.send<'Target.getTargetInfo'>>>['targetInfo'];

const TYPES = ['page', 'iframe', 'shared_worker', 'service_worker'];

export class Targets {
  readonly #live = new Map<string, TargetInfo>();
  /** Ids of our targets, closed ones included: a tab's last requests may arrive after it is closed. */
  readonly #own = new Set<string>();

  private constructor(
    private readonly session: CDPSession,
    private readonly browserContextId: string,
  ) {}

  static async of(context: BrowserContext, session: CDPSession): Promise<Targets> {
    const targets = new Targets(session, await contextIdOf(context));
    session.on('Target.targetCreated', ({ targetInfo }) => targets.#learn(targetInfo));
    session.on('Target.targetInfoChanged', ({ targetInfo }) => targets.#learn(targetInfo));
    session.on('Target.targetDestroyed', ({ targetId }) => targets.#live.delete(targetId));
    await session.send('Target.setDiscoverTargets', {
      discover: true,
      filter: TYPES.map(type => ({ type })),
    });
    return targets;
  }

  onGone(listener: () => void): void {
    this.session.on('Target.targetDestroyed', listener);
  }

  urlOf(targetId: string): string | undefined {
    return this.#live.get(targetId)?.url;
  }

  /** Whether a tab that a page opened is still blank: without a URL until it has its first document. */
  get openedBlank(): boolean {
    return [...this.#live.values()].some(
      ({ openerId, url }) => openerId !== undefined && !/^(https?|blob):/.test(url),
    );
  }

  /** The number of tabs in our context, with those that Playwright has not reported yet, without prerendered ones. */
  get tabs(): number {
    return [...this.#live.values()].filter(
      ({ targetId, type, subtype }) => type === 'page' && !subtype && this.#own.has(targetId),
    ).length;
  }

  /** The tab of our context whose main frame this is; undefined for subframes and for other contexts. */
  async ownPage(frameId: string): Promise<TargetInfo | undefined> {
    await this.#ask(frameId);
    const target = this.#live.get(frameId);
    return target?.type === 'page' && this.#own.has(frameId) ? target : undefined;
  }

  async isOwnWorker(targetId: string): Promise<boolean> {
    await this.#ask(targetId);
    return this.isOwn(targetId);
  }

  /** The protocol does not tell for a frame in its page's process: that counts as ours if all tabs of the browser are ours. */
  isOwn(frameId: string): boolean {
    if (this.#own.has(frameId)) return true;
    if (this.#live.has(frameId)) return false;
    return [...this.#live.values()].every(target => target.type !== 'page' || this.#own.has(target.targetId));
  }

  /** A tab's first request may be held before its target is announced. A subframe has no target to find. */
  async #ask(targetId: string): Promise<void> {
    if (this.#live.has(targetId)) return;
    const answer = await this.session.send('Target.getTargetInfo', { targetId }).catch(() => undefined);
    if (answer && !this.#live.has(targetId)) this.#learn(answer.targetInfo);
  }

  #learn(target: TargetInfo): void {
    this.#live.set(target.targetId, target);
    if (target.browserContextId === this.browserContextId) this.#own.add(target.targetId);
  }
}

export async function targetOf(page: Page): Promise<TargetInfo> {
  const session = await protocolOf(page);
  if (!session) throw new Error('the page is closed, or its browser has no DevTools protocol');
  return (await session.send('Target.getTargetInfo')).targetInfo;
}

/** Chromium's own id of a context, which only a page of the context tells. */
async function contextIdOf(context: BrowserContext): Promise<string> {
  const open = context.pages()[0];
  const page = open ?? (await context.newPage());
  const { browserContextId } = await targetOf(page);
  if (!open) await page.close();
  if (browserContextId === undefined)
    throw new Error('this browser does not report the context of its pages');
  return browserContextId;
}
