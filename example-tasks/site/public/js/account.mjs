import { byId, sendAsJson } from './api.mjs';

const form = byId('settings', HTMLFormElement);
const saved = document.createElement('p');
saved.id = 'settings-status';
saved.className = 'status';
saved.setAttribute('role', 'status');
form.append(saved);
form.addEventListener('change', () => saved.replaceChildren());
sendAsJson(form, 'PUT', '/api/account/settings', body => {
  saved.textContent = body.text;
});
