// Opens entryUrl, and waits until an agent can make something of the page.
import { unseen } from '../browser/in-page';
import { messageOf, oneLine } from '../text/line';
import { type AgentEnd, errorEnd, type GradedPlan, type TrialContext } from './run-agent';

/** Milliseconds for opening entryUrl if the project sets no navigationTimeout. */
const OPEN_TIMEOUT_MS = 30_000;
/** Milliseconds to wait for a page's pictures at most: but an agent wastes turns on a half-loaded page. */
const SLOW_LOAD_MS = 5_000;

export function openTimeMs({ navigationTimeoutMs }: Pick<GradedPlan, 'navigationTimeoutMs'>): number {
  return navigationTimeoutMs || OPEN_TIMEOUT_MS;
}

/** @returns the end of the trial if the page can't be opened; null if it is open. */
export async function openEntry(trial: TrialContext<GradedPlan>): Promise<AgentEnd | null> {
  const { plan, session, output, refusals, mask } = trial;
  const { page } = session;
  const { entryUrl } = plan.spec;
  const open = async () => {
    const timeout = openTimeMs(plan);
    const end = performance.now() + timeout;
    await page.goto(entryUrl, { waitUntil: 'commit', timeout });
    await unseen(page, () => loaded(trial, timeout, end));
  };
  try {
    await output.step(`open ${entryUrl}`, open, plan.locate('entryUrl'));
    return null;
  } catch (error) {
    const [line] = mask(messageOf(error)).split('\n');
    const said = oneLine(line!.replace(/^page\.\w+: /, '').replace(/\.$/, ''), 300);
    const [refused] = refusals;
    if (refused)
      return errorEnd(
        /closed|crashed/i.test(said) ? 'browser' : 'site_unreachable',
        `${entryUrl} leads to ${oneLine(mask(refused.url), 300)}, which is not in allowedDomains. Add its host, or correct entryUrl.`,
      );
    if (/closed|crashed/i.test(said))
      return errorEnd('browser', `the browser was gone before it had opened ${entryUrl}: ${said}`);
    return errorEnd(
      'site_unreachable',
      `${entryUrl} can't be opened: ${said}. Is the site running, and is this its address?`,
    );
  }
}

async function loaded({ session, refusals }: TrialContext, timeout: number, end: number): Promise<void> {
  const { page } = session;
  // A page that navigates away while it is parsed never fires its load events, and one may fake its state: either is enough.
  const reached = (event: 'domcontentloaded' | 'load', states: string[], ms: number) =>
    Promise.any([
      page.waitForLoadState(event, { timeout: ms }),
      page.waitForFunction(wanted => wanted.includes(document.readyState), states, { timeout: ms }),
    ]);
  const left = Math.max(1, end - performance.now());
  await reached('domcontentloaded', ['interactive', 'complete'], left).catch(({ errors }: AggregateError) => {
    // If it tried to leave, it is open.
    if (refusals.length > 0) return;
    throw new Error(messageOf(errors[0]).replace(/Timeout [\d.]+ms/, `Timeout ${timeout}ms`));
  });
  await reached('load', ['complete'], SLOW_LOAD_MS).catch(() => undefined);
}
