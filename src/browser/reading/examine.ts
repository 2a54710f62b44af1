// Looks for obstacles to an agent on the page of a failed trial, within a time limit, whatever the page does.
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Frame, Page } from '@playwright/test';
import type { Place } from '../../data/action';
import { durableLocator, type Handle } from '../actions/locate';
import { type World, worldOf } from '../in-page';
import type { Box, Point } from '../injected/elements';
import type { LookOptions, Sighting } from '../injected/look';
import { overlap, pictureOfRegion, viewportOf } from '../session/pictures';
import { within } from '../waiting';

const MAX_FRAMES = 5;
/** The most controls that axe-core checks, since its time grows with them. */
const MAX_NAMED = 400;
const MARGIN = 40;
const QUALITY = 60;
/** The share of the time that is kept for pictures, and for fetching what was found if the search is cut short. */
const PICTURE_SHARE = 0.15;
const FETCH_MS = 500;
const LISTENING_MS = 500;

export interface ExamineOptions extends LookOptions {
  admitted(url: string): boolean;
}

/** A finding. Its boxes are in the page's viewport, as that was before anything was scrolled. */
export interface Found extends Sighting {
  locator: string;
  cutOut(): Promise<Buffer | undefined>;
}

/** Examines a page and its frames. Never rejects, and takes no longer than `budgetMs`. */
export async function examinePage(page: Page, options: ExamineOptions) {
  const end = performance.now() + options.budgetMs;
  const left = () => Math.max(1, end - performance.now());
  const examined = {
    found: [] as Found[],
    /** Names of the controls that can be used, in lower case: of fields and boxes, and of all others. */
    fields: [] as string[],
    usable: [] as string[],
    /** The controls that are shown in the main document. */
    controls: [] as Place[],
    more: 0,
    incomplete: [] as string[],
  };
  const inner = page.frames().filter(frame => frame !== page.mainFrame() && options.admitted(frame.url()));
  for (const frame of [page.mainFrame(), ...inner.slice(0, MAX_FRAMES)]) {
    const isMain = frame === page.mainFrame();
    // If there are frames, a part of the time is kept for them.
    const ms = (left() - options.budgetMs * PICTURE_SHARE) * (isMain && inner.length ? 0.75 : 1);
    const looked = ms > 20 ? await lookInto(page, frame, ms, options) : undefined;
    if (!looked) {
      examined.incomplete.push(isMain ? 'the page did not answer' : 'a frame was not checked');
      if (isMain) break;
      continue;
    }
    const { world, scope, corner, cornerNow, seen } = looked;
    for (const [index, sighting] of seen.sightings.entries())
      examined.found.push({
        ...sighting,
        boxes: sighting.boxes.map(box => moved(box, corner)),
        locator: scope.locator(sighting.selector).toString(),
        cutOut: () => within(cutOut(page, world, cornerNow, index), left()),
      });
    examined.fields.push(...seen.fields);
    examined.usable.push(...seen.usable);
    examined.controls.push(...seen.controls);
    examined.more += seen.more;
    examined.incomplete.push(...looked.incomplete, ...seen.incomplete);
  }
  if (inner.length > MAX_FRAMES)
    examined.incomplete.push(`only ${MAX_FRAMES} of ${inner.length} frames were checked`);
  return examined;
}

const ZERO: Point = { x: 0, y: 0 };
/** The source of axe-core, read when the first trial fails. It runs in pages, never in Node. */
let axe: Promise<string> | undefined;

async function lookInto(page: Page, frame: Frame, ms: number, { wanted, unkept }: ExamineOptions) {
  const end = performance.now() + ms;
  const reached = await within(Promise.all([worldOf(page, frame), placeOfFrame(page, frame)]), ms / 2);
  if (!reached) return undefined;
  const [world, place] = reached;
  let doing = 'the whole page';
  const search = async () => {
    const listening = await within(world.listening(), LISTENING_MS);
    await world.call('look', [{ wanted, unkept, budgetMs: Math.round(ms * 0.35) }], listening);
    doing = 'names and labels';
    if (await world.call('areNamed', [])) return [];
    axe ??= readFile(createRequire(__filename).resolve('axe-core/axe.min.js'), 'utf8');
    await world.run(await axe);
    await world.call('findNames', [MAX_NAMED]);
    return [];
  };
  const incomplete = (await within(search(), end - performance.now())) ?? [`there was no time for ${doing}`];
  if (incomplete.length) await within(world.interrupt(), FETCH_MS);
  const seen = await within(world.call('seen', []), FETCH_MS);
  return seen && { world, ...place, seen, incomplete };
}

/** What locators in the frame begin with, and where its upper left corner is on the page, now and whenever asked again. */
async function placeOfFrame(page: Page, frame: Frame) {
  if (frame === page.mainFrame()) return { scope: page, corner: ZERO, cornerNow: async () => ZERO };
  const element = (await frame.frameElement()) as Handle;
  const locator = await (await durableLocator(element)).normalize();
  const cornerNow = async (): Promise<Point> => (await element.boundingBox()) ?? ZERO;
  return { scope: locator.contentFrame(), corner: await cornerNow(), cornerNow };
}

async function cutOut(page: Page, world: World, corner: () => Promise<Point>, index: number) {
  const inFrame = await world.call('show', [index]);
  if (!inFrame) return undefined;
  const viewport = { ...ZERO, ...(await viewportOf(page)) };
  const { x, y, width, height } = moved(inFrame, await corner());
  const size = { width: width + 2 * MARGIN, height: height + 2 * MARGIN };
  const clip = overlap({ x: x - MARGIN, y: y - MARGIN, ...size }, viewport);
  return clip.width < 1 || clip.height < 1 ? undefined : pictureOfRegion(page, clip, QUALITY);
}

const moved = (box: Box, by: Point): Box => ({ ...box, x: box.x + by.x, y: box.y + by.y });
