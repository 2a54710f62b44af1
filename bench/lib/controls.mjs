// Finds the controls in a page's viewport by the page itself, independent of the measured tools.

/** @typedef {{ role: string, name: string }} Control */

/** Runs in the page. A control counts if a part of it is in the viewport and nothing covers that part. */
export function controlsInView() {
  const SELECTOR =
    'a[href],button,input:not([type=hidden]),select,textarea,summary,[role=button],[role=link]';
  /** @type {Control[]} */
  const found = [];
  for (const element of document.querySelectorAll(SELECTOR)) {
    const { left, top, right, bottom } = element.getBoundingClientRect();
    const box = {
      left: Math.max(left, 0),
      top: Math.max(top, 0),
      right: Math.min(right, innerWidth),
      bottom: Math.min(bottom, innerHeight),
    };
    if (box.right - box.left < 1 || box.bottom - box.top < 1) continue;
    const hit = document.elementFromPoint((box.left + box.right) / 2, (box.top + box.bottom) / 2);
    if (!hit || !(element.contains(hit) || hit.contains(element))) continue;
    const field = /** @type {HTMLInputElement} */ (element);
    const labelled = [...(field.labels ?? [])]
      .flatMap(label => [...label.childNodes])
      .filter(node => node.nodeType === Node.TEXT_NODE)
      .map(node => node.textContent)
      .join(' ');
    const name =
      element.getAttribute('aria-label') ??
      (labelled.trim() || /** @type {HTMLElement} */ (element).innerText);
    found.push({ role: element.tagName.toLowerCase(), name: name.trim().replace(/\s+/g, ' ') });
  }
  return found;
}

/**
 * The controls that a text does not show with a reference. Controls with the same name need a line each.
 *
 * @param {readonly Control[]} controls
 * @param {string} text
 * @param {RegExp} reference
 */
export function missingFrom(controls, text, reference) {
  const lines = text.split('\n').filter(line => reference.test(line));
  /** @type {Map<string, number>} */
  const taken = new Map();
  return controls.filter(({ name }) => {
    const nth = (taken.get(name) ?? 0) + 1;
    taken.set(name, nth);
    // The whole name: "Plant number 12" does not show "Plant number 1".
    const whole = new RegExp(`(?<![\\w])${name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}(?![\\w])`);
    return lines.filter(line => whole.test(line)).length < nth;
  });
}
