// Pages that would keep an agent, its browser or its memory for ever: each trial ends within its limits, with a record.
import { expect, test } from 'vitest';
import type { TrialRecord } from '../../src/data/record';
import { hang } from '../support/hang';
import { recordsIn } from '../support/records';
import { config, makeSuite, PAGE, spec, startSite, TASKS_TEST_IN_ONE_WORKER, WITH_JSON } from './suite';

const script = (code: string) => `${PAGE}<script>${code}</script>`;
const onLoad = (code: string) => script(`addEventListener('load', () => setTimeout(() => { ${code} }));`);

const compute = (ms: number) => `for (const end = performance.now() + ${ms}; performance.now() < end; );`;

interface HostilePage {
  page: string;
  /** By default the agent clicks "Go" and is done. */
  agent?:
    | 'lexical'
    | 'leaves'
    | 'reads its notices'
    | 'waits for a closed tab'
    | 'waits for a cancelled download';
  outcome: TrialRecord['outcome'][];
  reason?: RegExp;
  /** Why the assertion did not hold. */
  broken?: RegExp;
  /** One of the record's notices. */
  notice?: RegExp;
}

const HUNG = /the page did not respond/;
const HUNG_PAGES = /-without-end|heavy-/;

/**
 * Files of the suite, in the order in which the one worker plays them, and their limits: short ones where all of them is used, since
 * nothing answers or a page is too much for the machine.
 */
const LIMITS = {
  '1-answers': '{ taskproof: { turnTimeoutMs: 20_000 } }',
  '2-hangs': '{ navigationTimeout: 6000, taskproof: { turnTimeoutMs: 3000 } }',
  '3-unopened': '{ navigationTimeout: 1000 }',
};
const fileOf = (id: string): keyof typeof LIMITS =>
  id === 'script-without-end' ? '3-unopened' : HUNG_PAGES.test(id) ? '2-hangs' : '1-answers';
/** How far a heavy page gets depends on the machine. That its trial ends, and how, does not. */
const ANY: TrialRecord['outcome'][] = ['passed', 'failed', 'error'];

const pages: Record<string, HostilePage> = {
  'dialogs-without-end': {
    // More at once than a trial keeps.
    page: onLoad(`for (let count = 1; ; count++) { alert('again'); if (count > 300) ${hang('/nap')} }`),
    outcome: ['failed'],
    broken: HUNG,
    notice: /^A dialog \(alert\) said "again" and was accepted/,
  },
  'dialog-of-megabytes': {
    page: onLoad(`alert('long '.repeat(400_000));`),
    agent: 'reads its notices',
    outcome: ['passed'],
    notice: /^A dialog \(alert\) said "long long /,
  },
  'before-unload': {
    page: script(`addEventListener('beforeunload', event => event.preventDefault());`),
    agent: 'leaves',
    outcome: ['passed'],
    notice: /^A dialog \(beforeunload\)/,
  },
  'popups-in-a-loop': {
    page: onLoad(
      `(function open(count) { window.open('/small'); setTimeout(open, count < 25 ? 100 : 500, count + 1); })(1);`,
    ),
    agent: 'waits for a closed tab',
    outcome: ['passed'],
    notice: /^A new tab was closed at once: 20 are open already/,
  },
  'downloads-in-a-loop': {
    page: onLoad(
      `setInterval(() => { const a = document.createElement('a'); a.href = '/file'; a.download = 'file.txt'; a.click(); }, 50);`,
    ),
    agent: 'waits for a cancelled download',
    outcome: ['passed'],
    notice: /^A download was cancelled because the trial had 50 already/,
  },
  'prints-and-asks': {
    page: PAGE.replace(
      'onclick="',
      'onclick="print(); Notification.requestPermission(); navigator.geolocation.getCurrentPosition(() => {}); navigator.mediaDevices?.getUserMedia({ audio: true }); navigator.clipboard?.readText(); ',
    ),
    outcome: ['passed'],
  },
  'url-of-a-megabyte': {
    page: onLoad(`history.replaceState(null, '', '?' + 'long'.repeat(250_000));`),
    outcome: ['passed'],
  },
  'path-of-a-megabyte': {
    page: onLoad(`history.replaceState(null, '', '/' + '1'.repeat(1_000_000) + 'z');`),
    agent: 'lexical',
    outcome: ['passed'],
  },
  'heavy-text': {
    page: `${PAGE}${`<p>${'text '.repeat(2_000)}</p>`.repeat(400)}`,
    outcome: ANY,
  },
  'heavy-links': {
    page: `${PAGE}${'<a href="/small">x</a> '.repeat(20_000)}`,
    agent: 'lexical',
    outcome: ANY,
  },
  'script-without-end': {
    page: script(`while (true) { ${compute(50)} ${hang('/nap')} }`),
    outcome: ['error'],
    reason: /can't be opened: Timeout 1000ms exceeded\. Is the site running/,
  },
  'timer-without-end': {
    page: onLoad(hang('/never')),
    outcome: ['failed'],
    broken: HUNG,
  },
};

