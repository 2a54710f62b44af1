// Agents that misbehave: each trial ends with a record and one clear reason, and no later trial is harmed.
import { beforeAll, expect, test } from 'vitest';
import { config, makeSuite, type Run, spec, startSite, TASKS_TEST_IN_ONE_WORKER } from './suite';

const PAGE = `<button onclick="done.hidden=false">Go</button><p id="done" hidden>Done</p>
<a href="/second" target="_blank">Second</a><button onclick="alert('stop')">Alert</button>`;

interface Row {
  name: string;
  run: string;
  /** Of a trial. */
  outcome?: 'passed' | 'failed' | 'error';
  status: string;
  errorKind?: string;
  reason: RegExp;
  maxCostUsd?: number;
  /** Its turns may take 2 s instead of 30 s. */
  hasty?: true;
  /** Played as a trial, for what comes after the agent. The others run in a hand-written test: one test costs less than a trial each. */
  asTrial?: true;
}

const rows: Row[] = [
  {
    name: 'throws',
    run: `throw new Error('the plan is lost')`,
    status: 'error',
    errorKind: 'internal',
    reason: /agent "bad" threw: the plan is lost \([\w.]+:\d+\)/,
  },
  {
    name: 'returns nonsense',
    run: `return { status: 'great' }`,
    status: 'error',
    errorKind: 'internal',
    reason: /resolved to \{"status":"great"\}; it must resolve to nothing, to \{ answer/,
  },
  {
    name: 'answers what is no JSON',
    run: `const loop = {}; loop.loop = loop; return { answer: loop }`,
    status: 'error',
    errorKind: 'internal',
    reason: /resolved to an answer that is not JSON; it must resolve to nothing/,
  },
  {
    name: 'gives up',
    asTrial: true,
    run: `return { status: 'gave_up', reason: 'there is no such button' }`,
    outcome: 'failed',
    status: 'gave_up',
    reason: /the agent gave up: there is no such button; .*on http:.* before its first turn$/,
  },
  {
    name: 'never ends',
    run: `await task.turn('wait', () => new Promise(() => {}))`,
    status: 'timed_out',
    reason: /the time limit \(2 turns of 2 s\) was reached/,
    hasty: true,
  },
  {
    name: 'ignores its limits',
    run: `for (;;) { try { await task.turn('again', () => {}); } catch (error) { if (task.signal.aborted) return; if (!task.turnsLeft) return; } }`,
    status: 'max_steps',
    reason: /used all 2 turns without ending/,
  },
  {
    name: 'awaits no turn',
    run: `task.turn('click "Go"', () => task.page.getByText('Go').click())`,
    status: 'error',
    errorKind: 'internal',
    reason: /agent "bad" ended while a turn was still running: await task\.turn/,
  },
  {
    name: 'does not await its last turn',
    run: `await task.turn('look', () => {}); task.turn('click "Go"', () => new Promise(() => {}))`,
    status: 'error',
    errorKind: 'internal',
    reason: /agent "bad" ended while a turn was still running/,
  },
  {
    name: 'closes the page',
    asTrial: true,
    run: `await task.page.close()`,
    outcome: 'failed',
    status: 'completed',
    reason: /no tab was open when the agent ended/,
  },
  {
    name: 'closes the context',
    asTrial: true,
    run: `await task.context.close()`,
    outcome: 'error',
    status: 'error',
    errorKind: 'browser',
    reason: /the browser or its context was closed/,
  },
  {
    name: 'leaves a dialog open',
    asTrial: true,
    run: `task.page.on('dialog', () => {});
      await task.turn('open a dialog', () => { task.page.getByRole('button', { name: 'Alert' }).click().catch(() => {}); return task.page.waitForEvent('dialog'); });`,
    outcome: 'failed',
    status: 'completed',
    reason: /"#done" matches 1, but none is visible/,
  },
  {
    name: 'reports an action with an error that is no text',
    run: `await task.turn('look', turn => turn.action({ title: 'look', error: new Error('no') }))`,
    status: 'error',
    errorKind: 'internal',
    reason: /turn\.action: error: Invalid input/,
  },
  {
    name: 'records an action with an element in it',
    run: `await task.turn('drag', turn => turn.record({ do: 'drag', to: task.page.locator('body') }, task.page.getByText('Go')))`,
    status: 'error',
    errorKind: 'internal',
    reason: /turn\.record: to: Invalid input: expected string/,
  },
  {
    name: 'reports nonsense usage',
    run: `task.usage({ inputTokens: 1e308 })`,
    status: 'error',
    errorKind: 'internal',
    reason: /usage: inputTokens must be a number from 0 to 1000000000000, not 1e\+308/,
  },
  {
    name: 'can not reach its model',
    run: `const { AgentApiError } = await import('@taskproof/playwright'); throw new AgentApiError('429: slow down')`,
    status: 'error',
    errorKind: 'agent_api',
    reason: /429: slow down/,
  },
  {
    name: 'spends too much, after a request of unknown cost',
    run: `task.usage({ inputTokens: 1 }); for (;;) await task.turn('think', () => task.usage({ inputTokens: 1000, costUsd: 0.3 }))`,
    status: 'budget_exceeded',
    reason: /of its maxCostUsd of \$0.2/,
    maxCostUsd: 0.2,
  },
  {
    name: 'does its task in a new tab',
    asTrial: true,
    run: `await task.turn('click "Second"', () => task.page.getByText('Second').click());
      await task.turn('look', async () => { if (!task.page.url().endsWith('/second')) throw new Error('not followed: ' + task.page.url()); });`,
    outcome: 'passed',
    status: 'completed',
    reason: /^null$/,
  },
  {
    name: 'leaves its judge what is known to be left',
    asTrial: true,
    run: `await task.turn('click Go', () => { task.usage({ inputTokens: 1 }); task.usage({ costUsd: 0.75 }); return task.page.getByText('Go').click(); })`,
    outcome: 'failed',
    status: 'completed',
    reason: /the judge: left are \$0\.25/,
    maxCostUsd: 1,
  },
];

/** Do their task. */
const GOOD = ['after-a-dialog', 'after-a-new-tab'];

const RUBRIC = 'judge: It was done.\nmaxCostUsd: 1\n';
const JUDGE =
  "{ name: 'own', judge: async ({ budgetUsd }) => ({ passed: false, reason: 'left are $' + budgetUsd }) }";

const id = ({ name }: Pick<Row, 'name'>) => name.replaceAll(' ', '-');
const hand = rows.filter(({ asTrial }) => !asTrial);
const trials = rows.filter(({ asTrial }) => asTrial);

/** In this order, in one worker. */
const PLAYED = [
  'leaves-a-dialog-open',
  'after-a-dialog',
  'does-its-task-in-a-new-tab',
  'after-a-new-tab',
  'closes-the-page',
  'closes-the-context',
  'gives-up',
  'leaves-its-judge-what-is-known-to-be-left',
];

const byHandTest = (url: string) => `import { writeFileSync } from 'node:fs';
import { test } from '@taskproof/playwright';
test('by hand', async ({ page, agent }) => {
  const outcomes = {};
  const answers = {};
  for (const [id, caps] of ${JSON.stringify(hand.map(({ maxCostUsd, hasty, ...row }) => [id(row), { maxCostUsd, ...(hasty ? { turnTimeoutMs: 2000 } : {}) }]))}) {
    await page.goto('${url}');
    const { status, reason } = await agent.run(id, { maxSteps: 2, ...caps }).catch(error => ({ status: 'error', reason: error.message }));
    await agent.run('good');
    outcomes[id] = { status, reason, goodAfterwards: await page.locator('#done').isVisible() };
  }
  writeFileSync('outcomes.json', JSON.stringify(outcomes));
  for (const answer of [undefined, true, { type: 'object', properties: { from: { const: 11 } } }]) {
    const outcome = await agent.run('answer', { answer });
    answers[JSON.stringify(answer) ?? 'not asked'] = outcome.answer ?? 'none';
  }
  answers.nothing = (await agent.run('good')).answer ?? 'none';
  answers.wrong = await agent.run('answer', { answer: { type: 'money' } }).catch(error => error.message);
  writeFileSync('answers.json', JSON.stringify(answers));
});`;

let run: Run;
let answers: unknown;
let outcomes: Record<string, { status: string; reason: string | null; goodAfterwards: boolean }>;

// One run and one worker for all: a trial that harmed a later one would show in the next one.
beforeAll(async () => {
  const site = await startSite({ '/': PAGE, '/second': '<p id="done">Done</p>' });
  const agents = rows.map(row => `'${id(row)}': async task => { ${row.run} }`);
  const suite = makeSuite({
    'playwright.config.ts': config({
      imports: `const bad = { ${agents.join(',\n')} };
bad.answer = async task => ({ answer: typeof task.wantsAnswer === 'object' ? '{"from":11}' : ' ' + JSON.stringify(task.wantsAnswer) + ', with ' + task.secrets.PASS });
const go = task => task.turn('click Go', () => task.page.getByText('Go').click());`,
      taskproof: `{ secrets: { PASS: 'correct horse' }, judge: ${JUDGE}, agent: defineAgent({ name: 'bad', run: task => (bad[task.specId ?? task.goal] ?? go)(task) }) }`,
    }),
    'by-hand.spec.ts': byHandTest(`${site.url}/`),
    ...Object.fromEntries(
      PLAYED.map((name, place) => [
        `tasks/${place}-${name}.yaml`,
        spec({
          id: name,
          url: `${site.url}/`,
          extra: `maxSteps: 2\n${name.includes('judge') ? RUBRIC : ''}`,
        }),
      ]),
    ),
    'tasks.spec.ts': TASKS_TEST_IN_ONE_WORKER,
  });
  run = await suite.playwright(['test']);
  outcomes = JSON.parse(suite.read('outcomes.json'));
  answers = JSON.parse(suite.read('answers.json'));
});

test.each(trials)('an agent that $name', row => {
  const verdictOf = (spec: string) => run.results().verdicts.find(verdict => verdict.spec === spec);
  const bad = verdictOf(id(row))!;
  expect(bad.trials[0], run.output).toMatchObject({ outcome: row.outcome, status: row.status });
  expect(bad.trials[0]!.errorKind).toBe(row.errorKind);
  expect(String(bad.trials[0]!.reason)).toMatch(row.reason);
  expect(bad.verdict).toBe({ passed: 'passed', failed: 'failed', error: 'inconclusive' }[row.outcome!]);
});

test.each(GOOD)('no later trial is harmed: %s', good => {
  expect(run.results().verdicts.find(({ spec }) => spec === good)).toMatchObject({ verdict: 'passed' });
});

test.each(hand)('an agent that $name, in a hand-written test', row => {
  const { status, reason, goodAfterwards } = outcomes[id(row)]!;
  expect({ status, goodAfterwards }, run.output).toEqual({ status: row.status, goodAfterwards: true });
  expect(String(reason)).toMatch(row.reason);
  if (row.errorKind) expect(reason).toContain(`agent.run, error: ${row.errorKind}: `);
});

test('the answer of a hand-written run is as it was asked for, without secrets', () => {
  expect(answers).toEqual({
    'not asked': 'false, with <secret>PASS</secret>',
    true: 'true, with <secret>PASS</secret>',
    '{"type":"object","properties":{"from":{"const":11}}}': { from: 11 },
    nothing: 'none',
    wrong: expect.stringMatching(/agent\.run\(\): answer.* must be true, false or a JSON Schema/s),
  });
});

test('such a run fails', () => {
  expect(run.exitCode, run.output).toBe(1);
});
