// Runs in the page and may use nothing from outside itself: its source is sent there.

/** Reads the text of elements as people see it. */
export function textTools() {
  const squeeze = (text: string, max = 160) => text.replace(/\s+/g, ' ').trim().slice(0, max);
  const INLINE = new Set('A ABBR B CODE EM FONT I LABEL MARK SMALL SPAN STRONG SUB SUP U BDI'.split(' '));
  const SKIP = new Set('SCRIPT STYLE NOSCRIPT TEMPLATE HEAD'.split(' '));
  const parentOf = (node: Node): Element | null =>
    node.parentElement ??
    (node.getRootNode() instanceof ShadowRoot ? (node.getRootNode() as ShadowRoot).host : null);
  const shown = (el: Element) => el.checkVisibility({ visibilityProperty: true });

  const UNFOLDS = 'ul, ol, [role=menu], [role=group], [role=listbox], select, textarea';
  const altOf = (el: Element) =>
    el.matches('img, svg, [role=img]')
      ? ` ${el.getAttribute('alt') ?? el.getAttribute('aria-label') ?? ''} `
      : '';
  const readable = (node: Node): node is Element =>
    node instanceof Element && !SKIP.has(node.tagName) && node.checkVisibility();

  /** The visible text of an element without the lists and menus that unfold from it. */
  const textOf = (el: Node, skipNested: boolean, max = 200): string => {
    let out = '';
    const visit = (node: Node) => {
      if (out.length > max) return;
      if (node.nodeType === Node.TEXT_NODE) out += node.textContent;
      if (!readable(node) || (skipNested && node !== el && node.matches(UNFOLDS))) return;
      out += altOf(node);
      const gap = INLINE.has(node.tagName) ? '' : ' ';
      out += gap;
      for (const child of [...(node.shadowRoot?.childNodes ?? []), ...node.childNodes]) visit(child);
      out += gap;
    };
    visit(el);
    return squeeze(out, max);
  };

  const saidBy = (node: Node): string => {
    if (node.nodeType === Node.TEXT_NODE) return node.textContent ?? '';
    if (node instanceof HTMLInputElement) return node.type === 'password' ? '' : node.value;
    return node instanceof Element && !SKIP.has(node.tagName) ? contextText(node) : '';
  };
  const contextCache = new WeakMap<Element, string>();
  /** All that an element says, hidden parts included: what a row or card is about. */
  const contextText = (el: Element): string => {
    const known = contextCache.get(el);
    if (known !== undefined) return known;
    let out = '';
    for (const node of [...(el.shadowRoot?.childNodes ?? []), ...el.childNodes]) {
      if (out.length > 700) break;
      out += ` ${saidBy(node)}`;
    }
    const text = squeeze(`${el.getAttribute('aria-label') ?? ''} ${out}`, 700);
    contextCache.set(el, text);
    return text;
  };

  return { squeeze, parentOf, shown, textOf, contextText, skips: (el: Element) => SKIP.has(el.tagName) };
}

export type TextTools = ReturnType<typeof textTools>;
