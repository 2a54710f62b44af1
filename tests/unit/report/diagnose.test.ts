// From Playwright's results to the diagnosis of each spec: what records tell, what is compared with what, and what is shown.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestResult } from '@playwright/test/reporter';
import { describe, expect, test } from 'vitest';
import { replay } from '../../../src/agents/replay';
import type { RecordedAction } from '../../../src/data/action';
import { baselineText, historyRun } from '../../../src/data/baseline';
import { readRecord, type TrialRecord } from '../../../src/data/record';
import { readResults } from '../../../src/data/results';
import { planAnnotations } from '../../../src/playwright/run/plan';
import { diagnose, keptWays } from '../../../src/report/diagnose';
import { recordingOf } from '../../../src/report/recordings';
import { renderSummary } from '../../../src/report/render/run';
import { lostSummary } from '../../../src/report/render/trial-notes';
import { SpecRun } from '../../../src/report/spec-run';
import { resultsOf } from '../../../src/report/write';
import { fakeConfig, fakeProject, fakeResult, fakeTest } from '../../support/fake-suite';
import { madeAction, madeRecord, madeTurn } from '../../support/records';
import { tempFolder } from '../../support/temp-folder';

const SITE = 'http://127.0.0.1:4000';
const ABOUT = {
  ...{ startedAt: new Date().toISOString(), durationMs: 1, status: 'failed' as const, lacking: [] },
};

const role = (name: string, label: string) => `getByRole('${name}', { name: '${label}' })`;
const click = (path: string, name: string, to = path) =>
  madeAction({ do: 'click', locator: role('button', name) }, path, to);

/** A turn for each list of recorded actions; a text is an action with nothing recorded, one that ends in `!` failed. */
function record(turns: (RecordedAction[] | string)[], more: Partial<TrialRecord> = {}): TrialRecord {
  const made = turns.map((recorded, index) => {
    const url = SITE + (typeof recorded === 'string' ? '/' : (recorded.at(-1)?.after.url ?? '/'));
    const title = typeof recorded === 'string' ? recorded.replace(/!$/, '') : `turn ${index + 1}`;
    const failed = typeof recorded === 'string' && recorded.endsWith('!');
    const action = {
      title,
      ...(failed ? { error: 'not found' } : {}),
      ...(typeof recorded === 'string' ? {} : { recorded }),
    };
    const more = { actions: [action], screenshot: `turn-${index + 1}.jpg` };
    return madeTurn({ number: index + 1, title, outcome: failed ? 'error' : 'ok', url, ...more });
  });
  const reason = 'nothing matches "h1"';
  const text = JSON.stringify(
    madeRecord({
      ...{ outcome: 'failed', reason, turns: made },
      network: {
        events: [{ url: `${SITE}/`, method: 'GET', status: 200, resourceType: 'document', startedAtMs: 0 }],
        dropped: 0,
      },
      assertions: [{ title: '"h1" is visible', type: 'dom', passed: more.outcome === 'passed', reason }],
      finalUrl: made.at(-1)?.url ?? `${SITE}/`,
      ...more,
    }),
  );
  return readRecord(text)!;
}

const CONFIG = fakeConfig();
const NONE = () => undefined;
const PASS = record([[click('/', 'Cart', '/cart')], [click('/cart', 'Pay', '/thanks')]], {
  outcome: 'passed',
  reason: null,
});
const LOST = record([[click('/', 'Cart', '/cart')], [click('/cart', 'Help', '/help')]]);

function specRun(project: string, records: TrialRecord[], more: Partial<SpecRun['planned']> = {}) {
  const policy = { k: records.length, minPasses: records.length };
  const planned = { id: 'buy', file: 'buy.yaml', policy, replayed: false, ...more };
  const run = new SpecRun(project, planned);
  const results = records.map((record, repeatEachIndex) => {
    const pictures = record.turns.map(({ number }) => ({
      ...{ name: `turn-${number}.jpg`, contentType: 'image/jpeg' },
      body: Buffer.from(`${project} ${repeatEachIndex} ${number}`),
    }));
    const steps = pictures.map(picture => ({ title: picture.name, steps: [], attachments: [picture] }));
    const status = record.outcome as 'passed' | 'failed';
    const annotations = planAnnotations(planned);
    const result = fakeResult({ status, annotations, record, steps, attachments: pictures });
    const title = `buy · trial ${repeatEachIndex + 1}/${policy.k}`;
    run.add(fakeTest({ title, repeatEachIndex }), result);
    return result;
  });
  return { run, results };
}

