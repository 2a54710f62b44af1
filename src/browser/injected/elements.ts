// What elements are, what people call them, where they are, and what fields accept and contain.
/** In CSS pixels of a document's viewport. */
export interface Point {
  x: number;
  y: number;
}
export interface Size {
  width: number;
  height: number;
}
export interface Box extends Point, Size {}

export function isControl(element: Element): boolean {
  const roles =
    'button link checkbox radio switch tab menuitem menuitemcheckbox menuitemradio option treeitem combobox textbox searchbox slider spinbutton';
  const role = givenRole(element);
  return role ? roles.split(' ').includes(role) : isNative(element);
}

const givenRole = (element: Element) => element.getAttribute('role')?.trim().split(/\s+/)[0];

/** Whether a label names it, rather than its own text. */
export function isLabelled(element: Element): boolean {
  return /^(?:textbox|searchbox|combobox|spinbutton|slider|checkbox|radio|switch)$/.test(roleOf(element));
}

function isNative(element: Element): boolean {
  return element.matches(
    'a[href],area[href],button,input:not([type=hidden]),select,textarea,summary,[contenteditable=""],[contenteditable=true]',
  );
}

/** The control, label or option that an element is, or is a part of. A native control counts whatever role it was given. */
export function controlAround(element: Element): Element | null {
  if (isControl(element) || isNative(element) || element.matches('label,option')) return element;
  const around = parentOf(element);
  return around && controlAround(around);
}

export function* everyElement(root: ParentNode = document): Generator<Element> {
  for (const element of root.querySelectorAll('*')) {
    yield element;
    if (element.shadowRoot) yield* everyElement(element.shadowRoot);
  }
}

export function parentOf(element: Element): Element | null {
  return element.parentElement ?? (element.getRootNode() as ShadowRoot).host ?? null;
}

/** The element and all elements around it, through shadow roots. */
export function withAncestors(element: Element): Element[] {
  const path: Element[] = [];
  for (let each: Element | null = element; each; each = parentOf(each)) path.push(each);
  return path;
}

/** What is made for a key, once. */
export function once<Key, Value>(made: Map<Key, Value>, key: Key, make: () => Value): Value {
  const value = made.get(key) ?? make();
  made.set(key, value);
  return value;
}

export function isShown(element: Element): boolean {
  const { width, height } = boxOf(element);
  // Elements of one pixel are for screen readers only.
  return width > 2 && height > 2 && element.checkVisibility({ visibilityProperty: true });
}

export const isDisabled = (element: Element) => element.matches(':disabled,[aria-disabled=true]');

/** Whether the input itself is not drawn: people click its label instead. */
export function isStyledInput(element: Element): boolean {
  if (!element.matches('input')) return false;
  const { opacity, appearance } = getComputedStyle(element);
  return opacity === '0' || (appearance === 'none' && element.matches('[type=checkbox],[type=radio]'));
}

export function flatText(text: string, max: number): string {
  const line = text.slice(0, 5_000).replace(/\s+/g, ' ').trim();
  return line.length > max ? `${line.slice(0, max - 1)}…` : line;
}

/** The box of an element's first line: an inline element has one box for each line. */
export function boxOf(element: Element): Box {
  const lines = [...element.getClientRects()];
  const line = lines.find(({ width, height }) => width > 0 && height > 0) ?? element.getBoundingClientRect();
  const [x, y, width, height] = [line.x, line.y, line.width, line.height].map(Math.round);
  return { x: x!, y: y!, width: width!, height: height! };
}

export function inViewport({ x, y, width, height }: Box): boolean {
  const [middleX, middleY] = [x + width / 2, y + height / 2];
  return middleX >= 0 && middleY >= 0 && middleX < innerWidth && middleY < innerHeight;
}

/** What people call an element: for sentences, and to recognize the control that an agent looked for. */
export function nameOf(element: Element): string {
  const { value } = element as HTMLInputElement;
  const isButton = element.matches('input[type=submit],input[type=button],input[type=reset]');
  const isField = element.matches('input,select,textarea,[contenteditable=""],[contenteditable=true]');
  const isImage = element.matches('img,area,input[type=image]');
  const image = isImage ? element : element.querySelector('img[alt],svg[aria-label]');
  const names = [
    textReferredTo(element, 'aria-labelledby'),
    element.getAttribute('aria-label'),
    labelsOf(element).map(labelText).join(' '),
    isButton ? value : isField ? '' : element.textContent,
    image?.getAttribute('alt') ?? image?.getAttribute('aria-label'),
    element.getAttribute('title'),
    element.getAttribute('placeholder'),
  ];
  return flatText(names.find(name => name?.trim()) ?? '', 100);
}

/** The text of the elements whose ids the attribute lists. */
export function textReferredTo(element: Element, attribute: string): string {
  const root = element.getRootNode() as Document | ShadowRoot;
  const ids = (element.getAttribute(attribute) ?? '').split(/\s+/).filter(Boolean);
  return ids.map(id => root.getElementById?.(id)?.textContent ?? '').join(' ');
}

