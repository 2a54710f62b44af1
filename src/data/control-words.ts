// The words for a control: those of the locator that was recorded or found for it.

/**
 * `getByRole('button', { name: 'Place order' })` as `button "Place order"`, `getByLabel('Size')` as `field "Size"`,
 * `getByText('Care')` as `"Care"`; what has no such words as it is.
 */
export function inWords(locator: string): string {
  const unescaped = (text = '') => text.replace(/\\(.)/g, '$1');
  const [, role, name] =
    /getByRole\('(\w+)', \{ name: '((?:\\.|[^'\\])*)'[^}]*\}\)[^)]*$/.exec(locator) ?? [];
  if (role) return `${role} "${unescaped(name)}"`;
  const [, by, text] =
    /getBy(Label|Placeholder|Text|Title|AltText)\('((?:\\.|[^'\\])*)'[^']*\)$/.exec(locator) ?? [];
  if (!by) return locator;
  return `${/Label|Placeholder/.test(by) ? 'field ' : ''}"${unescaped(text)}"`;
}

const FIELD = /^(?:textbox|searchbox|spinbutton) /;

/** The control that an action meant: as `inWords`, with `field` for all that one types into, and CSS bare. */
export function controlInWords(locator: string): string {
  const words = inWords(locator);
  if (words !== locator) return words.replace(FIELD, 'field ');
  return /^locator\('([^'\\]*)'\)$/.exec(locator)?.[1] ?? locator;
}
