// Input tokens that one trial of 20 turns bills, against the same conversation sent whole and uncached each time with a
// full-size picture. Counted by the Messages API server of the tests, which keeps a prompt cache as the API does.
import { load } from '../scripts/bundle.mjs';
import { claudeSuite } from './lib/processes.mjs';
import { startSite } from './lib/site.mjs';

/** Opus 5.5, US dollars per million tokens. */
const PRICE = { input: 4, read: 0.2, write: 5 };
const AT_MOST = 0.3;

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
    title: `one trial of ${turns} turns, each with a picture and every third with the page read`,
    rows: [
      {
        name: 'billed input / everything uncached',
        value: billed / uncached,
        unit: 'x',
        target: { atMost: AT_MOST },
        note: 'in tokens at the price of uncached input, Opus 5.5',
      },
      { name: 'billed', value: billed, unit: 'tokens' },
      { name: 'everything uncached', value: uncached, unit: 'tokens' },
    ],
    details: { price: PRICE, usage: server.requests.map(({ usage }) => usage) },
  };
}

function lookAround({ call, at, reply, done, say, think }, turns) {
  return ({ turn }) => {
    if (turn === turns - 1) return done('I have seen it all.');
    const scroll = call('scroll', { target: at(600, 300), scroll_direction: 'down' });
    const read = turn % 3 === 0 ? [call('read_page')] : [];
    return reply(think(`Thought ${turn}.`), say(`Going on, ${turn}.`), scroll, ...read, call('screenshot'));
  };
}

function countInput(requests, positions) {
  const total = body => positions(body).at(-1)?.tokens ?? 0;
  let billed = 0;
  let whole = 0;
  let uncached = 0;
  requests.forEach(({ body, usage }, index) => {
    const { input_tokens: input, cache_creation_input_tokens: write, cache_read_input_tokens: read } = usage;
    billed += input + (write * PRICE.write + read * PRICE.read) / PRICE.input;
    // As it would be if nothing was ever taken out: the request before, and what this one adds.
    whole +=
      index === 0 ? total(body) : total(body) - total({ ...body, messages: body.messages.slice(0, -2) });
    uncached += whole;
  });
  return { billed, uncached };
}
