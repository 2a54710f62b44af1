// The routes that answer with a page, or with a redirect to one.
import { DELIVERIES, PLANS } from './api.mjs';
import { euros, findProduct, LIGHTS, PRODUCTS, priceCart, priceOf, SIZES } from './catalogue.mjs';
import { date, filled } from './fields.mjs';
import { HttpError, readForm, redirect, sendHtml } from './http.mjs';
import { hasPage, html, layout, render } from './views.mjs';

/** @typedef {import('../server.mjs').Visit} Visit */

const DEMO = { user: 'mira', password: 'violet-garden-7', name: 'Mira' };
const FEATURED = ['monstera', 'boston-fern', 'snake-plant', 'moisture-sensor'];
const DOCS = [
  ['getting-started', 'Getting started'],
  ['sensor-setup', 'Sensor setup'],
  ['watering-schedules', 'Watering schedules'],
  ['returns', 'Returns and warranty'],
];

/**
 * @param {Visit} visit
 * @param {Omit<Parameters<typeof layout>[1], 'path'>} page
 * @param {number} [status]
 */
function show({ session, response, url }, page, status = 200) {
  sendHtml(response, status, layout(session, { path: url.pathname, ...page }));
}

/**
 * A page that is its file and nothing else.
 * @param {string} name
 * @param {string} title
 * @param {{ script?: string, tracked?: boolean }} [options]
 */
function plain(name, title, options = {}) {
  return (/** @type {Visit} */ visit) => show(visit, { title, main: render(name), ...options });
}

/** @param {Visit} visit */
function home(visit) {
  const featured = PRODUCTS.filter(({ slug }) => FEATURED.includes(slug)).map(
    product => html`<li class="product-card">
      <img src="/img/${product.slug}.svg" alt="" width="240" height="200" />
      <h3><a href="/products/${product.slug}">${product.name}</a></h3>
      <p>${product.summary}</p>
      <p class="price">${product.sizes.length > 1 && 'From '}${euros(product.priceCents)}</p>
    </li>`,
  );
  show(visit, {
    title: 'Plants that outlive the lease',
    main: render('home', { featured }),
    script: 'home',
    tracked: true,
  });
}

/** @param {Visit} visit `?seed=` decides what the assistant answers */
function assistant(visit) {
  const seed = visit.url.searchParams.get('seed') ?? '';
  show(visit, { title: 'Assistant', main: render('assistant', { seed }), script: 'assistant' });
}

/** @param {Visit} visit */
function shop(visit) {
  const query = visit.url.searchParams.get('q') ?? '';
  show(visit, { title: query ? `Search: ${query}` : 'Shop', main: render('shop'), script: 'shop', query });
}

// What the example is about: nobody who goes by names finds this button.
const ICON = html`<svg aria-hidden="true" viewBox="0 0 24 24" width="22" height="22"><path fill="currentColor" d="M4 8h16l-2 11H6zM8 8l4-6 4 6z" /></svg>`;

/**
 * Whether this visitor (`?visitor=1`) gets the new product page. Of four visitors the last get it first.
 * @param {Visit} visit
 */
function getsNewPage({ url, experiment }) {
  const visitor = Number(url.searchParams.get('visitor'));
  return visitor > 0 && (visitor - 1) % 4 >= 4 * (1 - experiment);
}

/** @param {Visit} visit */
function product(visit) {
  const found = findProduct(visit.params[0] ?? '');
  if (!found) throw new HttpError(404, 'There is no such product.');
  const sizes = found.sizes.map(
    size =>
      html`<option value="${size}">${SIZES[/** @type {keyof typeof SIZES} */ (size)]}: ${euros(priceOf(found, size))}</option>`,
  );
  show(visit, {
    title: found.name,
    main: render('product', {
      ...found,
      price: euros(found.priceCents),
      from: found.sizes.length > 1 && 'From ',
      light: found.light && html`<li>${LIGHTS[found.light]}</li>`,
      pets:
        found.category === 'plants' &&
        html`<li>${found.petSafe ? 'Safe for pets' : 'Not safe for pets'}</li>`,
      sizes,
      add: getsNewPage(visit) ? ICON : 'Add to basket',
    }),
    script: 'product',
  });
}

