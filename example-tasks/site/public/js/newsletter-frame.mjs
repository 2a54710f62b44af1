import { byId, sendAsJson } from './api.mjs';

const form = byId('newsletter', HTMLFormElement);
sendAsJson(form, 'POST', '/api/newsletter', body => {
  const thanks = document.createElement('p');
  thanks.setAttribute('role', 'status');
  thanks.textContent = body.text;
  form.replaceWith(thanks);
  window.parent.postMessage({ subscribed: body.text }, location.origin);
});
