// Real applications, broken in one way each, and what names that: a finding, or a headline or parting.
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

const filter = 'class="btn btn-sm btn-primary">';
const web = /\/\.web\/$/;
const alert = `document.body.insertAdjacentHTML('beforeend', '<div role="alert" style="position:fixed;right:0;bottom:0;z-index:9999;background:#fd8">Your storage is full</div>');`;
const span = `const to = each.href; each.replaceWith(Object.assign(document.createElement('span'), { className: 'to-account', textContent: 'Savings.', onclick: () => { location.href = to; } }));`;
const wordless = `each.removeAttribute('placeholder'); if (each.parentElement.firstChild.textContent) each.parentElement.firstChild.textContent = '';`;
const icon = `if (each.textContent === 'Add group') { each.id = 'add-group'; each.innerHTML = '${svg}'; }`;
const bare = `each.removeAttribute('placeholder');`;
const keep = `if (each.textContent === 'Save') each.textContent = 'Keep';`;
const plus = ` title="Create a new addressbook or calendar">
          <img src="css/icons/new.svg" class="icon" alt="➕"`;
const login = { status: 303, location: '/authenticate?project_id=demo' };

/** @type {import('./changes.mjs').Row[]} */
const ROWS = [
  ['add-bill bill-fails', answering(/POST \/demo\/add$/, failing), /\b500\b/],
  [
    'add-bill bill-logs-out',
    answering(/POST \/demo\/add$/, login),
    /came to \/authenticate|POST \/demo\/add answered 303/,
  ],
  [
    'filter-bills filter-is-icon',
    changing(/^\/demo\//, `${filter}Filter<`, `${filter}${svg}<`),
    /btn-primary|filter/i,
    'no_name',
  ],
  [
    'add-bill no-alice',
    always('#payer option', `if (/Alice/.test(each.textContent)) each.remove();`),
    /"Alice"/,
  ],
  ['edit-bill amount-disabled', always('#amount', off), /amount|How much/, 'disabled'],
  ['add-bill chat-over-dialog', under('chat', 'inset:35% 0 0', 'Can we help?'), /Can we help/, 'covered'],
  ['filter-bills filter-is-slow', answering(/GET \/demo\/\?search/, slow), /GET \/demo|no(t| )\s?answer/],
  ['edit-bill edit-off-screen', css('.edit', 'position: fixed', 'left: -999px'), /edit/i, 'out_of_reach'],
  ['create-calendar calendar-fails', answering(/^MKCOL/, failing), /MKCOL|\b500\b/],
  ['edit-calendar list-fails', answering(/PROPFIND \/mira\/$/, unavailable), /PROPFIND|\b503\b/],
  [
    'create-calendar title-unlabelled',
    changing(web, '<label for="displayname">Title:</label>', ''),
    /displayname/,
    'no_label',
  ],
  [
    'create-calendar new-is-icon',
    changing(web, plus, plus.replace(/title="[^"]+"/, '').replace('➕', '')),
    /fabcontainer > a:nth-child\(1\)/,
    'no_name',
  ],
  [
    'create-calendar create-is-proceed',
    changing(web, 'data-name="submit">Create<', 'data-name="submit">Proceed<'),
    /Proceed/,
  ],
  [
    'edit-calendar script-missing',
    answering(/\/CreateEditCollectionScene\.js$/, missing),
    /CreateEditCollectionScene|\b404\b/,
  ],
  ['edit-calendar edit-hidden', css('[data-name=edit]', 'display: none'), /edit/i, 'out_of_reach'],
  [
    'edit-calendar save-is-dead',
    swallowing('click', '#editcollectionscene [type=submit]'),
    /PROPPATCH|"Save"/,
  ],
  ['add-entry entry-fails', answering(/\/add_entries$/, failing), /add_entries answered|\b500\b/],
  ['add-entry save-is-keep', always('dialog [type=submit]', keep), /Keep/],
  ['add-entry payee-read-only', always('dialog [placeholder=Payee]', still), /payee/i, 'disabled'],
  ['open-account session-over-page', under('session', 'inset:0', 'Session expired'), /session/i, 'covered'],
  [
    'open-account balance-is-slow',
    answering(/\/api\/balance_sheet/, slow),
    /api\/balance_sheet|no(t| )\s?answer/,
  ],
  ['filter-journal no-journal', always('a[href$="/journal/"]', `each.replaceWith('soon');`), /"Journal"/],
  [
    'filter-journal filter-unlabelled',
    always('header [placeholder^=Filter]', bare),
    /header|combobox|input/,
    'no_label',
  ],
  [
    'open-account account-is-span',
    always('article a[href*="Assets:Savings"]', span),
    /to-account|Savings/,
    'no_role',
  ],
  ['add-account worker-missing', answering(/\/kcab\.worker/, missing), /kcab|\b404\b/],
  [
    'add-account account-is-pot',
    changing(/\/en\.\w+\.chunk\.js/, '"Add account":`Add account`', '"Add account":`Open a pot`'),
    /Open a pot/,
  ],
  ['add-account name-unlabelled', always('input[name=name]', wordless), /name/, 'no_label'],
  ['add-account create-disabled', always('[role=dialog] [type=submit]', off), /Create/, 'disabled'],
  [
    'add-account tour-over-sidebar',
    under('tour', 'inset:90px auto 0 0;width:260px', 'Welcome to the tour'),
    /tour/i,
    'covered',
  ],
  ['add-group group-is-icon', always('button', icon), /add-group/, 'no_name'],
  ['add-group database-missing', answering(/\/default-db\.sqlite/, failing), /default-db|\b500\b/],
  ['add-account storage-full', swallowing('submit', 'form', alert), /storage is full/],
];

export const BROKEN = broken(ROWS);

export const AT_FAULT = atFault({
  'leaves-amount-out': ['add-bill', /How much|\/demo\/add/],
  'writes-a-note': ['add-entry', /Note|add_entries/],
  'cancels-calendar': ['create-calendar', /Cancel|noor/],
  'never-creates': ['add-account', /Create|Piggy bank/],
});
