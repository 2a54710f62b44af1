// Documents of another host that come without a request, in whole trials: none is graded, and the agent is not blamed.
import type { BrowserContext, Page } from '@playwright/test';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SessionTask } from '../../src/agents/agent';
import { perform } from '../../src/browser/actions/perform';
import { type OpenSession, openSession } from '../../src/browser/session/session';
import type { TrialRecord } from '../../src/data/record';
import { quickest } from '../support/claude-harness';
import { FOREIGN_DOCUMENTS, type ForeignDocument } from '../support/foreign-documents';
import { browserOfTests } from '../support/shared-browser';
import { playTrial } from '../support/trials';
import { type Answer, siteOfTests } from '../support/two-sites';

const browser = browserOfTests();
/** Whether the next test may have the context. */
let isKept = false;
let context: BrowserContext;
let page: Page;
let opened: OpenSession;
let pages: Record<string, string> = {};

const CLICKED = '<button id=go onclick="(0, eval)(window.name)">go</button>';

const good = siteOfTests('localhost', (path): Answer => {
  if (path === '/never') return { never: true };
  if (path === '/none') return { status: 204 };
  if (path === '/framed') return { body: `<h2>here</h2><iframe src="${bad.origin}/frame"></iframe>` };
  if (path === '/hop') return { status: 302, headers: { location: `${secure()}/out` } };
  if (path.endsWith('.svg')) return { headers: { 'content-type': 'image/svg+xml' }, body: pages[path] };
  return { body: pages[path] ?? `<title>${path}</title>` };
});
const bad = siteOfTests('other.test', (path): Answer => {
  if (path.endsWith('.js'))
    return {
      headers: { 'content-type': 'text/javascript' },
      body: 'oninstall = () => fetch("/from-worker")',
    };
  return { body: path === '/frame' ? CLICKED : (pages[`bad ${path}`] ?? '<h1>EVIL</h1>') };
});
/** The other site under a name by which Chromium takes it for secure: prefetch and service workers need that. */
const secure = () => `http://other.localhost:${bad.port}`;
beforeEach(async () => {
  if (!page || page.isClosed()) {
    context = await browser().newContext();
    page = await context.newPage();
  }
  isKept = false;
  pages = {};
  bad.hits.length = 0;
});
afterEach(async ({ task }) => {
  await opened?.close();
  if (!isKept || task.result?.state === 'fail') await context.close();
  else await Promise.all(context.pages().map(tab => tab !== page && tab.close()));
});

interface TrialInput {
  means?: 'best' | 'route';
  path?: string;
  run?(task: SessionTask): Promise<unknown>;
  assertion?: object;
  secrets?: Record<string, string>;
  /** How long the assertion is waited for: short if it must not hold, which takes all of it. */
  expectTimeoutMs?: number;
}

/** A trial of one assertion: by default one that holds in the other host's document alone. */
async function runTrial(input: TrialInput) {
  const { means = 'best', path = '/', run, secrets, expectTimeoutMs = 20_000 } = input;
  const { assertion = { type: 'dom', selector: 'h1', state: 'text', text: 'EVIL' } } = input;
  opened = await openSession(page, ['localhost'], means);
  return playTrial(opened, { entryUrl: good.origin + path, run, assertion, secrets, expectTimeoutMs });
}

function frameOf({ frame }: Pick<ForeignDocument, 'frame'>, script: string): string {
  const name = script.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
  const src = frame === 'data' ? `data:text/html,${CLICKED.replaceAll('"', "'")}` : `${bad.origin}/frame`;
  return `<h2>here</h2><iframe name="${name}" src="${src}"></iframe>`;
}

const go = (on: Page) => on.frameLocator('iframe').locator('#go').click();

describe.each([
  ['best', FOREIGN_DOCUMENTS],
  ['route', FOREIGN_DOCUMENTS.filter(({ route }) => route)],
] as const)('means: %s', (means, documents) => {
  it.each(documents)('never grades $name', async row => {
    // A tab that is never reported can't be closed without it.
    isKept = !row.unseen;
    pages['/'] = frameOf(row, row.script.replaceAll('GOOD', good.origin));
    const record = await runTrial({
      means,
      expectTimeoutMs: 700,
      // Its document comes up while the trial is graded.
      run: task => go(task.page),
    });
    expect(record).toMatchObject({ status: 'completed', outcome: 'failed' });
    expect(record.refusals.filter(({ how }) => how === 'escaped')).toEqual([]);
    expect(record.reason).not.toContain('the agent got to');
    if (row.unseen) return;
    // Beside busy cores a tab may come up only after the trial.
    await expect.poll(() => opened.refusals.map(({ how }) => how)).toContain('page_escape');
    // Each is left, for good, after a few attempts.
    expect(opened.refusals.length).toBeLessThan(10);
    expect(record.finalUrl).toMatch(/^(http:\/\/localhost:\d+\/(ok|framed)?|about:blank)$/);
    // Closing takes a moment, and the trial does not wait for it.
    const shown = () => Promise.all(context.pages().map(tab => tab.content().catch(() => '')));
    await expect.poll(async () => (await shown()).join('')).not.toContain('EVIL</h1>');
  });
});

