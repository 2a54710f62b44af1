// Fields: what they take, and what they hold.

/** What decides how a value is set. */
export function settable(element: Element) {
  return {
    tag: element.localName,
    readonly: element.hasAttribute('readonly'),
    type: element instanceof HTMLInputElement ? element.type : '',
    role: element.getAttribute('role'),
    editable: element instanceof HTMLElement && element.isContentEditable,
    options:
      element instanceof HTMLSelectElement
        ? [...element.options].map(({ value, label, disabled }) => ({ value, label, disabled }))
        : [],
  };
}

/** The `aria-pressed` of what has no `aria-checked`, and is not checked by itself. */
export function pressedInstead(element: Element): string | null {
  const isChecked = element.hasAttribute('aria-checked') || !element.hasAttribute('role');
  return isChecked ? null : element.getAttribute('aria-pressed');
}

/** Null for what is not a text field: dates, numbers, editors. */
export function valueOfText(element: Element): string | null {
  const isText =
    element instanceof HTMLTextAreaElement ||
    (element instanceof HTMLInputElement && /^(?:text|search|tel|url|email|password)$/.test(element.type));
  return isText ? element.value.replace(/\r/g, '') : null;
}

/** What the accessibility tree does not tell about elements, and about the document (for its root). */
export function besideTree(elements: Element[]) {
  return elements.map(element => {
    const { x, y, width, height } = element.getBoundingClientRect();
    const root = document.documentElement;
    return {
      box: { x, y, width, height },
      tag: element.localName,
      type: element.getAttribute('type'),
      readonly: element.hasAttribute('readonly'),
      hasRole: element.hasAttribute('role'),
      label: element.getAttribute('aria-label') ?? '',
      ...(element === root && {
        size: { width: innerWidth, height: innerHeight },
        // CSS pixels of the page above and below the viewport.
        above: Math.round(scrollY),
        below: Math.max(0, Math.round(root.scrollHeight - scrollY - innerHeight)),
        // Differs between documents.
        document: performance.timeOrigin,
      }),
    };
  });
}
