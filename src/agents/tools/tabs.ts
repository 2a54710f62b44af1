// The trial's tabs with ids for the model, and the tools that open, switch, close and navigate them.
import type { Frame, Page, Response } from '@playwright/test';
import { z } from 'zod';
import { DriverError } from '../../browser/actions/act';
import { within } from '../../browser/waiting';
import { hostAllowed, parsedUrl } from '../../spec/url';
import { beginning, messageOf, shorten } from '../../text/line';
import type { SessionTask } from '../agent';
import { defineTool, lookTool, none, quote } from './tool';

export class Tabs {
  private known: Page[];

  constructor(private readonly task: Pick<SessionTask, 'session' | 'mask'>) {
    this.known = task.session.context.pages();
  }

  idOf(page: Page): string {
    return `tab_${this.task.session.numberOf(page) + 1}`;
  }

  /** The tab with this id or, without an id, the active tab. @throws DriverError if the tab is closed or unknown. */
  get(tabId?: string | null): Page {
    if (!tabId) return this.task.session.page;
    const page = this.open().find(tab => this.idOf(tab) === tabId);
    if (page) return page;
    const list = this.open().map(tab => this.idOf(tab));
    throw new DriverError(`There is no open tab ${quote(tabId)}. Open tabs: ${list.join(', ')}.`);
  }

  open(): Page[] {
    return this.task.session.context.pages().filter(page => !page.isClosed());
  }

  async entry(page: Page) {
    const title = (await titleOf(page)) ?? '';
    const url = page.url() === 'about:blank' ? '' : page.url();
    return {
      tab_id: this.idOf(page),
      title: this.task.mask(beginning(title)),
      url: this.task.mask(beginning(url)),
      ...(page === this.task.session.page && { active: true }),
    };
  }

  /** The open tabs. Those opened since the last call are listed as changes. */
  async state() {
    const pages = this.open();
    const tabs = await Promise.all(pages.map(page => this.entry(page)));
    if (tabs.length > 0 && !tabs.some(tab => tab.active)) tabs.at(-1)!.active = true;
    const changes = pages
      .filter(page => !this.known.includes(page))
      .map(page => ({ type: 'tab_opened' as const, tab_id: this.idOf(page) }));
    this.known = pages;
    return { tabs, ...(changes.length > 0 && { state_changes: changes }) };
  }
}

const titleOf = (page: Page) => within(page.title(), 1_000);

const oneTab = z.object({ tab_id: z.string().min(1).describe('tab_2') });

export const TAB_TOOLS = [
  lookTool('list_tabs', 'list the tabs', (_, { tabs }) =>
    Promise.all(tabs.open().map(page => tabs.entry(page))),
  ),
  defineTool({
    name: 'new_tab',
    input: none,
    words: () => 'open a new tab',
    async handle(_, driver, page) {
      await driver.perform(page, { do: 'new_tab' });
      return driver.tabs.entry(driver.session.page);
    },
  }),
  defineTool({
    name: 'switch_tab',
    description: 'Makes another tab the active one.',
    input: oneTab,
    words: ({ tab_id }) => `switch to ${tab_id}`,
    async handle({ tab_id }, driver) {
      const page = driver.tabs.get(tab_id);
      driver.session.activate(page);
      await driver.perform(page, { do: 'switch_tab' });
      return driver.tabs.entry(page);
    },
  }),
  defineTool({
    name: 'close_tab',
    description: 'Closes a tab.',
    input: oneTab,
    words: ({ tab_id }) => `close ${tab_id}`,
    async handle({ tab_id }, driver) {
      const page = driver.tabs.get(tab_id);
      if (driver.tabs.open().length === 1)
        throw new DriverError('This is the last open tab, which stays open.');
      await driver.perform(page, { do: 'close_tab' });
    },
  }),
];

const LIMIT_MS = 20_000;
const ERROR_PAGE_MS = 1_000;
const HISTORY = { back: 'go back', forward: 'go forward', reload: 'reload the page' };

const isHistory = (given: string): given is keyof typeof HISTORY => Object.hasOwn(HISTORY, given);

/** @throws DriverError if the text is not a web address, or its host is not allowed. */
function addressOf(given: string, current: string, task: SessionTask): string {
  const text = given.trim();
  if (text === 'about:blank') return text;
  const whole = withScheme(text, task.entryUrl);
  const base = current === 'about:blank' ? task.entryUrl : current;
  const url = parsedUrl(whole, base);
  if (!url) throw new DriverError(`${quote(given)} is not a web address.`);
  if (!/^https?:$/.test(url.protocol))
    throw new DriverError(`Only http and https pages can be opened, not ${url.protocol}`);
  if (!hostAllowed(url.href, task.allowedDomains))
    throw new DriverError(
      `${url.host} is outside this task. Pages on these hosts may be opened: ${task.allowedDomains.join(', ')}.`,
    );
  return url.href;
}

function withScheme(text: string, entryUrl: string): string {
  if (/^[a-z][a-z\d+.-]*:(?!\d)/i.test(text) || /^[/?#.]/.test(text)) return text;
  const entry = new URL(entryUrl);
  // The site under test is often served without TLS.
  const scheme = text.split(/[/?#]/)[0] === entry.host ? entry.protocol : 'https:';
  return `${scheme}//${text}`;
}

export const navigate = defineTool({
  name: 'navigate',
  description: 'Opens an address in a tab, or goes "back", "forward" or "reload".',
  input: z.object({ url: z.string().min(1) }),
  words: ({ url }) => (isHistory(url) ? HISTORY[url] : `go to ${shorten(url, 100)}`),
  // Returns the final address.
  async handle({ url: given }, driver, page) {
    const before = page.url();
    const action = isHistory(given)
      ? ({ do: given } as const)
      : ({ do: 'goto', url: addressOf(given, before, driver.task) } as const);
    const response = (await driver.perform(page, action, LIMIT_MS).catch(async error => {
      throw await failure(error, page, before);
    })) as Response | null;
    if (['back', 'forward'].includes(given) && !response && page.url() === before)
      throw new DriverError(`There is no page to go ${given} to.`);
    const title = await titleOf(page);
    return {
      url: driver.task.mask(beginning(page.url())),
      status: response?.status(),
      title: title && driver.task.mask(beginning(title)),
    };
  },
});

const isMainFrame = (frame: Frame) => frame.parentFrame() === null;

async function failure(error: unknown, page: Page, before: string): Promise<Error> {
  if (error instanceof DriverError) return error;
  const message = messageOf(error);
  const code = /net::\w+|NS_ERROR\w+/.exec(message)?.[0];
  // The browser shows its error page after the error. It shows none for what was aborted, such as a download.
  if (code && code !== 'net::ERR_ABORTED' && page.url() === before)
    await within(page.waitForEvent('framenavigated', isMainFrame), ERROR_PAGE_MS);
  const shown = page.url() === before ? 'what it showed before' : "the browser's error page: go back";
  return new DriverError(
    `The page did not open${code ? ` (${code})` : `: ${message.split('\n')[0]}`}. The tab shows ${shown}.`,
  );
}
