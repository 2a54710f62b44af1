// The text of elements as people see it. Slotted text stands where its slot is. Text is left out if a box without height cuts it
// off, as in accordions, or if its letters or its box are shrunk to nothing. `innerText` does none of this.
import { everyElement, parentOf } from './elements';

/** Elements whose text is not that of their children. */
const OWN_TEXT = 'select, input:is([type=submit], [type=button], [type=reset])';

/** Elements that are drawn only where others refer to them. */
const NEVER_DRAWN = 'defs, symbol, clipPath, mask, pattern, marker';

/** For a selector: the element if its text matches the pattern; without one, an element with its text, unless it shows none. */
export function shows(element: Element, pattern: string): Element[] {
  const special = specials();
  const text = isCutOff(element, special.cut) || isSkipped(element) ? '' : laidOut(element, special);
  if (pattern) return new RegExp(pattern).test(text.normalize('NFC')) ? [element] : [];
  const copy = document.createElement('span');
  copy.textContent = text;
  return text.trim() ? [copy] : [];
}

/** Kept for all elements that a selector asks about at once. */
let known: Special | undefined;

function specials(): Special {
  if (known) return known;
  const all = [...everyElement()];
  const skipped = all.filter(each => getComputedStyle(each).contentVisibility === 'auto');
  const styles = (skipped as HTMLElement[]).map(styleOf);
  // Queued first, so that the page hears of its styles only when they are as before.
  queueMicrotask(() => {
    known = undefined;
    for (const { restore } of styles) restore();
  });
  // Renders what is left out until someone scrolls there.
  for (const { style } of styles) style.setProperty('content-visibility', 'visible', 'important');
  const cut = new Set(all.filter(cutsOff));
  const slots = all.filter(each => each instanceof HTMLSlotElement && each.assignedNodes().length);
  const read = all.filter(each => each.shadowRoot || each.matches(OWN_TEXT) || hasTinyLetters(each));
  const around = new Set<Element>();
  for (const own of [...cut, ...slots, ...read])
    for (let each: Element | null = own; each && !around.has(each); each = parentOf(each)) around.add(each);
  known = { around, cut };
  return known;
}

function styleOf(element: HTMLElement) {
  const { style } = element;
  const value = style.getPropertyValue('content-visibility');
  const priority = style.getPropertyPriority('content-visibility');
  const hadStyle = element.hasAttribute('style');
  const restore = () => {
    // An empty value removes it.
    style.setProperty('content-visibility', value, priority);
    // Asked for, since Chromium writes the attribute only then.
    if (!hadStyle && !element.getAttribute('style')) element.removeAttribute('style');
  };
  return { style, restore };
}

interface Special {
  /** Elements whose `innerText` is wrong: at any depth, they contain slots, shadow roots, or what is cut off or shrunk. */
  around: ReadonlySet<Element>;
  cut: ReadonlySet<Element>;
}

function cutsOff(element: Element): boolean {
  if (!element.textContent?.trim() && !element.querySelector(`slot, ${OWN_TEXT}`)) return false;
  if (element instanceof SVGElement)
    return element.matches(NEVER_DRAWN) || (element instanceof SVGSVGElement && isShrunk(element));
  if (!(element instanceof HTMLElement)) return false;
  if (element.clientHeight && element.clientWidth) return isShrunk(element);
  // Their overflow belongs to the window.
  if (element === document.body || element === document.documentElement) return false;
  const { display, overflowX, overflowY } = getComputedStyle(element);
  if (/^(?:inline|contents|none)$/.test(display)) return false;
  return (
    (!element.clientWidth && overflowX !== 'visible') || (!element.clientHeight && overflowY !== 'visible')
  );
}

/** Whether the box does not cut the element off, since the element is positioned by something around the box. */
function escapes(element: Element, box: Element): boolean {
  const { position } = getComputedStyle(element);
  if (!/absolute|fixed/.test(position)) return false;
  for (let each = outside(element); each; each = outside(each)) {
    const style = getComputedStyle(each);
    const isPlaced = position === 'absolute' && style.position !== 'static';
    const holdsAll = [style.transform, style.filter, style.perspective].some(value => value !== 'none');
    if (isPlaced || holdsAll || /paint|layout|strict|content/.test(style.contain)) return false;
    if (each === box) return true;
  }
  return true;
}

