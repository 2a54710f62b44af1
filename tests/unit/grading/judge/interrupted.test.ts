// A trial that is stopped while it is graded has not passed, whatever held until then.
import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import type { Judge } from '../../../../src/grading/judge';
import { Secrets } from '../../../../src/text/secrets';
import type { AgentEnd } from '../../../../src/trial/run-agent';
import { Trial } from '../../../../src/trial/trial';
import { judgedTrial } from './trials';

const URL = 'http://127.0.0.1:4173/sent';

interface More {
  onPicture?: () => void;
  /** Called before the trial is graded. */
  onEnd?: () => void;
  run?: () => Promise<unknown>;
  events?: object[];
}

function trialWith(
  judge: Judge['judge'],
  { onPicture = () => {}, onEnd = () => {}, run, events = [] }: More = {},
) {
  const page = Object.assign(new EventEmitter(), {
    url: () => URL,
    goto: async () => undefined,
    waitForLoadState: async () => undefined,
    waitForFunction: async () => undefined,
    screenshot: async () => {
      onPicture();
      return Buffer.from('picture');
    },
    viewportSize: () => null,
    isClosed: () => false,
    locator: () => ({ first: () => ({ innerText: async () => 'Sent.' }) }),
  });
  const context = Object.assign(new EventEmitter(), {
    pages: () => [page],
    request: { get: () => Promise.reject(new Error('apiRequestContext.get: connect ECONNREFUSED')) },
  });
  Object.assign(page, { context: () => context });
  const { spec } = judgedTrial();
  const plan = {
    ...spec,
    spec: { ...spec, assertions: [{ type: 'url', pattern: '**/sent' }] },
    agent: { name: 'quick', run: run ?? (async () => undefined) },
    judge: { name: 'mine', judge },
    turnTimeoutMs: 1_000,
    expectTimeoutMs: 1_000,
    seed: 1,
    secrets: new Secrets(),
    locate: () => ({ file: 'task.yaml', line: 1, column: 1 }),
  };
  const opened = {
    session: {
      page,
      context,
      notices: [],
      dialogs: { isOpenOn: () => false, dismissOpen: async () => undefined },
      followTabs: async () => undefined,
      keepActiveTab: onEnd,
      onAdmitted: (check: (on: unknown) => unknown) => check(page),
    },
    network: { events, startedAt: performance.now() - 10_000 },
    refusals: [],
    guard: 'protocol',
  };
  const stage = { step: (_: string, body: (attach: unknown) => unknown) => body(async () => undefined) };
  // The parts that a trial without turns asks for; the whole of them needs a browser.
  return new Trial(plan as never, opened as never, stage as never);
}

const STOPPED: AgentEnd = {
  status: 'timed_out',
  errorKind: null,
  reason: 'the test timed out after 1 s',
};

test('one that nothing stops passes with its judge', async () => {
  let keepsTab = false;
  const onEnd = () => {
    keepsTab = true;
  };
  const record = await trialWith(async () => ({ passed: keepsTab, reason: 'fine' }), { onEnd }).run();
  expect(record).toMatchObject({ outcome: 'passed', judge: { passed: true, name: 'mine' } });
});

test('stopped while it is judged, it is an error of the judge', async () => {
  let begin = () => {};
  const begun = new Promise<void>(resolve => {
    begin = resolve;
  });
  const trial = trialWith(() => {
    begin();
    return new Promise(() => undefined);
  });
  const running = trial.run();
  await begun;
  trial.stop(STOPPED);
  expect(trial.record()).toMatchObject({
    outcome: 'error',
    errorKind: 'judge',
    reason: 'the judge did not finish: the test timed out after 1 s',
    judge: null,
  });
  expect(await running).toMatchObject({ outcome: 'error', errorKind: 'judge' });
});

test('stopped before its assertions have ended, it has failed', async () => {
  const trial = trialWith(async () => ({ passed: true, reason: 'fine' }), {
    onPicture: () => trial.stop(STOPPED),
  });
  await trial.run();
  expect(trial.record()).toMatchObject({ outcome: 'failed', status: 'timed_out' });
});

test.each([
  ['refused', { failure: 'net::ERR_CONNECTION_REFUSED' }, 'error'],
  ['waiting for an answer', {}, 'error'],
  ['waiting since a moment ago', { startedAtMs: 9_000 }, 'failed'],
  ['aborted by the page', { failure: 'net::ERR_ABORTED' }, 'failed'],
  ['answered by the guard', { answeredBy: 'guard' }, 'failed'],
])('if the site does not answer any more, and a request is %s: %s', async (_, of, outcome) => {
  const request = { url: URL, method: 'GET', status: null, startedAtMs: 1, ...of };
  const run = async () => ({ status: 'gave_up', reason: 'The page is gone.' });
  const record = await trialWith(async () => ({ passed: true, reason: 'fine' }), {
    run,
    events: [request],
  }).run();
  expect(record.outcome).toBe(outcome);
  expect(record.errorKind).toBe(outcome === 'error' ? 'site_unreachable' : null);
});
