// Models that can't do the task: they only talk, make up addresses, call what there is not. No word of it is about the page.
import { createOpenAI } from '@ai-sdk/openai';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Agent, aiSdk, claude } from '../../src';
import type { WantedAnswer } from '../../src/spec/wanted-answer';
import { call, callTool, done, reply, type Script, say, startMessagesApi } from '../support/messages-api';
import { startOpenAiApi } from '../support/openai-api';
import { sessionsOfTests } from '../support/sessions';
import { browserOfTests } from '../support/shared-browser';
import { playTrial } from '../support/trials';
import { siteOfTests } from '../support/two-sites';

const open = sessionsOfTests(browserOfTests());
const site = siteOfTests('localhost', path => ({
  status: path === '/' ? 200 : 404,
  // Its link has no name, which an examination would find.
  body: '<!doctype html><html lang="en"><title>Shop</title><h1>Plants</h1><a href="/cart" class="cart"><svg width="40" height="40"></svg></a>',
}));

const find = { query: 'the cart' };
const AGENTS = {
  claude: {
    start: (script: Script) => startMessagesApi({ script }),
    make: (baseURL: string, apiKey: string): Agent => claude({ baseURL, apiKey, model: 'claude-opus-5-5' }),
    look: reply(call('find', find)),
  },
  aiSdk: {
    start: (script: Script) => startOpenAiApi({ script }),
    make: (baseURL: string, apiKey: string): Agent =>
      aiSdk({
        model: createOpenAI({ baseURL, apiKey }).chat('claude-opus-5-5'),
        pricing: { input: 4, output: 20 },
      }),
    look: reply(callTool('find', find)),
  },
};

interface Setup {
  maxCostUsd?: number;
  selector?: string;
  wantsAnswer?: WantedAnswer;
}

function player({ start, make }: (typeof AGENTS)[keyof typeof AGENTS]) {
  return async function play(
    script: Script,
    { selector = '.never', wantsAnswer = false, maxCostUsd }: Setup = {},
  ) {
    const api = await start(script);
    onTestFinished(() => api.close());
    const agent = make(api.url, api.apiKey);
    const record = await playTrial(await open(), {
      entryUrl: `${site.origin}/`,
      goal: 'Open the "cart".',
      ...(maxCostUsd !== undefined && { maxCostUsd }),
      assertion: { type: 'dom', selector, state: 'attached' },
      run: task => agent.run(task),
      // Only what never comes may be waited for shortly.
      expectTimeoutMs: selector === '.never' ? 200 : 20_000,
      wantsAnswer,
    });
    const asked = api.requests.map(({ body }) => JSON.stringify(body.messages));
    return { record, asked };
  };
}

describe.each(Object.entries(AGENTS))('%s', (_, agent) => {
  const play = player(agent);

  it('says twice what it would do: an error of the model, and the page is not examined', async () => {
    const { record, asked } = await play(() => reply(say('You can click on the cart.')));
    expect(record).toMatchObject({
      outcome: 'error',
      status: 'error',
      errorKind: 'agent_api',
      answer: 'You can click on the cart.',
      examination: null,
      reason: expect.stringMatching(
        /^the agent never acted: the model "claude-opus-5-5" made no valid tool call\. An agent needs a model that can call tools\. It said: You can click on the cart\.$/,
      ),
    });
    expect(asked).toHaveLength(2);
    expect(asked[1]).toContain('Your last answer had no tool call');
  });

  it('passes if its words, or the page as it is, are what was asked for', async () => {
    const { record } = await play(() => done(), { selector: '.cart' });
    expect(record).toMatchObject({ outcome: 'passed', status: 'completed', answer: 'Done.' });
  });

  it('has ended its turn if it called a tool before: the trial is graded and examined', async () => {
    const { record, asked } = await play(({ index }) =>
      index === 0 ? agent.look : done('The cart is open.'),
    );
    expect(record).toMatchObject({ outcome: 'failed', status: 'completed', answer: 'The cart is open.' });
    expect(record.examination!.findings).not.toEqual([]);
    expect(asked).toHaveLength(2);
  });
});

// By the loop that both agents have.
describe('any model', () => {
  const play = player(AGENTS.claude);

  it('says nothing, twice: the same', async () => {
    const { record } = await play(() => reply());
    expect(record).toMatchObject({
      errorKind: 'agent_api',
      reason: expect.stringMatching(/It said: \(nothing\)$/),
    });
  });

  it.each([
    ['all turns are used', String.raw`All 10 turns \(maxSteps\) are used\.`, {}],
    ['the money is spent', String.raw`.*\$0\.0\d+ of .*\$0\.02`, { maxCostUsd: 0.02 }],
  ])('calls only tools that there are not, until %s: an error of the model', async (_, end, setup) => {
    const { record } = await play(
      () => reply(call('open_cart', find), call('find', { selector: '.cart' })),
      setup,
    );
    expect(record).toMatchObject({
      errorKind: 'agent_api',
      reason: expect.stringMatching(
        `the agent never acted: the model "claude-opus-5-5" made no valid tool call\\. ${end}.* Set another model\\.$`,
      ),
    });
  });

  it('is not asked again for an answer that can be read off the page', async () => {
    const { record, asked } = await play(() => done('Plants'), { wantsAnswer: true });
    expect(record).toMatchObject({ outcome: 'failed', status: 'completed', answer: 'Plants' });
    expect(asked).toHaveLength(1);
  });

  it('goes to an address that it made up: what stands there is not examined', async () => {
    const { record } = await play(({ index }) =>
      index === 0 ? reply(call('navigate', { url: '/path/to/pages' })) : done('It is open.'),
    );
    expect(record).toMatchObject({ outcome: 'failed', status: 'completed', examination: null });
    expect(record.finalUrl).toContain('/path/to/pages');
  });
});
