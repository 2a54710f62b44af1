// What a document says: its text, and the state of its content in a few bytes.

/** The text that is shown, shadow roots included: of the article, if the document is one. */
export function visibleText(): string {
  const shadowText = (root: ParentNode): string =>
    [...root.querySelectorAll('*')]
      .flatMap(element => {
        const shadow = element.shadowRoot;
        if (!shadow || !element.checkVisibility()) return [];
        const own = [...shadow.children]
          .filter(child => child instanceof HTMLElement && !['STYLE', 'SCRIPT'].includes(child.tagName))
          .map(child => (child as HTMLElement).innerText);
        return [...own, shadowText(shadow)];
      })
      .filter(Boolean)
      .join('\n');
  const textOf = (element: HTMLElement) =>
    [element.innerText, shadowText(element)].filter(Boolean).join('\n');
  if (!document.body) return '';
  const whole = textOf(document.body);
  const articles = [...document.querySelectorAll<HTMLElement>('article, main, [role=main]')].map(textOf);
  const article = articles.sort((a, b) => b.length - a.length)[0] ?? '';
  // If the main part is only a small piece of the page, the page is not an article.
  return article.length > 200 && article.length > whole.length * 0.4 ? article : whole;
}

/**
 * FNV-1a over the text that is rendered and the state of the controls. Style, attributes and scrolling are left out: they
 * change by themselves, and under the pointer.
 */
export function hashOfContent(): string {
  const ARIA = ['checked', 'pressed', 'expanded', 'selected', 'current', 'disabled', 'valuenow'];
  const stateOf = (element: Element): unknown[] => {
    const aria = ARIA.map(name => element.getAttribute(`aria-${name}`));
    const disabled = 'disabled' in element && element.disabled;
    if (element instanceof HTMLInputElement) return [...aria, disabled, element.value, element.checked];
    if (element instanceof HTMLTextAreaElement || element instanceof HTMLSelectElement)
      return [...aria, disabled, element.value];
    if (element instanceof HTMLDetailsElement || element instanceof HTMLDialogElement)
      return [...aria, element.open];
    return element instanceof HTMLImageElement ? [...aria, element.currentSrc] : [...aria, disabled];
  };
  const seen: unknown[] = [document.title, document.body?.innerText];
  const roots: (Document | ShadowRoot)[] = [document];
  for (const root of roots)
    for (const element of root.querySelectorAll('*')) {
      seen.push(...stateOf(element));
      if (!element.shadowRoot) continue;
      roots.push(element.shadowRoot);
      seen.push(element.shadowRoot.textContent);
    }
  const text = seen.join('\0');
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return (hash >>> 0).toString(36);
}
