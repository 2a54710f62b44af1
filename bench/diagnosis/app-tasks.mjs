// What is to be done with the applications, and the ways of scripted agents there, in another order than the goals'.
import { check, click, fill, select } from './moves.mjs';

const request = (urlPattern, status, method) => ({ type: 'network', urlPattern, status, method });
const url = pattern => ({ type: 'url', pattern });
const text = (selector, text) => ({ type: 'dom', selector, state: 'text', text });

/** @type {[app: string, id: string, path: string, goal: string, ...assertions: object[]][]} */
const ROWS = [
  [
    ...['ihatemoney', 'add-bill', '/demo/'],
    'Click "Add a new bill", enter "Bread" into "What?", select "Alice" from "Who paid?", enter "12.50" into "How much?" and click "Submit".',
    ...[request('**/demo/add', 302, 'POST'), text('#bill_table', 'Bread')],
  ],
  [
    ...['ihatemoney', 'edit-bill', '/demo/'],
    'Click "edit" in the row "AMAP", enter "65" into "How much?" and click "Submit".',
    request('**/demo/edit/3', 302, 'POST'),
  ],
  [
    ...['ihatemoney', 'filter-bills', '/demo/'],
    'Click "Show filters", enter "AMAP" into "Search", select "Amina" from "Payer" and click "Filter".',
    ...[url('**/demo/?search=AMAP**'), text('#bill_table', 'AMAP')],
  ],
  [
    ...['fava', 'add-entry', '/household/income_statement/'],
    'Click "Add Journal Entry", enter "Bakery" into "Payee", enter "Bread" into "Narration", enter "Expenses:Food" into the 1st "Account", enter "4.20 EUR" into the 1st "Amount", click "Save".',
    request('**/api/add_entries', 200, 'PUT'),
  ],
  [
    ...['fava', 'filter-journal', '/household/income_statement/'],
    'Click "Journal", enter "Landlord" into "Filter by tag, payee, …", press Enter.',
    ...[url('**/journal/?filter=Landlord'), text('article', 'Rent')],
  ],
  [
    ...['fava', 'open-account', '/household/income_statement/'],
    'Click "Balance Sheet" and click "Savings".',
    url('**/account/Assets:Savings/**'),
  ],
  [
    ...['radicale', 'create-calendar', '/.web/'],
    'Enter "noor" into "Username", enter "violet" into "Password", click "Next", click "Create a new addressbook or calendar", select "Calendar" from "Type", enter "Team" into "Title" and click "Create".',
    request('**/noor/*/', 201),
  ],
  [
    ...['radicale', 'edit-calendar', '/.web/'],
    'Enter "mira" into "Username", enter "violet" into "Password", click "Next", hover over "Work", click "Edit", enter "Shared with Sam" into "Description" and click "Save".',
    request('**/mira/work/', 207),
  ],
  [
    ...['actual', 'add-account', '/'],
    'Click "Start budgeting", click "Add account", enter "Piggy bank" into "Name", enter "250" into "Balance" and click "Create".',
    text('#root', 'Piggy bank'),
  ],
  [
    ...['actual', 'add-group', '/'],
    'Click "Start budgeting", click "Add group", enter "Hobbies" into "New group name" and press Enter.',
    text('#root', 'Hobbies'),
  ],
  [
    ...['trac', 'new-ticket', '/wiki'],
    'Click "New Ticket", enter "Lamp is out" into "Summary", select "task" from "Type" and click "Create ticket".',
    ...[url('**/ticket/*'), text('#content', 'Lamp is out')],
  ],
  [
    ...['trac', 'save-preferences', '/wiki'],
    'Click "Preferences", enter "Mira" into "Full name", enter "mira@harbour.test" into "Email address" and click "Save changes".',
    ...[request('**/prefs', 303, 'POST'), text('body', 'preferences have been saved')],
  ],
  [
    ...['trac', 'group-tickets', '/wiki'],
    'Click "View Tickets", click the 1st "New Custom Query", check "closed", select "Owner" from "Group results by" and click "Update".',
    url('**/query?**group=owner**'),
  ],
  [
    ...['trac', 'show-completed', '/wiki'],
    'Click "Roadmap", check "Show completed milestones" and click "Update".',
    url('**/roadmap?**completed**'),
  ],
  [
    ...['swagger', 'list-pets', '/'],
    'Click "List pets", click "Try it out" and click "Execute".',
    ...[request('**/pets', 200, 'GET'), text('.responses-table', 'Response body')],
  ],
  [
    ...['swagger', 'list-visits', '/'],
    'Click "Authorize", enter "harbour-key" into "Value", click "Apply credentials", click "Close", click "List visits", click "Try it out" and click "Execute".',
    request('**/visits', 200, 'GET'),
  ],
  [
    ...['swagger', 'add-pet', '/'],
    'Click "Add a pet", click "Try it out" and click "Execute".',
    request('**/pets', 200, 'POST'),
  ],
  [
    ...['sqliteWeb', 'add-book', '/'],
    'Click "book", click "Insert", enter "Persuasion" into "title", enter "Austen" into "author", enter "1817" into "year" and click the "Insert" button.',
    request('**/book/insert/', 302, 'POST'),
  ],
  [
    ...['sqliteWeb', 'run-query', '/'],
    'Enter "select city from member" into "SQL query" and click "Execute".',
    text('body', 'Ghent'),
  ],
  [
    ...['sqliteWeb', 'sort-books', '/'],
    'Click "book", click "Content" and click "year".',
    url('**/book/content/?ordering=4'),
  ],
];
export const TASKS = ROWS.map(([app, id, path, goal, ...assertions]) => ({
  app,
  id,
  path,
  goal,
  assertions,
}));

