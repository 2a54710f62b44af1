// Runs in the page and may use nothing from outside itself: its source is sent there.

import type { TextTools } from './text';

/** Tells roles, names, labels and states of elements. */
export function labelTools({ squeeze, parentOf, shown, textOf, skips }: TextTools) {
  const byIds = (el: Element, attribute: string) =>
    (el.getAttribute(attribute) ?? '')
      .split(/\s+/)
      .filter(Boolean)
      .map(id => (el.getRootNode() as Document | ShadowRoot).getElementById?.(id)?.textContent ?? '')
      .join(' ');

  const INPUT_ROLES: Record<string, string> = {
    button: 'button',
    submit: 'button',
    reset: 'button',
    image: 'button',
    checkbox: 'checkbox',
    radio: 'radio',
    range: 'slider',
    number: 'spinbutton',
    search: 'searchbox',
    file: 'file',
    color: 'color',
  };
  const BY_TAG: Record<string, string> = { BUTTON: 'button', SUMMARY: 'button', TEXTAREA: 'textbox' };
  const isEditor = (el: Element) =>
    el instanceof HTMLElement && el.isContentEditable && !el.parentElement?.isContentEditable;
  const nativeRole = (el: Element): string => {
    if (el instanceof HTMLInputElement) return INPUT_ROLES[el.type] ?? (el.list ? 'combobox' : 'textbox');
    if (el instanceof HTMLSelectElement) return el.multiple || el.size > 1 ? 'listbox' : 'combobox';
    if (isEditor(el)) return 'textbox';
    if (el.matches('a[href], a[onclick]')) return 'link';
    return /^H[1-6]$/.test(el.tagName) ? 'heading' : (BY_TAG[el.tagName] ?? '');
  };
  const roleOf = (el: Element): string => {
    const explicit = el.getAttribute('role')?.trim().split(/\s+/)[0];
    return explicit && !/^(?:presentation|none|generic)$/.test(explicit) ? explicit : nativeRole(el);
  };
  const FIELD = /^(?:textbox|searchbox|combobox|listbox|spinbutton|slider|checkbox|radio|switch|file|color)$/;

  const isField = (role: string) => FIELD.test(role);

  const BUTTON_NAMES: Record<string, string> = { submit: 'Submit', reset: 'Reset' };
  const ownLabel = (el: Element, role: string): string => {
    const labelled = byIds(el, 'aria-labelledby') || el.getAttribute('aria-label') || '';
    if (labelled.trim()) return labelled;
    if (el instanceof HTMLInputElement && /^(?:button|submit|reset|image)$/.test(el.type))
      return el.value || el.alt || el.title || (BUTTON_NAMES[el.type] ?? '');
    if (!isField(role) || !('labels' in el)) return '';
    return [...((el as HTMLInputElement).labels ?? [])].map(label => textOf(label, true)).join(' ');
  };
  const nameOf = (el: Element, role: string): string => {
    const label = squeeze(ownLabel(el, role));
    if (label !== '') return label;
    if (isField(role) && !/^(?:checkbox|radio|switch)$/.test(role)) return '';
    return textOf(el, true) || squeeze(el.querySelector('title')?.textContent ?? '');
  };

  const hasControl = (node: Element) =>
    node.matches('input, select, textarea, button') ||
    node.querySelector('input, select, textarea, button') !== null;
  /** Undefined where the search for a label must stop. */
  const labelIn = (node: Node): string | undefined => {
    if (node.nodeType === Node.TEXT_NODE) return squeeze(node.textContent ?? '', 80);
    if (!(node instanceof Element) || skips(node) || node.tagName === 'BR') return '';
    return hasControl(node) ? undefined : textOf(node, false, 80);
  };
  const siblingText = (from: Node, step: 'previousSibling' | 'nextSibling'): string => {
    let node = from[step];
    for (let steps = 0; node && steps < 4; steps++) {
      const text = labelIn(node);
      if (text !== '') return text ?? '';
      node = node[step];
    }
    return '';
  };
  const columnHeader = (el: Element): string => {
    const cell = el.closest('td');
    const head = cell?.closest('table')?.querySelector('tr');
    return cell && head && !head.contains(cell)
      ? squeeze(head.children[cell.cellIndex]?.textContent ?? '', 60)
      : '';
  };
  const holdsSeveral = (el: Element) =>
    [...el.querySelectorAll('input, select, textarea')].filter(other => shown(other)).length > 1;
  /** Text that seems to label an element that has no label of its own. */
  const nearOf = (el: Element, role: string): string => {
    const ways = /^(?:checkbox|radio|switch)$/.test(role)
      ? (['nextSibling', 'previousSibling'] as const)
      : isField(role)
        ? (['previousSibling', 'nextSibling'] as const)
        : (['previousSibling'] as const);
    let node: Element | null = el;
    for (let level = 0; node && level < 3; level++) {
      for (const way of ways) {
        const text = siblingText(node, way);
        if (text) return text;
      }
      node = parentOf(node);
      if (node && holdsSeveral(node)) break;
    }
    return columnHeader(el);
  };

  const hintOf = (el: Element): string => {
    const image =
      el.querySelector('use')?.getAttribute('href') ?? el.getAttribute('src')?.split(/[/.]/).at(-2) ?? '';
    const child =
      el.childElementCount === 1 && !el.textContent?.trim()
        ? (el.firstElementChild?.getAttribute('class') ?? '')
        : '';
    const raw = [
      ...['id', 'class', 'name', 'data-testid', 'data-icon', 'data-action'].map(name =>
        el.getAttribute(name),
      ),
      image,
      child,
    ];
    return squeeze(
      raw
        .filter(Boolean)
        .join(' ')
        .replace(/([a-z])([A-Z])/g, '$1 $2')
        .replace(/[^\p{L}\p{N}]+/gu, ' '),
      120,
    );
  };

  const checkedOf = (el: Element): boolean | null => {
    if (el instanceof HTMLInputElement && /^(?:checkbox|radio)$/.test(el.type)) return el.checked;
    const state = el.getAttribute('aria-checked') ?? el.getAttribute('aria-pressed');
    return state === null ? null : state === 'true';
  };
  const expandedOf = (el: Element): boolean | null => {
    if (el.tagName === 'SUMMARY') return (el.parentElement as HTMLDetailsElement | null)?.open ?? null;
    const state = el.getAttribute('aria-expanded');
    return state === null ? null : state === 'true';
  };

  return { roleOf, isField, nameOf, nearOf, hintOf, checkedOf, expandedOf };
}

export type LabelTools = ReturnType<typeof labelTools>;
