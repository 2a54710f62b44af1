// What the shop remembers of one visitor. A session per browser context keeps parallel trials apart.
import { randomBytes } from 'node:crypto';
import { readCookie } from './http.mjs';

/**
 * @typedef {{ slug: string, size: string, quantity: number }} CartLine
 * @typedef {{ id: string, name: string, delivery: string, date: string, giftWrap: boolean, lines: CartLine[], totalCents: number }} Order
 * @typedef {{ reminders: boolean, day: string, units: string }} Settings
 * @typedef {object} Session
 * @property {Map<string, CartLine>} cart by line id
 * @property {Map<string, Order>} orders by order id
 * @property {'all' | 'necessary' | null} consent
 * @property {boolean} promoDismissed
 * @property {{ name: string } | null} user
 * @property {Settings} settings
 * @property {{ plan: string, company: string, email: string } | null} trial
 * @property {{ serial: string, purchased: string } | null} warranty
 */

const COOKIE = 'tideleaf_session';
const MAX_SESSIONS = 500;
export const MAX_ORDERS = 20;

/** @returns {Session} */
function newSession() {
  return {
    cart: new Map(),
    orders: new Map(),
    consent: null,
    promoDismissed: false,
    user: null,
    settings: { reminders: false, day: 'monday', units: 'celsius' },
    trial: null,
    warranty: null,
  };
}

/** The sessions of one server, at most 500: the one unused for longest makes room for a new one. */
export class Sessions {
  /** @type {Map<string, Session>} in the order of last use */
  #byId = new Map();

  get size() {
    return this.#byId.size;
  }

  /**
   * The visitor's session; a new one, with its cookie set on the answer, for a visitor without.
   * @param {import('./http.mjs').Request} request
   * @param {import('./http.mjs').Response} response
   */
  of(request, response) {
    const known = readCookie(request, COOKIE);
    const found = known === undefined ? undefined : this.#byId.get(known);
    if (known !== undefined && found) {
      this.#byId.delete(known);
      this.#byId.set(known, found);
      return found;
    }
    const id = randomBytes(16).toString('hex');
    const session = newSession();
    this.#byId.set(id, session);
    const oldest = this.#byId.keys().next().value;
    if (this.#byId.size > MAX_SESSIONS && oldest !== undefined) this.#byId.delete(oldest);
    response.setHeader('set-cookie', `${COOKIE}=${id}; Path=/; HttpOnly; SameSite=Lax`);
    return session;
  }
}
