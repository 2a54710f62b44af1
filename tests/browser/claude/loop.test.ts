import { describe, expect, it } from 'vitest';
import { harness, html } from '../../support/claude-harness';
import { type ClaudeSetup, playClaude } from '../../support/claude-play';
import {
  byRef,
  call,
  callTool,
  done,
  type JsonObject,
  reply,
  type Script,
  say,
  think,
} from '../../support/messages-api';

const pages = harness({
  '/': html(
    `<h1>Pricing</h1><button onclick="document.title='started'">Start free trial</button>
     <button onclick="document.title = String(confirm('Really?'))">Delete</button><input aria-label="Password">
     <p>Signed in with correct horse</p><a href="/next" target="_blank">More</a>`,
    'Shop',
  ),
  '/next': html('<h1>Next</h1>', 'Next'),
});

// Longer than a test may take.
const SLOW_MS = 90_000;
let newest: Awaited<ReturnType<typeof playClaude>>;

async function play(script: Script, setup: ClaudeSetup = {}) {
  const given = { goal: '  Start the "free" trial.\n', ...setup };
  newest = await playClaude(await pages.openPage('/'), script, given);
  return newest;
}

async function ended(script: Script, setup: ClaudeSetup = {}) {
  await (await play(script, setup)).outcome;
  return newest;
}

const bodyOf = (index: number) => newest.requests[index]!.body;
const messagesOf = (index: number) => newest.messagesOf(index);

