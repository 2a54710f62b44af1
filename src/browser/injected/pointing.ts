// Which element is meant (at a point, with the focus, or among several of one name), what lies over it, and what scrolls it.
import * as dom from './elements';

/**
 * Reads the element at a point; null if nothing is there. `frame`: if the element is a frame, its path, its document's upper left
 * corner, and how much larger than there it is shown.
 *
 * @param point null for the element with the focus
 */
function atPoint<Result>(point: dom.Point | null, read: (element: Element) => Result) {
  const element = dom.hit(point);
  if (!element) return null;
  const isFrame = element instanceof HTMLElement && /^i?frame$/.test(element.localName);
  return { result: read(element), frame: isFrame ? frameAt(element) : undefined };
}

/** The control that an element is a part of, or else the element, in words. */
function describe(element: Element) {
  const acted = dom.controlAround(element) ?? element.closest('[role],[onclick],[contenteditable]');
  const target = (acted instanceof HTMLLabelElement && acted.control) || acted || element;
  const inputType = target instanceof HTMLInputElement ? target.type : undefined;
  return { words: dom.wordsFor(target), tag: target.localName, inputType };
}

function frameAt(element: HTMLElement) {
  const { x, y, width } = element.getBoundingClientRect();
  const scale = width / element.offsetWidth || 1;
  const { paddingLeft, paddingTop } = getComputedStyle(element);
  const corner = {
    x: x + (element.clientLeft + Number.parseFloat(paddingLeft)) * scale,
    y: y + (element.clientTop + Number.parseFloat(paddingTop)) * scale,
  };
  return { path: dom.cssPathOf(element), corner, scale };
}

/** What is at a point, and what to click to hit it: the control there, with the exact spot if its middle could do something else. */
export function controlAt(point: dom.Point | null) {
  return atPoint(point, element => {
    const control = point && closestControl(element);
    const isAnySpot = control && isAsItsMiddle(element, control);
    return { ...describe(element), ...spotOn(control ?? element, isAnySpot ? null : point) };
  });
}

export function spotAt(point: dom.Point | null) {
  return atPoint(point, element => ({ ...describe(element), ...spotOn(element, point) }));
}

/** What scrolls first at a point, and in which directions there is more to see. */
export function scrollsAt(point: dom.Point | null) {
  return atPoint(point, element => {
    const scroller = closestScrollable(element);
    return { scroller: scroller && dom.cssPathOf(scroller), room: roomAround(element) };
  });
}

/** How far from an element's corner Playwright measures positions in it. */
export function borderOf(element: Element): dom.Point {
  const { borderLeftWidth, borderTopWidth } = getComputedStyle(element);
  const [x, y] = [borderLeftWidth, borderTopWidth].map(width => Number.parseInt(width, 10) || 0);
  return { x: x!, y: y! };
}

function originOf(element: Element): dom.Point {
  const [{ x, y }, border] = [element.getBoundingClientRect(), borderOf(element)];
  return { x: x + border.x, y: y + border.y };
}

function spotOn(element: Element, point: dom.Point | null) {
  const { x, y } = originOf(element);
  const position = point ? { x: Math.round(point.x - x), y: Math.round(point.y - y) } : undefined;
  return { path: dom.cssPathOf(element), position };
}

/** The control that a click on the element is for; null if it is for the element itself. */
function closestControl(element: Element): Element | null {
  const control = dom.controlAround(element);
  if (!control || dom.roleOf(control) === 'slider') return null;
  // Options in a list of their own are drawn by the browser.
  if (control.localName === 'option') return control.closest('select');
  return control;
}

/** Whether a click on the element does what one in the middle of its control does. */
function isAsItsMiddle(element: Element, control: Element): boolean {
  const isField = control.matches('input,textarea') && !control.matches(PUSHED);
  // The caret goes where one clicks; pickers and steppers have parts.
  if (control.matches(IN_PARTS)) return false;
  if (isField && (control as HTMLInputElement).value) return false;
  if ((control as HTMLElement).isContentEditable && control.textContent?.trim()) return false;
  return dom.topOf(control) === element;
}

const PUSHED =
  '[type=button],[type=submit],[type=reset],[type=image],[type=checkbox],[type=radio],[type=file],[type=color]';
const IN_PARTS =
  'select:is([multiple],[size]:not([size="1"])),[type=date],[type=time],[type=datetime-local],[type=month],[type=week],[type=number],[type=search]';

/** The control that is at a spot of an element which is in none; null if there is none. Scrolls the spot into view. */
export function controlOn(element: Element, { x, y }: dom.Point): string | null {
  if (dom.controlAround(element)) return null;
  const at = () => {
    const origin = originOf(element);
    return { x: origin.x + x, y: origin.y + y };
  };
  const before = at();
  if (!dom.inViewport({ ...before, width: 0, height: 0 }))
    scrollBy({ left: before.x - innerWidth / 2, top: before.y - innerHeight / 2, behavior: 'instant' });
  const found = dom.hit(at());
  const control = found && dom.holds(element, found) ? dom.controlAround(found) : null;
  return control && dom.wordsFor(control);
}

function closestScrollable(element: Element): Element | null {
  const scrolls = /auto|scroll/;
  for (let node: Element | null = element; node && node !== document.body; node = dom.parentOf(node)) {
    const { overflowX, overflowY } = getComputedStyle(node);
    if (scrolls.test(overflowY) && node.scrollHeight > node.clientHeight) return node;
    if (scrolls.test(overflowX) && node.scrollWidth > node.clientWidth) return node;
  }
  return null;
}

