// The rules that find obstacles to agents on a page. `findNames` needs axe-core, which must be loaded in the page first.
import * as dom from './elements';
import { add, currentState, isLate, type State } from './look';

function isWanted(state: State, element: Element): boolean {
  const name = dom.nameOf(element).toLowerCase();
  return name !== '' && state.wanted.some(wanted => name.includes(wanted));
}

function waysOut(state: State, part: Element): Element[] {
  const ways =
    'a,button,summary,input[type=submit],input[type=button],input[type=image],[role=button],[role=link]';
  return state.shown.filter(
    each =>
      each.matches(ways) &&
      dom.holds(part, each) &&
      !dom.isDisabled(each) &&
      !dom.isOutside(each) &&
      !dom.coverOf(each),
  );
}

function findTraps(state: State): void {
  const dialogs = 'dialog[open],[role=dialog],[role=alertdialog],[aria-modal=true]';
  for (const dialog of document.querySelectorAll(dialogs)) {
    if (!dom.isShown(dialog) || dom.isOutside(dialog)) continue;
    if (!dialog.matches(':modal,[aria-modal=true]') && !isOver(dialog)) continue;
    const pointers = [...dialog.querySelectorAll('*')].some(each => dom.isShown(each) && hasPointer(each));
    if (pointers || waysOut(state, dialog).length) continue;
    add(state, 'dialog_trap', dialog, `${dom.wordsFor(dialog)} has no control that closes it`);
  }
}

/** Whether it or its backdrop gets the clicks in most of the viewport. */
function isOver(element: Element): boolean {
  const parent = element.parentElement;
  const backdrop = parent && getComputedStyle(parent).position === 'fixed' ? parent : element;
  const shares = [0.1, 0.5, 0.9];
  const hits = shares.flatMap(x => shares.map(y => dom.hit({ x: innerWidth * x, y: innerHeight * y })));
  return hits.filter(each => dom.holds(backdrop, each)).length > 6;
}

function findCovered(state: State): void {
  const covers = new Map<Element, Element[]>();
  const wanted = state.shown.filter(each => isWanted(state, each));
  const near = state.shown.filter(each => dom.inViewport(dom.boxOf(each)));
  let looked = 0;
  for (const element of new Set([...wanted, ...near])) {
    // At least five wanted controls are checked, even if time is up.
    if (isLate(state) && looked >= Math.min(wanted.length, 5)) break;
    looked++;
    if (dom.isDisabled(element) || dom.isStyledInput(element) || dom.isOutside(element)) continue;
    const cover = getComputedStyle(element).pointerEvents === 'none' ? element : wholeCover(covers, element);
    if (cover) covers.set(cover, [...(covers.get(cover) ?? []), element]);
  }
  for (const [cover, hidden] of covers) {
    const all = hidden.sort((a, b) => Number(isWanted(state, b)) - Number(isWanted(state, a)));
    const [first] = all as [Element];
    if (cover === first) {
      add(state, 'covered', first, `${dom.wordsFor(first)} takes no clicks (pointer-events: none)`);
      continue;
    }
    const what = `${dom.wordsFor(first)}${all.length > 1 ? ` and ${all.length - 1} more are` : ' is'}`;
    const closed = waysOut(state, cover).length ? '' : ', which has nothing to close it';
    add(state, 'covered', first, `${what} covered by ${dom.wordsFor(cover)}${closed}`, all);
  }
}

/** The largest element that gets the clicks on a control, wherever the control is scrolled to; null if there is none. */
function wholeCover(covers: ReadonlyMap<Element, Element[]>, element: Element): Element | null {
  const isHere = dom.inViewport(dom.boxOf(element));
  const here = isHere ? dom.coverOf(element) : null;
  if (isHere && !here) return null;
  // If it covers three controls wherever they are scrolled to, it covers this one, too.
  const around = here && dom.largestOver(element, here);
  if (around && (covers.get(around)?.length ?? 0) > 2) return around;
  const cover = dom.whileScrolled(element, () => dom.coverOf(element));
  return cover && dom.largestOver(element, cover);
}

