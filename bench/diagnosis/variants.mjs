// The example site, broken in one way each, and what the cause is. Every third is held out: rules are tuned on the others.

/**
 * @typedef {object} Variant
 * @property {string} id
 * @property {string} task
 * @property {string} cause in words
 * @property {[path: RegExp, from: string, to: string][]} [change] replacements in the site's answers; each must be applied
 * @property {string} [script] runs in every page, after the page's own
 * @property {(method: string, path: string) => { status?: number, body?: string, location?: string, delayMs?: number } | undefined} [answer]
 * @property {{ kind?: string, about?: RegExp, said?: RegExp }} named what names the cause: a finding (`kind`, `about`), or a headline or parting (`said`)
 * @property {string[]} players
 */

const BOTH = ['lexical', 'hands'];
const OTHERS = ['lexical', 'hasty'];
const checkout = /^\/checkout/;
export const layout = /^\/(?!js|api|img)/;
export const svg = '<svg width="20" height="20" viewBox="0 0 4 4"><rect width="4" height="4"/></svg>';
/** @param {string} selector @param {string} style */
const styled = (selector, style) =>
  `for (const each of document.querySelectorAll('${selector}')) each.style.cssText += ';${style}';`;
/** @param {string} attributes @param {string} style @param {string} text */
export const over = (attributes, style, text) =>
  `document.body.insertAdjacentHTML('beforeend', '<div ${attributes} style="position:fixed;z-index:99;background:#fd8;${style}">${text}</div>');`;
/** @param {string} path @param {string} script */
const on = (path, script) => `if (location.pathname.startsWith('${path}')) { ${script} }`;

