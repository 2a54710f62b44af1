// Where a control is on the page, and which words of the goal stand around it: a replay finds it again by them.
import type { Neighbour } from '../../data/action';
import type { GoalWords, Scope } from '../../text/goal-words';
import * as goals from '../../text/goal-words';
import * as dom from './elements';
import { DIALOGS, headingsOf, type Lists } from './headings';

/** The control that the element is, or is a part of, and its place in the document; null in a frame. */
export function placeOf(element: Element) {
  if (window !== window.top) return null;
  const control = meantBy(element);
  const { x, y, ...size } = dom.boxOf(control);
  const [left, top] = [x + Math.round(scrollX), y + Math.round(scrollY)];
  return { control: dom.wordsFor(control), x: left, y: top, ...size };
}

function meantBy(element: Element): Element {
  const around = dom.controlAround(element) ?? element;
  return (around as HTMLLabelElement).control ?? around;
}

/** @param scopes where to look. Default: in the headings, then ever wider, until a text there has a name of the goal */
export function standing(element: Element, { goal, scopes }: { goal: GoalWords; scopes?: Scope[] }) {
  const control = meantBy(element);
  const beside: (Near & { scope: Scope })[] = [];
  const look = { goal, lists: new Map() };
  for (const scope of scopes ?? goals.SCOPES) {
    const box = (scopes ? boxOrWider : boxIn)(control, scope, look);
    const found = box ? neighbours(control, scope, box, look, scopes !== undefined) : [];
    const kept = scopes ? found : found.slice(0, MAX_NEIGHBOURS);
    beside.push(...kept.map(near => ({ scope, ...near })));
    if (!scopes && scope !== 'heading' && found.some(near => goals.hasName(goals.cutAround(near), goal)))
      break;
  }
  const { isConnected } = element;
  const state = { isOn: isOn(control), isEmpty: isEmpty(control), hints: hintsFor(control) };
  return { place: placeOf(element), isConnected, ...state, written: written(control).join('\n'), beside };
}

/** What tells an element without a name from others of its kind; undefined for one with a name, or without hints. */
function hintsFor(element: Element): string | undefined {
  if (dom.nameOf(element)) return undefined;
  const words = written(element).flatMap(text => text.toLowerCase().split(/[^\p{L}\p{N}]+/u));
  // Words with digits may be new on each page or in each build, unless they are as short as the number of a seat.
  const kept = words.filter(word => word && !(/\d/.test(word) && word.length > 5));
  return [...new Set(kept)].join(' ').slice(0, 300) || undefined;
}

/** What its author wrote on an element without a name and on its icons. */
function written(element: Element): string[] {
  if (dom.nameOf(element)) return [];
  const icons = [...element.querySelectorAll('svg,i,img,use')].slice(0, 3);
  return [element, ...icons]
    .flatMap(({ attributes }) => [...attributes])
    .filter(({ name }) => /^(?:class|title|name|(?:xlink:)?href|src|alt|data-.+)$/.test(name))
    .map(({ value }) => (value.length > 300 ? `${value.slice(0, 300)}…` : value));
}

/** A CSS path to the only control of that role and name (numbers may differ) among these texts; null if there is not just one. */
export function pathBeside(
  { control, hints }: { control: string; hints?: string },
  beside: readonly Neighbour[],
  goal: GoalWords,
): string | null {
  const withoutNumbers = (words: string) => words.replace(/\d+/g, '0');
  const [wanted, kind] = [withoutNumbers(control), control.split(' "')[0]!.split('.')[0]];
  const look = { goal, lists: new Map() };
  const isWanted = (element: Element) =>
    (dom.isControl(element) ? dom.roleOf(element) : element.localName) === kind &&
    withoutNumbers(dom.wordsFor(element)) === wanted &&
    element.checkVisibility() &&
    (hints === undefined || hintsFor(element) === hints) &&
    beside.every(({ scope, text }) => {
      const there = neighbours(element, scope, boxOrWider(element, scope, look), look, true);
      return goals.keepsWords(text, scope, [...there.map(goals.cutAround), dom.nameOf(element)], goal);
    });
  const found = [...dom.everyElement()].filter(isWanted);
  return found.length === 1 ? dom.cssPathOf(found[0]!) : null;
}

