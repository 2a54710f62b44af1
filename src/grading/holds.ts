// What the checks of assertions share: they wait like web-first assertions, and count.

import { type Download, expect, type Page } from '@playwright/test';
import type { SentBody } from '../browser/session/network';
import type { Answer, NetworkEvent } from '../data/record';
import type { Count, DomAssertion, TaskSpec } from '../spec';
import { messageOf } from '../text/line';
import type { KnownSecrets } from './body';

export interface GradedState {
  /** The active tab when the agent ended. */
  page: Page;
  /** Live: requests that arrive while an assertion waits count, too. */
  network: readonly NetworkEvent[];
  /** Whether the log was full before the trial ended. */
  isFull?: boolean;
  /** The body of a request, if it was kept. */
  bodyOf?: (event: NetworkEvent) => SentBody | undefined;
  /** What `<secret>NAME</secret>` stands for in bodies, and how they are shown. */
  secrets?: KnownSecrets;
  /** Live, too. */
  downloads?: readonly Download[];
  /** What the agent said at its end. */
  answer?: Answer | null;
  /** From `playwright/1` on, `text` is the text that is rendered. Default: 0.1. */
  specVersion?: TaskSpec['specVersion'];
  /** Milliseconds. Default: the project's `expect.timeout`. */
  timeoutMs?: number;
  /** Looks once, without waiting. Default: false. */
  once?: boolean;
}

/** Thrown by `checkAssertion` if an assertion does not hold. The message is the reason, in one line. */
export class AssertionFailure extends Error {
  override name = 'AssertionFailure';
  /** Whether the check waited until the timeout. */
  waited = false;
}

const GONE = 'the page has crashed, or its tab was closed';
const UNRESPONSIVE =
  'the page did not respond: it was busy, its script never ends, or the address to which it goes does not answer';
const NAVIGATING = /context was destroyed|cannot find context|navigat|frame was detached/i;

/** @throws AssertionFailure with the last reason if `look` still gives one at the timeout */
export async function waitToHold(
  { timeoutMs, once }: Pick<GradedState, 'timeoutMs' | 'once'>,
  look: () => string | null | Promise<string | null>,
): Promise<void> {
  // Often at first: most pages settle soon.
  const options = { intervals: [50, 100, 250, 500], ...(timeoutMs !== undefined && { timeout: timeoutMs }) };
  let reason: string | null = UNRESPONSIVE;
  const looked = async () => {
    try {
      reason = await look();
    } catch (error) {
      // If the page navigates meanwhile, look again; `poll` itself would give up.
      if (NAVIGATING.test(messageOf(error)) && !(error instanceof AssertionFailure)) return false;
      throw error;
    }
    if (reason !== null && once) throw new AssertionFailure(reason);
    return reason === null;
  };
  try {
    await expect.poll(looked, options).toBe(true);
  } catch (error) {
    if (error instanceof AssertionFailure) throw error;
    if (/crashed|has been closed/i.test(messageOf(error))) throw new AssertionFailure(GONE);
    throw Object.assign(new AssertionFailure(reason ?? UNRESPONSIVE), { waited: true });
  }
}

/** Default: at least one. */
export function boundsOf(count: Count = { min: 1 }): { min: number; max: number } {
  if (typeof count === 'number') return { min: count, max: count };
  return { min: count.min ?? 0, max: count.max ?? Number.POSITIVE_INFINITY };
}

type MayBreak = { type: string; never?: true; state?: DomAssertion['state']; count?: Count };

/** Whether what holds now can be broken by what comes later. */
export function canBreakLater({ type, never, state, count }: MayBreak): boolean {
  const isLargest = boundsOf(count).max !== Number.POSITIVE_INFINITY;
  return type === 'url' || never !== undefined || state === 'absent' || state === 'hidden' || isLargest;
}

/** `2`, `at least 2`, `2 to 4` */
export function countInWords(count: Count): string {
  const { min, max } = boundsOf(count);
  if (min === max) return String(min);
  if (max === Number.POSITIVE_INFINITY) return `at least ${min}`;
  return min ? `${min} to ${max}` : `at most ${max}`;
}

/** `once`, `2 to 4 times` */
export function timesInWords(count: Count): string {
  const words = countInWords(count);
  return words === '1' ? 'once' : `${words} times`;
}
