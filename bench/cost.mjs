// The billed input tokens of one trial of 20 turns, compared with the same conversation without a cache and with a full-size
// picture in each turn. The Messages API server of the tests counts them: it has a prompt cache like the API's. Also: a
// model of when it is best to remove old readings.
import { load } from '../scripts/bundle.mjs';
import { claudeSuite } from './lib/processes.mjs';
import { startSite } from './lib/site.mjs';
import { billedBy, LOADS } from './lib/trimming.mjs';

/** Opus 5.5, US dollars per million tokens. */
const PRICE = { input: 4, read: 0.2, write: 5 };
const AT_MOST = 0.1;
/** A picture of the viewport of 1280 x 720. */
const PICTURE_TOKENS = 1_229;
const LONG = 60;
/** The same as in `Conversation`. */
const TRIMMED_AT = 60_000;

export async function cost({ quick }) {
  const api = await load(
    'bench-cost',
    `export * from './tests/support/messages-api'; export { positions } from './tests/support/messages-api/prompt-cache';`,
  );
  const turns = quick ? 4 : 20;
  const site = await startSite();
  const server = await api.startMessagesApi({ script: lookAround(api, turns) });
  const suite = claudeSuite({ look: `${site.url}/shop` }, server.url);
  try {
    const child = suite.playwright(['test']);
    if ((await child.ended) !== 0) throw new Error(child.output());
  } finally {
    await server.close();
    suite.remove();
    site.stop();
  }
  const { billed, uncached } = countInput(server.requests, api.positions);
  return {
    title: `one trial of ${turns} turns: a page of 60 cards is scrolled through, and what comes into view is shown unasked`,
    rows: [
      {
        name: 'billed input / everything uncached',
        value: billed / uncached,
        unit: 'x',
        target: { atMost: AT_MOST },
        note: 'in tokens at the price of uncached input, Opus 5.5; uncached with a full-size picture in each turn',
      },
      { name: 'billed', value: billed, unit: 'tokens' },
      { name: 'everything uncached', value: uncached, unit: 'tokens' },
      ...trimming(),
    ],
    details: { price: PRICE, usage: server.requests.map(({ usage }) => usage) },
  };
}

function lookAround({ call, at, reply, done, say, think }, turns) {
  return ({ turn }) => {
    if (turn === turns - 1) return done('I have seen it all.');
    const scroll = call('scroll', { target: at(600, 300), scroll_direction: turn % 8 < 4 ? 'down' : 'up' });
    return reply(think(`Thought ${turn}.`), say(`Going on, ${turn}.`), scroll);
  };
}

/** Compares the threshold in use with others, and with the API's own context editing at its best threshold. */
function trimming() {
  return Object.entries(LOADS).map(([what, each]) => {
    const billed = policy => billedBy(each, LONG, policy);
    const used = billed({ atTokens: TRIMMED_AT });
    const others = [20_000, 40_000, 80_000, 120_000].map(
      atTokens => `at ${atTokens / 1000}k ${(billed({ atTokens }) / used).toFixed(2)}`,
    );
    const editing = Math.min(
      ...[60_000, 100_000, 140_000].map(atTokens => billed({ atTokens, ofAll: true })),
    );
    return {
      name: `${LONG} turns of ${what}, old ones taken out at ${TRIMMED_AT / 1000}k: billed`,
      value: used,
      unit: 'tokens',
      note: `a model; against that: ${others.join(', ')}, the API's context editing ${(editing / used).toFixed(2)}`,
    };
  });
}

function countInput(requests, positions) {
  const total = body => positions(body).at(-1)?.tokens ?? 0;
  let billed = 0;
  let whole = 0;
  let uncached = 0;
  requests.forEach(({ body, usage }, index) => {
    const { input_tokens: input, cache_creation_input_tokens: write, cache_read_input_tokens: read } = usage;
    billed += input + (write * PRICE.write + read * PRICE.read) / PRICE.input;
    // As if nothing was ever removed: the request before, and what this one adds.
    whole +=
      index === 0 ? total(body) : total(body) - total({ ...body, messages: body.messages.slice(0, -2) });
    uncached += whole + index * PICTURE_TOKENS;
  });
  return { billed, uncached };
}
