// The shop's JSON API, which the pages' own scripts call.
import { randomInt } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { ask } from './assistant.mjs';
import { euros, findProduct, lineId, priceCart, searchProducts } from './catalogue.mjs';
import { checkFields, date, email, filled, oneOf, optional, ticked } from './fields.mjs';
import { HttpError, readJson, sendJson } from './http.mjs';
import { MAX_ORDERS } from './sessions.mjs';

/** @typedef {import('../server.mjs').Visit} Visit */

export const PLANS = { solo: 'Solo', team: 'Team', business: 'Business' };
export const DELIVERIES = {
  standard: 'Standard delivery',
  express: 'Express delivery',
  collect: 'Collect in store',
};
const COUNTRIES = ['BE', 'DE', 'FR', 'NL'];
const MAX_QUANTITY = 20;

/** @param {unknown} value */
function quantityOf(value) {
  if (typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= MAX_QUANTITY)
    return value;
  throw new HttpError(422, 'Please check the form.', {
    quantity: `Choose a quantity from 1 to ${MAX_QUANTITY}.`,
  });
}

/** @param {Visit} visit */
function listProducts({ url, response }) {
  const products = searchProducts(url.searchParams).map(
    ({ slug, name, priceCents, summary, petSafe, light, sizes }) => ({
      slug,
      name,
      price: euros(priceCents),
      from: sizes.length > 1,
      summary,
      petSafe,
      light,
    }),
  );
  sendJson(response, 200, { products });
}

/** @param {Visit} visit */
async function estimateDelivery({ url, response, slowMs }) {
  const postcode = (url.searchParams.get('postcode') ?? '').trim().toUpperCase();
  // As slow as the carriers' own services, so that an agent must wait for an answer.
  await delay(slowMs);
  if (!/^[A-Z0-9][A-Z0-9 -]{2,8}$/.test(postcode))
    throw new HttpError(422, 'Please check the form.', { postcode: 'Enter a postcode, like 1012 AB.' });
  const days = /^[1-3]/.test(postcode) ? '1 to 2' : '2 to 4';
  sendJson(response, 200, { postcode, text: `Delivered to ${postcode} within ${days} working days.` });
}

/** @param {Visit} visit */
async function addToCart({ request, response, session }) {
  const sent = await readJson(request);
  const product = findProduct(String(sent.slug));
  if (!product) throw new HttpError(404, 'That product is not in the catalogue.');
  const { size } = checkFields(sent, { size: oneOf(product.sizes, 'Choose a size.') });
  const line = { slug: product.slug, size, quantity: quantityOf(sent.quantity) };
  const before = session.cart.get(lineId(line))?.quantity ?? 0;
  session.cart.set(lineId(line), { ...line, quantity: Math.min(MAX_QUANTITY, before + line.quantity) });
  sendJson(response, 201, { count: priceCart(session.cart.values()).count, name: product.name });
}

/** @param {Visit} visit */
function cartLine({ session, params }) {
  const line = session.cart.get(params[0] ?? '');
  if (!line) throw new HttpError(404, 'That product is not in your basket.');
  return line;
}

/** @param {Visit} visit */
async function changeQuantity(visit) {
  const line = cartLine(visit);
  line.quantity = quantityOf((await readJson(visit.request)).quantity);
  sendJson(visit.response, 200, { count: priceCart(visit.session.cart.values()).count });
}

/** @param {Visit} visit */
function removeLine(visit) {
  visit.session.cart.delete(lineId(cartLine(visit)));
  sendJson(visit.response, 204);
}

/** @param {Visit} visit */
function emptyCart({ session, response }) {
  session.cart.clear();
  sendJson(response, 204);
}