function findOutOfReach(state: State): void {
  for (const element of state.controls) {
    if (isLate(state)) break;
    // A link within the page, such as "Skip to content", comes into view when it gets the focus.
    if (element.matches('a[href^="#"]') || dom.isStyledInput(element)) continue;
    const visible = dom.isShown(element);
    const wanted = isWanted(state, element);
    // Without a name, it is there for a script that measures texts.
    if (visible && dom.isOutside(element) && dom.nameOf(element))
      add(state, 'out_of_reach', element, `${dom.wordsFor(element)} is outside the area that scrolls`);
    else if (visible && wanted && !dom.inViewport(dom.boxOf(element)) && isClipped(element))
      add(state, 'out_of_reach', element, `${dom.wordsFor(element)} can't be scrolled into view`);
    else if (!visible && wanted && !state.shown.some(each => dom.nameOf(each) === dom.nameOf(element)))
      add(state, 'out_of_reach', element, `${dom.wordsFor(element)} is in the page but not shown`);
  }
}

function isClipped(element: Element): boolean {
  return dom.whileScrolled(element, () => (dom.inViewport(dom.boxOf(element)) ? null : element)) !== null;
}

function findDisabled(state: State): void {
  const submits = 'button:not([type]),button[type=submit],input[type=submit],input[type=image]';
  for (const element of state.shown) {
    const form = (element as HTMLButtonElement).form ?? element.closest('form');
    const matters = (element.matches(submits) && form) || isWanted(state, element);
    if (matters && dom.isDisabled(element) && !tellsWhy(element, form))
      add(state, 'disabled', element, `${dom.wordsFor(element)} is disabled, and nothing near it says why`);
    else if (matters && element.matches('[readonly],[aria-readonly=true]'))
      add(state, 'disabled', element, `${dom.wordsFor(element)} is read-only`);
    else if (isUnkept(state, element))
      add(state, 'disabled', element, `${dom.wordsFor(element)} does not keep what is typed into it`);
  }
}

/** Whether it is a field that is empty although something was typed into it. */
function isUnkept(state: State, element: Element): boolean {
  const { x, y } = dom.boxOf(element);
  if (!element.matches('input,textarea') || (element as HTMLInputElement).value !== '') return false;
  return state.unkept.some(box => Math.abs(box.x - x) < 2 && Math.abs(box.y - y) < 2);
}

/** Whether a description, a message or an invalid field says why it is disabled. */
function tellsWhy(element: Element, form: Element | null): boolean {
  if (element.matches('[title],[aria-busy=true] *,[aria-busy=true]')) return true;
  if (dom.textReferredTo(element, 'aria-describedby').trim()) return true;
  const messages = '[role=alert],[role=status],[aria-live],[aria-invalid=true],.error,:invalid';
  return [...(form?.querySelectorAll(messages) ?? [])].some(dom.isShown);
}

function findWithoutRole(state: State, listening: Set<Element>): void {
  const around = new Set<Element>();
  for (const control of state.shown)
    for (let up = dom.parentOf(control); up && !around.has(up); up = dom.parentOf(up)) around.add(up);
  for (const element of state.others) {
    if (isLate(state)) break;
    const reacts = listening.has(element) || element.hasAttribute('onclick') || hasPointer(element);
    // An element around controls, or a large one, listens on behalf of what is in it.
    if (!reacts || around.has(element) || !dom.isShown(element) || !isSmall(element)) continue;
    if (isInControl(element) || element.matches('[role]:not([role=presentation],[role=none],[role=generic])'))
      continue;
    // If something lies over it, that gets the clicks.
    if (dom.inViewport(dom.boxOf(element)) && dom.coverOf(element)) continue;
    add(state, 'no_role', element, `${dom.wordsFor(element)} reacts to clicks and has no role`);
  }
}

function isInControl(element: Element): boolean {
  for (let up: Element | null = element; up; up = up.parentElement)
    if (dom.isControl(up) || up.localName === 'label') return true;
  return false;
}

/** Whether its own cursor is a pointer, not just its parent's. */
function hasPointer(element: Element): boolean {
  if (getComputedStyle(element).cursor !== 'pointer') return false;
  const { parentElement } = element;
  return !parentElement || getComputedStyle(parentElement).cursor !== 'pointer';
}

function isSmall(element: Element): boolean {
  const { width, height } = dom.boxOf(element);
  const isRoot = element.matches('html,body,main,form,header,footer');
  return (
    !isRoot && width * height < (innerWidth * innerHeight) / 4 && (element.textContent ?? '').length < 200
  );
}