const PARTED = 'turn 2: the passing trial clicked button "Pay", this one clicked button "Help"';

test('a failed trial shows its diagnosis first, its step marked, and both pictures', () => {
  const { run, results } = specRun('opus', [PASS, LOST]);
  const found = diagnose([run], () => expect.fail('there is a passing trial in this run'));
  expect(run.diagnosis).toMatchObject({
    headline: 'trial 2/2: nothing matches "h1"; ended on /help after button "Help"',
    parted: PARTED,
    partings: [{ expected: { screenshot: 'turn-1.jpg' }, actual: { screenshot: 'turn-1.jpg' } }],
  });
  expect(resultsOf([run], ABOUT, found).verdicts).toMatchObject([
    { diagnosis: { parted: PARTED }, way: { end: '/thanks' } },
  ]);
  const [passed, lost] = results as [TestResult, TestResult];
  expect(lost.annotations.slice(0, 2)).toEqual([
    { type: 'diagnosis', description: 'trial 2/2: nothing matches "h1"; ended on /help after button "Help"' },
    { type: 'parted', description: PARTED },
  ]);
  expect(lost.steps.map(({ title }) => title)).toEqual([
    'turn-1.jpg',
    'turn-2.jpg (first difference from passing trials)',
  ]);
  // What each saw at its second turn.
  const added = lost.attachments.filter(({ name }) => name.startsWith('parted'));
  expect(added.map(({ name, body }) => `${name}: ${body}`)).toEqual([
    'parted-at-turn-2-expected.jpg: opus 0 1',
    'parted-at-turn-2-actual.jpg: opus 1 1',
  ]);
  expect(passed.annotations.map(({ type }) => type)).not.toContain('diagnosis');
});

test('another project is compared with if no trial passed in its own', () => {
  const strong = specRun('opus', [PASS, PASS]);
  const alone = specRun('haiku', [LOST, LOST]);
  diagnose([alone.run, strong.run], NONE);
  expect(alone.run.diagnosis!.partings.map(({ from, expected }) => [from, expected.project])).toEqual([
    ['project', 'opus'],
    ['project', 'opus'],
  ]);
  expect(alone.results[0]!.attachments.map(({ name }) => name)).toContain('parted-at-turn-2-expected.jpg');
  expect(alone.results[0]!.annotations).toContainEqual({
    type: 'parted',
    description: 'turn 2: passing trials of "opus" clicked button "Pay", this one clicked button "Help"',
  });
});

test('which other project is compared with', () => {
  const fromOf = (own: TrialRecord[], ...others: [string, TrialRecord[]][]) => {
    const { run } = specRun('haiku', own);
    diagnose([run, ...others.map(([project, records]) => specRun(project, records).run)], NONE);
    return run.diagnosis!.partings.map(({ expected }) => expected.project);
  };
  const [lostBy, passBy] = [LOST, PASS].map(record => (agent: string) => ({ ...record, agent }));
  // That of the same agent, else the first by name.
  const passing = ['b', 'a', 'c'].map((name): [string, TrialRecord[]] => [name, [passBy!(name)]]);
  expect(fromOf([lostBy!('c')], ...passing)).toEqual(['c']);
  expect(fromOf([lostBy!('x')], ...passing)).toEqual(['a']);
  // One that fails the spec, too.
  const mixed: [string, TrialRecord[]] = ['sonnet', [PASS, LOST]];
  expect(fromOf([LOST], mixed)).toEqual(['sonnet']);
  expect(fromOf([PASS, LOST], mixed)).toEqual(['haiku']);
  expect(fromOf([LOST], ['sonnet', [LOST]])).toEqual([]);
  // Another package has a spec of the same id.
  expect(fromOf([LOST], ['sonnet', [{ ...PASS, specHash: 'b' }]])).toEqual([]);
});