describe('a trial', () => {
  it('plays from reading to a click to the end, and hands the goal over verbatim', async () => {
    const { page, task, outcome } = await play(request => {
      if (request.index === 0) return reply(think('Let me look.'), call('read_page'));
      if (request.index === 1) {
        const target = byRef(request.ref(/button "Start free trial"/));
        return reply(say('There it is.'), call('left_click', { target }), call('screenshot'));
      }
      return done('The trial has started.');
    });
    expect(await outcome).toEqual({ answer: 'The trial has started.' });
    expect(await page.title()).toBe('started');
    expect(messagesOf(0)[0]!.content[0]).toEqual({ type: 'text', text: '  Start the "free" trial.\n' });
    expect(task.turns.map(turn => [turn.title, turn.narration])).toEqual([
      ['read the page', ['Let me look.']],
      ['click button "Start free trial", then take a screenshot', ['There it is.']],
      ['finish: The trial has started.', ['The trial has started.']],
    ]);
    const [click, picture] = task.turns[1]!.actions;
    expect(click).toMatchObject({
      title: 'click button "Start free trial"',
      point: { x: expect.any(Number) },
    });
    expect(picture!.title).toBe('take a screenshot');
    expect(messagesOf(2)[1]!.content[0]).toMatchObject({ type: 'thinking', thinking: 'Let me look.' });
    expect(newest.requests.every(request => request.status === 200)).toBe(true);
  });

  it('plays with the computer toolset, for a model that does not think by itself', async () => {
    const script = [reply(call('screenshot', {}, 'computer')), done()];
    const { task } = await ended(script, {
      options: { tools: 'computer', model: 'claude-sonnet-4-6' },
    });
    expect(bodyOf(1).tools).toMatchObject([{ type: 'computer_toolset_20260801' }, {}, {}]);
    expect(bodyOf(0)).not.toHaveProperty('thinking');
    expect(task.turns[0]!.title).toBe('take a screenshot');
  });

  it('tells what happened beside the calls, and answers dialogs as the model says', async () => {
    const { page, task } = await ended(request => {
      const target = () => byRef(request.ref(/button "Delete"/));
      if (request.index === 0) return reply(call('find', { query: 'delete button' }));
      if (request.index === 1) return reply(call('left_click', { target: target() }));
      if (request.index === 2)
        return reply(callTool('next_dialog', { accept: true }), call('left_click', { target: target() }));
      return request.index === 3
        ? reply(call('new_tab'))
        : request.index === 4
          ? reply(call('screenshot'))
          : done();
    });
    const told = messagesOf(2).at(-1)!.content[0]!.content as JsonObject[];
    expect(told.map(part => part.type)).toEqual(['text', 'text', 'browser_state']);
    expect(told[1]!.text).toMatch(
      /^A dialog \(confirm\) said "Really\?" and was dismissed\. To answer it otherwise/,
    );
    expect(await page.title()).toBe('true');
    expect(task.turns[2]!.actions.map(action => action.title)).toEqual([
      'accept the next dialog',
      'click button "Delete"',
    ]);
    // The answer to new_tab holds nothing but the tabs, so its notice comes with the next result.
    expect(JSON.stringify(messagesOf(4).at(-1))).not.toContain('A new tab opened');
    expect(JSON.stringify(messagesOf(5).at(-1))).toContain('A new tab opened');
  });

  it('does not run what follows a call that failed, and answers all of them', async () => {
    const { task } = await ended([
      reply(
        call('left_click', { target: byRef('ref_99') }),
        call('type', { text: 'x' }),
        callTool('next_dialog', { accept: true }),
        callTool('give_up', { reason: 'Too early.' }),
        call('read_page'),
      ),
      done(),
    ]);
    const results = messagesOf(1).at(-1)!.content;
    expect(results.map(result => result.is_error)).toEqual([true, true, true, true, true]);
    for (const result of results.slice(1))
      expect(JSON.stringify(result)).toContain('Not executed: an earlier action in this turn failed.');
    expect(task.turns[0]!.actions).toEqual([
      { title: 'click ref_99', error: expect.stringContaining('There is no ref_99') },
    ]);
  });

  it('sends invalid input and unknown tools back to the model', async () => {
    const { task } = await ended([
      reply(call('left_click', { where: 'there' })),
      reply(callTool('fly', {})),
      reply(callTool('give_up', {})),
      reply(call('warp', {})),
      done(),
      // It is asked again, since it has not called any tool that there is.
      done(),
    ]);
    const errors = [1, 2, 3, 4].map(index => JSON.stringify(messagesOf(index).at(-1)!.content[0]));
    expect(errors[0]).toContain('Invalid input for left_click');
    expect(errors[1]).toContain('There is no tool');
    expect(errors[2]).toContain('give_up needs a reason');
    expect(errors[3]).toContain("unknown browser toolset member 'warp'");
    expect(errors.every(error => error.includes('"is_error":true'))).toBe(true);
    expect(task.turns.map(turn => turn.actions[0]?.title)).toEqual([
      'left_click',
      'fly',
      'give_up',
      'warp',
      undefined,
      undefined,
    ]);
  });

  it('keeps secrets from the model, in both directions', async () => {
    const { page, task } = await ended(
      request =>
        request.index === 0
          ? reply(call('find', { query: 'password' }))
          : request.index === 1
            ? reply(
                call('left_click', { target: byRef(request.ref(/Password/)) }),
                call('type', { text: '<secret>SHOP_PASSWORD</secret>' }),
                call('read_page'),
                call('get_page_text'),
              )
            : done(),
      { secrets: { SHOP_PASSWORD: 'correct horse' } },
    );
    expect(await page.getByLabel('Password').inputValue()).toBe('correct horse');
    const sent = JSON.stringify(newest.requests.map(request => request.body));
    expect(sent).not.toContain('correct horse');
    expect(sent).toContain('Secrets that you may type: <secret>SHOP_PASSWORD</secret>.');
    expect(sent).toContain('Signed in with <secret>SHOP_PASSWORD</secret>');
    expect(JSON.stringify(task.turns)).not.toContain('correct horse');
  });
});