function findPictures(state: State): void {
  for (const element of state.others) {
    if (isLate(state)) break;
    const isCanvas = element.localName === 'canvas';
    if (!isCanvas && !element.matches('img:not([alt]),[role=img]')) continue;
    if (dom.nameOf(element) || isInControl(element) || element.closest('[aria-hidden=true]')) continue;
    const { width, height } = dom.boxOf(element);
    if (width * height < 2_000 || !dom.isShown(element)) continue;
    const what = isCanvas ? 'a canvas' : 'a picture';
    add(state, 'picture_only', element, `what ${what} shows is not in the page's text`);
  }
}

/** Links to one target may share a name, and so may controls in different rows, cards or forms. */
function findSameNames(state: State): void {
  const groups = new Map<string, Element[]>();
  for (const element of state.shown) {
    if (isLate(state)) break;
    const name = dom.nameOf(element);
    if (!name || dom.isDisabled(element)) continue;
    const words = `${dom.roleOf(element)} "${name}"`;
    groups.set(words, [...(groups.get(words) ?? []), element]);
  }
  const around =
    'li,tr,article,fieldset,form,dialog,section,nav,header,footer,[role]:not([role=presentation])';
  for (const [words, group] of groups) {
    if (group.length < 2) continue;
    const targets = new Set(group.map(each => (each as HTMLAnchorElement).href || each));
    const places = new Set(group.map(each => each.parentElement?.closest(around) ?? document));
    if (targets.size === 1 || places.size === group.length) continue;
    add(state, 'same_name', group[0]!, `${group.length} controls are called ${words}`, group);
  }
}

export const RULES = [
  findTraps,
  findCovered,
  findOutOfReach,
  findDisabled,
  findWithoutRole,
  findPictures,
  findSameNames,
];

declare const axe: {
  run(
    context: Element[],
    options: unknown,
  ): Promise<{ violations: { id: string; nodes: { element: Element }[] }[] }>;
};

/** Whether every control surely has a name. Then axe-core isn't loaded, which takes longer than all other rules. */
export const areNamed = () => controlsToName(currentState()).every(isNamed);

/** Controls in view come first. */
function controlsToName({ shown }: State): Element[] {
  const isNear = (each: Element) => dom.inViewport(dom.boxOf(each));
  // Controls outside the page are there for scripts that measure texts.
  const far = shown.filter(each => !isNear(each) && !dom.isOutside(each));
  return [...shown.filter(isNear), ...far];
}

function isNamed(element: Element): boolean {
  if (element.getAttribute('aria-label')?.trim()) return true;
  if (dom.labelsOf(element).some(saysText)) return true;
  return element.matches('a:not([role]),button:not([role]),summary:not([role])') && saysText(element);
}

/** Whether it shows a text, and hides none from assistive technology. */
function saysText(element: Element): boolean {
  const isRead = [...element.querySelectorAll('[aria-hidden=true]')].every(each => !each.textContent?.trim());
  return dom.isShown(element) && isRead && /\S/.test((element as HTMLElement).innerText ?? '');
}

export async function findNames(max: number): Promise<void> {
  const state = currentState();
  const controls = controlsToName(state);
  const unsure = controls.filter(each => !isNamed(each));
  if (unsure.length > max) {
    const checked = controls.length - unsure.length + max;
    state.incomplete.push(`the names of ${checked} of ${controls.length} controls were checked`);
  }
  const left = new Set(unsure.slice(0, max));
  // axe-core refuses to look at nothing.
  if (left.size === 0) return;
  const unnamed = 'button-name link-name input-button-name input-image-alt aria-command-name summary-name';
  const unlabelled = 'label select-name aria-input-field-name aria-toggle-field-name'.split(' ');
  const runOnly = { type: 'rule', values: [...unnamed.split(' '), ...unlabelled] };
  const options = { resultTypes: ['violations'], iframes: false, preload: false, selectors: false };
  const { violations } = await axe.run([...left], { ...options, elementRef: true, runOnly });
  for (const { id, nodes } of violations)
    for (const { element } of nodes) {
      // Two rules may find the same control, and a rule may find an element inside one.
      if (!left.delete(element)) continue;
      const isLabel = unlabelled.includes(id);
      const what = `${dom.roleOf(element)} without a ${isLabel ? 'label' : 'name'}`;
      add(state, isLabel ? 'no_label' : 'no_name', element, what);
    }
}
