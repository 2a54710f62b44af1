// Opens a spec's entryUrl before the agent starts.
import type { Page } from '@playwright/test';
import type { Refusal } from '../browser/guard';
import type { AgentEnd } from './agent-run';
import type { GradedPlan } from './plan';
import type { Stage } from './stage';
import { messageOf, oneLine } from './text';

/** Milliseconds for opening entryUrl, where the project does not say. */
const OPEN_TIMEOUT_MS = 30_000;

/** Milliseconds that opening entryUrl may take. */
export function openTimeMs({ navigationTimeoutMs }: GradedPlan): number {
  return navigationTimeoutMs || OPEN_TIMEOUT_MS;
}

/** @returns how the trial ends where the page can't be opened; null where it stands open. */
export async function openEntry(
  plan: GradedPlan,
  page: Page,
  stage: Stage,
  refusals: readonly Refusal[],
): Promise<AgentEnd | null> {
  const { entryUrl } = plan;
  if (entryUrl === null) return null;
  try {
    await stage.step(
      `open ${entryUrl}`,
      async () => {
        await page.goto(entryUrl, { waitUntil: 'domcontentloaded', timeout: openTimeMs(plan) });
        // Slow pictures are no reason to wait long, but an agent that starts on a half-loaded page wastes turns.
        await page.waitForLoadState('load', { timeout: 5_000 }).catch(() => undefined);
      },
      plan.locate('entryUrl'),
    );
    return null;
  } catch (error) {
    const said = messageOf(error)
      .split('\n')[0]!
      .replace(/^page\.goto: /, '')
      .replace(/\.$/, '');
    const gone = /closed|crashed/i.test(said);
    const refused = refusals[0];
    return {
      status: 'error',
      errorKind: gone ? 'browser' : 'site_unreachable',
      reason: refused
        ? `${entryUrl} leads to ${refused.url}, which allowedDomains does not admit. Add its host, or correct entryUrl.`
        : gone
          ? `the browser went away while ${entryUrl} was opened: ${oneLine(said, 300)}`
          : `${entryUrl} can't be opened: ${oneLine(said, 300)}. Is the site running, and is this its address?`,
    };
  }
}