/** If the page has no such box any more, texts that were in it may be further away, but not in another row or item. */
function boxOrWider(control: Element, scope: Scope, look: Look): TextBox {
  const box = boxIn(control, scope, look);
  if (box || !goals.isNear(scope)) return box ?? PAGE();
  return boxIn(control, scope === 'row' ? 'alone' : 'row', look) ?? { ...PAGE(), isApart: true };
}

const MAX_NEIGHBOURS = 8;
/** Characters on each side of a word: a text may be a whole page. Secrets in it are masked later, so it must not be cut inside of one. */
const AROUND = 10_000;
const ROWS = 'tr,li,article,[role=row],[role=listitem],[role=article]';
/** Elements whose text is not shown on the page, or only for a moment. */
const UNREAD = 'option,script,style,noscript,template,[role=status],[role=alert]';

/** Whether a control that a click toggles is on; null for other controls. */
function isOn(control: Element): boolean | null {
  if (control instanceof HTMLInputElement && control.type === 'checkbox') return control.checked;
  if (control.getAttribute('role') === 'radio') return null;
  const state = control.getAttribute('aria-checked') ?? control.getAttribute('aria-pressed');
  return state === 'true' || state === 'false' ? state === 'true' : null;
}

/** Whether a text that is typed would be all that it holds; null for what holds no text. */
function isEmpty(control: Element): boolean | null {
  if (control instanceof HTMLInputElement || control instanceof HTMLTextAreaElement)
    return control.value === '';
  return (control as HTMLElement).isContentEditable ? !control.textContent?.trim() : null;
}

/** @param all also texts with words that the goal lacks, even if other texts have only words of the goal */
function neighbours(control: Element, scope: Scope, box: TextBox, look: Look, all: boolean): Near[] {
  const strict = all ? [] : textsWith(control, scope, box, look, false);
  return strict.length ? strict : textsWith(control, scope, box, look, true);
}

function textsWith(control: Element, scope: Scope, box: TextBox, look: Look, isLoose: boolean): Near[] {
  const { goal, lists } = look;
  const left = new Set([...goal.names, ...goal.others]);
  for (const word of goals.wordsIn(dom.nameOf(control))) left.delete(word);
  const texts: Near[] = [];
  if (!goals.isNear(scope) && !goal.names.some(name => left.has(name))) return texts;
  for (const { text, parent } of textsIn(control, box, goals.isNear(scope), lists)) {
    let fresh = goals.soughtIn(text, scope, goal, isLoose).filter(word => left.has(word));
    // Asked last: on a large page it takes longer than all the rest.
    if (!fresh.length || (parent && !isReadWith(control, parent, box))) continue;
    const other = parent && !parent.closest('h1,h2,h3,h4,h5,h6') && dom.controlAround(parent);
    // The names of other controls may change, so few of their words count.
    if (other && other !== control && !dom.holds(other, control))
      fresh = goals.isNear(scope) ? fresh.filter(word => goal.names.includes(word)) : [];
    if (!fresh.length) continue;
    for (const word of fresh) left.delete(word);
    texts.push(lineWith(fresh[0]!, text));
  }
  return texts;
}

function lineWith(word: string, text: string): Near {
  const line = text.replace(/\s+/g, ' ').trim();
  const at = Math.max(0, line.toLowerCase().indexOf(word));
  const [from, to] = [Math.max(0, at - AROUND), at + AROUND];
  return { text: line.slice(from, to) + (to < line.length ? '…' : ''), word };
}

function* textsIn(control: Element, { around, after }: TextBox, withFields: boolean, lists: Lists) {
  for (const text of headingsOf(control, lists)) yield { text };
  if (!around) return;
  const isText = ({ nodeType, nodeValue }: Node) => nodeType === Node.TEXT_NODE && nodeValue?.trim();
  const isInside = (node: Node) => after === undefined || isBetween(after, node, control);
  const inside = [around, around.shadowRoot].flatMap(root => (root ? [...dom.everyElement(root)] : []));
  for (const element of [around, ...inside]) {
    if (element !== control) for (const text of valuesOf(element, withFields)) yield { text };
    if (element.matches('img[alt]')) yield { text: element.getAttribute('alt')!, parent: element };
    for (const node of element.childNodes)
      if (isText(node) && isInside(node)) yield { text: node.nodeValue!, parent: element };
  }
}

const isReadWith = (control: Element, element: Element, { isApart }: TextBox) =>
  !element.closest(UNREAD) &&
  element.checkVisibility({ visibilityProperty: true }) &&
  !(isApart && isInOtherItem(element, control));