const AGENT = `defineAgent({ name: 'visitor', async run(task) {
  const { page } = task;
  const how = new URL(task.entryUrl).searchParams.get('agent');
  if (how === 'lexical') return lexical().run(task);
  const until = async (event, said) => {
    for (let seen = ''; !seen.includes(said); seen += task.takeNotices().join()) await event();
  };
  await task.turn('click Go', () => page.getByText('Go').click({ timeout: ${HUNG_PAGES}.test(task.specId) ? 1000 : 20_000 }).catch(() => {}));
  const longest = notices => Math.max(...notices.map(({ length }) => length));
  if (how === 'reads its notices' && longest(task.takeNotices()) > 1000) throw new Error('a notice of megabytes');
  if (how === 'leaves') await task.turn('leave', () => page.goto(new URL('/small', task.entryUrl).href));
  if (how === 'waits for a closed tab') await task.turn('wait', () => until(() => task.context.waitForEvent('page'), 'closed at once'));
  if (how === 'waits for a cancelled download') await task.turn('wait', () => until(() => page.waitForEvent('download'), 'was cancelled'));
} })`;

test('each hostile page: the trial ends within its limits, with a record', async () => {
  const site = await startSite({
    '/small': '<p id="done">Done</p>',
    '/never': () => {},
    '/nap': (_, response) => void setTimeout(() => response.end(), 500),
    '/file': (_, response) =>
      void response.writeHead(200, { 'content-disposition': 'attachment' }).end('content'),
    ...Object.fromEntries(Object.entries(pages).map(([id, { page }]) => [`/${id}`, page])),
  });
  const suite = makeSuite({
    'playwright.config.ts': config({
      taskproof: `{ agent: ${AGENT} }`,
      reporters: WITH_JSON,
    }),
    ...Object.fromEntries(
      Object.entries(pages).map(([id, { agent = '' }]) => [
        `tasks/${fileOf(id)}/${id}.yaml`,
        spec({
          id,
          url: `${site.url}/${id}?agent=${encodeURIComponent(agent)}`,
          // It looks for as long as it may.
          extra: `maxSteps: ${agent.startsWith('waits') ? 10 : agent === 'lexical' ? 1 : 3}`,
        }),
      ]),
    ),
    ...Object.fromEntries(
      Object.entries(LIMITS).map(([name, use]) => [
        `${name}.spec.ts`,
        `${TASKS_TEST_IN_ONE_WORKER.replace('**', name)}test.use(${use});`,
      ]),
    ),
  });
  const run = await suite.playwright(['test']);
  const records = recordsIn(suite.read('report.json'));
  for (const [id, { outcome, reason, broken, notice }] of Object.entries(pages)) {
    const record = records.find(({ specId }) => specId === id)!;
    expect(record, `${id} has a record\n${run.output}`).toBeDefined();
    expect.soft(outcome, `${id}: ${record.reason}`).toContain(record.outcome);
    expect.soft(record.errorKind, id).not.toBe('internal');
    // The limits of the trial, not that of the test.
    expect.soft(record.reason ?? '', id).not.toContain('the test timed out');
    if (reason) expect.soft(record.reason, id).toMatch(reason);
    if (broken) expect.soft(record.assertions[0]?.reason, id).toMatch(broken);
    const notices = record.turns.flatMap(turn => turn.notices);
    if (notice) expect.soft(notices, id).toContainEqual(expect.stringMatching(notice));
    expect.soft(notices.length, `${id}: notices`).toBeLessThanOrEqual(201);
    expect.soft(JSON.stringify(record).length, `${id} is small`).toBeLessThan(500_000);
  }
});
