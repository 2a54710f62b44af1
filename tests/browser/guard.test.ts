import { type Browser, type BrowserContext, errors, type Page } from '@playwright/test';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Guard, type GuardOptions, guardContext } from '../../src/browser/guard';
import { TRICKS, type Trick } from '../support/escape-tricks';
import { type Answer, launchWithTestNames, type Site, startSite } from '../support/two-sites';

let browser: Browser;
let good: Site;
let bad: Site;
let trick: Trick | undefined;
let context: BrowserContext;
let page: Page;
let guard: Guard | undefined;

const FRAMED = `<button id=y onclick="top.location = '/out'">y</button><button id=z onclick="window.open('/out')">z</button>`;

beforeAll(async () => {
  browser = await launchWithTestNames();
  // Only of localhost does Chromium accept service workers over http.
  good = await startSite('localhost', path => {
    if (trick?.paths?.[path]) return filledIn(trick.paths[path]);
    if (path === '/') return filledIn({ body: `<input id=state>${trick?.html ?? ''}` });
    return { body: `<title>${path}</title>` };
  });
  bad = await startSite('other.test', (path): Answer => {
    if (path === '/back') return { status: 302, headers: { location: `${good.origin}/returned` } };
    if (path === '/out-attached') return { headers: { 'content-disposition': 'attachment; filename=a.txt' } };
    return { body: path === '/framed' ? FRAMED : 'bad', headers: { 'cache-control': 'no-store' } };
  });
});
afterAll(async () => {
  await browser?.close();
  await good?.close();
  await bad?.close();
});
beforeEach(async () => {
  context = await browser.newContext({ baseURL: good.origin });
  page = await context.newPage();
  trick = undefined;
  guard = undefined;
  good.hits.length = 0;
  bad.hits.length = 0;
});
afterEach(async () => {
  await guard?.dispose();
  await context.close();
});

function withAddresses(text: string): string {
  return text
    .replaceAll('BAD', bad.origin)
    .replaceAll('GOOD', good.origin)
    .replaceAll('PORT', String(bad.port));
}

function filledIn({ status, headers = {}, body = '' }: Answer): Answer {
  const filled = Object.entries(headers).map(([name, value]) => [name, withAddresses(value)]);
  return { status, headers: Object.fromEntries(filled), body: withAddresses(body) };
}

async function turnOn(options: Partial<GuardOptions> = {}): Promise<Guard> {
  guard = await guardContext(context, { allowedDomains: ['localhost'], ...options });
  return guard;
}

/** Opens the trick's page, and leaves state in it. */
async function prepare(of: Trick, on: boolean): Promise<void> {
  trick = of;
  await of.before?.(page, bad.origin);
  if (on) await turnOn();
  await page.goto('/');
  await page.fill('#state', 'typed');
  await page.evaluate('window.state = "kept"');
  bad.hits.length = 0;
}

/** Tries it. A refused navigation rejects what waits for it. */
async function attempt({ act, script }: Trick): Promise<void> {
  const tried = act ? act(page, bad.origin) : page.evaluate(withAddresses(script!));
  await tried.catch(error => {
    if (error instanceof errors.TimeoutError) throw error;
  });
}

/** Requests at the other site, but for those of the frame that a trick begins in. */
function hits(): string[] {
  return bad.hits.filter(hit => !hit.endsWith('/framed'));
}

async function expectStateKept(): Promise<void> {
  expect(page.url()).toBe(`${good.origin}/`);
  expect(await page.inputValue('#state')).toBe('typed');
  expect(await page.evaluate('window.state')).toBe('kept');
}

describe('lets nothing out', () => {
  it.each(TRICKS)('$name', async row => {
    await prepare(row, true);
    expect(guard!.means).toBe('protocol');
    await attempt(row);
    if (row.how !== 'browser') {
      await expect.poll(() => guard!.refusals.length, { timeout: 5_000 }).toBe(1);
      expect(guard!.refusals[0]!.how).toBe(row.how);
      expect(guard!.refusals[0]!.url).toMatch(new RegExp(`:${bad.port}/`));
    }
    // A round trip through the network, by which a request that got out would have arrived.
    await page.evaluate(`fetch('${good.origin}/settled').then(answer => answer.text())`);
    if (row.endsAt) expect(page.url()).toMatch(row.endsAt);
    else await expectStateKept();
    expect(hits()).toEqual([]);
    for (const other of context.pages())
      expect(other.url()).toMatch(/^(about:blank|(blob:)?http:\/\/localhost:)/);
    expect(guard!.refusals.filter(refusal => refusal.how === 'escaped')).toEqual([]);
  });
});

describe('each is a way out without it', () => {
  it.each(TRICKS.filter(row => row.how !== 'browser'))('$name', async row => {
    await prepare(row, false);
    await attempt(row);
    await expect.poll(() => hits().length, { timeout: 5_000 }).toBeGreaterThan(0);
  });
});
