// Pages from the files in ../pages: `{{name}}` is replaced by an escaped value.
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { priceCart } from './catalogue.mjs';

const ENTITIES = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** HTML that may go into a page as it is. */
export class Markup {
  /** @param {string} text */
  constructor(text) {
    this.text = text;
  }
}

/**
 * @param {unknown} value
 * @returns {string}
 */
function toHtml(value) {
  if (Array.isArray(value)) return value.map(toHtml).join('');
  if (value instanceof Markup) return value.text;
  if (value === undefined || value === null || value === false) return '';
  return String(value).replace(/[&<>"']/g, char => ENTITIES[/** @type {keyof typeof ENTITIES} */ (char)]);
}

/**
 * Template tag; every value but Markup, and lists of it, is escaped.
 * @param {TemplateStringsArray} strings
 * @param {unknown[]} values
 */
export function html(strings, ...values) {
  return new Markup(strings.reduce((text, part, index) => text + toHtml(values[index - 1]) + part));
}

/** @param {string} folder beside this one */
function readFolder(folder) {
  const root = fileURLToPath(new URL(`../${folder}/`, import.meta.url));
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(name => extname(name) !== '');
  return new Map(files.map(name => [name.split(sep).join('/'), readFileSync(join(root, name))]));
}

const PAGES = readFolder('pages');
const PUBLIC = readFolder('public');
/** @type {Record<string, string>} */
const TYPES = {
  '.css': 'text/css; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/**
 * A file of ../public. All are read at the start, so that no path can lead anywhere else.
 * @param {string} name
 */
export function publicFile(name) {
  const body = PUBLIC.get(name);
  return body && { body, type: TYPES[extname(name)] ?? 'application/octet-stream' };
}

/** @param {string} name */
export function hasPage(name) {
  return PAGES.has(`${name}.html`);
}

/**
 * @param {string} name of a file in ../pages, without `.html`
 * @param {Record<string, unknown>} [values]
 */
export function render(name, values = {}) {
  const source = PAGES.get(`${name}.html`);
  if (!source) throw new Error(`example site: there is no pages/${name}.html`);
  return new Markup(
    source.toString('utf8').replace(/\{\{(\w+)\}\}/g, (_, key) => {
      if (!(key in values)) throw new Error(`example site: pages/${name}.html needs a value for {{${key}}}`);
      return toHtml(values[key]);
    }),
  );
}

const SECTIONS = [
  ['/shop', 'Shop'],
  ['/pricing', 'Pricing'],
  ['/docs', 'Docs'],
  ['/support', 'Support'],
];

/**
 * A whole page: the main part in the frame that all pages share.
 * @param {import('./sessions.mjs').Session} session
 * @param {object} page
 * @param {string} page.title
 * @param {string} page.path marks the section in the navigation
 * @param {Markup} page.main
 * @param {string} [page.script] name of a module in ../public/js
 * @param {boolean} [page.tracked] pages with statistics ask for consent first
 * @param {string} [page.query] shown in the search box
 */
export function layout(session, { title, path, main, script, tracked = false, query = '' }) {
  const asks = tracked && session.consent === null;
  const count = priceCart(session.cart.values()).count;
  return render('layout', {
    title,
    main,
    query,
    consentState: asks ? 'asking' : 'answered',
    promo: session.promoDismissed ? '' : render('promo'),
    navigation: SECTIONS.map(([href, name]) => {
      const current = path === href || path.startsWith(`${href}/`);
      return html`<li><a href="${href}"${current && html` aria-current="page"`}>${name}</a></li>`;
    }),
    account: session.user ? html`<a href="/account">Account</a>` : html`<a href="/login">Log in</a>`,
    count,
    countName: count === 1 ? '1 item' : `${count} items`,
    script: script ? html`<script type="module" src="/js/${script}.mjs"></script>` : '',
  }).text;
}