it('closes a foreign tab whose closing the browser forgets', async () => {
  pages['/'] = frameOf({}, FOREIGN_DOCUMENTS[0]!.script);
  context.on('page', tab => {
    const close = tab.close.bind(tab);
    let asked = 0;
    // As Chromium does now and then: the first does not come back, the next is answered and forgotten.
    tab.close = async options => {
      if (!options?.runBeforeUnload) return new Promise(() => {});
      if (++asked > 1) await close(options);
    };
  });
  await runTrial({ run: task => go(task.page), expectTimeoutMs: 700 });
  await expect.poll(() => context.pages()).toHaveLength(1);
});

it('brings a tab back whose history Chromium does not tell at once', async () => {
  pages['/'] = frameOf({}, FOREIGN_DOCUMENTS.find(({ name }) => name === 'the top page as blob:')!.script);
  const goBack = page.goBack.bind(page);
  let refused = 0;
  // As it answers while a new document moves the tab to another process.
  page.goBack = async options => {
    if (refused++ < 10)
      throw new Error('Protocol error (Page.getNavigationHistory): Not attached to an active page');
    return goBack(options);
  };
  const record = await runTrial({
    run: task => go(task.page),
    assertion: { type: 'dom', selector: 'h2', state: 'visible' },
  });
  expect(record).toMatchObject({ outcome: 'passed', finalUrl: `${good.origin}/` });
  expect(refused).toBeGreaterThan(10);
});

it('gets no secret while it is still there', async () => {
  const field = '<label>Password <input></label>';
  pages['/'] = frameOf(
    {},
    `w = open(''); w.target = top; w.eval("setInterval(() => { try { target.document.body.firstChild || (target.document.body.innerHTML = '${field}') } catch {} }, 1)"); top.location = 'about:blank'`,
  );
  // As in the moment before the guard has done it.
  let leave = () => {};
  const mayLeave = new Promise<void>(resolve => {
    leave = resolve;
  });
  const goBack = page.goBack.bind(page);
  page.goBack = options => mayLeave.then(() => goBack(options));
  context.on('page', tab => {
    const close = tab.close.bind(tab);
    tab.close = options => mayLeave.then(() => close(options));
  });
  let refused = '';
  await runTrial({
    expectTimeoutMs: 700,
    secrets: { PW: 'violet 7' },
    run: async task => {
      await go(task.page);
      const locator = task.page.getByLabel('Password');
      const typing = perform(
        task.page,
        { do: 'fill', locator, text: '<secret>PW</secret>' },
        { timeoutMs: 20_000, task },
      );
      await typing.catch(error => {
        refused = error.message;
      });
      expect(await locator.inputValue()).toBe('');
      leave();
    },
  });
  expect(refused).toContain('Not typed: the field is on a document without a host (about:blank)');
});

it('does not count what held while another document was there', async () => {
  pages['/'] = frameOf({}, FOREIGN_DOCUMENTS.find(({ name }) => name === 'the top page as blob:')!.script);
  opened = await openSession(page, ['localhost']);
  await page.goto(good.origin);
  const check = async (tab: Page) => {
    const shown = tab.waitForEvent('framenavigated', frame => frame.url().startsWith('blob:'));
    await go(tab);
    await shown;
  };
  await expect(opened.session.onAdmitted(check)).rejects.toThrow('while it was checked');
  await expect.poll(() => page.url()).toBe(`${good.origin}/`);
  expect(await opened.session.onAdmitted(tab => tab.textContent('h2'))).toBe('here');
});

it('is a way to a false pass without the guard', async () => {
  pages['/'] = frameOf({}, FOREIGN_DOCUMENTS[0]!.script);
  await page.goto(good.origin);
  const popup = context.waitForEvent('page');
  await go(page);
  expect(await (await popup).textContent('h1')).toBe('EVIL');
});

it('lets the site write blank tabs and blobs of its own', async () => {
  pages['/'] = `<button onclick="window.open('').document.body.innerHTML = '<h1>EVIL</h1>'">write</button>
    <button onclick="window.open(window.URL.createObjectURL(new Blob(['<h1>EVIL</h1>'], { type: 'text/html' })))">blob</button>`;
  for (const button of ['write', 'blob']) {
    const record = await runTrial({
      run: task => task.turn(button, () => task.page.getByText(button).click()),
    });
    expect(record).toMatchObject({ outcome: 'passed', refusals: [] });
    await opened.close();
  }
});

it('makes a tab of the agent its own at once', async () => {
  const record = await runTrial({
    run: async task => {
      const tab = await task.context.newPage();
      expect(task.page).toBe(tab);
      await tab.goto(`${good.origin}/x`);
    },
    assertion: { type: 'url', pattern: '**/x' },
  });
  expect(record).toMatchObject({ outcome: 'passed', refusals: [] });
});

