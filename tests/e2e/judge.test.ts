// The judge in a user's suite: a server of ours plays its model, the agent is lexical(). Without a key: tests/unit/report/planning.test.ts.
import type { JSONReportTestResult } from '@playwright/test/reporter';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ResultRow } from '../../src/data/verdict';
import { testsIn } from '../support/json-report';
import { decision, json, playJudge } from '../support/judge-model';
import { startMessagesApi, status } from '../support/messages-api';
import {
  config,
  makeSuite,
  type Run,
  type Suite,
  spec,
  startSite,
  TASKS_TEST_IN_ONE_WORKER,
  WITH_JSON,
} from './suite';

const KEY = 'sk-ant-the-key-of-this-judge';
const PAGE = `<button onclick="done.hidden=false">Go</button><p id="done" hidden>Your message was sent.</p>`;
const RUBRIC = `judge: The message was sent once.\nmaxCostUsd: 0.5\n`;

/** Playwright's own report, a trial by its spec. */
const resultOf = (report: string, spec: string) =>
  testsIn(report).find(({ title }) => title.startsWith(`${spec} `))!.results[0]!;

const attached = ({ attachments }: JSONReportTestResult, name: string) =>
  Buffer.from(attachments.find(each => each.name === name)!.body!, 'base64').toString();

let api: Awaited<ReturnType<typeof startMessagesApi>>;
let suite: Suite;
let run: Run;
let verdicts: Record<string, ResultRow>;
afterAll(() => api.close());

// The last trial is interrupted while its judge decides.
beforeAll(async () => {
  let reached = () => {};
  const deciding = new Promise<void>(resolve => {
    reached = resolve;
  });
  const { url } = await startSite({ '/': PAGE });
  const tasks = {
    'tasks/1-holds.yaml': spec({ id: 'holds', url, extra: RUBRIC }),
    'tasks/2-no-rubric.yaml': spec({ id: 'no-rubric', url, goal: 'Click "Go"' }),
    'tasks/5-breaks.yaml': spec({ id: 'breaks', url, goal: 'Click the "Go" button', extra: RUBRIC }),
    'tasks/3-lost.yaml': spec({
      id: 'lost',
      url,
      goal: 'Click "Go"',
      extra: RUBRIC,
      assertions: `  - type: dom\n    selector: '#nowhere'\n`,
    }),
    'tasks/6-interrupted.yaml': spec({ id: 'interrupted', url, goal: 'Click on "Go"', extra: RUBRIC }),
    'tasks/4-unreached.yaml': spec({ id: 'unreached', url, goal: 'Press "Go"', extra: RUBRIC }),
  };
  api = await startMessagesApi({
    apiKey: KEY,
    script: playJudge({
      'key points': () => json({ keyPoints: ['The message was sent', 'It was sent once'] }),
      decision: request => {
        if (request.text.includes('Press "Go"')) return status(500);
        if (request.text.includes('Click on "Go"')) {
          reached();
          return { fault: 'slow', delayMs: 60_000 };
        }
        return json(
          request.text.includes('Click the "Go" button')
            ? decision(request, false, 'The message was sent twice: turn 2 repeats it.')
            : decision(request),
        );
      },
    }),
  });
  suite = makeSuite({
    ...tasks,
    'agents.spec.ts': TASKS_TEST_IN_ONE_WORKER,
    'playwright.config.ts': config({
      taskproof: `{ agent: lexical(), judge: webJudge({ baseURL: '${api.url}', maxRetries: 0 }) }`,
      reporters: WITH_JSON,
    }),
  });
  const { process: child, done } = suite.start(['test'], { ANTHROPIC_API_KEY: KEY });
  await Promise.race([deciding, done]);
  // As a CI that cancels does. Ctrl-C: faults.test.ts.
  child.kill('SIGTERM');
  run = await done;
  verdicts = Object.fromEntries(run.results().verdicts.map(verdict => [verdict.spec, verdict]));
});

test('a rubric that holds passes, one that does not fails with its reason; what is not to be judged is not', () => {
  expect(run.output).not.toContain(KEY);
  expect(verdicts, run.output).toMatchObject({
    holds: { verdict: 'passed', reason: null },
    breaks: { verdict: 'failed', failures: 1 },
    'no-rubric': { verdict: 'passed', costUsd: 0 },
    lost: { verdict: 'failed', costUsd: 0 },
  });
  expect(verdicts.breaks!.reason).toContain('the judge: The message was sent twice: turn 2 repeats it');
  expect(verdicts.holds!.costUsd).toBeGreaterThan(0);
  expect(run.output).toContain('at tasks/5-breaks.yaml:8');

  const report = suite.read('report.json');
  expect(report).not.toContain(KEY);
  const broken = resultOf(report, 'breaks');
  const step = broken.steps!.find(({ title }) =>
    title.startsWith('judge "webJudge": The message was sent twice'),
  )!;
  expect(step.error!.message).toContain('The message was sent twice');
  expect(step.steps!.map(({ title }) => title)).toEqual([
    'not met: The message was sent',
    'not met: It was sent once',
  ]);
  expect(broken.errors).toMatchObject([
    {
      message: expect.stringContaining('the judge: The message was sent twice: turn 2 repeats it.'),
      location: { file: expect.stringContaining('5-breaks.yaml'), line: 8 },
    },
  ]);
  expect(attached(broken, 'transcript')).toContain('✗ It was sent once\n      | Nothing shows it.');
  const record = JSON.parse(attached(resultOf(report, 'holds'), '_taskproof'));
  expect(record.judge).toMatchObject({
    passed: true,
    model: 'claude-sonnet-5-5',
    promptVersion: '1',
    keyPoints: [{ met: true, screenshot: 'end.jpg' }, { met: true }],
  });
  expect(record.costUsd).toBe(record.judge.usage.costUsd);
  expect(attached(resultOf(report, 'holds'), 'transcript')).toContain('✓ The message was sent (end.jpg)');
});

test('a judge that can not be reached says nothing about the site', () => {
  const { unreached } = verdicts;
  expect(unreached, run.output).toMatchObject({
    verdict: 'inconclusive',
    errors: 1,
    failures: 0,
    trials: [{ outcome: 'error', errorKind: 'judge' }],
  });
  expect(unreached!.reason).toContain('judge "webJudge": the API failed (500)');
  expect(unreached!.costUsd, 'the key points were paid').toBeGreaterThan(0);
});

test('an interrupted judge leaves no passed trial behind', () => {
  expect(run.exitCode, run.output).toBe(130);
  expect(run.results()).toMatchObject({ status: 'interrupted', complete: false });
  expect(verdicts.interrupted).toMatchObject({ passes: 0, failures: 0 });
});