describe('no passing trial in the run', () => {
  const passedRun = () => {
    const { run } = specRun('opus', [PASS, PASS]);
    const about = { ...ABOUT, startedAt: '2026-11-01T00:00:00.000Z', status: 'passed' } as const;
    return resultsOf([run], about, diagnose([run], NONE));
  };
  const partedIn = (where: string, baseline?: string) => {
    const { run } = specRun('opus', [LOST]);
    diagnose([run], keptWays(CONFIG, where, baseline));
    return run.diagnosis!.parted;
  };

  test('none is known anywhere: groups alone', () => {
    expect(partedIn(tempFolder(), 'missing.json')).toBeNull();
  });

  test('the last passing trial that the baseline keeps', () => {
    const where = tempFolder();
    writeFileSync(join(where, 'baseline.json'), baselineText([historyRun(passedRun())], 10));
    expect(partedIn(where, 'baseline.json')).toBe(PARTED.replace('the passing', 'the last passing'));
  });

  test('what its page had, and what it sent', () => {
    const where = tempFolder();
    const post = { url: `${SITE}/pay`, method: 'POST', resourceType: 'fetch', startedAtMs: 1 };
    const paid = (record: TrialRecord, status: number) => ({
      ...record,
      network: { events: [...record.network.events, { ...post, status }], dropped: 0 },
    });
    const { run } = specRun('opus', [PASS, { ...paid(PASS, 201), ...found('.menu', false) }]);
    const results = resultsOf([run], ABOUT, diagnose([run], NONE));
    expect(results.verdicts[0]!.way).toMatchObject({ findings: [{ locator: '.menu' }] });
    const passed = specRun('opus', [{ ...paid(PASS, 201), ...found('.menu', false) }]).run;
    const saved = resultsOf([passed], ABOUT, diagnose([passed], NONE));
    writeFileSync(join(where, 'baseline.json'), baselineText([historyRun(saved)], 10));
    const lost = specRun('opus', [{ ...paid(LOST, 500), ...found('.menu') }]).run;
    diagnose([lost], keptWays(CONFIG, where, 'baseline.json'));
    expect(lost.diagnosis).toMatchObject({
      findings: [],
      requests: [{ text: 'POST /pay answered 500 (201 in passing trials)' }],
    });
  });

  test('a baseline keeps one way of each spec', () => {
    const run = historyRun(passedRun());
    const text = baselineText([run, { ...run, startedAt: '2026-11-02T00:00:00.000Z' }], 10);
    expect(text.match(/"way"/g)).toHaveLength(1);
    expect(text.indexOf('"way"')).toBeGreaterThan(text.indexOf('2026-11-02'));
  });

  test('the recording, if it is of the same text of the spec', () => {
    const where = tempFolder();
    mkdirSync(join(where, 'recordings'));
    const file = join(where, 'recordings', 'buy.json');
    writeFileSync(file, JSON.stringify(recordingOf(PASS).recording));
    expect(partedIn(where)).toBe(
      'turn 2: the recording clicked button "Pay", this one clicked button "Help"',
    );
    writeFileSync(file, JSON.stringify({ ...recordingOf(PASS).recording, specHash: 'b' }));
    expect(partedIn(where)).toBeNull();
  });

  test('the recording that was played, not that of another folder', () => {
    const where = tempFolder();
    const [played, other] = ['Pay', 'Send'].map(name =>
      record([[click('/', 'Cart', '/cart')], [click('/cart', name, '/thanks')]], { outcome: 'passed' }),
    );
    for (const [folder, passed] of Object.entries({ played, recordings: other })) {
      mkdirSync(join(where, folder));
      writeFileSync(join(where, folder, 'buy.json'), JSON.stringify(recordingOf(passed!).recording));
    }
    const agent = replay({ recordings: 'played' });
    const project = fakeProject('opus', { use: { taskproof: { agent, record: 'elsewhere' } } as object });
    const { run } = specRun('opus', [LOST], { replayed: true });
    run.tests.add(fakeTest({ project }));
    diagnose([run], keptWays(fakeConfig([project]), where));
    expect(run.diagnosis!.parted).toBe(
      'turn 2: the recording clicked button "Pay", this one clicked button "Help"',
    );
  });
});

test('errors and a retry say nothing about the site: no diagnosis of them', () => {
  const { run } = specRun('opus', [
    record([], { status: 'error', errorKind: 'agent_api', outcome: 'error' }),
  ]);
  const found = diagnose([run], NONE);
  expect(run.diagnosis).toBeUndefined();
  const lost = specRun('opus', [LOST]).run;
  const { verdicts } = resultsOf([run, lost], ABOUT, found);
  for (const row of verdicts) expect(row.way).toBeUndefined();
  expect(verdicts[0]!.diagnosis).toBeUndefined();
});

