// What a model sees of a page without asking: its tree if that is short, and the changes after an action.
import type { Page } from '@playwright/test';
import { groupBy, sumOf } from '../../data/collections';
import { countIn, few } from '../../text/line';
import { allLines, type Line, TELLING, tellingLines } from './page-tree';
import { type Refs, type Snapshot, words } from './snapshot';

/** Characters. A page with fewer is shown as a whole, including what is outside the viewport. */
const SHORT = 1_100;
const MOST = 6_000;
const MOST_GONE = 10;
/** A change of up to this many lines is shown as a change, even if it is most of the page. */
const FEW = 12;
const LIMIT_MS = 5_000;
/** If it takes longer to read a page, it is not read after each action. */
const SLOW_MS = 4_000;

const TOO_LARGE =
  'The page is too large or too busy to be shown after each action: use find, scroll, or take a screenshot.';
export const AS_IT_WAS = 'The page is as it was.';

interface Known {
  document: number;
  lines: readonly Line[];
  shown: Set<string>;
  above: number;
}

export class Observations {
  private readonly known = new WeakMap<Page, Known>();
  private readonly slow = new WeakMap<Page, string>();

  constructor(private readonly refs: Refs) {}

  /** A tab as it is now; if the model has seen it before, only the changes. */
  async look(page: Page): Promise<string> {
    const address = page.url().split('#')[0]!;
    const isSlow = this.slow.get(page) === address;
    const began = performance.now();
    const snapshot = isSlow ? undefined : await this.refs.snapshot(page, LIMIT_MS).catch(() => undefined);
    if (performance.now() - began > SLOW_MS) this.slow.set(page, address);
    if (!snapshot) {
      // What was known is by now too old to compare with.
      this.known.delete(page);
      return TOO_LARGE;
    }
    const { before, now } = this.learn(page, snapshot);
    return (before && changesIn(before, now, snapshot)) ?? whole(snapshot, now);
  }

  note(page: Page, snapshot: Snapshot, everything: boolean): void {
    const { now } = this.learn(page, snapshot);
    for (const line of now.lines) if (everything || isInView(line)) now.shown.add(line.text);
  }

  private learn(page: Page, { roots, above, document }: Snapshot) {
    const known = this.known.get(page);
    const before = known?.document === document ? known : undefined;
    const now: Known = { document, lines: allLines(roots), shown: before?.shown ?? new Set(), above };
    this.known.set(page, now);
    return { before, now };
  }
}

function placeOf({ above, below }: Snapshot): string {
  const parts = [above > 0 && `${above} px above`, (below > 0 || above > 0) && `${below} px below`];
  const told = parts.filter(Boolean).join(' and ');
  return told && `(${told})`;
}

const isInView = ({ node }: Line) => !node || node.inView;

/** The whole page, or its part in the viewport, if one is short enough; else the controls in the viewport, headings and messages. */
function whole(snapshot: Snapshot, { shown, lines }: Known): string {
  const said = lines.filter(saysMore);
  const inView = said.filter(isInView);
  const fits = [said, inView].find(each => sumOf(each, ({ text }) => text.length + 3) <= SHORT);
  const chosen = fits ?? tellingLines(snapshot.roots);
  for (const { text } of chosen) shown.add(text);
  const header = fits ? 'The page now:' : 'The page now, controls only:';
  const outside =
    fits && fits !== said && `(${said.length - fits.length} more lines are outside the viewport.)`;
  return [header, placeOf(snapshot), listed(chosen, MOST) || '(nothing to read here)', outside]
    .filter(Boolean)
    .join('\n');
}

/** Whether a line says something new: an element's parts have lines of their own, and a button's text is its name. */
function saysMore({ node, said, bare }: Line): boolean {
  if (bare || !node) return !bare;
  if (said !== undefined) return !(node.interactive && node.name);
  return node.interactive || node.text !== '' || node.children.length === 0 || TELLING.has(node.role);
}

/** @returns undefined if too much has changed: then show the whole page */
function changesIn(before: Known, now: Known, snapshot: Snapshot): string | undefined {
  const inView = now.lines.filter(isInView);
  if (isReordered(before.lines.filter(isInView), inView)) return undefined;
  const all = newIn(now.lines, before.lines).filter(saysMore);
  const fresh = all.filter(isInView);
  const outside = all.filter(each => !isInView(each));
  const told = new Set(fresh.map(({ text }) => text));
  const telling = tellingLines(snapshot.roots);
  const unseen = telling.filter(({ text }) => !now.shown.has(text) && !told.has(text));
  const left = new Set(now.lines.map(({ node }) => node?.ref));
  const lost = before.lines.filter(
    ({ node, said }) => node?.interactive && said === undefined && !left.has(node.ref),
  );
  const gone = lost.map(({ node }) => words(node!));
  const moved = now.above !== before.above && placeOf(snapshot);
  const news = fresh.length + (moved ? 0 : unseen.length);
  if (news > FEW && news > telling.length / 2) return undefined;
  if (all.length + unseen.length + gone.length === 0 && !moved) return AS_IT_WAS;
  for (const { text } of [...fresh, ...unseen]) now.shown.add(text);
  const sections = [
    moved,
    section('Changed on the page:', fresh, MOST),
    section('Changed outside the viewport:', outside, MOST / 4),
    section('Now in view:', unseen, MOST),
    gone.length > 0 && `Gone: ${few(gone, MOST_GONE)}.`,
  ];
  return sections.filter(Boolean).join('\n');
}

function section(header: string, lines: readonly Line[], most: number): string {
  return lines.length === 0 ? '' : `${header}\n${listed(lines, most)}`;
}

function newIn(lines: readonly Line[], before: readonly Line[]): Line[] {
  const left = groupBy(before, ({ text }) => text);
  return lines.filter(({ text }) => !left.get(text)?.pop());
}

/** Whether lines that were in view before are in another order now, as after sorting a list. */
function isReordered(before: readonly Line[], now: readonly Line[]): boolean {
  const once = (lines: readonly Line[]) =>
    [...groupBy(lines, ({ text }) => text)].flatMap(([text, all]) => (all.length === 1 ? [text] : []));
  const place = new Map(once(before).map((line, index) => [line, index]));
  const places = once(now).flatMap(line => place.get(line) ?? []);
  return places.some((each, index) => index > 0 && each < places[index - 1]!);
}

function listed(lines: readonly Line[], most: number): string {
  const all = lines.map(({ text }) => `- ${text}`);
  const kept = all.slice(0, countIn(most, all));
  const left = all.length - kept.length;
  return [...kept, ...(left > 0 ? [`(${left} more lines: read_page shows them.)`] : [])].join('\n');
}
