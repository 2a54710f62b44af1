// How an application is broken: what it answers, and what is done to its pages.
/** @typedef {import('./variants.mjs').Variant} Variant */
/** With a kind, a finding has to say it. @typedef {[taskAndId: string, change: Partial<Variant>, said: RegExp, kind?: string]} Row */
import { over } from './variants.mjs';

/** @param {RegExp} request `POST /cart` @param {object} given */
export const answering = (request, given) => ({
  answer: (method, path) => (request.test(`${method} ${path}`) ? given : undefined),
});
export const failing = { status: 500, body: '{"error":"Internal server error"}' };
export const missing = { status: 404, body: 'Not found' };
export const unavailable = { status: 503, body: '' };
export const slow = { delayMs: 60_000 };

/** Once more whenever the page changes. @param {string} selector @param {string} statement about `each` */
export const always = (selector, statement) => ({
  script: `const change = () => { for (const each of document.querySelectorAll('${selector}')) { ${statement} } };
change(); new MutationObserver(change).observe(document, { childList: true, subtree: true });`,
});
export const off = 'each.disabled = true;';
export const still = 'each.readOnly = true;';
/** @param {string} selector @param {string[]} rules */
export const css = (selector, ...rules) => ({
  script: `document.head.insertAdjacentHTML('beforeend', '<style>${selector} { ${rules.map(rule => `${rule} !important`).join(';')} }</style>');`,
});
/** @param {string} name @param {string} style @param {string} text */
export const under = (name, style, text) => ({
  script: over(`class="${name}"`, `z-index:9999;${style}`, text),
});
/** Instead of what the page does. @param {string} event @param {string} selector @param {string} statement */
export const swallowing = (event, selector, statement = '') => ({
  script: `addEventListener('${event}', event => { if (!event.target.closest('${selector}')) return; event.preventDefault(); event.stopImmediatePropagation(); ${statement} }, true);`,
});
/** @param {RegExp} path @param {string} from @param {string} to @returns {Pick<Variant, 'change'>} */
export const changing = (path, from, to) => ({ change: [[path, from, to]] });

/** Two ways each: lexical()'s, and that of an agent that stops where it is stuck, or goes on. @param {Row[]} rows @returns {Variant[]} */
export const broken = rows =>
  rows.map(([names, change, said, kind], index) => {
    const [task = '', id = ''] = names.split(' ');
    const named = kind ? { kind, about: said } : { said };
    const players = ['lexical', index % 2 ? 'hasty' : 'hands'];
    return { id, task, cause: id.replaceAll('-', ' '), named, players, ...change };
  });

/** The players are the causes: nothing on the site may be blamed. @param {Record<string, [task: string, said: RegExp]>} players @returns {Variant[]} */
export const atFault = players =>
  Object.entries(players).map(([id, [task, said]]) => ({
    ...{ id, task, cause: 'the agent', named: { said }, players: [id] },
  }));
