// Waits for the control of a recorded action, found by its locator or where it is by now.
import type { Locator, Page } from '@playwright/test';
import { standingOf } from '../../browser/actions/record';
import { callInPage, unseen } from '../../browser/in-page';
import { sleep, within } from '../../browser/waiting';
import { type GoalWords, isNear } from '../../text/goal-words';
import { inTexts } from '../../text/mask';
import type { SessionTask } from '../agent';
import { otherControl, type Told } from './same';

/** Milliseconds between looks at a page: they grow from the first to the longest. */
export const FIRST_PAUSE_MS = 10;
export const longer = (pause: number) => Math.min(pause * 2, 200);
/** How long to look for an element by its locator, before looking elsewhere. */
const LOOK_MS = 500;

/** Thrown if another control is where the recorded one was. */
export class OtherControl extends Error {
  override name = 'OtherControl';
}

/** @returns the control's locator and, if another could take its place, the element that was compared. @throws OtherControl */
export async function findControl(
  given: Locator,
  recorded: Told,
  { task, goal, end }: { task: SessionTask; goal: GoalWords; end: number },
): Promise<{ locator: Locator; element?: Locator }> {
  const { place, beside = [] } = recorded;
  if (!place && !beside.length) return { locator: given };
  const isTold = beside.some(({ scope }) => isNear(scope));
  let locator = given;
  // Kept, since the last look may have too little time to tell.
  let why: string | undefined;
  for (let pause = FIRST_PAUSE_MS; ; pause = longer(pause)) {
    const timeout = Math.max(1, Math.min(LOOK_MS, (end - performance.now()) / 2));
    const { element, error } = await lookAt(locator, timeout);
    const other = element && (await compared(element, recorded, task, goal));
    if (other?.differs) task.session.notice(`Since the recording, ${other.differs}.`);
    if (other?.isSame) return { locator, ...(beside.length && { element }) };
    why = other?.why ?? why;
    if (performance.now() + pause > end) return refuse(why, error) ?? { locator };
    const path = place && (error || isTold) && (await elsewhere(given.page(), place.control, beside, goal));
    locator = path ? given.page().locator(path) : given;
    await sleep(pause, task.signal);
  }
}

/** Throws what is known. If nothing is, the action will tell. */
function refuse(why: string | undefined, error: Error | undefined): undefined {
  if (why !== undefined) throw new OtherControl(why);
  if (error) throw error;
}

/** Returns Playwright's error if there is no element in time, and throws others, such as for two elements. */
async function lookAt(locator: Locator, timeout: number): Promise<{ element?: Locator; error?: Error }> {
  try {
    const element = await unseen(locator.page(), () => locator.elementHandle({ timeout }));
    return { element: element as unknown as Locator };
  } catch (error) {
    if ((error as Error).name !== 'TimeoutError') throw error;
    return { error: error as Error };
  }
}

async function compared(element: Locator, recorded: Told, task: SessionTask, goal: GoalWords) {
  const scopes = [...new Set(recorded.beside?.map(({ scope }) => scope))];
  const found = await standingOf(element, task.page, { goal, scopes });
  if (!found?.isConnected) return undefined;
  const other = otherControl(recorded, inTexts(found, task.mask), goal);
  return { ...other, isSame: other.why === undefined };
}

const elsewhere = (page: Page, control: string, beside: NonNullable<Told['beside']>, goal: GoalWords) =>
  within(callInPage(page, 'pathBeside', control, beside, goal), LOOK_MS);
