import { byId, call } from './api.mjs';
import { showBasketCount } from './site.mjs';

const form = byId('add-to-cart', HTMLFormElement);
const added = byId('cart-status', HTMLElement);

form.addEventListener('submit', async event => {
  event.preventDefault();
  const size = byId('size', HTMLSelectElement).value;
  const quantity = byId('quantity', HTMLInputElement).valueAsNumber;
  const { status, body } = await call('POST', '/api/cart', { slug: form.dataset.slug, size, quantity });
  if (status !== 201) {
    added.textContent = Object.values(body.fields ?? {})[0] ?? body.error;
    return;
  }
  showBasketCount(body.count);
  const link = document.createElement('a');
  link.href = '/cart';
  link.textContent = 'View basket';
  added.replaceChildren(`${body.name} added to your basket. `, link);
});

const delivery = byId('delivery', HTMLFormElement);
const estimate = byId('delivery-status', HTMLElement);

delivery.addEventListener('submit', async event => {
  event.preventDefault();
  const button = /** @type {HTMLButtonElement} */ (delivery.querySelector('button'));
  const postcode = byId('postcode', HTMLInputElement).value;
  button.disabled = true;
  estimate.textContent = 'Asking the carriers…';
  estimate.classList.add('loading');
  const { body } = await call('GET', `/api/delivery?postcode=${encodeURIComponent(postcode)}`);
  button.disabled = false;
  estimate.classList.remove('loading');
  estimate.textContent = body.text ?? Object.values(body.fields ?? {})[0] ?? body.error;
});
