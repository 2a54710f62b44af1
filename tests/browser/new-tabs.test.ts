// A tab that a turn opens is the active one in the next turn, for agents that only call Playwright's methods.
import { Worker } from 'node:worker_threads';
import type { Page } from '@playwright/test';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { OpenSession } from '../../src/browser/session/session';
import type { Turns } from '../../src/trial/turns';
import { sessionsOfTests } from '../support/sessions';
import { browserOfTests } from '../support/shared-browser';
import { turnsOver } from '../support/trials';
import { serverOfTests } from '../support/two-sites';

/** What fails once in some hundred turns shows when the tests are repeated. Each turn beside busy processors costs all of them. */
const TIMES = { quick: 2, slow: 1, slowest: 1, timer: 2, promise: 1 };

const open = sessionsOfTests(browserOfTests());
const site = serverOfTests((request, response) => {
  const { pathname } = new URL(request.url!, 'http://localhost');
  const body =
    pathname === '/'
      ? `<a href="/quick" target="_blank">quick</a> <a href="/slow" target="_blank">slow</a> <a href="/slowest" target="_blank">slowest</a>
         <button onclick="setTimeout(() => window.open('/quick'))">timer</button>
         <button onclick="Promise.resolve().then(() => window.open('/quick'))">promise</button>
         <button>nothing</button>`
      : `<title>${pathname}</title>`;
  const answer = () => response.writeHead(200, { 'content-type': 'text/html' }).end(body);
  setTimeout(answer, { '/slow': 400, '/slowest': 4_500 }[pathname] ?? 0);
});

interface Trial extends OpenSession {
  page: Page;
  turns: Turns;
}

async function inTrial<T>(
  means: 'best' | 'route',
  run: (trial: Trial) => Promise<T>,
  withPicture = async (_: Page): Promise<void> => undefined,
): Promise<T> {
  const opened = await open({ allowedDomains: ['127.0.0.1'], means });
  const { page } = opened;
  await page.goto(site.url);
  const { turns } = turnsOver(opened, site.url, (_, turn) => turn(() => withPicture(page)));
  return run({ ...opened, turns });
}

/** @returns in how many of the turns that opened a tab this tab was the active one afterwards. */
function followed(
  click: string,
  times: number,
  { means = 'best' as 'best' | 'route', isBusy = false } = {},
): Promise<number> {
  return inTrial(means, async ({ session, page, turns }) => {
    const busy = isBusy ? [1, 2].map(() => new Worker('for (;;);', { eval: true })) : [];
    const endBusy = async () => void (await Promise.all(busy.map(worker => worker.terminate())));
    onTestFinished(endBusy);
    let right = 0;
    for (let time = 0; time < times; time++) {
      const link = page.getByText(click, { exact: true });
      await turns.run(click, async () => {
        // Nothing else tells of a tab if the browser announces none.
        const seen = means === 'route' ? page.context().waitForEvent('request') : undefined;
        await link.click({ timeout: 30_000 });
        await seen;
      });
      const { page: active } = session;
      if (active !== page && active.url() !== 'about:blank') right++;
      if (active !== page) await turns.run('close it', () => active.close());
      session.activate(page);
    }
    await endBusy();
    return right;
  });
}

it('a tab that opens while the turn takes its picture is the active one in the next turn', async () => {
  let opened: Promise<void> | undefined;
  const open = (page: Page) => {
    opened ??= page.evaluate(() => void window.open('/slow'));
    return opened;
  };
  await inTrial(
    'best',
    async ({ session, page, turns }) => {
      await turns.run('click', () => page.getByText('nothing').click());
      expect(await turns.run('look', async () => session.page !== page)).toBe(true);
    },
    open,
  );
});

it('once the agent has ended, a tab that opens is not the active one', async () => {
  await inTrial('best', async ({ session, page }) => {
    session.keepActiveTab();
    await page.getByText('timer').click();
    await expect.poll(() => session.notices.join()).toContain('A new tab opened (');
    expect(session.page).toBe(page);
  });
});

describe('a tab that a turn opens is the active one afterwards', () => {
  it.each(Object.entries(TIMES))('of kind %s', async (kind, times) => {
    expect(await followed(kind, times)).toBe(times);
  });

  it.each(['quick', 'timer'])('of kind %s while something else keeps the processors busy', async kind => {
    expect(await followed(kind, 1, { isBusy: true })).toBe(1);
  });

  it('where the browser announces no tabs, once its request is seen', async () => {
    expect(await followed('slow', TIMES.slow, { means: 'route' })).toBe(TIMES.slow);
  });
});
