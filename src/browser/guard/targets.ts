// Which targets of a Chromium (tabs, frames with their own process, workers) belong to one context.
import type { BrowserContext, CDPSession, Page } from '@playwright/test';
import { protocolOf } from '../in-page';

declare const session: CDPSession;
/** The protocol's own type, which Playwright does not export. */
type Told = Awaited<ReturnType<typeof session.send<'Target.getTargetInfo'>>>['targetInfo'];
/** Exported only for the declarations. */
export interface TargetInfo extends Told {}

const TYPES = ['page', 'iframe', 'shared_worker', 'service_worker'];

export type Targets = Awaited<ReturnType<typeof targetsIn>>;

export async function targetsIn(context: BrowserContext, session: CDPSession) {
  const ownContextId = await contextIdOf(context);
  const live = new Map<string, TargetInfo>();
  /** Ids of our targets, closed ones included: a tab's last requests may arrive after it is closed. */
  const own = new Set<string>();
  const learn = (target: TargetInfo): void => {
    live.set(target.targetId, target);
    if (target.browserContextId === ownContextId) own.add(target.targetId);
  };
  session.on('Target.targetCreated', ({ targetInfo }) => learn(targetInfo));
  session.on('Target.targetInfoChanged', ({ targetInfo }) => learn(targetInfo));
  session.on('Target.targetDestroyed', ({ targetId }) => live.delete(targetId));
  await session.send('Target.setDiscoverTargets', { discover: true, filter: TYPES.map(type => ({ type })) });

  /** Asks for a target that is not announced yet: a tab's first request may be held before. A subframe has no target. */
  const found = async (targetId: string): Promise<TargetInfo | undefined> => {
    if (!live.has(targetId)) {
      const answer = await session.send('Target.getTargetInfo', { targetId }).catch(() => undefined);
      if (answer && !live.has(targetId)) learn(answer.targetInfo);
    }
    return live.get(targetId);
  };
  /** The protocol does not tell this of a frame in its page's process: it counts as ours if all tabs of the browser are ours. */
  const isOwn = (frameId: string): boolean => {
    if (own.has(frameId)) return true;
    if (live.has(frameId)) return false;
    return [...live.values()].every(target => target.type !== 'page' || own.has(target.targetId));
  };
  return {
    onGone: (listener: () => void) => void session.on('Target.targetDestroyed', listener),
    urlOf: (targetId: string) => live.get(targetId)?.url,
    /** Whether a tab that a page opened is still blank: without a URL until it has its first document. */
    get openedBlank() {
      return [...live.values()].some(
        ({ openerId, url }) => openerId !== undefined && !/^(https?|blob):/.test(url),
      );
    },
    /** The number of tabs in our context, including those that Playwright has not reported yet, without prerendered ones. */
    get tabs() {
      return [...live.values()].filter(
        ({ targetId, type, subtype }) => type === 'page' && !subtype && own.has(targetId),
      ).length;
    },
    /** The tab of our context whose main frame this is; undefined for subframes and for other contexts. */
    async ownPage(frameId: string): Promise<TargetInfo | undefined> {
      const target = await found(frameId);
      return target?.type === 'page' && own.has(frameId) ? target : undefined;
    },
    async isOwnWorker(targetId: string): Promise<boolean> {
      await found(targetId);
      return isOwn(targetId);
    },
    isOwn,
  };
}

export async function targetOf(page: Page): Promise<TargetInfo> {
  const session = await protocolOf(page);
  if (!session) throw new Error('the page is closed, or its browser has no DevTools protocol');
  return (await session.send('Target.getTargetInfo')).targetInfo;
}

/** Chromium's own id of a context. Only a page of the context tells it. */
async function contextIdOf(context: BrowserContext): Promise<string> {
  const open = context.pages()[0];
  const page = open ?? (await context.newPage());
  const { browserContextId } = await targetOf(page);
  if (!open) await page.close();
  if (browserContextId === undefined)
    throw new Error('this browser does not report the context of its pages');
  return browserContextId;
}
