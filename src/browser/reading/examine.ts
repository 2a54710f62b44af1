// Looks for obstacles to an agent on the page of a failed trial, within a time limit, whatever the page does.
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Frame, Page } from '@playwright/test';
import { durableLocator, type Handle } from '../actions/locate';
import { type World, worldOf } from '../in-page';
import type { Box, Point } from '../injected/elements';
import type { LookOptions, Sighting } from '../injected/look';
import { pictureOfBox } from '../session/pictures';
import { within } from '../waiting';
import { viewportOf } from './references';

/** Frames that are examined besides the page's main document. */
const MAX_FRAMES = 5;
/** The most controls that axe-core checks, since its time grows with them. */
const MAX_NAMED = 400;
/** CSS pixels around what was found. */
const MARGIN = 40;
const QUALITY = 60;
/** The share of the time that is left for pictures. */
const PICTURE_SHARE = 0.15;
/** Milliseconds to fetch the findings. */
const FETCH_MS = 200;
/** The longest wait for the list of elements with click listeners. */
const LISTENING_MS = 500;
const UNANSWERED = 'the page did not answer';

/** `budgetMs` is for the whole examination. */
export interface ExamineOptions extends LookOptions {
  /** Whether a document of this URL may be examined. */
  admitted(url: string): boolean;
}

/** A finding, with boxes in the page's viewport as it was before. */
export interface Found extends Sighting {
  /** `locator('.icon-cart')` */
  locator: string;
  /** JPEG; undefined if there is nothing to show. */
  cutOut(): Promise<Buffer | undefined>;
}

export interface Examined {
  found: Found[];
  /** Names of the controls that can be used, in lower case. */
  usable: string[];
  /** The number of findings that are left out. */
  more: number;
  /** Why the examination is not complete; empty if it is. */
  incomplete: string[];
}

/** Examines a page and its frames. Never rejects, and takes no longer than `budgetMs`. */
export async function examinePage(page: Page, options: ExamineOptions): Promise<Examined> {
  const end = performance.now() + options.budgetMs;
  const left = () => Math.max(1, end - performance.now());
  const examined: Examined = { found: [], usable: [], more: 0, incomplete: [] };
  const inner = page.frames().filter(frame => frame !== page.mainFrame() && options.admitted(frame.url()));
  for (const frame of [page.mainFrame(), ...inner.slice(0, MAX_FRAMES)]) {
    const isMain = frame === page.mainFrame();
    // A part of the time is left for frames, if there are any.
    const ms = (left() - options.budgetMs * PICTURE_SHARE) * (isMain && inner.length ? 0.75 : 1);
    const looked = ms > 20 ? await within(lookInto(page, frame, ms, options), ms) : undefined;
    if (!looked) {
      examined.incomplete.push(isMain ? UNANSWERED : 'a frame was not looked at');
      if (isMain) break;
      continue;
    }
    const { world, place, seen } = looked;
    for (const [index, sighting] of seen.sightings.entries())
      examined.found.push({
        ...sighting,
        boxes: sighting.boxes.map(box => moved(box, place.corner)),
        locator: place.scope.locator(sighting.selector).toString(),
        cutOut: () => within(cutOut(page, world, place, index), left()),
      });
    examined.usable.push(...seen.usable);
    examined.more += seen.more;
    examined.incomplete.push(...seen.incomplete);
  }
  if (inner.length > MAX_FRAMES)
    examined.incomplete.push(`only ${MAX_FRAMES} of ${inner.length} frames were looked at`);
  return examined;
}

type Place = Awaited<ReturnType<typeof placeOfFrame>>;

async function lookInto(page: Page, frame: Frame, ms: number, { wanted, unkept }: ExamineOptions) {
  const end = performance.now() + ms - FETCH_MS;
  const left = () => Math.max(1, end - performance.now());
  const world = await within(worldOf(page, frame), ms / 2);
  const place = await within(placeOfFrame(page, frame), left() / 2);
  if (!world || !place) return undefined;
  const incomplete: string[] = [];
  const step = async (what: string, share: number, act: () => Promise<unknown>) => {
    const done = await within(Promise.all([act()]), left() * share);
    if (done) return;
    incomplete.push(`there was no time for ${what}`);
    await within(world.interrupt(), FETCH_MS / 4);
  };
  const options = { wanted, unkept, budgetMs: Math.round(left() * 0.35) };
  await step('the whole page', 0.7, async () => {
    const listening = await within(world.listening(), LISTENING_MS);
    await world.call('look', [options], listening);
  });
  await step('names and labels', 1, async () => {
    if (!(await world.call('countDoubtful', [MAX_NAMED]))) return;
    // Read when the first trial fails. Node never runs it.
    axe ??= readFile(createRequire(__filename).resolve('axe-core/axe.min.js'), 'utf8');
    await world.run(await axe);
    await world.call('findNames', []);
  });
  const seen = await within(world.call('seen', []), left() + FETCH_MS / 2);
  return seen && { world, place, seen: { ...seen, incomplete: [...incomplete, ...seen.incomplete] } };
}

async function placeOfFrame(page: Page, frame: Frame) {
  if (frame === page.mainFrame()) return { scope: page, corner: { x: 0, y: 0 } };
  const element = (await frame.frameElement()) as Handle;
  const locator = await (await durableLocator(element)).normalize();
  return { scope: locator.contentFrame(), corner: await cornerOf(element), element };
}

async function cornerOf(element: Handle): Promise<Point> {
  const box = await element.boundingBox();
  return { x: box?.x ?? 0, y: box?.y ?? 0 };
}

let axe: Promise<string> | undefined;

async function cutOut(page: Page, world: World, place: Place, index: number): Promise<Buffer | undefined> {
  const inFrame = await world.call('show', [index]);
  if (!inFrame) return undefined;
  const { width, height } = await viewportOf(page);
  const box = moved(inFrame, place.element ? await cornerOf(place.element) : place.corner);
  const [x, y] = [Math.max(0, box.x - MARGIN), Math.max(0, box.y - MARGIN)];
  const right = Math.min(width, box.x + box.width + MARGIN);
  const bottom = Math.min(height, box.y + box.height + MARGIN);
  if (right - x < 1 || bottom - y < 1) return undefined;
  const clip = { x, y, width: right - x, height: bottom - y };
  return pictureOfBox(page, clip, QUALITY);
}

function moved(box: Box, by: Point): Box {
  return { ...box, x: box.x + by.x, y: box.y + by.y };
}
