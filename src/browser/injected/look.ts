// Looks for obstacles to agents by the rules of rules.ts, and keeps in the page what it found.
import type { FindingKind } from '../../data/action';
import * as dom from './elements';
import { RULES } from './rules';
import { placeOf } from './standing';

export interface Sighting {
  kind: FindingKind;
  /** CSS, with Playwright's `>>` before a shadow root. */
  selector: string;
  text: string;
  /** The names of the controls that it blocks, and the text beside it, in lower case. */
  names: string[];
  /** Its id, classes and similar attributes, in words. */
  hints: string;
  boxes: dom.Box[];
  /** Null in an inner frame. */
  place: ReturnType<typeof placeOf>;
}

export interface LookOptions {
  /** Names of the controls that matter most, in lower case. */
  wanted: readonly string[];
  /** Boxes of fields that did not keep what was typed into them. */
  unkept: readonly dom.Box[];
  budgetMs: number;
}

export type State = ReturnType<typeof nothingYet>;

/** Kept in the page, so that findings are not lost if a look is cut short. */
function nothingYet(options: LookOptions) {
  return {
    ...options,
    end: performance.now() + options.budgetMs,
    controls: [] as Element[],
    shown: [] as Element[],
    others: [] as Element[],
    sightings: [] as Sighting[],
    found: [] as Element[],
    more: 0,
    incomplete: [] as string[],
  };
}

/** Applies all rules that work without axe-core. @param listening elements with click listeners, as the browser reports them */
export function look(options: LookOptions, ...listening: Element[]): void {
  const state = nothingYet(options);
  (globalThis as { taskproofLook?: unknown }).taskproofLook = state;
  gather(state);
  for (const rule of RULES) rule(state, new Set(listening));
  if (performance.now() > state.end) state.incomplete.push('there was no time to check the whole page');
}

export function currentState(): State {
  return (globalThis as unknown as { taskproofLook: State }).taskproofLook;
}

export function seen() {
  const { shown, sightings, more, incomplete } = currentState();
  const able = shown.slice(0, 1_000).filter(each => !dom.isDisabled(each));
  const namesOf = (all: Element[]) => all.map(each => dom.nameOf(each).toLowerCase());
  const fields = namesOf(able.filter(dom.isLabelled));
  const usable = namesOf(able.filter(each => !dom.isLabelled(each)));
  const controls = shown.slice(0, 300).flatMap(each => placeOf(each) ?? []);
  return { sightings, more, incomplete, controls, usable, fields };
}

/** Scrolls a sighting into view. @returns its box there; null if that fails */
export function show(index: number): dom.Box | null {
  const element = currentState().found[index];
  if (!element?.isConnected) return null;
  if (!dom.inViewport(dom.boxOf(element)))
    element.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' });
  const box = dom.boxOf(element);
  return box.width > 0 && dom.inViewport(box) ? box : null;
}

/** @param concerned the controls that the obstacle blocks */
export function add(state: State, kind: FindingKind, element: Element, text: string, concerned = [element]) {
  if (state.sightings.length >= 200) {
    state.more++;
    return;
  }
  const some = concerned.slice(0, 50);
  const beside = element.closest('label,td,li,p,fieldset,div')?.textContent ?? '';
  const names = [...some.map(dom.nameOf), beside.length < 120 ? beside : ''];
  const told = [...new Set(names.map(name => dom.flatText(name, 120).toLowerCase()))].filter(Boolean);
  state.found.push(element);
  state.sightings.push({
    ...{ kind, selector: dom.selectorOf(element), text: dom.flatText(text, 300) },
    ...{ names: told, hints: dom.hintsOf(element), boxes: some.map(dom.boxOf), place: placeOf(element) },
  });
}

export const isLate = (state: State) => performance.now() > state.end;

function gather(state: State): void {
  const { controls, others } = state;
  for (const element of dom.everyElement()) {
    if (dom.isControl(element)) controls.push(element);
    else if (others.length < 20_000) others.push(element);
    if (controls.length < 3_000 && !isLate(state)) continue;
    state.incomplete.push(`controls after the first ${controls.length} were not checked`);
    break;
  }
  state.shown = controls.filter(dom.isShown);
}
