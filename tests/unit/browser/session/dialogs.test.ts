import { EventEmitter } from 'node:events';
import { expect, test, vi } from 'vitest';
import { Dialogs } from '../../../../src/browser/session/dialogs';

type Listens = (page: EventEmitter, context: EventEmitter) => unknown;
const nobody: Listens = () => undefined;
const onPage: Listens = page => page.on('dialog', () => undefined);
const onContext: Listens = (_, context) => context.on('dialog', () => undefined);
const onceOnContext: Listens = (_, context) => context.once('dialog', () => undefined);

test.each<[string, suite: Listens, agent: Listens, told: unknown[]]>([
  ['nobody else answers', nobody, nobody, [{ accept: false, message: 'Sure?' }]],
  // So it does in a replay.
  ['the suite answers, of this page', onPage, nobody, []],
  ['the suite answers, of all pages', onContext, nobody, []],
  ['the suite answers one, of all pages', onceOnContext, nobody, []],
  ['the agent itself answers', nobody, onPage, [undefined]],
  ['the agent itself answers, of all pages', nobody, onContext, [undefined]],
])('what a recording gets to know if %s', (_, suite, agent, told) => {
  const page = new EventEmitter();
  const context = Object.assign(new EventEmitter(), { pages: () => [page] });
  suite(page, context);
  const dialogs = new Dialogs({ context, notice: vi.fn(), mask: (text: string) => text } as never);
  agent(page, context);
  const answers: unknown[] = [];
  dialogs.onAnswer = answer => void answers.push(answer);
  const dismiss = vi.fn(async () => undefined);
  context.emit('dialog', { page: () => page, type: () => 'confirm', message: () => 'Sure?', dismiss });
  expect(answers).toEqual(told);
  expect(dismiss).toHaveBeenCalledTimes(told[0] ? 1 : 0);
});

test.each([
  [{ held: false }, 0],
  [{ held: true }, 1],
])('a dialog that the suite has not answered yet is dismissed at the end: %o', async (given, times) => {
  const page = new EventEmitter();
  const context = Object.assign(new EventEmitter(), { pages: () => [page] });
  onPage(page, context);
  const dialogs = new Dialogs({ context, notice: vi.fn(), mask: (text: string) => text } as never);
  const dismiss = vi.fn(async () => undefined);
  context.emit('dialog', { page: () => page, type: () => 'confirm', message: () => 'Sure?', dismiss });
  await dialogs.dismissOpen(given);
  expect(dismiss).toHaveBeenCalledTimes(times);
});