/** Does not read `labels` if there can't be any: that walks through the whole page. */
export function labelsOf(element: Element): Element[] {
  const isPossible = element.id || element.closest('label');
  return isPossible ? [...((element as HTMLInputElement).labels ?? [])] : [];
}

function labelText(label: Element): string {
  const copy = label.cloneNode(true) as Element;
  for (const field of copy.querySelectorAll('select,textarea,input,button')) field.remove();
  return copy.textContent ?? '';
}

export function roleOf(element: Element): string {
  const given = givenRole(element);
  if (given) return given;
  const inputs: Record<string, string> = {
    ...{ checkbox: 'checkbox', radio: 'radio', range: 'slider', number: 'spinbutton', search: 'searchbox' },
    ...{ submit: 'button', button: 'button', reset: 'button', image: 'button', file: 'button' },
  };
  const tags: Record<string, string> = {
    ...{ a: 'link', area: 'link', button: 'button', select: 'combobox', textarea: 'textbox' },
    ...{ summary: 'button', input: inputs[element.getAttribute('type')?.toLowerCase() ?? ''] ?? 'textbox' },
  };
  // Links and headings in an editable text keep their roles.
  const known = tags[element.localName] ?? (/^h[1-6]$/.test(element.localName) ? 'heading' : undefined);
  return known ?? ((element as HTMLElement).isContentEditable ? 'textbox' : element.localName);
}

/** `button "Place order"`, `dialog "Cookies"`, `div.banner` */
export function wordsFor(element: Element): string {
  const isKnown = isControl(element) || element.matches('dialog,h1,h2,h3,h4,h5,h6,[role]');
  const isShort = (element.textContent ?? '').trim().length < 80;
  // A class with digits often comes from a build, and is another one after the next build.
  const first = [...element.classList].find(name => !/\d/.test(name));
  const heading = element.querySelector('h1,h2,h3,h4')?.textContent ?? '';
  const name =
    isShort || isControl(element) ? nameOf(element) : element.getAttribute('aria-label') || heading;
  const words = isKnown ? roleOf(element) : element.localName + (first ? `.${first}` : '');
  return name.trim() ? `${words} "${flatText(name, 60)}"` : words;
}

/** What its author called an element, in lower-case words: id, classes, URLs, icons. */
export function hintsOf(element: Element): string {
  const icons = [...element.querySelectorAll('svg,i,img,use')].slice(0, 3);
  const given = ['id', 'class', 'title', 'name', 'href', 'data-testid', 'data-action', 'value', 'src', 'alt'];
  const all = [element, ...icons].flatMap(each => given.map(name => each.getAttribute(name) ?? ''));
  const joined = all.join(' ').slice(0, 2_000);
  const words = joined.replace(/([a-z])([A-Z])/g, '$1 $2');
  return flatText(words.replace(/[^\p{L}\p{N}]+/gu, ' '), 300).toLowerCase();
}

/** A CSS path from the root, with Playwright's `>>` before a shadow root. @throws Error if the element is in no document */
export function cssPathOf(element: Element): string {
  if (!element.isConnected) throw new Error('the element is gone');
  const root = element.getRootNode();
  const parts: string[] = [];
  for (let node: Element | null = element; node; node = node.parentElement) {
    const index = [...(node.parentNode?.children ?? [node])].indexOf(node) + 1;
    parts.unshift(`${CSS.escape(node.localName)}:nth-child(${index})`);
  }
  const path = parts.join(' > ');
  return root instanceof ShadowRoot ? `${cssPathOf(root.host)} >> ${path}` : path;
}

/** CSS that matches only this element, with `>>` before a shadow root: by the author's attributes, else by its place. */
export function selectorOf(element: Element): string {
  const root = element.getRootNode() as Document | ShadowRoot;
  const host = root instanceof ShadowRoot ? `${selectorOf(root.host)} >> ` : '';
  const tag = CSS.escape(element.localName);
  const telling = ['data-testid', 'name', 'aria-label', 'href', 'title', 'placeholder', 'type'];
  const attributes = telling.flatMap(name => {
    const value = element.getAttribute(name);
    return value && value.length < 80 ? [`${tag}[${name}=${JSON.stringify(value)}]`] : [];
  });
  // Ids and classes with many digits change with each build, or from row to row.
  const isStable = (name: string) => name.length < 60 && !/\d{3}/.test(name);
  const classes = [...element.classList].filter(isStable).map(name => `.${CSS.escape(name)}`);
  const id = element.id && isStable(element.id) ? [`#${CSS.escape(element.id)}`] : [];
  const joined = classes.length ? [tag + classes.join('')] : [];
  const isOnly = (css: string) => root.querySelectorAll(css).length === 1;
  const own = [...id, ...classes, ...joined, ...attributes, tag].find(isOnly);
  if (own) return host + own;
  const nth = [...(element.parentNode?.children ?? [])].indexOf(element) + 1;
  const place = `${tag}:nth-child(${nth})`;
  return element.parentElement ? `${selectorOf(element.parentElement)} > ${place}` : host + place;
}

