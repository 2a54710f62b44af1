// The words for a control: those of the locator that was recorded or found for it.

/**
 * `getByRole('button', { name: 'Place order' })` as `button "Place order"`, `getByText('Care')` as `"Care"`, what one types
 * into as `field "Size"`, CSS bare; what has no such words as it is.
 */
export function controlInWords(locator: string): string {
  const unescaped = (text = '') => text.replace(/\\(.)/g, '$1');
  const [, role, name] =
    /getByRole\('(\w+)', \{ name: '((?:\\.|[^'\\])*)'[^'}]*\}\)[^)]*$/.exec(locator) ?? [];
  if (role) return fieldInWords(`${role} "${unescaped(name)}"`);
  const [, by, text] =
    /getBy(Label|Placeholder|Text|Title|AltText)\('((?:\\.|[^'\\])*)'[^']*\)$/.exec(locator) ?? [];
  if (by) return `${/Label|Placeholder/.test(by) ? 'field ' : ''}"${unescaped(text)}"`;
  return /^locator\('([^'\\]*)'\)$/.exec(locator)?.[1] ?? locator;
}

/** `textbox "Size"` as `field "Size"`. */
export function fieldInWords(words: string): string {
  return words.replace(/^(?:textbox|searchbox|spinbutton) /, 'field ');
}
