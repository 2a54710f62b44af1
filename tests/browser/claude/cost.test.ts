import { beforeAll, describe, expect, it } from 'vitest';
import { harness, html } from '../../support/claude-harness';
import { type ClaudeSetup, playClaude } from '../../support/claude-play';
import { at, call, done, type JsonObject, reply, type Script, say, think } from '../../support/messages-api';
import { positions } from '../../support/messages-api/prompt-cache';
import { serve } from '../../support/serve';

const words = 'The quick brown fox looks at a shop that sells many things. ';
const pages = harness({
  '/': html(
    `<h1>Shop</h1>${Array.from({ length: 60 }, (_, i) => `<p>${i}: ${words.repeat(3)}<a href="#${i}">Item ${i}</a></p>`).join('')}`,
  ),
});

const play = async (script: Script, setup: ClaudeSetup = {}) =>
  playClaude(await pages.openPage('/'), script, { maxSteps: 60, ...setup });

/** Looks, scrolls, and reads at times: what models do. */
function lookAround(turns: number): Script {
  return ({ index }) => {
    if (index === turns - 1) return done('I have seen it all.');
    const scroll = call('scroll', { target: at(600, 300), scroll_direction: 'down' });
    const read = index % 3 === 0 ? [call('read_page')] : [];
    return reply(think(`Thought ${index}.`), say(`Going on, ${index}.`), scroll, ...read, call('screenshot'));
  };
}

const bare = (value: unknown) =>
  JSON.stringify(value, (key, entry) => (key === 'cache_control' ? undefined : entry));
const OPUS = { input: 4, output: 20, read: 0.2, write: 5 };

describe('a long trial', () => {
  // At the 32nd, much is taken out.
  const TURNS = 34;
  let played: Awaited<ReturnType<typeof play>>['requests'];
  /** The input tokens of each request. */
  let sizes: number[];
  // Once for both: its conversation is much to hash and to count.
  beforeAll(async () => {
    const { outcome, requests } = await play(lookAround(TURNS));
    await outcome;
    played = requests;
    sizes = played.map(({ usage }) => {
      const { input_tokens, cache_creation_input_tokens, cache_read_input_tokens } = usage!;
      return input_tokens + cache_creation_input_tokens + cache_read_input_tokens;
    });
  });

  it('bills 20 turns at no more than 30% of the same conversation sent uncached with a full-size picture each turn', () => {
    const requests = played.slice(0, 20);
    expect(played).toHaveLength(TURNS);
    // In tokens at the price of uncached input.
    const billed = requests.reduce((sum, { usage }) => {
      const {
        input_tokens: input,
        cache_creation_input_tokens: write,
        cache_read_input_tokens: read,
      } = usage!;
      return sum + input + (write * OPUS.write + read * OPUS.read) / OPUS.input;
    }, 0);
    // Each request as it would be if nothing was ever taken out: the one before, and what it adds. The pictures are of
    // the full viewport, and a PNG of it counts as much as our JPEG.
    let whole = 0;
    let uncached = 0;
    requests.forEach(({ body }, index) => {
      const all = sizes[index]!;
      const messages = body.messages as JsonObject[];
      const before = positions({ ...body, messages: messages.slice(0, -2) }).at(-1)!.tokens;
      whole += index === 0 ? all : all - before;
      uncached += whole;
    });
    const share = billed / uncached;
    console.log(
      `20 turns, input in tokens at full price: ${Math.round(billed)} billed, ${Math.round(uncached)} uncached, ${(share * 100).toFixed(1)}%`,
    );
    expect(share).toBeLessThanOrEqual(0.3);
  });

  it('sends what it sent before byte for byte, except where much is taken out at once', () => {
    const sent = played.map(({ body }) => (body.messages as JsonObject[]).map(bare));
    const rewritten = sent.flatMap((messages, index) =>
      index > 0 && sent[index - 1]!.some((message, at) => message !== messages[at]) ? [index] : [],
    );
    expect(rewritten.length).toBeGreaterThanOrEqual(1);
    expect(rewritten.length).toBeLessThanOrEqual(3);
    const beginning = (index: number) => bare(played[index]!.body.tools) + bare(played[index]!.body.system);
    for (const [index, { usage, status }] of played.entries()) {
      expect(status).toBe(200);
      expect(beginning(index)).toBe(beginning(0));
      // All that the request before had is read from the cache.
      if (index === 0 || rewritten.includes(index)) continue;
      const previous = played[index - 1]!.usage!;
      expect(usage!.cache_read_input_tokens).toBe(
        previous.cache_read_input_tokens + previous.cache_creation_input_tokens,
      );
    }
    const last = bare(played[rewritten[0]!]!.body.messages);
    expect(last.match(/"type":"image"/g)!.length).toBeLessThanOrEqual(3);
    expect(last).toContain('(An earlier screenshot was here.');
    expect(last).toContain('(An earlier reading was here.');
    expect(Math.max(...sizes)).toBeLessThan(90_000);
  });
});

