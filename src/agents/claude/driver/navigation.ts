import { type BetaBrowserNavigateResult, ToolError } from '@anthropic-ai/sdk/helpers/beta/toolsets';
import type { Page } from '@playwright/test';
import { hostAllowed } from '../../../browser/hosts';
import { portableUrl } from '../../../browser/page-action';
import type { AgentTask } from '../../agent';
import type { Driver } from './driver';
import { within } from './time';

const LIMIT_MS = 20_000;

/** @throws ToolError for what is no web address, or is on a host that the task does not allow. */
export function addressOf(
  given: string,
  current: string,
  task: Pick<AgentTask, 'entryUrl' | 'allowedDomains'>,
): string {
  const text = given.trim();
  if (text === 'about:blank') return text;
  let url: URL;
  try {
    url = new URL(withScheme(text, task.entryUrl), current === 'about:blank' ? task.entryUrl : current);
  } catch {
    throw new ToolError(`${JSON.stringify(given)} is not a web address.`);
  }
  if (!/^https?:$/.test(url.protocol))
    throw new ToolError(`Only http and https pages can be opened, not ${url.protocol}`);
  if (!hostAllowed(url.href, task.allowedDomains))
    throw new ToolError(
      `${url.host} is outside this task. Pages on these hosts may be opened: ${task.allowedDomains.join(', ')}.`,
    );
  return url.href;
}

function withScheme(text: string, entryUrl: string): string {
  if (/^[a-z][a-z\d+.-]*:(?!\d)/i.test(text) || /^[/?#.]/.test(text)) return text;
  const entry = new URL(entryUrl);
  // The site under test is often served without TLS, and its own host is what is meant.
  const scheme = text.split(/[/?#]/)[0] === entry.host ? entry.protocol : 'https:';
  return `${scheme}//${text}`;
}

export async function navigate(
  driver: Driver,
  page: Page,
  given: string,
): Promise<BetaBrowserNavigateResult> {
  const options = { waitUntil: 'domcontentloaded', timeout: LIMIT_MS } as const;
  const go = {
    back: () => page.goBack(options),
    forward: () => page.goForward(options),
    reload: () => page.reload(options),
  }[given];
  const before = page.url();
  const address = go ? '' : addressOf(given, before, driver.task);
  const url = portableUrl(address, driver.task.entryUrl);
  await driver.recorder.record(page, go ? { do: given as 'back' } : { do: 'goto', url });
  const response = await (go ? go() : page.goto(address, options)).catch(error => {
    throw failure(error, given);
  });
  if (go && given !== 'reload' && !response && page.url() === before)
    throw new ToolError(`There is no page to go ${given} to.`);
  const title = await within(page.title(), 1_000);
  return {
    url: driver.task.mask(page.url()),
    status: response?.status(),
    title: title && driver.task.mask(title),
  };
}

function failure(error: unknown, given: string): Error {
  if (error instanceof ToolError) return error;
  const message = error instanceof Error ? error.message : String(error);
  const code = /net::\w+|NS_ERROR\w+/.exec(message)?.[0];
  if (/Timeout/.test(message)) return new ToolError(`${given} did not load within ${LIMIT_MS / 1000} s.`);
  return new ToolError(
    `The page did not open${code ? ` (${code})` : `: ${message.split('\n')[0]}`}. The tab shows what it showed before.`,
  );
}
