// Calls to the shop's own API, and what forms do with their answers.

/**
 * @typedef {{ status: number, body: any }} Answer `body` is JSON of the server's, null where there is none
 */

/**
 * @param {string} method
 * @param {string} path
 * @param {unknown} [body]
 * @returns {Promise<Answer>} status 0 where the server can't be reached
 */
export async function call(method, path, body) {
  try {
    const response = await fetch(path, {
      method,
      headers: body === undefined ? {} : { 'content-type': 'application/json' },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    const text = await response.text();
    return { status: response.status, body: text ? JSON.parse(text) : null };
  } catch {
    return { status: 0, body: { error: 'The shop cannot be reached. Try again in a moment.' } };
  }
}

/**
 * The values of a form by name; a checkbox is true or false.
 * @param {HTMLFormElement} form
 */
function valuesOf(form) {
  /** @type {Record<string, unknown>} */
  const values = Object.fromEntries(new FormData(form));
  for (const input of form.querySelectorAll('input'))
    if (input.type === 'checkbox') values[input.name] = input.checked;
  return values;
}

/** @param {HTMLFormElement} form */
function clearProblems(form) {
  form.querySelector('.alert')?.remove();
  for (const note of form.querySelectorAll('.problem')) note.remove();
  for (const field of form.querySelectorAll('[aria-invalid]')) {
    field.removeAttribute('aria-invalid');
    field.removeAttribute('aria-describedby');
  }
}

/**
 * @param {HTMLFormElement} form
 * @param {{ error?: string, fields?: Record<string, string> }} body
 */
function showProblems(form, body) {
  const alert = document.createElement('p');
  alert.className = 'alert';
  alert.setAttribute('role', 'alert');
  alert.textContent = body.error ?? 'That did not work.';
  form.prepend(alert);
  for (const [name, text] of Object.entries(body.fields ?? {})) {
    const field = form.querySelector(`[name="${name}"]`);
    if (!field) continue;
    const note = document.createElement('p');
    note.className = 'problem';
    note.id = `problem-${name}`;
    note.textContent = text;
    field.setAttribute('aria-invalid', 'true');
    field.setAttribute('aria-describedby', note.id);
    (field.closest('.field, fieldset') ?? form).append(note);
  }
  alert.scrollIntoView({ block: 'center' });
}

/**
 * Sends a form as JSON and shows beside its fields what the server refuses.
 * @param {HTMLFormElement} form
 * @param {string} method
 * @param {string} path
 * @param {(body: any) => void} onDone called with the body of a 2xx answer
 */
export function sendAsJson(form, method, path, onDone) {
  form.noValidate = true;
  const button = /** @type {HTMLButtonElement} */ (form.querySelector('[type=submit]'));
  form.addEventListener('submit', async event => {
    event.preventDefault();
    clearProblems(form);
    button.disabled = true;
    const { status, body } = await call(method, path, valuesOf(form));
    button.disabled = false;
    if (status >= 200 && status < 300) onDone(body);
    else showProblems(form, body ?? {});
  });
}

/**
 * @template {Element} T
 * @param {string} id
 * @param {{ new (): T }} type
 * @returns {T}
 */
export function byId(id, type) {
  const element = document.getElementById(id);
  if (!(element instanceof type)) throw new Error(`this page has no ${type.name} #${id}`);
  return element;
}