describe('endings', () => {
  it('gives up with a reason', async () => {
    const { outcome, task } = await play([
      reply(say('No.'), callTool('give_up', { reason: 'There is no such plan.' })),
    ]);
    expect(await outcome).toEqual({ status: 'gave_up', reason: 'There is no such plan.' });
    expect(task.turns[0]).toMatchObject({
      title: 'give up: There is no such plan.',
      actions: [{ title: 'give up: There is no such plan.' }],
    });
  });

  it('shows a refusal as one, with its reason', async () => {
    const stopDetails = { type: 'refusal', category: 'cyber', explanation: 'Not this.' };
    const { outcome, task } = await play([
      { content: [say('I can not.')], stopReason: 'refusal', stopDetails },
    ]);
    await expect(outcome).rejects.toMatchObject({
      name: 'AgentApiError',
      message:
        'claude: the model "claude-opus-5-5" refuses to do this task (cyber: Not this.). Reword the goal, or set another model.',
    });
    expect(task.turns).toMatchObject([{ title: 'the model refuses', narration: ['I can not.'] }]);
  });

  it('goes on after an answer that was cut off, and runs no half call', async () => {
    const { page, task } = await ended(
      [
        { content: [say('I will click and')], stopReason: 'max_tokens' },
        { content: [think('a long thought')], stopReason: 'max_tokens' },
        reply(say('Done.')),
      ],
      { wantsAnswer: true },
    );
    expect(messagesOf(1)).toMatchObject([
      {},
      { content: [{ text: 'I will click and' }] },
      { content: [{ text: expect.stringContaining('cut off at 8192 tokens') }] },
    ]);
    expect(messagesOf(2)).toHaveLength(3);
    expect(task.turns.map(turn => turn.title)).toEqual([
      'the answer is cut off at 8192 tokens',
      'the answer is cut off at 8192 tokens',
      'finish: Done.',
    ]);
    const half = await play(
      [{ content: [call('navigate', { url: '/next' })], stopReason: 'max_tokens' }, done()],
      { wantsAnswer: true },
    );
    await half.outcome;
    expect(await half.page.title()).toBe('Shop');
    expect(JSON.stringify(messagesOf(1).at(-1))).toContain('none of its calls was run');
    expect(page).toBeTruthy();
  });

  it('ends where every answer is cut off', async () => {
    const { outcome } = await play(() => ({ content: [say('and')], stopReason: 'max_tokens' }));
    await expect(outcome).rejects.toThrow(
      '3 answers in a row were cut off at 8192 tokens. Raise claude({ maxTokens })',
    );
  });

  it('makes room where the context is full, and ends where it can not', async () => {
    await ended([
      reply(think('a'), call('screenshot')),
      reply(think('b'), call('screenshot')),
      { content: [], stopReason: 'model_context_window_exceeded' },
      done(),
    ]);
    const sent = JSON.stringify(messagesOf(3));
    expect(sent.match(/"type":"image"/g)).toHaveLength(1);
    expect(sent.match(/"type":"thinking"/g)).toHaveLength(1);
    const full = await play(() => ({ content: [], stopReason: 'model_context_window_exceeded' }));
    await expect(full.outcome).rejects.toThrow(
      'no longer fits into the context of the model "claude-opus-5-5"',
    );
  });

  it.each(['constructor', 'pause_turn'])('refuses an end that it does not know: %s', async stopReason => {
    const { outcome } = await play(() => ({ content: [say('and')], stopReason: stopReason as 'end_turn' }));
    await expect(outcome).rejects.toThrow(`the answer ended with "${stopReason}", which this version`);
  });

  it('stops at its turns without asking the model again', async () => {
    const { outcome } = await play(() => reply(call('read_page')), { maxSteps: 3 });
    await expect(outcome).rejects.toMatchObject({ name: 'TurnLimitError' });
    expect(newest.requests).toHaveLength(3);
  });

  it('stops in the middle of a request when the trial ends', async () => {
    const { outcome, task } = await play([{ fault: 'slow', delayMs: SLOW_MS }]);
    await expect.poll(() => newest.requests.length).toBe(1);
    task.abort(new Error('interrupted'));
    await expect(outcome).rejects.toThrow('interrupted');
  });
});

describe('an end without a call', () => {
  it.each<[string, JsonObject[]]>([
    ['that is empty', []],
    ['of a thought alone', [think('I should click Start now.')]],
    ['of what comes next', [say("I'll click Start now.")]],
  ])('%s is asked about once, and the trial goes on', async (_, content) => {
    const { page, task } = await ended(request => {
      if (request.index === 0) return reply(call('find', { query: 'free trial' }));
      if (request.index === 1) return { content, stopReason: 'end_turn' };
      const target = () => byRef(request.ref(/button "Start free trial"/));
      return request.index === 2 ? reply(call('left_click', { target: target() })) : done('It has started.');
    });
    expect(await page.title()).toBe('started');
    expect(task.turns).toHaveLength(4);
    const asked = messagesOf(2).at(-1)!.content;
    expect(JSON.stringify(asked)).toContain('Your last answer had no tool call');
    // No text behind results, which is what makes models end like that.
    for (const { role, content: sent } of messagesOf(2))
      if (role === 'user' && sent.some(({ type }) => type === 'tool_result'))
        expect(sent.every(({ type }) => type === 'tool_result')).toBe(true);
  });

  it('is believed the second time, and at once where it claims a result', async () => {
    const { outcome, task } = await play([{ content: [] }, { content: [] }], { wantsAnswer: true });
    expect(await outcome).toMatchObject({ answer: '' });
    expect(task.turns.map(({ title }) => title)).toEqual(['an empty answer', 'finish']);
    const claimed = await play([done('The trial has started; the page says "Welcome".')], {
      wantsAnswer: true,
    });
    await claimed.outcome;
    expect(claimed.task.turns).toHaveLength(1);
  });
});

