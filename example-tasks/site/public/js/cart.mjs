import { byId, call } from './api.mjs';

const problem = byId('cart-status', HTMLElement);

/** @param {Promise<import('./api.mjs').Answer>} change */
async function reloadAfter(change) {
  const { status, body } = await change;
  if (status >= 200 && status < 300) location.reload();
  else problem.textContent = Object.values(body?.fields ?? {})[0] ?? body?.error;
}

for (const row of document.querySelectorAll('.basket-line')) {
  if (!(row instanceof HTMLElement)) continue;
  const path = `/api/cart/${row.dataset.line}`;
  const quantity = /** @type {HTMLInputElement} */ (row.querySelector('input'));
  quantity.addEventListener(
    'change',
    () => void reloadAfter(call('PATCH', path, { quantity: quantity.valueAsNumber })),
  );
  row.querySelector('[data-remove]')?.addEventListener('click', () => void reloadAfter(call('DELETE', path)));
}

byId('empty-basket', HTMLButtonElement).addEventListener('click', () => {
  if (window.confirm('Remove everything from your basket?')) void reloadAfter(call('DELETE', '/api/cart'));
});