describe('cost', () => {
  it('is reported per turn, with cache reads and writes priced as such', async () => {
    const { outcome, task, requests } = await play(lookAround(4));
    await outcome;
    const usage = task.turns.flatMap(turn => turn.usage);
    expect(usage).toEqual(
      requests.map(({ usage: counted }) => {
        const {
          input_tokens: input,
          output_tokens: output,
          cache_creation_input_tokens: write,
          cache_read_input_tokens: read,
        } = counted!;
        const costUsd =
          (input * OPUS.input + output * OPUS.output + write * OPUS.write + read * OPUS.read) / 1e6;
        return {
          inputTokens: input,
          outputTokens: output,
          cacheReadTokens: read,
          cacheCreationTokens: write,
          costUsd: expect.closeTo(costUsd, 10),
        };
      }),
    );
    expect(usage[1]!.cacheReadTokens).toBeGreaterThan(5000);
    expect(task.costUsd).toBeGreaterThan(0);
  });

  it('stops before a turn that can not be afforded', async () => {
    const { outcome, task } = await play(lookAround(40), { maxCostUsd: 0.1 });
    await expect(outcome).rejects.toMatchObject({
      name: 'BudgetExceededError',
      message: expect.stringMatching(
        /^\$0\.0\d+ of \$0\.1 are spent, and the next turn would cost about \$0\.\d+/,
      ),
    });
    expect(task.turns.length).toBeGreaterThan(2);
    expect(task.costUsd).toBeLessThanOrEqual(0.1);
  });

  it('goes over a cap by one turn at most, where an answer is longer than any before', async () => {
    const long = { ...reply(call('screenshot')), outputTokens: 4000 };
    const { outcome, task, requests } = await play(
      ({ index }) => (index === 2 ? long : reply(call('screenshot'))),
      {
        maxCostUsd: 0.07,
      },
    );
    await expect(outcome).rejects.toMatchObject({ name: 'BudgetExceededError' });
    expect(task.costUsd).toBeGreaterThan(0.07);
    expect(requests).toHaveLength(3);
  });

  it('is unknown, and not free, for a model without a price', async () => {
    const { outcome, task } = await play(lookAround(2), { options: { model: 'claude-opus-9' } });
    await outcome;
    expect(task.turns.map(turn => turn.usage[0]!.costUsd)).toEqual([null, null]);
    expect(task.costUsd).toBeNull();
  });

  it.each([{ maxCostUsd: 1 }, { runIsCapped: true }])('unknown, is refused with the cap %o', async cap => {
    const { outcome, requests } = await play(lookAround(2), { ...cap, options: { model: 'claude-opus-9' } });
    await expect(outcome).rejects.toThrow(
      /the price is unknown for the model "claude-opus-9".*pricing: \{ input: 4, output: 20 \}/,
    );
    expect(requests).toHaveLength(0);
  });
});

describe('a gateway that does not count tokens', () => {
  const answer = (usage: object) =>
    [
      {
        type: 'message_start',
        message: { id: 'm', type: 'message', role: 'assistant', model: 'x', content: [], usage },
      },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Done.' } },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: {} },
      { type: 'message_stop' },
    ]
      .map(event => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
      .join('');

  it.each([
    ['is an error with a cap', { maxCostUsd: 1 }, /does not count tokens, so a cost cap/],
    ['has an unknown cost without one', {}, null],
  ])('%s', async (_, cap, problem) => {
    const gateway = await serve((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).end(answer({}));
    });
    try {
      const { task, outcome } = await play([], { ...cap, options: { baseURL: gateway.url } });
      if (problem) await expect(outcome).rejects.toThrow(problem);
      else await outcome;
      expect(task.costUsd).toBeNull();
    } finally {
      await gateway.close();
    }
  });
});