function valuesOf(element: Element, withFields: boolean): string[] {
  if (element instanceof HTMLInputElement) return isTextField(element, withFields) ? [element.value] : [];
  const isChosenHere = withFields && element instanceof HTMLSelectElement;
  return isChosenHere ? [...element.selectedOptions].map(({ text }) => text) : [];
}

/** Outside its row, editable fields don't count: their values change. */
const isTextField = ({ type, readOnly, disabled }: HTMLInputElement, withFields: boolean) =>
  /^(?:text|email|tel|url|search|number)$/.test(type) && (withFields || readOnly || disabled);

const isBetween = (before: Element | null, node: Node, after: Node) =>
  Boolean(node.compareDocumentPosition(after) & Node.DOCUMENT_POSITION_FOLLOWING) &&
  (!before ||
    (Boolean(before.compareDocumentPosition(node) & Node.DOCUMENT_POSITION_FOLLOWING) &&
      !dom.holds(before, node as Element)));

/** The part of the page in which texts belong to a control. */
interface TextBox {
  /** Undefined if only the headings do. */
  around?: Element;
  /** In a grid without rows, a control has only the texts between it and the control before; null for the first. */
  after?: Element | null;
  /** Without the texts of other items like the control's. */
  isApart?: boolean;
}

const PAGE = (): TextBox => ({ around: document.documentElement });

function boxIn(control: Element, scope: Scope, { lists }: Look): TextBox | undefined {
  const closest = (selector: string) => dom.withAncestors(control).find(each => each.matches(selector));
  if (scope === 'page') return PAGE();
  if (scope === 'heading') return {};
  if (scope !== 'alone') {
    const around = closest(scope === 'row' ? ROWS : DIALOGS);
    return around && { around };
  }
  // The largest box around it in which no other control has its name. The closest of those share the most boxes with it.
  const alike = allLike(control, lists);
  const hasItsName = namedLike(control);
  const at = alike.indexOf(control);
  const before = alike.slice(0, at).reverse().find(hasItsName);
  const after = alike.slice(at + 1).find(hasItsName);
  if (!before && !after) return undefined;
  const path = dom.withAncestors(control);
  const shared = [before, after]
    .flatMap(other => other ?? [])
    .map(other => dom.withAncestors(other).find(each => path.includes(each)));
  const top = Math.min(...shared.map(each => (each ? path.indexOf(each) : path.length)));
  const around = path[top - 1] ?? control;
  if (around !== control || !path[top]) return { around };
  return { around: path[top], after: before ?? null };
}

/** Whether the text is in an element that stands beside one like it, with the control: another entry of a list. */
function isInOtherItem(parent: Element, control: Element): boolean {
  const [path, textPath] = [dom.withAncestors(control), dom.withAncestors(parent)];
  const at = textPath.findIndex(each => path.includes(each));
  const [item, own] = [textPath[at - 1], path[path.indexOf(textPath[at]!) - 1]];
  return Boolean(item?.firstElementChild && own?.firstElementChild && isAlike(item, own));
}

/** Entries of a list may each have classes of their own, such as `odd`. */
const isAlike = (one: Element, other: Element) =>
  one.localName === other.localName &&
  (one.className === other.className || [...one.classList].some(each => other.classList.contains(each)));

/** A text beside a control, and its first word that is sought. */
type Near = Parameters<typeof goals.cutAround>[0];

interface Look {
  goal: GoalWords;
  lists: Lists;
}

/** The elements with the same attributes and text, including itself, in the order of the page. */
function allLike(control: Element, lists: Lists): Element[] {
  const named = ['role', 'type', 'aria-label', 'title', 'placeholder'];
  if (!dom.nameOf(control)) named.push('class');
  const keyOf = (element: Element) => {
    const text = dom.isLabelled(element) || element.textContent?.trim();
    return [element.localName, ...named.map(each => element.getAttribute(each)), text].join('\n');
  };
  const key = keyOf(control);
  return dom.once(lists, key, () =>
    [...dom.everyElement()].filter(each => each.localName === control.localName && keyOf(each) === key),
  );
}

/** Labels are compared last, and only where needed: reading one means a walk through the page. */
function namedLike(control: Element): (other: Element) => boolean {
  const name = dom.isLabelled(control) ? dom.nameOf(control) : undefined;
  return other => (name === undefined || dom.nameOf(other) === name) && other.checkVisibility();
}