export function holds(outer: Element, inner: Element | null): boolean {
  let node: Node | null = inner;
  while (node && node !== outer) node = node.parentNode ?? (node as ShadowRoot).host ?? null;
  return node !== null;
}

/** The element at a point, or the one with the focus if the point is null; also in shadow roots. */
export function hit(point: Point | null): Element | null {
  const inside = (root: Document | ShadowRoot) =>
    point ? root.elementFromPoint(point.x, point.y) : root.activeElement;
  let found: Element | null = null;
  let inner = inside(document);
  while (inner && inner !== found) {
    found = inner;
    inner = inner.shadowRoot && inside(inner.shadowRoot);
  }
  const isRoot = found === document.body || found === document.documentElement;
  const isNothing = !point && isRoot && !(found as HTMLElement).isContentEditable;
  return isNothing ? null : found;
}

/** What a click in the middle of an element's first line hits: the element, a part of it, or what lies over it. */
export function topOf(element: Element): Element | null {
  const { x, y, width, height } = boxOf(element);
  return hit({ x: x + width / 2, y: y + height / 2 });
}

/** What gets the clicks on a control; null if that is the control or its label. */
export function coverOf(element: Element): Element | null {
  const { x, y, width, height } = boxOf(element);
  const spots = [0.5, 0.25, 0.75].flatMap(over => [0.5, 0.25, 0.75].map(down => [over, down] as const));
  const labels = labelsOf(element);
  const covers = spots.map(([over, down]) => {
    const top = hit({ x: x + width * over, y: y + height * down });
    const takes = !top || holds(element, top) || holds(top, element) || labels.some(each => holds(each, top));
    return takes ? null : top;
  });
  // What lies over its middle alone is a decoration.
  return covers[0] && covers.filter(Boolean).length > 4 ? covers[0] : null;
}

/** The largest element around `top` that does not also contain the element under it. */
export function largestOver(element: Element, top: Element): Element {
  const around = parentOf(top);
  return around && !holds(around, element) ? largestOver(element, around) : top;
}

/** Scrolls an element into view in up to three ways until `check` returns null, then scrolls back. @returns the last result */
export function whileScrolled(element: Element, check: () => Element | null): Element | null {
  const before = withAncestors(element).map(each => [each, each.scrollLeft, each.scrollTop] as const);
  let found: Element | null = null;
  for (const block of ['center', 'start', 'end'] as const) {
    element.scrollIntoView({ block, inline: 'center', behavior: 'instant' });
    found = check();
    if (!found) break;
  }
  for (const [each, left, top] of before) each.scrollTo({ left, top, behavior: 'instant' });
  return found;
}

/** Whether it is beyond the upper or left edge of what scrolls, where scrolling can't reach it. */
export function isOutside(element: Element): boolean {
  const { x, y, width, height } = boxOf(element);
  for (let node: Element | null = element; node; node = node.parentElement) {
    const { position, overflowX, overflowY } = getComputedStyle(node);
    const scrolls = node !== document.scrollingElement && /auto|scroll/.test(`${overflowX} ${overflowY}`);
    if (scrolls && node !== element) {
      const outer = boxOf(node);
      const isBefore =
        x + width - outer.x + node.scrollLeft <= 0 || y + height - outer.y + node.scrollTop <= 0;
      return isBefore || isOutside(node);
    }
    if (position === 'fixed') return x + width <= 0 || y + height <= 0 || x >= innerWidth || y >= innerHeight;
  }
  return x + width + scrollX <= 0 || y + height + scrollY <= 0;
}

export function settable(element: Element) {
  const [options, several] =
    element instanceof HTMLSelectElement ? [[...element.options], element.multiple] : [[], false];
  return {
    tag: element.localName,
    readonly: element.hasAttribute('readonly'),
    type: element instanceof HTMLInputElement ? element.type : '',
    role: element.getAttribute('role'),
    editable: element instanceof HTMLElement && element.isContentEditable,
    // `stays`: selected even if another one is chosen.
    options: options.map(({ value, label, disabled, selected }) => ({
      ...{ value, label, disabled },
      stays: several && selected,
    })),
  };
}

/** The `aria-pressed` of an element with a role; null if it has `aria-checked`. */
export function pressedInstead(element: Element): string | null {
  const isChecked = element.hasAttribute('aria-checked') || !element.hasAttribute('role');
  return isChecked ? null : element.getAttribute('aria-pressed');
}

/** The value of a text field; null for dates, numbers, editors and anything else. */
export function valueOfText(element: Element): string | null {
  const isText =
    element instanceof HTMLTextAreaElement ||
    (element instanceof HTMLInputElement && /^(?:text|search|tel|url|email|password)$/.test(element.type));
  return isText ? element.value.replace(/\r/g, '') : null;
}
