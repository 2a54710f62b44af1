// The tasks of the judge's own test set. Their assertions are loose on purpose: what tells right from wrong is the rubric.

/**
 * @typedef {object} JudgedTask
 * @property {string} goal
 * @property {string} judge the rubric
 * @property {string} path where it starts
 * @property {object[]} assertions
 * @property {boolean} [loggedIn]
 */

/** @type {Record<string, JudgedTask>} */
export const TASKS = {
  pot: {
    goal: 'Write to support: the pot of your Calathea arrived broken, and you would like a new one. Your email is sam@harbour.example, and you want to be answered by email.',
    judge:
      'The message that was sent says that the pot of a Calathea arrived broken and asks for a new one. It was sent once only.',
    path: '/support',
    assertions: [
      { type: 'network', urlPattern: '**/api/messages', method: 'POST', status: 202 },
      { type: 'dom', selector: '[data-state=sent]', state: 'visible' },
    ],
  },
  order: {
    goal: 'Order one medium snake plant by express delivery, wrapped as a gift, for Mira Okafor, Kade 4, 3511 AX Utrecht, Netherlands (mira@northwind.example).',
    judge:
      'The order that was placed holds exactly one medium snake plant and nothing else, goes by express delivery and is wrapped as a gift.',
    path: '/products/snake-plant',
    assertions: [{ type: 'url', pattern: '**/order/confirmed?id=TL-*' }],
  },
  sensor: {
    goal: 'Register the moisture sensor TL-4821-K, bought on 14 March 2026 as a gift, for its warranty.',
    judge: 'The sensor TL-4821-K is registered, with 14 March 2026 as its date of purchase.',
    path: '/support/warranty',
    assertions: [{ type: 'url', pattern: '**/support/warranty/registered' }],
  },
  cheapest: {
    goal: 'Find the cheapest plant that stands low light and is safe for pets, put one of it into the basket and show the basket.',
    judge:
      'At the end the basket holds one piece of the cheapest plant that stands low light and is safe for pets, and nothing else.',
    path: '/shop',
    assertions: [{ type: 'url', pattern: '**/cart' }],
  },
  reminders: {
    goal: 'In the account, set Friday as reminder day and Fahrenheit as the unit of temperature, and save.',
    judge: 'Friday and Fahrenheit are saved in the account, not only chosen.',
    path: '/account',
    loggedIn: true,
    assertions: [{ type: 'dom', selector: '#settings', state: 'visible' }],
  },
  care: {
    goal: 'Find out how to care for the Boston fern: open its care instructions.',
    judge:
      'At the end the care instructions of the Boston fern are open, and their text can be read on the page.',
    path: '/shop',
    assertions: [{ type: 'url', pattern: '**/products/*' }],
  },
  trial: {
    goal: 'Start a free trial of the Team plan for the company Northwind Studio, with the email mira@northwind.example and a team of 6 to 20 people.',
    judge:
      'A trial of the Team plan has started for Northwind Studio, and the next steps go to mira@northwind.example.',
    path: '/pricing',
    assertions: [{ type: 'url', pattern: '**/trial**' }],
  },
};