/** @param {Visit} visit */
async function placeOrder({ request, response, session }) {
  const sent = await readJson(request);
  const { lines, totalCents } = priceCart(session.cart.values());
  if (lines.length === 0) throw new HttpError(409, 'Your basket is empty.');
  const order = checkFields(sent, {
    name: filled('Enter your full name.'),
    email,
    address: filled('Enter your street and house number.'),
    city: filled('Enter your city.'),
    postcode: filled('Enter your postcode.', 12),
    country: oneOf(COUNTRIES, 'Choose a country.'),
    delivery: oneOf(Object.keys(DELIVERIES), 'Choose how you want to get your order.'),
    date: optional(date),
    terms: ticked('Agree to the terms of sale to place your order.'),
  });
  const id = `TL-${randomInt(100_000, 1_000_000)}`;
  const { name, delivery, date: day } = order;
  const kept = lines.map(({ slug, size, quantity }) => ({ slug, size, quantity }));
  session.orders.set(id, {
    id,
    name,
    delivery,
    date: day,
    giftWrap: sent.giftWrap === true,
    lines: kept,
    totalCents,
  });
  const oldest = session.orders.keys().next().value;
  if (session.orders.size > MAX_ORDERS && oldest !== undefined) session.orders.delete(oldest);
  session.cart.clear();
  sendJson(response, 201, { id, location: `/order/confirmed?id=${id}` });
}

/** @param {Visit} visit */
async function startTrial({ request, response, session }) {
  const sent = await readJson(request);
  const {
    plan,
    company,
    email: address,
  } = checkFields(sent, {
    plan: oneOf(Object.keys(PLANS), 'Choose a plan.'),
    email,
    company: filled('Enter the name of your company.'),
    size: oneOf(['1-5', '6-20', '21-100'], 'Choose the size of your team.'),
    terms: ticked('Agree to the terms of service to start.'),
  });
  session.trial = { plan, company, email: address };
  sendJson(response, 201, { location: '/trial/welcome' });
}

/** @param {Visit} visit */
async function sendMessage({ request, response }) {
  checkFields(await readJson(request), {
    topic: oneOf(['delivery', 'plant-care', 'sensor', 'billing'], 'Choose a topic.'),
    email,
    message: filled('Write your message.', 2000),
    reply: oneOf(['email', 'phone'], 'Choose how we should answer.'),
  });
  sendJson(response, 202, { text: 'Thanks, we have your message. We answer within one working day.' });
}

/** @param {Visit} visit */
async function subscribe({ request, response }) {
  checkFields(await readJson(request), { email });
  sendJson(response, 202, { text: "You're subscribed. See you on Sunday." });
}

/** @param {Visit} visit */
async function saveSettings({ request, response, session }) {
  if (!session.user) throw new HttpError(401, 'Log in first.');
  const sent = await readJson(request);
  const { day, units } = checkFields(sent, {
    day: oneOf(['monday', 'wednesday', 'friday', 'sunday'], 'Choose a day.'),
    units: oneOf(['celsius', 'fahrenheit'], 'Choose a unit.'),
  });
  session.settings = { reminders: sent.reminders === true, day, units };
  sendJson(response, 200, { text: 'Settings saved.' });
}

/** @param {Visit} visit */
async function saveConsent({ request, response, session }) {
  const { choice } = await readJson(request);
  if (choice !== 'all' && choice !== 'necessary')
    throw new HttpError(422, 'A choice is "all" or "necessary".');
  session.consent = choice;
  sendJson(response, 204);
}

/** @param {Visit} visit */
function dismissPromo({ response, session }) {
  session.promoDismissed = true;
  sendJson(response, 204);
}

/** @type {import('../server.mjs').Route[]} */
export const API_ROUTES = [
  ['GET', /^\/api\/products$/, listProducts],
  ['GET', /^\/api\/delivery$/, estimateDelivery],
  ['POST', /^\/api\/cart$/, addToCart],
  ['DELETE', /^\/api\/cart$/, emptyCart],
  ['PATCH', /^\/api\/cart\/([a-z.-]+)$/, changeQuantity],
  ['DELETE', /^\/api\/cart\/([a-z.-]+)$/, removeLine],
  ['POST', /^\/api\/orders$/, placeOrder],
  ['POST', /^\/api\/trials$/, startTrial],
  ['POST', /^\/api\/messages$/, sendMessage],
  ['POST', /^\/api\/assistant$/, ask],
  ['POST', /^\/api\/newsletter$/, subscribe],
  ['PUT', /^\/api\/account\/settings$/, saveSettings],
  ['POST', /^\/api\/consent$/, saveConsent],
  ['DELETE', /^\/api\/promo$/, dismissPromo],
];
