// Tokens of what an agent is shown of four pages, and whether every control in the viewport is in it.
import { agentBrowser } from './lib/agent-browser.mjs';
import { missingFrom } from './lib/controls.mjs';
import { NEIGHBOURS } from './lib/neighbour-seats.mjs';
import { bareSeat, ourSeat } from './lib/seats.mjs';
import { startSite } from './lib/site.mjs';
import { pictureTokens, tokenCounter, tokenizer } from './lib/tokens.mjs';

const PAGES = {
  '/login': 'login form',
  '/shop': 'shop of 60 cards',
  '/table': 'table of 500 rows',
  '/links': '3,000 links',
};
/** How each marks what can be acted on. */
const REFERENCES = {
  ours: /\[ref_\d+\]/,
  'playwright-mcp': /\[ref=\w+\]/,
  Stagehand: /\[\d+-\d+\]/,
  'browser-use for Node': /\[\d+\]</,
  'agent-browser': /ref=e\d+/,
};
const VIEWPORT = pictureTokens(1280, 720);

/** @typedef {{ who: string, text: string, note?: string, picture?: boolean }} Shown */

/** @param {{ quick: boolean, neighbours: boolean }} options @returns {Promise<{ title: string, rows: import('./lib/report.mjs').Row[], details: unknown }>} */
export async function size({ neighbours }) {
  const count = await tokenCounter();
  const site = await startSite();
  const bare = await bareSeat({ button: '', field: '' });
  const urls = Object.keys(PAGES).map(path => `${site.url}${path}`);
  /** @type {Map<string, import('./lib/seats.mjs').Seat>} */
  const seats = new Map([['ours', await ourSeat(urls, urls.length)]]);
  /** @type {Record<string, string>} */
  const troubles = {};
  if (neighbours)
    for (const [who, , make] of NEIGHBOURS)
      await make()
        .then(seat => seats.set(who, seat))
        .catch(error => {
          troubles[who] = String(error);
        });
  const browser = neighbours ? agentBrowser() : undefined;
  /** @type {import('./lib/report.mjs').Row[]} */
  const rows = [];
  /** @type {Record<string, unknown>} */
  const details = { tokenizer };
  try {
    for (const [path, what] of Object.entries(PAGES)) {
      const url = `${site.url}${path}`;
      const opened = await bare.open(url);
      const { controls } = opened.body.observation;
      await bare.leave(opened);
      const html = await (await fetch(url)).text();
      const shown = await showAll(seats, url, troubles);
      if (browser) shown.push({ who: 'agent-browser', text: await browser.show(url), note: 'snapshot -i' });
      const sizes = shown.map(each => measured(each, controls, count));
      rows.push(...rowsOf(what, sizes, controls.length, count(html)));
      details[path] = { controls: controls.length, html: count(html), shown: sizes };
    }
    for (const [who, trouble] of Object.entries(troubles))
      rows.push({ name: who, value: null, unit: 'tokens', note: trouble.split('\n')[0] });
  } finally {
    await browser?.stop();
    for (const seat of [bare, ...seats.values()]) await seat.stop();
    site.stop();
  }
  return { title: `what an agent is shown of a page, in tokens of ${tokenizer}`, rows, details };
}

/**
 * @param {Map<string, import('./lib/seats.mjs').Seat>} seats
 * @param {string} url
 * @param {Record<string, string>} troubles
 */
async function showAll(seats, url, troubles) {
  /** @type {Shown[]} */
  const shown = [];
  for (const [who, seat] of seats) {
    try {
      let asked = await seat.open(url);
      if (who === 'ours')
        for (const kind of ['read_page', 'read_interactive']) {
          asked.answer(seat.answerTo(asked, /** @type {any} */ ({ kind, box: {} })));
          asked = await seat.door.next();
          shown.push({
            who,
            text: seat.shown?.(asked.body) ?? '',
            note: kind === 'read_page' ? 'read_page' : 'read_page, filter interactive',
          });
        }
      else
        shown.push({
          who,
          text: seat.shown?.(asked.body) ?? '',
          picture: who === 'Midscene',
          note: EXTRA[/** @type {keyof typeof EXTRA} */ (who)],
        });
      await seat.leave(asked);
    } catch (error) {
      troubles[`${who}: ${new URL(url).pathname}`] = String(error);
    }
  }
  return shown;
}

const EXTRA = {
  Midscene: 'a picture, no text of the page',
  'browser-use for Node': `and a picture, ${VIEWPORT} tokens more`,
};

/**
 * @param {Shown} shown
 * @param {import('./lib/controls.mjs').Control[]} controls
 * @param {(text: string) => number} count
 */
function measured({ who, text, note, picture }, controls, count) {
  const reference = REFERENCES[/** @type {keyof typeof REFERENCES} */ (who)];
  return {
    who,
    note,
    tokens: picture ? VIEWPORT : count(text),
    text: text.slice(0, 1_000),
    missing: reference ? missingFrom(controls, text, reference).map(({ name }) => name) : null,
  };
}

/**
 * @param {string} what
 * @param {ReturnType<typeof measured>[]} sizes
 * @param {number} controls
 * @param {number} html
 * @returns {import('./lib/report.mjs').Row[]}
 */
function rowsOf(what, sizes, controls, html) {
  const complete = (/** @type {ReturnType<typeof measured>} */ each) => each.missing?.length === 0;
  const rivals = sizes.filter(each => each.who !== 'ours' && complete(each));
  const smallest = rivals.sort((a, b) => a.tokens - b.tokens)[0];
  const rows = sizes.map(each => ({
    name: `${what}: ${each.who === 'ours' ? 'taskproof' : each.who}`,
    value: each.tokens,
    unit: 'tokens',
    note: [each.note, each.missing === null ? 'no references to check' : withControls(each.missing, controls)]
      .filter(Boolean)
      .join('; '),
  }));
  const verdicts = sizes
    .filter(each => each.who === 'ours' && smallest)
    .map(each => ({
      name: `${what}: ours (${each.note}) / the smallest neighbour with every control`,
      value: each.tokens / (smallest?.tokens ?? 0),
      unit: 'x',
      target: { atMost: 1 },
      note: `${smallest?.who}${complete(each) ? '' : '; OURS MISSES CONTROLS'}`,
    }));
  return [{ name: `${what}: its HTML`, value: html, unit: 'tokens' }, ...rows, ...verdicts];
}

/** @param {readonly string[]} missing @param {number} controls */
function withControls(missing, controls) {
  if (missing.length === 0) return `all ${controls} controls in view`;
  const named = missing
    .slice(0, 2)
    .map(name => `"${name}"`)
    .join(', ');
  return `${missing.length} of ${controls} controls in view are missing (${named}${missing.length > 2 ? ', ...' : ''})`;
}