test('a shard compares no projects: half of the trials would mislead', () => {
  const runs = [specRun('opus', [PASS]).run, specRun('sonnet', [LOST]).run];
  expect(resultsOf(runs, ABOUT).comparison).toBeDefined();
  expect(resultsOf(runs, { ...ABOUT, shard: '1/2' }).comparison).toBeUndefined();
});

test('a trial that comes twice, as from a shard merged twice, counts once', () => {
  const { run, results } = specRun('opus', [PASS, LOST]);
  const again = fakeTest({ title: 'buy · trial 2/2', repeatEachIndex: 1 });
  run.add(again, results[1]!);
  diagnose([run], NONE);
  expect(run.diagnosis!.groups.map(({ trials }) => trials)).toEqual([[1]]);
  expect(run.verdict).toMatchObject({ passes: 1, failures: 1, missing: 0, trials: [{}, {}] });
});

const found = (locator: string, relevant = true, path = '/shop/12') => ({
  examination: {
    path,
    findings: [{ kind: 'no_name' as const, locator, text: 'button without a name', relevant }],
    others: 0,
  },
});

describe('what passing trials have, too, is no cause', () => {
  const passing = (agent = 'scripted') => ({ ...PASS, agent, ...found('.menu', false, '/thanks') });
  const lost = (agent = 'scripted') => ({ ...LOST, agent, ...found('.menu') });
  const findingsIn = (run: SpecRun) => {
    const { findings, others } = run.diagnosis!;
    return [findings, others].map(all => all.map(({ locator }) => locator));
  };
  test('of the run', () => {
    const { run, results } = specRun('opus', [passing(), PASS, lost(), { ...LOST, ...found('.add') }]);
    const { findings } = diagnose([run, specRun('opus', [lost()], { id: 'x' }).run], NONE);
    expect(findingsIn(run)).toEqual([['.add'], ['.menu']]);
    expect(findings).toEqual([]);
    const told = results.map(({ annotations }) => annotations.filter(({ type }) => type === 'in the way'));
    expect(told.map(({ length }) => length)).toEqual([0, 0, 0, 1]);
  });

  test.each([
    ['of the same agent in another project', 'a', [[], ['.menu']]],
    ['but not of another agent', 'b', [['.menu'], []]],
  ])('%s', (_, agent, expected) => {
    const { run } = specRun('haiku', [lost('a')]);
    diagnose([run, specRun('opus', [passing(agent)]).run], NONE);
    expect(findingsIn(run)).toEqual(expected);
  });
});

describe('a control without a name where passing trials had theirs', () => {
  const CONTROL = { control: 'button "Pay"', x: 0, y: 100, width: 80, height: 30 };
  const ICON = { ...CONTROL, control: 'button', width: 20 };
  const pay = { ...click('/cart', 'Pay', '/thanks'), place: CONTROL };
  const post = { url: `${SITE}/items`, method: 'POST', resourceType: 'fetch', startedAtMs: 1 };
  const passed = record([[click('/', 'Cart', '/cart')], [pay]], { outcome: 'passed', reason: null });
  const finding = { kind: 'no_name' as const, text: 'button without a name' };
  /** `.icon` is at the place, `.menu` is a guess. */
  const stuck = (turns: string[], icon = ICON, status = 200) => {
    const made = record([[click('/', 'Cart', '/cart')], ...turns]);
    const findings = [
      { ...finding, locator: '.menu', relevant: true, place: { ...ICON, y: 500 } },
      { ...finding, locator: '.icon', relevant: false, place: icon },
    ];
    const examination = { path: '/cart', findings, others: 1, controls: [ICON] };
    const events = [...made.network.events, { ...post, status }];
    return { ...made, finalUrl: `${SITE}/cart`, examination, network: { events, dropped: 0 } };
  };
  test.each<[what: string, TrialRecord, string[]]>([
    ['after a click that failed', stuck(['Pay!']), ['.icon']],
    ['where the trial ended', stuck([]), ['.icon']],
    ['though a request went wrong', stuck(['Pay!'], ICON, 500), ['.icon']],
    ['and no other', stuck(['Pay!'], { ...ICON, y: 300 }), []],
  ])('%s', (_, lost, expected) => {
    const { run, results } = specRun('opus', [passed, lost]);
    diagnose([run], NONE);
    expect(run.diagnosis!.findings.map(({ locator }) => locator)).toEqual(expected);
    const told = results[1]!.annotations.filter(({ type }) => type === 'in the way');
    expect(told.map(({ description }) => /\.\w+/.exec(description!)![0])).toEqual(expected);
  });
});