/** @param {Visit} visit */
function cart(visit) {
  const { lines, sumCents, deliveryCents, totalCents } = priceCart(visit.session.cart.values());
  if (lines.length === 0) return show(visit, { title: 'Basket', main: render('cart-empty') });
  const rows = lines.map(
    line => html`<tr class="basket-line" data-line="${line.id}">
      <th scope="row"><a href="/products/${line.slug}">${line.product.name}</a> <small>${line.sizeName}</small></th>
      <td><input type="number" min="1" max="20" value="${line.quantity}" aria-label="Quantity of ${line.product.name}" /></td>
      <td class="number">${euros(line.sumCents)}</td>
      <td><button type="button" class="quiet" data-remove>Remove<span class="visually-hidden"> ${line.product.name}</span></button></td>
    </tr>`,
  );
  show(visit, {
    title: 'Basket',
    main: render('cart', {
      rows,
      sum: euros(sumCents),
      delivery: deliveryCents ? euros(deliveryCents) : 'Free',
      total: euros(totalCents),
    }),
    script: 'cart',
  });
}

/** @param {Visit} visit */
function checkout(visit) {
  const { lines, deliveryCents, totalCents } = priceCart(visit.session.cart.values());
  if (lines.length === 0) return redirect(visit.response, '/cart');
  const items = lines.map(
    line =>
      html`<li><span>${line.quantity} × ${line.product.name}, ${line.sizeName}</span> <span>${euros(line.sumCents)}</span></li>`,
  );
  const delivery = deliveryCents ? euros(deliveryCents) : 'Free';
  show(visit, {
    title: 'Checkout',
    main: render('checkout', { items, delivery, total: euros(totalCents) }),
    script: 'checkout',
  });
}

/** @param {Visit} visit */
function orderConfirmed(visit) {
  const order = visit.session.orders.get(visit.url.searchParams.get('id') ?? '');
  if (!order) throw new HttpError(404, 'There is no such order.');
  const items = priceCart(order.lines).lines.map(
    line => html`<li>${line.quantity} × ${line.product.name}, ${line.sizeName}</li>`,
  );
  show(visit, {
    title: 'Order confirmed',
    main: render('order-confirmed', {
      ...order,
      firstName: order.name.split(/\s+/)[0],
      items,
      total: euros(order.totalCents),
      delivery: DELIVERIES[/** @type {keyof typeof DELIVERIES} */ (order.delivery)],
      date: order.date && html`<div><dt>Preferred day</dt><dd>${order.date}</dd></div>`,
      giftWrap: order.giftWrap && html`<div><dt>Extras</dt><dd>Gift wrapped</dd></div>`,
    }),
  });
}

/** @param {Visit} visit */
function trial(visit) {
  const plan = visit.url.searchParams.get('plan') ?? '';
  if (!Object.hasOwn(PLANS, plan)) return redirect(visit.response, '/pricing');
  const name = PLANS[/** @type {keyof typeof PLANS} */ (plan)];
  show(visit, { title: `Try the ${name} plan`, main: render('trial', { plan, name }), script: 'trial' });
}

/** @param {Visit} visit */
function trialWelcome(visit) {
  if (!visit.session.trial) return redirect(visit.response, '/pricing');
  const { plan, company, email } = visit.session.trial;
  const name = PLANS[/** @type {keyof typeof PLANS} */ (plan)];
  show(visit, { title: 'Welcome', main: render('trial-welcome', { name, company, email }) });
}

/** @param {Visit} visit */
function docs(visit) {
  const slug = visit.params[0] ?? 'getting-started';
  if (!/^[a-z-]+$/.test(slug) || !hasPage(`docs/${slug}`)) throw new HttpError(404, 'There is no such page.');
  const contents = DOCS.map(
    ([page, name]) =>
      html`<li><a href="/docs/${page}"${page === slug && html` aria-current="page"`}>${name}</a></li>`,
  );
  const title = DOCS.find(([page]) => page === slug)?.[1] ?? 'Release notes';
  show(visit, { title, main: render('docs', { contents, article: render(`docs/${slug}`) }) });
}

/**
 * @param {Visit} visit
 * @param {string} user
 * @param {string} problem
 */
function showLogIn(visit, user, problem) {
  const alert = problem && html`<p class="alert" role="alert">${problem}</p>`;
  show(visit, { title: 'Log in', main: render('login', { user, alert }) }, problem ? 401 : 200);
}

/** @param {Visit} visit */
function logInPage(visit) {
  if (visit.session.user) return redirect(visit.response, '/account');
  showLogIn(visit, '', '');
}

/** @param {Visit} visit */
async function logIn(visit) {
  const form = await readForm(visit.request);
  const user = (form.get('user') ?? '').slice(0, 100);
  if (user.trim().toLowerCase() !== DEMO.user || form.get('password') !== DEMO.password)
    return showLogIn(visit, user, 'That user name and password do not match.');
  visit.session.user = { name: DEMO.name };
  redirect(visit.response, '/account');
}

/** @param {Visit} visit */
function logOut({ session, response }) {
  session.user = null;
  redirect(response, '/login');
}

