// What every page does: ask for consent, let the announcement be dismissed, count the basket.
import { byId, call } from './api.mjs';

const consent = byId('consent', HTMLElement);
const page = byId('page', HTMLElement);

if (consent.classList.contains('asking')) {
  page.inert = true;
  byId('consent-title', HTMLElement).focus();
}
for (const button of consent.querySelectorAll('button'))
  button.addEventListener('click', () => {
    consent.style.display = 'none';
    page.inert = false;
    void call('POST', '/api/consent', { choice: button.dataset.consent });
  });

const promo = document.querySelector('.promo');
promo?.querySelector('button')?.addEventListener('click', () => {
  promo.remove();
  void call('DELETE', '/api/promo');
});

/** @param {number} count */
export function showBasketCount(count) {
  const badge = byId('basket-count', HTMLElement);
  badge.textContent = String(count);
  badge.closest('a')?.setAttribute('aria-label', `Basket, ${count === 1 ? '1 item' : `${count} items`}`);
}
