// Waits for the control of a recorded action, where its locator finds it or where it stands by now.
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
/** For an element, before it is looked for elsewhere. */
const LOOK_MS = 500;

/** Another control stands where the recorded one stood. */
export class OtherControl extends Error {
  override name = 'OtherControl';
}

/** @returns its locator and, if another could come in its place, the element that was compared. @throws OtherControl */
export async function findControl(
  given: Locator,
  recorded: Told,
  { task, goal, end }: { task: SessionTask; goal: GoalWords; end: number },
): Promise<{ locator: Locator; element?: Locator }> {
  const { place, beside = [] } = recorded;
  if (!place && !beside.length) return { locator: given };
  const isTold = beside.some(({ scope }) => isNear(scope));
  let locator = given;
  // Kept for a last look that has too little time left.
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

/** If the page can't tell, the action will. */
function refuse(why: string | undefined, error: Error | undefined): undefined {
  if (why !== undefined) throw new OtherControl(why);
  if (error) throw error;
}

/** Playwright's error after the time; others are thrown, such as for two elements. */
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