/** @type {Omit<Variant, 'players'>[]} */
const BROKEN = [
  {
    id: 'renamed-button',
    task: 'order-snake-plant',
    cause: 'the button "Place order" is called something else',
    change: [[checkout, '>Place order<', '>Finish<']],
    named: { said: /"Place order"/ },
  },
  {
    id: 'icon-link',
    task: 'order-snake-plant',
    cause: 'the link to the basket is an icon without a name',
    change: [
      [
        /product\.mjs/,
        "link.textContent = 'View basket'",
        `link.className = 'to-basket'; link.innerHTML = '${svg}'`,
      ],
    ],
    script: on('/products', styled('a.basket', 'display:none')),
    named: { kind: 'no_name', about: /to-basket|\/cart/ },
  },
  {
    id: 'icon-button',
    task: 'find-boston-fern',
    cause: 'the search button is an icon without a name',
    change: [
      [layout, '<button type="submit">Search</button>', `<button type="submit" class="go">${svg}</button>`],
    ],
    script: `document.querySelector('.search')?.addEventListener('keydown', event => { if (event.key === 'Enter') event.preventDefault(); });`,
    named: { kind: 'no_name', about: /\.go/ },
  },
  {
    id: 'text-for-label',
    task: 'order-snake-plant',
    cause: 'the field for the full name has a text beside it and no label',
    change: [[checkout, '<label for="name">Full name</label>', '<b>Full name</b>']],
    named: { kind: 'no_label', about: /name/ },
  },
  {
    id: 'hidden-label',
    task: 'register-sensor',
    cause: 'the field for the serial number has no label',
    change: [[/warranty$/, '<label for="serial">Serial number</label>', '']],
    named: { kind: 'no_label', about: /serial/ },
  },
  {
    id: 'div-for-button',
    task: 'report-broken-pot',
    cause: 'the button "Send message" is a div',
    change: [
      [
        /^\/support$/,
        '<button type="submit">Send message</button>',
        '<div class="send">Send message</div><input type="submit" hidden>',
      ],
    ],
    script: `document.querySelector('.send')?.addEventListener('click', event => event.target.closest('form').requestSubmit());`,
    named: { kind: 'no_role', about: /send/i },
  },
  {
    id: 'banner',
    task: 'order-snake-plant',
    cause: 'a banner covers the checkout',
    script: on('/checkout', over('class="sale"', 'inset:0', 'Spring sale')),
    named: { kind: 'covered', about: /sale/i },
  },
  {
    id: 'chat-over-button',
    task: 'start-team-trial',
    cause: 'a chat lies over the button "Create my account"',
    script: on(
      '/trial',
      `const form = document.querySelector('#trial'); form.style.position = 'relative'; form.insertAdjacentHTML('beforeend', '<div class="chat" style="position:absolute;left:0;right:0;bottom:0;height:90px;background:#fd8">Can we help?</div>');`,
    ),
    named: { kind: 'covered', about: /chat|Can we help/ },
  },
  {
    id: 'slow-list',
    task: 'find-boston-fern',
    cause: 'the products do not come in time',
    answer: (_, path) => (path.startsWith('/api/products') ? { delayMs: 60_000 } : undefined),
    named: { said: /Boston fern|api\/products/ },
  },
  {
    id: 'slow-answer',
    task: 'start-team-trial',
    cause: 'the request for a trial is not answered in time',
    answer: (method, path) => (method === 'POST' && path === '/api/trials' ? { delayMs: 60_000 } : undefined),
    named: { said: /POST|api\/trials/ },
  },
  {
    id: 'no-country',
    task: 'order-snake-plant',
    cause: 'the list of countries has no Netherlands',
    change: [[checkout, '<option value="NL">Netherlands</option>', '']],
    named: { said: /Netherlands/ },
  },
  {
    id: 'no-size',
    task: 'start-team-trial',
    cause: 'the list of team sizes has no "6 to 20 people"',
    change: [[/^\/trial/, '<option value="6-20">6 to 20 people</option>', '']],
    named: { said: /6 to 20/ },
  },
  {
    id: 'read-only-field',
    task: 'order-snake-plant',
    cause: 'the field "Postcode" is read-only',
    change: [[checkout, 'id="postcode" name="postcode"', 'id="postcode" name="postcode" readonly']],
    named: { kind: 'disabled', about: /postcode/i },
  },
  {
    id: 'field-forgets',
    task: 'register-sensor',
    cause: 'the field "Serial number" takes nothing',
    script: `document.querySelector('#serial')?.addEventListener('input', event => { event.target.value = ''; });`,
    named: { said: /serial/i, kind: 'disabled', about: /serial/i },
  },
  {
    id: 'wrong-redirect',
    task: 'register-sensor',
    cause: 'the registered sensor leads back to the support page',
    answer: (method, path) =>
      method === 'POST' && path === '/support/warranty' ? { status: 303, location: '/support' } : undefined,
    named: { said: /came to \/support(?!\/)/ },
  },
  {
    id: 'wrong-start',
    task: 'set-reminder-day',
    cause: 'the login leads to the home page',
    answer: (method, path) =>
      method === 'POST' && path === '/login' ? { status: 303, location: '/' } : undefined,
    named: { said: /came to \/(?![a-z])/ },
  },
  {
    id: 'server-error',
    task: 'report-broken-pot',
    cause: 'the server fails on the message',
    answer: (_, path) => (path === '/api/messages' ? { status: 500, body: '{"error":"Broken"}' } : undefined),
    named: { said: /\b500\b|api\/messages/ },
  },
  {
    id: 'dead-button',
    task: 'set-reminder-day',
    cause: 'the button "Save settings" does nothing',
    script: on(
      '/account',
      `document.addEventListener('submit', event => { event.stopImmediatePropagation(); event.preventDefault(); }, true);`,
    ),
    named: { said: /PUT|Save settings/ },
  },
  {
    id: 'disabled-button',
    task: 'report-broken-pot',
    cause: 'the button "Send message" stays disabled',
    change: [
      [/^\/support$/, '<button type="submit">Send message', '<button type="submit" disabled>Send message'],
    ],
    named: { kind: 'disabled', about: /Send message/ },
  },
  {
    id: 'dialog-trap',
    task: 'subscribe-newsletter',
    cause: 'the consent dialog has no buttons',
    script: `document.querySelector('#consent .actions')?.remove();`,
    named: { kind: 'dialog_trap', about: /Cookies|consent/ },
  },
  {
    id: 'canvas',
    task: 'find-boston-fern',
    cause: 'the products are drawn on a canvas',
    change: [
      [
        /shop\.mjs/,
        'results.replaceChildren(...body.products.map(card));',
        `const canvas = Object.assign(document.createElement('canvas'), { width: 700, height: 400 }); const pen = canvas.getContext('2d'); body.products.forEach((each, i) => pen.fillText(each.name, 20, 20 + i * 20)); results.replaceChildren(canvas);`,
      ],
    ],
    named: { kind: 'picture_only', about: /canvas/ },
  },
  {
    id: 'off-screen',
    task: 'set-reminder-day',
    cause: 'the button "Save settings" lies left of the page',
    script: on('/account', styled('#settings button', 'position:absolute;left:-999px')),
    named: { kind: 'out_of_reach', about: /Save settings/ },
  },
  {
    id: 'two-of-one-name',
    task: 'register-sensor',
    cause: 'the first of two buttons "Register sensor" does nothing',
    change: [
      [
        /warranty$/,
        '<button type="submit">Register sensor</button>',
        '<button type="button">Register sensor</button> <button type="submit">Register sensor</button>',
      ],
    ],
    named: { kind: 'same_name', about: /Register sensor/ },
  },
  {
    id: 'picture-link',
    task: 'read-release-notes',
    cause: 'the link to the sensor setup is a picture without a name',
    change: [
      [
        /^\/docs/,
        '<a href="/docs/sensor-setup">Sensor setup</a>',
        '<a href="/docs/sensor-setup" class="setup"><img src="/img/leaf.svg" alt="" width="28" height="28"></a>',
      ],
    ],
    named: { kind: 'no_name', about: /setup/ },
  },
  {
    id: 'no-link',
    task: 'read-release-notes',
    cause: 'the link to the release notes is gone',
    script: on(
      '/docs',
      `for (const each of document.querySelectorAll('a[href*=release-notes]')) each.replaceWith('soon');`,
    ),
    named: { said: /release notes/i },
  },
  {
    id: 'renamed-field',
    task: 'check-delivery',
    cause: 'the field "Postcode" is called something else',
    change: [
      [/^\/products/, '<label for="postcode">Postcode</label>', '<label for="postcode">Where to</label>'],
    ],
    named: { said: /Postcode/ },
  },
  {
    id: 'hidden-button',
    task: 'empty-basket',
    cause: 'the button "Empty basket" is not shown',
    script: styled('#empty-basket', 'display:none'),
    named: { kind: 'out_of_reach', about: /Empty basket/ },
  },
  {
    id: 'no-pointer',
    task: 'filter-pet-safe',
    cause: 'the checkbox "Safe for pets" takes no clicks',
    script: `for (const each of document.querySelectorAll('[name=petSafe]')) { each.style.pointerEvents = 'none'; each.closest('label').style.pointerEvents = 'none'; }`,
    named: { kind: 'covered', about: /Safe for pets/ },
  },
  {
    id: 'div-for-radio',
    task: 'start-team-trial',
    cause: 'the plan "Team" is a div',
    change: [[/^\/pricing/, '<label for="plan-team">Team</label>', '<div class="pick">Team</div>']],
    script: `document.querySelector('#plan-team')?.style.setProperty('display', 'none'); document.querySelector('.pick')?.addEventListener('click', () => { document.querySelector('#plan-team').checked = true; });`,
    named: { kind: 'no_role', about: /pick|Team/ },
  },
  {
    id: 'bare-checkbox',
    task: 'set-reminder-day',
    cause: 'the checkbox of the reminders has no label',
    change: [
      [/^\/account/, '/> Email me when a plant needs water', '/>'],
      [/^\/account/, 'checked /> Email me when a plant needs water', 'checked />'],
    ],
    named: { kind: 'no_label', about: /reminders/ },
  },
  {
    id: 'no-carrier',
    task: 'check-delivery',
    cause: 'the question for the delivery fails',
    answer: (_, path) =>
      path.startsWith('/api/delivery') ? { status: 503, body: '{"error":"No carrier answers."}' } : undefined,
    named: { said: /\b503\b|api\/delivery|No carrier/ },
  },
  {
    id: 'lost-basket',
    task: 'empty-basket',
    cause: 'the basket forgets what was added',
    answer: (method, path) =>
      method === 'POST' && path === '/api/cart'
        ? { status: 201, body: '{"count":1,"name":"Brass mister"}' }
        : undefined,
    named: { said: /Empty basket/ },
  },
  {
    id: 'icon-dismiss',
    task: 'clear-overlays',
    cause: 'what dismisses the announcement is an icon without a name',
    change: [[layout, 'data-dismiss-promo>Dismiss announcement<', `data-dismiss-promo>${svg}<`]],
    named: { kind: 'no_name', about: /promo/ },
  },
  {
    id: 'no-frame',
    task: 'subscribe-newsletter',
    cause: 'the frame of the newsletter is not found',
    answer: (_, path) => (path === '/newsletter/frame' ? { status: 404, body: 'Not found' } : undefined),
    named: { said: /newsletter/i },
  },
];

/** @type {Variant[]} */
export const VARIANTS = BROKEN.map((each, index) => ({ ...each, players: index % 2 ? OTHERS : BOTH }));
