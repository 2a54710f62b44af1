// Open sessions as a trial has them, on pages that the tests of a file have one after the other.
import type { Browser, BrowserContextOptions } from '@playwright/test';
import { afterEach } from 'vitest';
import { openSession } from '../../src/browser/session/session';
import { usedPages } from './used-pages';

interface SessionSetup {
  allowedDomains?: string[];
  /** Of a context of its own, for a test that leaves something behind; else the page may be one that another test had. */
  own?: BrowserContextOptions | undefined;
  means?: 'best' | 'route';
}

/** Each ends with its test. */
export function sessionsOfTests(browser: () => Browser) {
  const used = usedPages(browser);
  const endings: (() => Promise<void>)[] = [];
  // Before the page is given back.
  afterEach(async () => {
    for (const end of endings.splice(0)) await end();
  });

  return async ({ allowedDomains = ['localhost'], own, means }: SessionSetup = {}) => {
    const page = own ? await (await browser().newContext(own)).newPage() : await used.take();
    if (!own) await page.goto('about:blank');
    const opened = await openSession(page, allowedDomains, means);
    endings.push(async () => {
      await opened.close();
      if (own) await page.context().close();
    });
    return { ...opened, page };
  };
}
