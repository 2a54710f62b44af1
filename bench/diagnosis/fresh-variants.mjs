// Applications that no rule was made for, broken in one way each. Written, and committed, before any diagnosis of them was seen.
import {
  always,
  answering,
  atFault,
  broken,
  changing,
  css,
  failing,
  missing,
  off,
  slow,
  still,
  swallowing,
  unavailable,
  under,
} from './changes.mjs';
import { svg } from './variants.mjs';

const page = /^\/(?:newticket|query|roadmap|wiki|prefs)/;
const gone = 'each.remove();';
/** @param {string} className */
const iconOf = className =>
  `each.replaceWith(Object.assign(document.createElement('button'), { className: '${className}', name: each.name, value: each.value, innerHTML: '${svg}' }));`;
const icon = `if (each.textContent.trim() === 'Try it out') each.innerHTML = '${svg}';`;
const text = 'each.replaceWith(each.textContent);';
const appointments = `if (each.textContent === 'List visits') each.textContent = 'List appointments';`;
const tooShort = `document.querySelector('#content').insertAdjacentHTML('afterbegin', '<p class="error">Please write a longer summary</p>');`;
const span = `each.replaceWith(Object.assign(document.createElement('span'), { className: 'run-it', textContent: 'Execute', onclick: () => document.forms.length && document.querySelector('[name=sql]').form.submit() }));`;

/** @type {import('./changes.mjs').Row[]} */
const ROWS = [
  ['new-ticket ticket-fails', answering(/^POST \/newticket/, failing), /POST \/newticket|\b500\b/],
  ['new-ticket create-is-file', changing(page, 'value="Create ticket"', 'value="File it"'), /"File it"/],
  ['new-ticket summary-unlabelled', always('label[for=field-summary]', gone), /summary/i, 'no_label'],
  ['new-ticket summary-too-short', swallowing('submit', '#propertyform', tooShort), /longer summary/],
  [
    'save-preferences session-lost',
    answering(/^POST \/prefs/, { status: 303, location: '/wiki' }),
    /came to \/wiki|ended on \/wiki|POST \/prefs/,
  ],
  ['save-preferences save-disabled', always('[value="Save changes"]', off), /Save changes/, 'disabled'],
  ['save-preferences preferences-gone', always('a[href="/prefs"]', gone), /"Preferences"/],
  [
    'group-tickets cookies-over-menu',
    under('cookies', 'inset:0 0 auto;height:180px', 'We use cookies'),
    /cookies/,
    'covered',
  ],
  ['group-tickets update-is-icon', always('[name=update]', iconOf('refresh')), /refresh|update/i, 'no_name'],
  ['group-tickets query-is-slow', answering(/^GET \/query/, slow), /GET \/query|no(t| )\s?answer/],
  ['show-completed roadmap-fails', answering(/^GET \/roadmap/, unavailable), /\/roadmap|\b503\b/],
  [
    'show-completed completed-unlabelled',
    always('label[for=showcompleted]', gone),
    /showcompleted|checkbox/,
    'no_label',
  ],
  ['show-completed update-gone', always('#prefs [type=submit]', gone), /"Update"/],
  ['list-pets pets-fail', answering(/^GET \/pets/, failing), /GET \/pets|\b500\b/],
  ['list-pets execute-hidden', css('.execute', 'display: none'), /execute/i, 'out_of_reach'],
  ['list-pets try-is-icon', always('.try-out__btn', icon), /try-out/, 'no_name'],
  ['list-visits description-missing', answering(/\/api\.json/, missing), /api\.json|\b404\b/],
  [
    'list-visits apply-disabled',
    always('.modal-btn.authorize', off),
    /authorize|Apply credentials/i,
    'disabled',
  ],
  ['list-visits value-unlabelled', always('label[for=api_key_value]', gone), /api_key|value/i, 'no_label'],
  [
    'list-visits help-over-dialog',
    under('help', 'inset:20% 10%', 'Need a hand?'),
    /help|Need a hand/,
    'covered',
  ],
  [
    'list-visits visits-are-appointments',
    always('.opblock-summary-description', appointments),
    /List appointments/,
  ],
  ['add-pet preset-missing', answering(/standalone-preset\.js/, missing), /standalone-preset|\b404\b/],
  ['add-pet execute-is-dead', swallowing('click', '.execute'), /POST \/pets|"Execute"/],
  ['add-pet pet-is-slow', answering(/^POST \/pets/, slow), /POST \/pets|no(t| )\s?answer/],
  ['add-pet add-hidden', css('[id$=post_pets]', 'display: none'), /Add a pet/],
  ['add-book insert-fails', answering(/^POST \/book\/insert/, failing), /\/book\/insert|\b500\b/],
  ['add-book year-disabled', always('[name=year]', off), /year/, 'disabled'],
  ['add-book insert-is-add', changing(/\/insert\//, '>Insert</button>', '>Add row</button>'), /Add row/],
  [
    'add-book toast-over-form',
    under('toast', 'inset:200px 0 0', 'A new version is out'),
    /toast|new version/,
    'covered',
  ],
  [
    'run-query query-refused',
    answering(/^POST \/query/, { status: 400, body: 'Bad' }),
    /POST \/query|\b400\b/,
  ],
  ['run-query execute-is-span', always('form [type=submit]', span), /run-it|Execute/, 'no_role'],
  ['run-query query-read-only', always('[name=sql]', still), /sql/i, 'disabled'],
  ['sort-books content-is-text', always('a[href="/book/content/"]', text), /"Content"/],
  ['sort-books year-is-text', always('th a[href$="ordering=4"]', text), /"year"/],
  ['sort-books content-missing', answering(/^GET \/book\/content/, missing), /\/book\/content|\b404\b/],
];

export const BROKEN = broken(ROWS);

export const AT_FAULT = atFault({
  'previews-ticket': ['new-ticket', /Preview|newticket/],
  'forgets-to-save': ['save-preferences', /prefs/],
  'never-executes': ['list-pets', /pets|Response body/],
  'asks-for-names': ['run-query', /Ghent|Mira/],
});