function roomAround(start: Element) {
  const room = { up: false, down: false, left: false, right: false };
  for (const each of dom.withAncestors(start)) {
    const { scrollTop, scrollLeft, scrollHeight, scrollWidth, clientHeight, clientWidth } = each;
    room.up ||= scrollTop > 0;
    room.down ||= scrollTop + clientHeight < scrollHeight - 1;
    // In right-to-left layouts, scrollLeft is below zero.
    room.left ||= scrollWidth > clientWidth + 1;
    room.right ||= scrollLeft + clientWidth < scrollWidth - 1;
  }
  return room;
}

/** @returns the element's middle in the viewport; null in a frame */
export function bringIntoView(element: Element): dom.Point | null {
  const { top, left, bottom, right } = element.getBoundingClientRect();
  if (top < 0 || left < 0 || bottom > innerHeight || right > innerWidth)
    element.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' });
  const { x, y, width, height } = element.getBoundingClientRect();
  return window === window.top ? { x: x + width / 2, y: y + height / 2 } : null;
}

/**
 * What lies over an element. `part`: belongs to it, such as a file input over its button, or the shape under a text that lets
 * clicks through. `way`: a button that closes what covers it.
 *
 * @param closers names of buttons that close something, likeliest first
 */
export function overIt(target: Element, closers: RegExp[]): { part?: Element; way?: Element } {
  target.scrollIntoView({ block: 'nearest' });
  const top = dom.topOf(target);
  if (!top || dom.holds(target, top)) return {};
  if (top.matches('input[type=file]')) return { part: top };
  let around: Element | null = target;
  while (around && getComputedStyle(around).pointerEvents === 'none') around = dom.parentOf(around);
  // What comes later in the document covers the element. What is around a button is no part of the button.
  const isUnder = top.compareDocumentPosition(target) & Node.DOCUMENT_POSITION_FOLLOWING;
  const isIn = around && !dom.holds(around, document.body) && isUnder && dom.holds(around, top);
  if (isIn) return target.matches('button,a,[role=button]') ? {} : { part: top };
  const way = wayToClose(dom.largestOver(target, top), closers);
  return way ? { way } : {};
}

/** The button or link with one of these names that is drawn over the cover, in it or beside it. */
function wayToClose(cover: Element, names: RegExp[]): Element | undefined {
  const root = cover.getRootNode() as Document | ShadowRoot;
  const onTop = [...dom.everyElement()].filter(way => {
    if (!way.matches('button,a,[role=button],[title]')) return false;
    const { x, y, width, height } = dom.boxOf(way);
    const there = () => root.elementsFromPoint(x + width / 2, y + height / 2);
    return dom.holds(way, dom.topOf(way)) && there().some(each => dom.holds(cover, each));
  });
  const called = (way: Element) =>
    // The HTML of an icon says what it is.
    dom.nameOf(way) || (/close|dismiss|\b(?:times|x-?mark|cross)\b/i.test(way.outerHTML) ? 'close' : '');
  return names.map(name => onTop.find(way => name.test(called(way)))).find(Boolean);
}

/**
 * The index of the element that is meant; two indexes if that is not clear.
 *
 * @param which `place` is a pattern, with the flags `iu`, for the label of the row, card or section that it is in
 */
export function meant(
  things: Element[],
  { place, nth }: { place?: string | undefined; nth?: number | undefined },
) {
  const near = place ? nearTo(things, new RegExp(place, 'iu')) : things;
  // Elements inside each other, and links to the same URL, are the same to a user.
  const inner = near.filter((thing, at) => !dom.holds(thing, near[at + 1] ?? null));
  const urls = new Set(inner.map(link => link.getAttribute('href')));
  const most = urls.size === 1 && !urls.has(null) ? 1 : 2;
  const chosen = nth === undefined ? inner.slice(0, most) : inner.slice(nth).slice(0, 1);
  return chosen.map(thing => things.indexOf(thing));
}

/** The elements in the smallest box that has the label, too: in the row of that name, not in the table around it. */
function nearTo(things: Element[], label: RegExp): Element[] {
  const known = new Map<Element, boolean>();
  const has = (box: Element) => dom.once(known, box, () => says(box, label));
  const boxes = things.map(thing => {
    let box = dom.parentOf(thing);
    while (box && box !== document.body && !has(box)) box = dom.parentOf(box);
    return box === document.body ? null : box;
  });
  const isSmallest = (box: Element) => !boxes.some(other => other && other !== box && dom.holds(box, other));
  return things.filter((_, at) => boxes[at] && isSmallest(boxes[at]));
}

function says(box: Element, label: RegExp): boolean {
  const named = [box, ...box.querySelectorAll('[aria-label],[placeholder]')];
  const names = named.map(each => each.getAttribute('aria-label') ?? each.getAttribute('placeholder') ?? '');
  return [textOf(box), spacedText(box), ...names].some(text => label.test(text));
}

/** The visible text with spaces between elements: if only style sets them apart, `innerText` is `AliceAdminDelete`. */
function spacedText(element: Element): string {
  const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  const seen: string[] = [];
  while (texts.nextNode())
    if (texts.currentNode.parentElement?.checkVisibility()) seen.push(texts.currentNode.nodeValue ?? '');
  return seen.join(' ');
}

const textOf = (element: Element) => (element as HTMLElement).innerText ?? element.textContent ?? '';

/** A field's value, or the text of the row or list that the element is in. */
export function textAt(element: Element): string {
  const field = element.closest('label')?.control ?? element;
  if ('value' in field && typeof field.value === 'string' && field.value) return field.value;
  return textOf(element.closest('tr,li,dl,details,[role=row]') ?? element).trim();
}

export const matches = (element: Element, css: string) => element.matches(css);
