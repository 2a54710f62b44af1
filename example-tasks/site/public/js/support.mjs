import { byId, sendAsJson } from './api.mjs';

const form = byId('support', HTMLFormElement);
sendAsJson(form, 'POST', '/api/messages', body => {
  const thanks = document.createElement('div');
  thanks.className = 'card';
  thanks.dataset.state = 'sent';
  thanks.setAttribute('role', 'status');
  const heading = document.createElement('h2');
  heading.textContent = 'Message sent';
  const text = document.createElement('p');
  text.textContent = body.text;
  const copy = document.createElement('blockquote');
  copy.textContent = String(new FormData(form).get('message'));
  thanks.append(heading, text, copy);
  form.replaceWith(thanks);
});
