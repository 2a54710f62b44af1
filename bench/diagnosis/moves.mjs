// What scripted agents do, one turn each.

/** @typedef {import('@playwright/test').Page} Page */
/** @typedef {[title: string, step: any, find: (page: Page) => import('@playwright/test').Locator]} Move */

/** @param {string} role @param {string | RegExp} name @returns {Move} */
export const click = (role, name) => [
  `click ${role} "${name}"`,
  { do: 'click' },
  page => page.getByRole(role, { name }).first(),
];
/** @param {string} label @param {string} text @returns {Move} */
export const fill = (label, text) => [
  `fill "${label}"`,
  { do: 'fill', text },
  page => page.getByLabel(label, { exact: true }),
];
/** @param {string} label @param {string} option @returns {Move} */
export const select = (label, option) => [
  `select "${option}" in "${label}"`,
  { do: 'select', labels: [option] },
  page => page.getByLabel(label, { exact: true }),
];
/** @param {string} label @returns {Move} */
export const check = label => [
  `check "${label}"`,
  { do: 'check', checked: true },
  page => page.getByLabel(label),
];
