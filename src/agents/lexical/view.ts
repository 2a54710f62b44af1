// The page as the agent sees it at one moment: what every frame's survey found.

import type { ElementHandle, Frame, Page } from '@playwright/test';
import { STORE, surveyFrame } from './page/survey';
import type { FrameSurvey, Item } from './page/types';

export interface Candidate extends Omit<Item, 'contexts'> {
  frame: Frame;
  /** What its ancestors say, the innermost first. */
  contexts: string[];
  /** Its place in reading order. */
  index: number;
  /** The same for one element of one document. */
  key: string;
}

export interface View {
  url: string;
  title: string;
  headings: string[];
  candidates: Candidate[];
  /** Two views of equal print look the same. */
  print: string;
  mutations: number;
  busy: boolean;
  scroll: FrameSurvey['scroll'];
}

const ATTEMPTS = 4;
const EMPTY_SCROLL = { y: 0, height: 0, viewport: 0 };

async function surveyed(frame: Frame): Promise<FrameSurvey | undefined> {
  try {
    return await surveyFrame(frame);
  } catch {
    // The frame went away or navigated; the caller looks again where that matters.
    return undefined;
  }
}

/** Looks at all frames of a page. A page that navigates meanwhile is looked at again. */
export async function look(page: Page): Promise<View> {
  let main = await surveyed(page.mainFrame());
  for (let attempt = 1; !main && attempt < ATTEMPTS && !page.isClosed(); attempt++) {
    await page.waitForLoadState('domcontentloaded', { timeout: 2000 }).catch(() => undefined);
    main = await surveyed(page.mainFrame());
  }
  const frames = page.frames().filter(frame => frame !== page.mainFrame());
  const inner = await Promise.all(frames.map(async frame => ({ frame, found: await surveyed(frame) })));
  const all = [{ frame: page.mainFrame(), found: main }, ...inner].flatMap(({ frame, found }) =>
    found ? [{ frame, found }] : [],
  );
  const candidates = all.flatMap(({ frame, found }, frameIndex) =>
    found.items.map(item => ({
      ...item,
      contexts: item.contexts.map(index => found.contexts[index]!),
      frame,
      key: `${frameIndex}:${found.url}:${item.id}`,
    })),
  );
  return {
    url: page.url(),
    title: main?.title ?? '',
    headings: main?.headings ?? [],
    candidates: candidates.map((candidate, index) => ({ ...candidate, index })),
    print: all.map(({ found }) => found.print).join('\n'),
    mutations: all.reduce((sum, { found }) => sum + found.mutations, 0),
    busy: all.some(({ found }) => found.busy),
    scroll: main?.scroll ?? EMPTY_SCROLL,
  };
}

/**
 * The element behind a candidate.
 *
 * @throws Error where it is no longer on the page.
 */
export async function elementOf(candidate: Candidate): Promise<ElementHandle<HTMLElement>> {
  const handle = await candidate.frame.evaluateHandle(
    ({ store, id }) => {
      const holder = globalThis as unknown as Record<
        symbol,
        { elements: Map<number, WeakRef<Element>> } | undefined
      >;
      return holder[Symbol.for(store)]?.elements.get(id)?.deref() ?? null;
    },
    { store: STORE, id: candidate.id },
  );
  const element = handle.asElement();
  if (!element) throw new Error(`${describe(candidate)} is no longer on the page`);
  return element as ElementHandle<HTMLElement>;
}

const SPOKEN: Readonly<Record<string, string>> = {
  clickable: '',
  text: 'text',
  textbox: 'field',
  searchbox: 'search field',
};

/** As a person would name it: `button "Sign in"`. */
export function describe(
  candidate: Pick<Candidate, 'role' | 'name' | 'placeholder' | 'title' | 'near' | 'hint'>,
): string {
  const label =
    [candidate.name, candidate.placeholder, candidate.title, candidate.near, candidate.hint].find(
      text => text !== '',
    ) ?? '';
  const short = label.length > 60 ? `${label.slice(0, 57)}...` : label;
  return `${SPOKEN[candidate.role] ?? candidate.role} "${short}"`.trim();
}