/** @param {string} title @param {object} step @param {import('./moves.mjs').Move[2]} find @returns {import('./moves.mjs').Move} */
const move = (title, step, find) => [title, step, find];
const held = placeholder => page => page.getByPlaceholder(placeholder, { exact: true }).last();
const type = (placeholder, text) => move(`fill "${placeholder}"`, { do: 'fill', text }, held(placeholder));
const enter = placeholder =>
  move(`press Enter in "${placeholder}"`, { do: 'press', key: 'Enter' }, held(placeholder));
const icon = title =>
  move(`click "${title}"`, { do: 'click' }, page =>
    page.getByTitle(title, { exact: true }).filter({ visible: true }).first(),
  );

const BILL = [
  click('link', 'Add a new bill'),
  ...[fill('How much?', '12.50'), fill('What?', 'Bread'), select('Who paid?', 'Alice')],
  click('button', /^Submit$/),
];
const ENTRY = [
  icon('Add Journal Entry'),
  ...[type('Amount', '4.20 EUR'), type('Account', 'Expenses:Food')],
  ...[type('Narration', 'Bread'), type('Payee', 'Bakery')],
  click('button', 'Save'),
];
const logIn = name => [type('Password', 'violet'), type('Username', name), click('button', 'Next')];
const CALENDAR = [
  ...logIn('noor'),
  icon('Create a new addressbook or calendar'),
  move('fill "Title:"', { do: 'fill', text: 'Team' }, page => page.locator('#create_displayname')),
  click('button', 'Create'),
];
const ACCOUNT = [
  ...[click('button', 'Start budgeting'), click('button', 'Add account')],
  ...[fill('Balance:', '250'), fill('Name:', 'Piggy bank')],
  click('button', 'Create'),
];
const FILTER = 'Filter by tag, payee, …';

const TICKET = [
  click('link', 'New Ticket'),
  ...[select('Type:', 'task'), fill('Summary:', 'Lamp is out')],
  click('button', 'Create ticket'),
];
const PREFERENCES = [
  click('link', 'Preferences'),
  ...[fill('Email address:', 'mira@harbour.test'), fill('Full name:', 'Mira')],
  click('button', 'Save changes'),
];
const operation = name => click('button', new RegExp(name));
const TRY = [click('button', 'Try it out'), click('button', 'Execute')];
const run = sql => [fill('SQL query', sql), click('button', 'Execute')];

/** @type {Record<string, import('./moves.mjs').Move[]>} */
export const WAYS = {
  'add-bill': BILL,
  'edit-bill': [
    move('click "edit" of "AMAP"', { do: 'click' }, page =>
      page.getByRole('row', { name: 'AMAP' }).getByTitle('edit'),
    ),
    ...[fill('How much?', '65'), click('button', 'Submit')],
  ],
  'filter-bills': [
    click('button', 'Toggle filters'),
    move('select "Amina" in "Payer"', { do: 'select', labels: ['Amina'] }, page =>
      page.locator('#filterCollapse [name=payer]'),
    ),
    ...[fill('Search', 'AMAP'), click('button', /^Filter$/)],
  ],
  'add-entry': ENTRY,
  'filter-journal': [type(FILTER, 'Landlord'), enter(FILTER), click('link', 'Journal')],
  'open-account': [click('link', 'Balance Sheet'), click('link', 'Savings')],
  'create-calendar': CALENDAR,
  'edit-calendar': [
    ...[...logIn('mira'), click('heading', 'Work'), icon('Edit')],
    move('fill "Description:"', { do: 'fill', text: 'Shared with Sam' }, page =>
      page.locator('#description'),
    ),
    click('button', 'Save'),
  ],
  'add-account': ACCOUNT,
  'add-group': [
    ...[click('button', 'Start budgeting'), click('button', 'Add group')],
    ...[type('New group name', 'Hobbies'), enter('New group name')],
  ],
  'new-ticket': TICKET,
  'save-preferences': PREFERENCES,
  'group-tickets': [
    ...[click('link', 'View Tickets'), click('link', 'New Custom Query')],
    ...[select('Group results by', 'Owner'), check('closed')],
    click('button', 'Update'),
  ],
  'show-completed': [click('link', 'Roadmap'), check('Show completed milestones'), click('button', 'Update')],
  'list-pets': [operation('List pets'), ...TRY],
  'list-visits': [
    ...[click('button', 'Authorize'), fill('Value:', 'harbour-key')],
    ...[click('button', 'Apply credentials'), click('button', 'Close')],
    ...[operation('List visits'), ...TRY],
  ],
  'add-pet': [operation('Add a pet'), ...TRY],
  'add-book': [
    ...[click('link', 'book'), click('link', 'Insert'), fill('year', '1817')],
    ...[fill('author', 'Austen'), fill('title', 'Persuasion')],
    click('button', 'Insert'),
  ],
  'run-query': run('select city from member'),
  'sort-books': [click('link', 'book'), click('link', 'Content'), click('link', 'year')],
};

/** Agents that are the cause of their failure themselves, by name. @type {Record<string, import('./moves.mjs').Move[]>} */
export const FAULTS = {
  'leaves-amount-out': BILL.filter((_, index) => index !== 1),
  'writes-a-note': [ENTRY[0], click('button', 'Note'), click('button', 'Save')],
  'cancels-calendar': [...CALENDAR.slice(0, 5), click('button', 'Cancel')],
  'never-creates': ACCOUNT.slice(0, 4),
  'previews-ticket': [...TICKET.slice(0, 3), click('button', 'Preview')],
  'forgets-to-save': PREFERENCES.slice(0, 3),
  'never-executes': [operation('List pets'), TRY[0]],
  'asks-for-names': run('select name from member'),
};
