// Opens a session with its guard and its network log, for every agent.
import type { Page } from '@playwright/test';
import { type GuardOptions, guardContext, type RefusalKind } from './guard';
import { recordNetwork } from './network-log';
import { Session } from './session';

export type OpenSession = Awaited<ReturnType<typeof openSession>>;

/** @param allowedDomains hostnames, optionally with a leading `*.` */
export async function openSession(
  page: Page,
  allowedDomains: readonly string[],
  means: GuardOptions['means'] = 'best',
) {
  const context = page.context();
  const session = new Session(context, page);
  const network = recordNetwork(context);
  const guard = await guardContext(context, {
    allowedDomains,
    network,
    means,
    onRefused: (url, how) => {
      if (how !== 'service_worker' && how !== 'page_escape') session.leaveBlankTab();
      session.notice(refusalNotice(url, how, allowedDomains));
    },
  });
  session.guardedBy(guard);
  return {
    session,
    network,
    refusals: guard.refusals,
    /** `protocol`: the guard lets no request out. `route`: it reports those that get out. */
    guard: guard.means,
    /** Removes guard, log and listeners, since the worker's other tests use the same browser. */
    async close() {
      await session.dialogs.dismissOpen();
      session.guardedBy(undefined);
      await guard.dispose();
      network.stop();
      session.dispose();
    },
  };
}

function refusalNotice(url: string, how: RefusalKind, allowedDomains: readonly string[]): string {
  const allowed = allowedDomains.join(', ');
  if (how === 'escaped') return `The page got to ${url}, which is outside the allowed domains (${allowed}).`;
  if (how === 'page_escape')
    return `The page itself showed a document of ${url}, outside the allowed domains (${allowed}). It was left at once.`;
  if (how === 'service_worker') return `A service worker of another host was not installed: ${url}.`;
  const what = { navigation: 'Going to', redirect: 'A redirect to', popup: 'A new tab for' }[how];
  return `${what} ${url} was refused: only ${allowed} may be visited. The page stayed where it was.`;
}