test('the page is quoted with what it said since the trials parted, and said to no passing trial', () => {
  const saying = ({ turns, ...record }: TrialRecord, ...said: string[][]) => ({
    ...record,
    turns: turns.map((turn, index) => ({ ...turn, said: said[index] ?? [] })),
  });
  const quoted = (...said: string[][]) => {
    const { run } = specRun('opus', [saying(PASS, ['Free shipping']), saying(LOST, ...said)]);
    diagnose([run], NONE);
    return run.diagnosis!.pageSaid;
  };
  expect(quoted([], ['Sold out'])).toBe('Sold out');
  expect(quoted(['Sold out'], ['Free shipping'])).toBeUndefined();
  expect(quoted(['0 things to do'], ['1 things to do'])).toBeUndefined();
  expect(quoted([], ['2 things to do', 'Error 507'])).toBe('2 things to do');
  const ended = { ...found('.menu'), ...LOST };
  ended.examination = { ...found('.menu').examination, said: ['Free shipping', 'Gone'] };
  const { run } = specRun('opus', [saying(PASS, ['Free shipping']), saying(ended, [], ['Sold out'])]);
  diagnose([run], NONE);
  expect(run.diagnosis!.pageSaid).toBe('Gone');
});

describe('what several specs met', () => {
  const lostWith = (locator: string) => record([], found(locator));
  const LINE = 'button without a name (.icon-cart on /shop/*): 2 specs, 3 failed trials';

  function told(locator: string) {
    const runs = [
      specRun('opus', [lostWith(locator), lostWith(locator)]).run,
      specRun('opus', [lostWith(locator), PASS], { id: 'cart' }).run,
    ];
    const diagnosed = diagnose(runs, NONE);
    const results = resultsOf(runs, ABOUT, diagnosed);
    return {
      results,
      terminal: lostSummary({ lost: runs, leftOut: [], regraded: [] }, results),
      summary: renderSummary(results),
    };
  }

  test('is told in the results, above the lost specs, and at the top of the summary', () => {
    const { results, terminal, summary } = told("locator('.icon-cart')");
    expect(results.findings).toMatchObject([
      { kind: 'no_name', path: '/shop/*', specs: ['buy', 'cart'], trials: 3 },
    ]);
    expect(terminal.split('\n').slice(0, 3)).toEqual([
      'taskproof: 2 specs did not pass',
      `  ${LINE}`,
      '  ✗ buy [opus] failed: 0/2 passed, needs 2',
    ]);
    expect(summary).toContain(
      `### In the way of several specs\n\n- ${LINE.replace('*', '\\*')} (buy, cart)\n\n### Not passed`,
    );
    expect(readResults(JSON.stringify(results), 'results.json')).toEqual(JSON.parse(JSON.stringify(results)));
  });

  test('a page can not speak through its selectors', () => {
    const { terminal, summary } = told('locator(\'[title="<b>@octocat\\u001b[31m ::error::"]\')');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: what would colour a terminal
    expect(terminal + summary).not.toMatch(/\u001b| ::error/);
    expect(summary).not.toMatch(/<b>|@octocat/);
  });
});

test('only specs that several agents fail are told apart from the agents, by name', () => {
  const replayed = { replayed: true };
  const runs = [
    ...['haiku', 'opus'].map(project => specRun(project, [LOST], { id: 'pay' }).run),
    ...['haiku', 'opus'].map(project => specRun(project, [LOST], { id: 'buy' }).run),
    specRun('haiku', [LOST], { id: 'one' }).run,
    specRun('opus', [PASS], { id: 'one' }).run,
    specRun('haiku', [LOST], { id: 'again' }).run,
    specRun('opus', [LOST], { id: 'again', ...replayed }).run,
  ];
  const { failures } = diagnose(runs, NONE);
  expect(failures.map(({ spec }) => spec)).toEqual(['buy', 'pay']);
  // A replay shows nothing of how an agent does it.
  const [agent, replay] = [
    specRun('haiku', [LOST], { id: 'x' }).run,
    specRun('opus', [PASS], { id: 'x', ...replayed }).run,
  ];
  diagnose([agent, replay], NONE);
  expect(agent.diagnosis!.partings).toEqual([]);
  expect(runs.filter(({ diagnosis }) => diagnosis)).toHaveLength(runs.length - 1);
});