const outside = (element: Element) => element.assignedSlot ?? parentOf(element);

/** Whether a transform leaves it no size, such as `scale(0)`, from which popups grow. */
function isShrunk(element: HTMLElement | SVGSVGElement): boolean {
  const { width, height } = element.getBoundingClientRect();
  // Without a doctype, Firefox's body has no height of its own, and cuts nothing off.
  const isFlat = 'offsetHeight' in element && element.offsetHeight === 0;
  return width === 0 || (height === 0 && !isFlat);
}

const hasTinyLetters = (element: Element) =>
  [...element.childNodes].some(node => node instanceof Text && node.data.trim()) &&
  getComputedStyle(element).fontSize === '0px';

/** @param inside the elements between this one and the one that is asked about, which comes first */
function isCutOff(element: Element, cut: ReadonlySet<Element>, inside: Element[] = []): boolean {
  const parent = outside(element);
  const isHeld = inside.length > 0 && cut.has(element) && !inside.some(each => escapes(each, element));
  return isHeld || (parent !== null && isCutOff(parent, cut, [...inside, element]));
}

/** Whether it is in something closed, such as `<details>`. An element without a box of its own is where its parent is. */
function isSkipped(element: Element): boolean {
  if (getComputedStyle(element).display !== 'contents') return !element.checkVisibility();
  const around = outside(element);
  return around !== null && (!childrenOf(around).includes(element) || isSkipped(around));
}

function laidOut(element: Element, special: Special): string {
  const { display, contentVisibility } = getComputedStyle(element);
  if (display === 'none' || contentVisibility === 'hidden') return '';
  if (special.cut.has(element)) return escapedFrom(element, special);
  // Only HTML elements have `innerText`.
  const isRead = special.around.has(element) || !(element instanceof HTMLElement);
  const text =
    isRead && !element.matches(OWN_TEXT)
      ? childrenOf(element)
          .map(child => textOf(child, element, special))
          .join('')
      : renderedText(element, display);
  return /^(?:inline|contents)/.test(display) ? text : `\n${text}\n`;
}

function escapedFrom(box: Element, special: Special): string {
  const escaped = [...box.querySelectorAll('*')].filter(each => escapes(each, box));
  const outer = escaped.filter(each => !escaped.some(other => other !== each && other.contains(each)));
  return outer.map(each => laidOut(each, special)).join('');
}

function textOf(node: Node, parent: Element, special: Special): string {
  if (node instanceof Element) return laidOut(node, special);
  return node instanceof Text ? lettersOf(node, parent) : '';
}

function childrenOf(element: Element): Node[] {
  if (element instanceof HTMLDetailsElement && !element.open)
    return [...element.querySelectorAll(':scope > summary:first-of-type')];
  const slotted = element instanceof HTMLSlotElement ? element.assignedNodes() : [];
  return slotted.length ? slotted : [...(element.shadowRoot ?? element).childNodes];
}

function renderedText(element: Element, display: string): string {
  // An invisible element may have visible parts, unless it is one of these.
  const isWhole = element.matches(OWN_TEXT);
  if (display !== 'contents' && !element.checkVisibility({ visibilityProperty: isWhole })) return '';
  if (element instanceof HTMLBRElement) return '\n';
  if (element instanceof HTMLSelectElement && !element.multiple && element.size < 2)
    return Array.from(element.selectedOptions, ({ label }) => label).join('\n');
  if (element instanceof HTMLInputElement) return isWhole ? element.value : '';
  return (element as HTMLElement).innerText;
}

function lettersOf(text: Text, parent: Element): string {
  const { visibility, textTransform, fontSize } = getComputedStyle(parent);
  const range = document.createRange();
  range.selectNodeContents(text);
  if (visibility !== 'visible' || fontSize === '0px' || !range.getClientRects().length) return '';
  const language = parent.closest('[lang]')?.getAttribute('lang') || undefined;
  if (textTransform === 'uppercase') return text.data.toLocaleUpperCase(language);
  if (textTransform === 'lowercase') return text.data.toLocaleLowerCase(language);
  if (textTransform !== 'capitalize') return text.data;
  return text.data.replace(/(?<![\p{L}\p{N}'’])\p{L}/gu, letter => letter.toLocaleUpperCase(language));
}
