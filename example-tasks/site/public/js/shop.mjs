// The catalogue is rendered here, from the API. The address keeps the filters, so that it can be shared.
import { byId, call } from './api.mjs';

const filters = byId('filters', HTMLFormElement);
const results = byId('results', HTMLUListElement);
const count = byId('result-count', HTMLElement);
const search = new URLSearchParams(location.search).get('q') ?? '';
let latest = 0;

function currentQuery() {
  const query = new URLSearchParams();
  if (search) query.set('q', search);
  for (const [name, value] of new FormData(filters)) if (value) query.set(name, String(value));
  return query.toString();
}

function restoreFilters() {
  for (const [name, value] of new URLSearchParams(location.search)) {
    const field = filters.elements.namedItem(name);
    if (field instanceof HTMLInputElement) field.checked = field.value === value;
    else if (field instanceof HTMLSelectElement || field instanceof RadioNodeList) field.value = value;
  }
}

/**
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Partial<HTMLElementTagNameMap[Tag]>} properties
 */
function make(tag, properties) {
  return Object.assign(document.createElement(tag), properties);
}

/** @param {{ slug: string, name: string, price: string, from: boolean, summary: string, petSafe: boolean }} product */
function card(product) {
  const item = make('li', { className: 'product-card' });
  item.dataset.petSafe = String(product.petSafe);
  const heading = make('h2', {});
  heading.append(make('a', { href: `/products/${product.slug}`, textContent: product.name }));
  item.append(
    make('img', { src: `/img/${product.slug}.svg`, alt: '', width: 240, height: 200 }),
    heading,
    make('p', { textContent: product.summary }),
    make('p', { className: 'price', textContent: `${product.from ? 'From ' : ''}${product.price}` }),
  );
  return item;
}

async function refresh() {
  latest += 1;
  const mine = latest;
  results.setAttribute('aria-busy', 'true');
  count.textContent = 'Loading products…';
  const query = currentQuery();
  history.replaceState(null, '', query ? `/shop?${query}` : '/shop');
  const { status, body } = await call('GET', query ? `/api/products?${query}` : '/api/products');
  // An answer to older filters must not replace that to newer ones.
  if (mine !== latest) return;
  results.removeAttribute('aria-busy');
  if (status !== 200) {
    count.textContent = body?.error ?? 'The products could not be loaded.';
    return;
  }
  const found = body.products.length;
  count.textContent =
    found === 0 ? 'Nothing found. Try fewer filters.' : found === 1 ? '1 product' : `${found} products`;
  results.replaceChildren(...body.products.map(card));
}

if (search) byId('shop-title', HTMLElement).textContent = `Results for “${search}”`;
restoreFilters();
filters.addEventListener('change', () => void refresh());
filters.addEventListener('submit', event => event.preventDefault());
void refresh();