/** @param {Visit} visit */
function account(visit) {
  const { user, settings, orders } = visit.session;
  if (!user) return redirect(visit.response, '/login');
  const history = [...orders.values()].map(
    order =>
      html`<li><a href="/order/confirmed?id=${order.id}">Order ${order.id}</a>, ${euros(order.totalCents)}</li>`,
  );
  const days = ['Monday', 'Wednesday', 'Friday', 'Sunday'].map(day => {
    const value = day.toLowerCase();
    return html`<option value="${value}"${settings.day === value && html` selected`}>${day}</option>`;
  });
  const reminders = html`<label class="choice">
      <input type="checkbox" name="reminders"${settings.reminders && html` checked`} /> Email me when a plant needs water
    </label>`;
  const unit = (/** @type {string} */ value, /** @type {string} */ name) =>
    html`<label class="choice">
      <input type="radio" name="units" value="${value}"${settings.units === value && html` checked`} /> ${name}
    </label>`;
  show(visit, {
    title: 'Your account',
    main: render('account', {
      name: user.name,
      orders: history.length ? html`<ul>${history}</ul>` : html`<p>No orders in this session yet.</p>`,
      days,
      reminders,
      units: [unit('celsius', 'Celsius'), unit('fahrenheit', 'Fahrenheit')],
    }),
    script: 'account',
  });
}

/**
 * @param {Visit} visit
 * @param {{ serial: string, purchased: string }} values
 * @param {string[]} problems
 */
function showWarranty(visit, { serial, purchased }, problems) {
  const alert =
    problems.length > 0 &&
    html`<div class="alert" role="alert"><ul>${problems.map(problem => html`<li>${problem}</li>`)}</ul></div>`;
  const main = render('warranty', { serial, purchased, alert });
  show(visit, { title: 'Register your sensor', main }, problems.length > 0 ? 422 : 200);
}

/** @param {Visit} visit */
function warrantyPage(visit) {
  showWarranty(visit, { serial: '', purchased: '' }, []);
}

/** @param {Visit} visit */
async function registerWarranty(visit) {
  const form = await readForm(visit.request);
  const serial = (form.get('serial') ?? '').trim().slice(0, 40);
  const purchased = (form.get('purchased') ?? '').slice(0, 40);
  const problems = [
    filled('Enter the serial number.')(serial),
    date(purchased) && 'Enter the date of purchase.',
    filled('Choose where you bought it.')(form.get('place')),
  ].filter(problem => problem !== undefined);
  if (problems.length > 0) return showWarranty(visit, { serial, purchased }, problems);
  visit.session.warranty = { serial, purchased };
  redirect(visit.response, '/support/warranty/registered');
}

/** @param {Visit} visit */
function warrantyRegistered(visit) {
  if (!visit.session.warranty) return redirect(visit.response, '/support/warranty');
  show(visit, { title: 'Sensor registered', main: render('warranty-registered', visit.session.warranty) });
}

/** The newsletter's frame is a document of its own, as a mailing service would serve it. @param {Visit} visit */
function newsletterFrame({ response }) {
  sendHtml(response, 200, render('newsletter-frame').text);
}

/**
 * @param {Visit} visit
 * @param {number} status
 * @param {string} message
 */
export function showError(visit, status, message) {
  const heading = status === 404 ? 'This page has been repotted' : 'That did not work';
  show(visit, { title: heading, main: render('error', { status, heading, message }) }, status);
}

/** @type {import('../server.mjs').Route[]} */
export const PAGE_ROUTES = [
  ['GET', /^\/$/, home],
  ['GET', /^\/shop$/, shop],
  ['GET', /^\/products\/([a-z-]+)$/, product],
  ['GET', /^\/cart$/, cart],
  ['GET', /^\/checkout$/, checkout],
  ['GET', /^\/order\/confirmed$/, orderConfirmed],
  ['GET', /^\/pricing$/, plain('pricing', 'Pricing', { script: 'pricing', tracked: true })],
  ['GET', /^\/trial$/, trial],
  ['GET', /^\/trial\/welcome$/, trialWelcome],
  ['GET', /^\/docs(?:\/([^/]+))?$/, docs],
  ['GET', /^\/support$/, plain('support', 'Support', { script: 'support' })],
  ['GET', /^\/assistant$/, assistant],
  ['GET', /^\/support\/warranty$/, warrantyPage],
  ['POST', /^\/support\/warranty$/, registerWarranty],
  ['GET', /^\/support\/warranty\/registered$/, warrantyRegistered],
  ['GET', /^\/login$/, logInPage],
  ['POST', /^\/login$/, logIn],
  ['POST', /^\/logout$/, logOut],
  ['GET', /^\/account$/, account],
  ['GET', /^\/newsletter\/frame$/, newsletterFrame],
];