describe('a structured answer', () => {
  const price = { type: 'object', properties: { price: { type: 'number' } }, required: ['price'] };

  it('is given by a call, which ends the task', async () => {
    const { outcome, task } = await play([reply(say('Here.'), callTool('answer', { price: 12.5 }))], {
      wantsAnswer: price,
    });
    expect(await outcome).toEqual({ answer: { price: 12.5 } });
    expect(task.turns.map(({ title, narration }) => [title, narration])).toEqual([
      ['answer: {"price":12.5}', ['Here.', '{"price":12.5}']],
    ]);
  });

  it('that does not fit is refused, and words are asked about once', async () => {
    const script = [
      reply(callTool('answer', { price: 'twelve' })),
      done('It costs twelve.'),
      reply(callTool('answer', { price: 12 })),
    ];
    const { outcome } = await play(script, { wantsAnswer: price });
    expect(await outcome).toEqual({ answer: { price: 12 } });
    expect(JSON.stringify(messagesOf(1).at(-1))).toContain('Invalid input for answer. price: ');
    expect(JSON.stringify(messagesOf(2).at(-1))).toContain('If the task is done, call answer;');
  });

  it('in words is taken the second time', async () => {
    const { outcome } = await play([done('{"price":12}'), done('{"price":12}')], { wantsAnswer: price });
    expect(await outcome).toMatchObject({ answer: '{"price":12}' });
  });

  it('is no tool of other tasks', async () => {
    const { outcome } = await play([reply(callTool('answer', {})), done()], { wantsAnswer: true });
    expect(await outcome).toEqual({ answer: 'Done.' });
    expect(JSON.stringify(messagesOf(1).at(-1))).toContain('There is no tool \\"answer\\" here.');
  });
});

describe('reminders', () => {
  it('come once when three quarters of the turns are used', async () => {
    await ended(
      request => (request.index < 8 ? reply(call('find', { query: `word ${request.index}` })) : done()),
      { maxSteps: 10 },
    );
    const reminded = newest.requests.map(({ body }) =>
      JSON.stringify((body.messages as JsonObject[]).at(-1)).includes('turns are used'),
    );
    expect(reminded.indexOf(true)).toBe(8);
    expect(reminded.filter(Boolean)).toHaveLength(1);
    expect(JSON.stringify(messagesOf(8).at(-1))).toContain('8 of 10 turns are used, 2 are left');
    const types = messagesOf(8)
      .at(-1)!
      .content.map(({ type }) => type);
    expect(types, 'the reminder stands in the result').toEqual(['tool_result']);
  });

  it('come when the same calls have no effect', async () => {
    await ended(request => (request.index < 4 ? reply(call('key', { text: 'Escape' })) : done()));
    const reminded = [1, 2, 3, 4].map(index =>
      JSON.stringify(messagesOf(index).at(-1)).includes('the same calls 3 times'),
    );
    expect(reminded).toEqual([false, false, true, false]);
  });

  it('come also if one look in between failed', async () => {
    const { outcome, page } = await play(request =>
      request.index < 3 ? reply(call('key', { text: 'Escape' })) : done(),
    );
    const read = page.ariaSnapshotJSON.bind(page);
    let looks = 0;
    page.ariaSnapshotJSON = options =>
      ++looks === 2 ? Promise.reject(new Error('no answer')) : read(options);
    await outcome;
    page.ariaSnapshotJSON = read;
    expect(JSON.stringify(messagesOf(1).at(-1))).toContain('too large or too busy');
    expect(JSON.stringify(messagesOf(3).at(-1))).toContain('the same calls 3 times');
  });

  it('do not come when they have', async () => {
    await ended(request =>
      request.index === 0
        ? reply(
            call('find', { query: 'password' }),
            call('form_input', { target: byRef('ref_1'), value: '' }),
          )
        : request.index < 5
          ? reply(call('left_click', { target: byRef(request.ref(/textbox/)) }), call('type', { text: 'x' }))
          : done(),
    );
    expect(JSON.stringify(newest.requests.at(-1)!.body)).not.toContain('the same calls');
  });
});