it('lets the agent go to a blank page from one with frames of others', async () => {
  pages['/'] = frameOf({}, '');
  const record = await runTrial({
    run: async task => {
      await task.page.goto('about:blank');
      await task.page.setContent('<h1>EVIL</h1>');
    },
  });
  expect(record).toMatchObject({ outcome: 'passed', refusals: [], finalUrl: 'about:blank' });
});

it('lets the agent follow a link within a page of its own', async () => {
  const record = await runTrial({
    run: async task => {
      await task.page.goto('about:blank');
      await task.page.setContent('<a href="#more">more</a><h1>EVIL</h1>');
      await task.page.getByText('more').click();
    },
  });
  expect(record).toMatchObject({ outcome: 'passed', refusals: [], finalUrl: 'about:blank#more' });
});

describe('a link that the site prefetched', () => {
  const rules = (url: string, attributes = '') =>
    `<script type=speculationrules>${JSON.stringify({ prefetch: [{ source: 'list', urls: [url], eagerness: 'immediate' }] })}</script>
     <h2>here</h2><a id=x ${attributes} href="${url}">x</a>`;
  const rows = [
    { name: 'to another host', url: () => `${secure()}/out`, attributes: '' },
    { name: 'that redirects there', url: () => '/hop', attributes: '' },
    { name: 'to a new tab', url: () => `${secure()}/out`, attributes: 'target=_blank' },
  ];

  it.each(rows)('$name does not fail the trial of who clicks it', async ({ url, attributes }) => {
    pages['/'] = rules(url(), attributes);
    const prefetched: string[] = [];
    const session = await context.newCDPSession(page);
    session.on('Preload.prefetchStatusUpdated', ({ status }) => prefetched.push(status));
    await session.send('Preload.enable');
    const record = await runTrial({
      run: async task => {
        await expect.poll(() => prefetched).toContain('Ready');
        await task.turn('click', () => task.page.click('#x'));
        await expect.poll(() => opened.refusals.length).toBeGreaterThan(0);
      },
      assertion: { type: 'dom', selector: 'h2', state: 'visible' },
    });
    expect(record).toMatchObject({ outcome: 'passed', finalUrl: `${good.origin}/` });
    expect(record.refusals.map(({ how }) => how)).not.toContain('escaped');
    // The guard reports a tab before it has closed it, and the trial may have ended by then.
    await expect.poll(() => context.pages()).toHaveLength(1);
  });
});

it('installs no service worker of another host', async () => {
  pages['bad /register'] =
    `<script>navigator.serviceWorker.register('/service.js').catch(() => { parent.postMessage('refused', '*') })</script>`;
  pages['/'] =
    `<h2 id=said></h2><script>onmessage = ({ data }) => { said.textContent = data }</script><iframe src="${secure()}/register"></iframe>`;
  const record = await runTrial({
    assertion: { type: 'dom', selector: 'h2', state: 'text', text: 'refused' },
  });
  expect(record).toMatchObject({ outcome: 'passed' });
  expect(record.refusals).toEqual([{ url: `${secure()}/service.js`, how: 'service_worker' }]);
  expect(bad.hits).toEqual(['GET /register']);
});

describe('an entry page that leaves while it loads', () => {
  const leaving: Record<string, [path: string, html: string]> = {
    'by a script': ['/', `<h2>here</h2><script>location = 'BAD/out'</script><h3>never parsed</h3>`],
    'by an inline SVG': ['/', `<h2>here</h2><svg><script>location = 'BAD/out'</script></svg>`],
    'by an SVG document': [
      '/a.svg',
      `<svg xmlns="http://www.w3.org/2000/svg"><h2 xmlns="http://www.w3.org/1999/xhtml">here</h2><script>location = 'BAD/out'</script></svg>`,
    ],
    'by a meta refresh': ['/', `<meta http-equiv=refresh content="0;url=BAD/out"><h2>here</h2>`],
  };

  /** Without the wait for slow pictures, and far from the limit for opening. */
  const quickly = (input: TrialInput, check: (record: TrialRecord) => void) =>
    quickest(4_500, async () => {
      await opened?.close();
      return async () => check(await runTrial(input));
    });

  it.each(Object.entries(leaving))('%s goes on as it stands, at once', async (_, [path, html]) => {
    pages[path] = html.replaceAll('BAD', bad.origin);
    const assertion = { type: 'dom', selector: 'h2', state: 'text', text: 'here' };
    await quickly({ path, assertion }, record =>
      expect(record).toMatchObject({ status: 'completed', outcome: 'passed' }),
    );
    expect(bad.hits).toEqual([]);
  });

  it('cannot be opened if it redirects, which is known at once', async () => {
    await quickly({ path: '/hop' }, record => {
      expect(record).toMatchObject({ outcome: 'error', errorKind: 'site_unreachable' });
      expect(record.reason).toContain('which is not in allowedDomains');
    });
  });
});
