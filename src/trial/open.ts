// Opens the page on which a trial begins, or says why that fails.
import { unseen } from '../browser/in-page';
import { isPlaywrights } from '../browser/session/network';
import { limited } from '../browser/waiting';
import { hostOf } from '../spec/url';
import { messageOf, oneLine } from '../text/line';
import { type AgentEnd, type AgentRun, errorEnd } from './run-agent';

/** Milliseconds for opening entryUrl if the project sets no navigationTimeout. */
export const OPEN_TIMEOUT_MS = 30_000;
/** The longest wait, in milliseconds, for a page's `load` event. An agent wastes turns on a half-loaded page. */
const SLOW_LOAD_MS = 5_000;

/** Opens entryUrl and waits until the page is usable. @returns the trial's end if that fails */
export async function openEntry(trial: AgentRun): Promise<AgentEnd | null> {
  const { plan, session, mask, opened, output } = trial;
  const { entryUrl } = plan;
  if (entryUrl === null) return null;
  const timeout = plan.navigationTimeoutMs || OPEN_TIMEOUT_MS;
  const end = performance.now() + timeout;
  const open = async () => {
    const response = await session.page.goto(entryUrl, { waitUntil: 'commit', timeout });
    if (response?.status() === 407) throw new Error('the proxy requires a user name and a password (407)');
    if (response && isPlaywrights(response))
      throw new Error((await response.text()).replace('Playwright client-certificate error: ', ''));
    await unseen(session.page, () => loaded(trial, timeout, end));
  };
  try {
    await output.step(`open ${entryUrl}`, open, plan.locate('entryUrl'));
    return null;
  } catch (error) {
    const [refused] = opened.refusals;
    if (refused) return errorEnd('site_unreachable', whyRefused(trial, entryUrl, refused.url));
    const [line] = mask(messageOf(error)).split('\n');
    const said = oneLine(line!.replace(/^page\.\w+: /, '').replace(/\.$/, ''), 300);
    // Without the address: that may contain these words, too.
    const [what = ''] = said.split(/ at \S+$/);
    return /has been closed|crashed/i.test(what)
      ? errorEnd('browser', `the browser was closed before it opened ${entryUrl}: ${said}`)
      : errorEnd('site_unreachable', `${entryUrl} can't be opened: ${said}. ${hintFor(what)}`);
  }
}

function whyRefused({ plan, mask }: AgentRun, entryUrl: string, url: string): string {
  const isItself = hostOf(url) === hostOf(entryUrl);
  const who = isItself ? entryUrl : `${entryUrl} leads to ${oneLine(mask(url), 300)}, which`;
  return `${who} is not in allowedDomains (${plan.allowedDomains.join(', ')}). Add its host, or correct entryUrl.`;
}

async function loaded({ session, opened }: AgentRun, timeout: number, end: number): Promise<void> {
  const { page } = session;
  // Either the event or the state is enough: a page that navigates while it is parsed never fires its load events, and a page can
  // fake its state. Playwright's own timeouts come minutes late if a page floods the browser.
  const reached = (event: 'domcontentloaded' | 'load', states: string[], ms: number) =>
    limited(
      Promise.any([
        page.waitForLoadState(event, { timeout: ms }),
        page.waitForFunction(wanted => wanted.includes(document.readyState), states, { timeout: ms }),
      ]),
      ms,
      () => new AggregateError([new Error(`Timeout ${ms}ms exceeded.`)]),
    );
  const left = Math.max(1, end - performance.now());
  const states = ['interactive', 'complete'];
  await reached('domcontentloaded', states, left).catch(({ errors }: AggregateError) => {
    // A page that tried to leave for another host has been opened.
    if (opened.refusals.length > 0) return;
    throw new Error(messageOf(errors[0]).replace(/Timeout [\d.]+ms/, `Timeout ${timeout}ms`));
  });
  await reached('load', ['complete'], SLOW_LOAD_MS).catch(() => undefined);
}

const HINTS: readonly (readonly [RegExp, string])[] = [
  [/ERR_PROXY|TUNNEL|_PROXY_|proxy/, 'Look at `proxy` in `use` of the Playwright config.'],
  [
    /INTERNET_DISCONNECTED|OFFLINE|appears to be offline/,
    'Is `offline` set in `use` of the Playwright config?',
  ],
  [
    /ERR_CERT|SEC_ERROR|SSL_ERROR|certificate/i,
    "The site's certificate is not trusted: set `ignoreHTTPSErrors: true` in `use` of the Playwright config, if that is meant.",
  ],
  [
    /Download is starting|ERR_ABORTED/,
    'Is it a page? It may be a file, or empty, or a `page.route()` aborted the request.',
  ],
];

export const hintFor = (said: string) =>
  HINTS.find(([pattern]) => pattern.test(said))?.[1] ?? 'Is the site running, and is this its address?';
