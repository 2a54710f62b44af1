// Waits for the control of a recorded action, found by its locator or where it is by now.
import type { Locator, Page } from '@playwright/test';
import { standingOf } from '../../browser/actions/record';
import { callInPage, unseen } from '../../browser/in-page';
import { callOn } from '../../browser/on-elements';
import { sleep, within } from '../../browser/waiting';
import { fieldInWords, type Place, type Position } from '../../data/action';
import { type GoalWords, isNear } from '../../text/goal-words';
import { inTexts } from '../../text/mask';
import type { SessionTask } from '../agent';
import { otherControl, type Told } from './same';

/** Milliseconds between looks at a page: they grow from the first to the longest. */
export const FIRST_PAUSE_MS = 10;
export const longer = (pause: number) => Math.min(pause * 2, 100);
/** Milliseconds without an element before it is looked for elsewhere. */
const MISSED_MS = 500;
/** Milliseconds for a page to answer. */
const ANSWER_MS = 2_000;

/** Thrown if another control is where the recorded one was. */
export class OtherControl extends Error {
  override name = 'OtherControl';
}

/** Thrown if nothing matches, or several elements do. */
export class NoControl extends Error {
  override name = 'NoControl';
}

export interface FoundControl {
  locator: Locator;
  /** What was compared, if another could come in its place. */
  element?: Locator;
  place?: Place | null;
}

/** @throws OtherControl, NoControl */
export async function findControl(
  given: Locator,
  recorded: Told,
  { task, goal, end }: { task: SessionTask; goal: GoalWords; end: number },
): Promise<FoundControl> {
  const { place, beside = [], hints } = recorded;
  if ([place, beside[0], hints].every(each => each === undefined)) return { locator: given };
  const isTold = hints !== undefined || beside.some(({ scope }) => isNear(scope));
  let searchAt = Math.min(performance.now() + MISSED_MS, (performance.now() + end) / 2);
  let locator = given;
  // Kept: a later look may not be able to tell.
  let why: string | undefined;
  for (let pause = FIRST_PAUSE_MS; ; pause = longer(pause)) {
    // No look has a time limit of its own: on a busy machine, too few would come to an end.
    const { element, error } = await lookAt(locator);
    const other = element && (await compared(element, recorded, task, goal));
    if (other?.differs) task.session.notice(`Since the recording, ${other.differs}.`);
    if (other?.isSame) return { locator, place: other.place, ...(beside.length && { element }) };
    why = other?.why ?? why;
    if (performance.now() + pause > end) {
      refuse(recorded, { element, why, error });
      return { locator };
    }
    const isSought = place && (element ? isTold : performance.now() > searchAt);
    const path = isSought && (await elsewhere(given.page(), recorded, goal));
    // It keeps a large page busy.
    if (isSought) searchAt = performance.now() + MISSED_MS;
    locator = path ? given.page().locator(path) : given;
    await sleep(pause, task.signal);
  }
}

/** If the page can't tell which element it is, an action that no text beside it decides goes on. */
function refuse(
  { place, beside }: Told,
  found: { element: Locator | undefined; why: string | undefined; error: Error | undefined },
): void {
  if (found.why !== undefined) throw new OtherControl(found.why);
  if (!found.element) throw found.error ?? new NoControl('it is not there, or more than once');
  if (!beside?.length) return;
  const control = place ? fieldInWords(place.control) : 'the control';
  throw new OtherControl(`the page did not tell in time what stands beside ${control}`);
}

/** The only element. None if the page does not answer, or loads another document. */
async function lookAt(locator: Locator): Promise<{ element?: Locator; error?: Error }> {
  const page = locator.page();
  try {
    const asked = unseen(page, () => locator.elementHandles());
    const found = await within(asked, ANSWER_MS);
    return { element: found?.length === 1 ? (found[0] as unknown as Locator) : undefined };
  } catch (error) {
    if (page.isClosed()) throw error;
    return { error: error as Error };
  }
}

async function compared(element: Locator, recorded: Told, task: SessionTask, goal: GoalWords) {
  const scopes = [...new Set(recorded.beside?.map(({ scope }) => scope))];
  const found = await standingOf(element, task.page, { goal, scopes }, task.mask);
  if (!found?.isConnected) return undefined;
  const other = otherControl(recorded, inTexts(found, task.mask), goal);
  return { ...other, isSame: other.why === undefined, place: found.place };
}

const elsewhere = (page: Page, { place, hints, beside = [] }: Told, goal: GoalWords) =>
  within(callInPage(page, 'pathBeside', { control: place!.control, hints }, beside, goal), ANSWER_MS);

/** A spot on a control whose size may have changed. */
export function spotNow({ x, y }: Position, was: Place | undefined, is: Place | null | undefined): Position {
  if (!was?.width || !was.height || !is) return { x, y };
  return { x: Math.round((x * is.width) / was.width), y: Math.round((y * is.height) / was.height) };
}

/** @returns the spot by now @throws OtherControl if a control lies on the spot of an element that had none there */
export async function checkedSpot({ locator, place }: FoundControl, spot: Position, was: Place | undefined) {
  const position = spotNow(spot, was, place);
  const other = await within(callOn(locator, 'controlOn', position, ANSWER_MS), ANSWER_MS);
  if (other) throw new OtherControl(`${other} is where the recording acts on the page`);
  return position;
}
