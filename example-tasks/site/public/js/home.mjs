import { byId } from './api.mjs';

window.addEventListener('message', event => {
  if (event.origin === location.origin && typeof event.data?.subscribed === 'string')
    byId('newsletter-status', HTMLElement).textContent = event.data.subscribed;
});
