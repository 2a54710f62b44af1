import { expect, test } from 'vitest';
import type { SessionTask } from '../../../../src/agents/agent';
import { opening } from '../../../../src/agents/model/conversation';

const task = (done: string[]) =>
  ({
    goal: 'Order a fern with 4000.',
    entryUrl: 'http://127.0.0.1/',
    allowedDomains: ['127.0.0.1'],
    maxSteps: 9,
    secrets: { CARD: '4000' },
    done,
    mask: (text: string) => text.replaceAll('4000', '<secret>CARD</secret>'),
  }) as unknown as SessionTask;
const factsOf = (done: string[]) => (opening(task(done), [])[1] as { text: string }).text;

test('a goal that holds a secret names it', () => {
  expect(opening(task([]), [])[0]).toEqual({
    type: 'text',
    text: 'Order a fern with <secret>CARD</secret>.',
  });
});

test('who takes over from a recording is told what was done, without secrets', () => {
  const facts = factsOf(['click button "Add"', 'enter "4000" into "Card"']);
  expect(facts).toContain(
    'Done already, in this order:\n- click button "Add"\n- enter "<secret>CARD</secret>" into "Card"\n',
  );
  expect(facts).toContain('do not do these again');
});
