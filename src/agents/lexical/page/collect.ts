// Runs in the page and may use nothing from outside itself: its source is sent there.

import type { LabelTools } from './labels';
import type { PlaceTools } from './place';
import type { TextTools } from './text';
import type { FrameSurvey, Item } from './types';

/** Walks the DOM, open shadow roots included, and describes what can be used. */
export function collect(text: TextTools, labels: LabelTools, place: PlaceTools, limit: number): FrameSurvey {
  const { squeeze, parentOf, shown, textOf, skips } = text;
  const { roleOf, isField } = labels;
  const CONTROL =
    /^(?:button|link|textbox|searchbox|combobox|listbox|spinbutton|slider|checkbox|radio|switch|tab|menuitem|menuitemcheckbox|menuitemradio|option|treeitem|file|color|gridcell)$/;
  const items: Item[] = [];
  const attribute = (el: Element, ...names: string[]) =>
    names
      .map(name => el.getAttribute(name) ?? '')
      .join(' ')
      .trim();
  const isTrue = (el: Element, name: string) => el.getAttribute(name) === 'true';
  const states = (el: Element) => {
    const field = el as HTMLInputElement;
    return {
      checked: labels.checkedOf(el),
      expanded: labels.expandedOf(el),
      selected: isTrue(el, 'aria-selected') || el.hasAttribute('aria-current'),
      disabled:
        field.disabled === true || isTrue(el, 'aria-disabled') || el.closest('fieldset:disabled') !== null,
      readonly: field.readOnly === true || isTrue(el, 'aria-readonly'),
      popup: el.hasAttribute('aria-haspopup') && el.getAttribute('aria-haspopup') !== 'false',
      focused: document.activeElement === el,
    };
  };
  const optionsOf = (el: Element) =>
    el instanceof HTMLSelectElement
      ? [...el.options].slice(0, 400).map(option => squeeze(option.label || option.text))
      : [];
  const signatureOf = (el: Element) => {
    const parent = parentOf(el);
    return `${el.tagName}.${attribute(el, 'class')}<${parent?.tagName}.${parent ? attribute(parent, 'class') : ''}`;
  };

  /** `stand` is what is seen and clicked in place of a control that is hidden. */
  const add = (el: Element, role: string, stand: Element = el) => {
    if (items.length >= limit) return;
    const box = stand.getBoundingClientRect();
    items.push({
      id: place.idOf(stand),
      tag: el.tagName.toLowerCase(),
      type: el instanceof HTMLInputElement ? el.type : '',
      role,
      name: labels.nameOf(el, role) || (stand === el ? '' : textOf(stand, true)),
      placeholder: squeeze(attribute(el, 'placeholder', 'aria-placeholder')),
      title: squeeze(attribute(el, 'title', 'alt')),
      near: role === 'text' || role === 'heading' ? '' : labels.nearOf(el, role),
      hint: labels.hintOf(el),
      value: isField(role) ? ((el as HTMLInputElement).value ?? (el.textContent?.trim() || '')) : '',
      options: optionsOf(el),
      ...states(el),
      pointer: getComputedStyle(stand).cursor === 'pointer',
      href: el instanceof HTMLAnchorElement ? el.href : '',
      box: { x: box.x, y: box.y, width: box.width, height: box.height },
      inView: box.bottom > 0 && box.right > 0 && box.top < innerHeight && box.left < innerWidth,
      ...place.coverage(stand),
      layer: place.layerOf(stand),
      form: place.formOf(el),
      ...place.around(stand),
      signature: signatureOf(el),
    });
  };

  const hasSize = (el: Element) => {
    const box = el.getBoundingClientRect();
    return box.width > 0 && box.height > 0;
  };
  const ownText = (el: Element) =>
    [...el.childNodes].some(node => node.nodeType === Node.TEXT_NODE && node.textContent?.trim());
  const looksClickable = (el: Element) =>
    el.tagName === 'A' ||
    el.hasAttribute('onclick') ||
    el.hasAttribute('aria-haspopup') ||
    el.hasAttribute('aria-expanded') ||
    (el.hasAttribute('tabindex') && el.getAttribute('tabindex') !== '-1');
  const isEmpty = (el: Element) =>
    el.childElementCount === 0 &&
    !el.textContent?.trim() &&
    el.hasAttribute('class') &&
    !/^(?:TD|TH|LI)$/.test(el.tagName);
  const isIcon = (el: Element) => {
    const { width, height } = el.getBoundingClientRect();
    const small = Math.min(width, height) >= 5 && Math.max(width, height) <= 80;
    return small && (el.matches('img, svg, i, canvas') || isEmpty(el));
  };
  const startsPointer = (el: Element) => {
    const parent = parentOf(el);
    if (!parent || el === document.body) return false;
    return getComputedStyle(el).cursor === 'pointer' && getComputedStyle(parent).cursor !== 'pointer';
  };
  /** What an element is to us, '' for nothing. */
  const classify = (el: Element, inControl: boolean): string => {
    const role = roleOf(el);
    if (CONTROL.test(role)) return role;
    if (inControl) return '';
    if (looksClickable(el)) return 'clickable';
    if (isIcon(el)) return 'icon';
    if (startsPointer(el)) return 'clickable';
    if (role === 'heading') return role;
    return ownText(el) && (el.textContent?.length ?? 0) <= 200 ? 'text' : '';
  };
  /** Adds an element if it is anything. True where what it holds is part of it. */
  const consider = (el: Element, inControl: boolean): boolean => {
    const control = el instanceof HTMLLabelElement ? el.control : null;
    if (control && !(shown(control) && hasSize(control))) {
      add(control, roleOf(control), el);
      return inControl;
    }
    if (control || !shown(el) || !hasSize(el)) return inControl;
    const role = classify(el, inControl);
    if (role) add(el, role);
    const whole = /^(?:button|link|option|tab|combobox|listbox)$/.test(role);
    return inControl || (whole && !el.querySelector('ul, ol'));
  };
  const walk = (el: Element, inControl: boolean) => {
    if (skips(el) || (!shown(el) && !el.checkVisibility())) return;
    const inside = consider(el, inControl);
    if (el.tagName === 'SELECT') return;
    for (const child of [...(el.shadowRoot?.children ?? []), ...el.children]) walk(child, inside);
  };
  if (document.body) walk(document.body, false);
  for (const item of items) {
    const el = item.layer === 0 ? place.elementOf(item.id) : undefined;
    if (el) item.layer = place.coverOf(el);
  }

  let hash = 0;
  const mix = (said: string) => {
    for (let i = 0; i < said.length; i++) hash = (Math.imul(hash, 31) + said.charCodeAt(i)) | 0;
  };
  for (const { id, role, name, value, checked, expanded, selected, disabled, focused, hint } of items)
    mix(`${id}${name}${value}${checked}${expanded}${selected}${disabled}${focused && isField(role)}${hint}`);
  mix(document.body?.innerText.slice(0, 20_000) ?? '');
  mix(`${Math.round(scrollY / 50)}`);

  const progress = document.querySelector('[aria-busy=true], [role=progressbar]');
  const saysLoading = items.some(({ name }) =>
    /^(?:loading|please wait|searching|working)\b.{0,20}$/i.test(name),
  );
  return {
    url: location.href,
    title: document.title,
    headings: [...document.querySelectorAll('h1, h2')]
      .slice(0, 20)
      .map(heading => squeeze(heading.textContent ?? '')),
    items,
    contexts: place.contexts,
    print: `${location.href} ${hash}`,
    mutations: place.mutations(),
    busy: document.readyState === 'loading' || (progress?.checkVisibility() ?? false) || saysLoading,
    scroll: { y: scrollY, height: document.documentElement.scrollHeight, viewport: innerHeight },
  };
}
