import { byId, sendAsJson } from './api.mjs';

const form = byId('assistant', HTMLFormElement);
sendAsJson(form, 'POST', '/api/assistant', ({ answer }) => {
  const text = document.createElement('p');
  text.className = 'card';
  text.textContent = answer;
  byId('answers', HTMLElement).append(text);
  byId('question', HTMLInputElement).value = '';
});
