import { byId } from './api.mjs';

byId('plans', HTMLFormElement).addEventListener('change', event => {
  const choice = event.target;
  if (!(choice instanceof HTMLInputElement) || choice.name !== 'billing') return;
  for (const price of document.querySelectorAll('.plan .price'))
    if (price instanceof HTMLElement) price.textContent = price.dataset[choice.value] ?? '';
});
