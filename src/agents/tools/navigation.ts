// The tool that opens addresses and goes through a tab's history.
import type { Response } from '@playwright/test';
import { z } from 'zod';
import { DriverError } from '../../browser/errors';
import { within } from '../../browser/waiting';
import { hostAllowed } from '../../spec/url';
import { messageOf, shorten } from '../../text/line';
import type { SessionTask } from '../agent';
import { defineTool } from './tool';

const LIMIT_MS = 20_000;
const HISTORY = { back: 'go back', forward: 'go forward', reload: 'reload the page' };

const isHistory = (given: string): given is keyof typeof HISTORY => Object.hasOwn(HISTORY, given);

/** @throws DriverError if this is not a web address, or not on an allowed host. */
function addressOf(given: string, current: string, task: SessionTask): string {
  const text = given.trim();
  if (text === 'about:blank') return text;
  const whole = withScheme(text, task.entryUrl);
  const base = current === 'about:blank' ? task.entryUrl : current;
  if (!URL.canParse(whole, base)) throw new DriverError(`${JSON.stringify(given)} is not a web address.`);
  const url = new URL(whole, base);
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
  acts: true,
  words: ({ url }) => (isHistory(url) ? HISTORY[url] : `go to ${shorten(url, 100)}`),
  // The answer is the final address.
  async handle({ url: given }, driver, page) {
    const before = page.url();
    const action = isHistory(given)
      ? ({ do: given } as const)
      : ({ do: 'goto', url: addressOf(given, before, driver.task) } as const);
    const response = (await driver.perform(page, action, LIMIT_MS).catch(error => {
      throw failure(error, given);
    })) as Response | null;
    if (['back', 'forward'].includes(given) && !response && page.url() === before)
      throw new DriverError(`There is no page to go ${given} to.`);
    const title = await within(page.title(), 1_000);
    return {
      url: driver.task.mask(page.url()),
      status: response?.status(),
      title: title && driver.task.mask(title),
    };
  },
});

function failure(error: unknown, given: string): Error {
  if (error instanceof DriverError) return error;
  const message = messageOf(error);
  const code = /net::\w+|NS_ERROR\w+/.exec(message)?.[0];
  if (/Timeout/.test(message)) return new DriverError(`${given} did not load within ${LIMIT_MS / 1000} s.`);
  return new DriverError(
    `The page did not open${code ? ` (${code})` : `: ${message.split('\n')[0]}`}. The tab shows what it showed before.`,
  );
}
